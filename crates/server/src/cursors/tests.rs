#![allow(clippy::unwrap_used, missing_docs)]

use super::*;

#[test]
fn a_cursor_gives_back_its_key() {
    let cursors = Cursors::default();
    for key in [&b""[..], b"a", b"\xff\x00"] {
        let cursor = cursors.remember(key);
        assert!((1..1 << 53).contains(&cursor), "{cursor}");
        assert_eq!(cursors.recall(cursor).as_deref(), Some(key));
        assert_eq!(cursors.remember(key), cursor);
    }
    assert_eq!(cursors.recall(0), None);
}

#[test]
fn a_cursor_outlives_the_table_or_is_forgotten_but_is_never_another() {
    let cursor = Cursors::default().remember(b"key");
    let after_restart = Cursors::default();
    assert_eq!(after_restart.recall(cursor), None);
    assert_eq!(after_restart.remember(b"key"), cursor);
}

#[test]
fn keys_that_share_a_hash_get_cursors_of_their_own() {
    let cursors = Cursors::default();
    let cursor = cursor_of(b"a");
    cursors.0.lock().insert(cursor, b"other".as_slice().into());
    let second = cursors.remember(b"a");
    assert_ne!(second, cursor);
    assert_eq!(cursors.recall(second).as_deref(), Some(&b"a"[..]));
    assert_eq!(cursors.recall(cursor).as_deref(), Some(&b"other"[..]));
}

#[test]
fn the_table_is_bounded_and_keeps_what_is_in_use() {
    let cursors = Cursors::default();
    let used = cursors.remember(b"used");
    let unused = cursors.remember(b"unused");
    for number in 0..3 * CURSORS_MAX {
        cursors.remember(number.to_string().as_bytes());
        if number % 1000 == 0 {
            assert!(cursors.recall(used).is_some());
        }
    }
    assert_eq!(cursors.recall(unused), None);
    let generations = cursors.0.lock();
    assert!(generations.young.len() + generations.old.len() <= 2 * CURSORS_MAX);
}

#[test]
fn long_keys_are_bounded_by_their_bytes() {
    let cursors = Cursors::default();
    for number in 0..1000_u32 {
        let mut key = vec![0; 64 * 1024];
        key[..4].copy_from_slice(&number.to_le_bytes());
        cursors.remember(&key);
    }
    let generations = cursors.0.lock();
    let kept = generations.young.len() + generations.old.len();
    assert!(kept <= 2 * (KEY_BYTES_MAX / (64 * 1024) + 1), "{kept}");
}
