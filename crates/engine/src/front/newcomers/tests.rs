#![allow(clippy::unwrap_used)]

use super::*;

#[test]
fn a_walk_is_told_of_what_came_since_it_began() {
    let mut newcomers = Newcomers::default();
    newcomers.add(b"before");
    let walk = newcomers.begin();
    newcomers.add(b"one");
    let other = newcomers.begin();
    newcomers.add(b"two");
    let keys: Vec<&[u8]> = newcomers.since(&walk).unwrap().iter().map(AsRef::as_ref).collect();
    assert_eq!(keys, [&b"one"[..], b"two"]);
    assert_eq!(newcomers.since(&other), newcomers.since(&walk));
}

#[test]
fn nothing_is_kept_once_nobody_walks() {
    let mut newcomers = Newcomers::default();
    let walk = newcomers.begin();
    newcomers.add(b"one");
    assert!(newcomers.size_bytes() > 0);
    drop(walk);
    newcomers.add(b"two");
    assert_eq!(newcomers.size_bytes(), 0);
    assert_eq!(newcomers.since(&Walk::default()), None);
}

#[test]
fn a_walk_that_is_overrun_is_told_so_and_the_next_one_begins_anew() {
    let mut newcomers = Newcomers::default();
    let walk = newcomers.begin();
    let key = vec![b'k'; 1024];
    for _ in 0..2 * BYTES_MAX / key.len() {
        newcomers.add(&key);
        assert!(newcomers.size_bytes() <= BYTES_MAX);
    }
    assert_eq!(newcomers.since(&walk), None);
    let next = newcomers.begin();
    newcomers.add(b"one");
    assert_eq!(newcomers.since(&next).unwrap().len(), 1);
    assert_eq!(newcomers.since(&walk), None);
}
