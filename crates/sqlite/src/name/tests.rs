#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::HashMap;

use proptest::prelude::*;

use super::{FileName, NAME_BYTES_MAX, file_name, parse_file_name};

const SUFFIX: &str = ".keys";

#[test]
fn a_plain_name_stays_readable() {
    assert_eq!(file_name(b"users-2_old", SUFFIX), "users-2_old.keys");
}

#[test]
fn a_hostile_name_is_no_path_not_hidden_and_no_option() {
    let hostile: [&[u8]; 9] =
        [b"../../x", b"/etc/passwd", b".", b"..", b"", b"\0", b"-rf", b":memory:", b"file:a?b=c"];
    for namespace in hostile {
        let name = file_name(namespace, SUFFIX);
        assert!(!name.contains('/') && !name.contains('\0'), "{name}");
        assert!(!name.starts_with(['.', '-', ':']), "{name}");
        assert_eq!(parse_file_name(&name, SUFFIX), Some(FileName::Whole(namespace.to_vec())));
    }
}

#[test]
fn names_that_differ_in_case_alone_get_files_that_differ_in_more() {
    let mut seen = HashMap::new();
    for namespace in ["users", "Users", "USERS", "uSERS", "%55sers"] {
        let folded = file_name(namespace.as_bytes(), SUFFIX).to_ascii_lowercase();
        assert_eq!(seen.insert(folded, namespace), None, "{namespace}");
    }
}

#[test]
fn a_long_name_fits_and_keeps_apart_from_its_neighbour() {
    for (byte, length) in [(b'a', 300), (b'/', 100), (0, 65_536)] {
        let mut namespace = vec![byte; length];
        let name = file_name(&namespace, SUFFIX);
        *namespace.last_mut().unwrap() ^= 1;
        let neighbour = file_name(&namespace, SUFFIX);
        assert!(name.len() <= NAME_BYTES_MAX, "{}", name.len());
        assert_ne!(name, neighbour);
        assert_eq!(parse_file_name(&name, SUFFIX), Some(FileName::Digest));
    }
}

#[test]
fn the_longest_name_that_fits_is_kept_whole() {
    let whole = vec![b'a'; NAME_BYTES_MAX - SUFFIX.len()];
    assert_eq!(
        parse_file_name(&file_name(&whole, SUFFIX), SUFFIX),
        Some(FileName::Whole(whole.clone()))
    );
    let longer = [whole, vec![b'a']].concat();
    assert_eq!(parse_file_name(&file_name(&longer, SUFFIX), SUFFIX), Some(FileName::Digest));
}

#[test]
fn a_name_that_we_never_write_is_nobodys() {
    let foreign = [
        ".keys",
        "Users.keys",
        "a%2.keys",
        "a%zz.keys",
        "a%2F.keys",
        "%61.keys",
        "a.b.keys",
        "%%.keys",
        "users.keys-wal",
        "users",
        "%~.keys",
        "a%~00.keys",
        "é.keys",
        "-a.keys",
        "%e.keys",
    ];
    for name in foreign {
        assert_eq!(parse_file_name(name, SUFFIX), None, "{name}");
    }
}

proptest! {
    #[test]
    fn every_name_is_safe_and_comes_back(namespace in prop::collection::vec(any::<u8>(), 0..120)) {
        let name = file_name(&namespace, SUFFIX);
        prop_assert!(name.len() <= NAME_BYTES_MAX);
        prop_assert!(name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'/'));
        prop_assert_eq!(&name, &name.to_ascii_lowercase());
        match parse_file_name(&name, SUFFIX) {
            Some(FileName::Whole(found)) => prop_assert_eq!(found, namespace),
            Some(FileName::Digest) => prop_assert!(namespace.len() * 3 > 200),
            None => prop_assert!(false, "{} is not recognised", name),
        }
    }

    #[test]
    fn any_text_is_read_without_a_panic(name in any::<String>()) {
        if let Some(FileName::Whole(namespace)) = parse_file_name(&name, SUFFIX) {
            prop_assert_eq!(file_name(&namespace, SUFFIX), name);
        }
    }
}
