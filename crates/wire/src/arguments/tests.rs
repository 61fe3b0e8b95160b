#![allow(clippy::unwrap_used, missing_docs)]
use super::OwnedArguments;

#[test]
fn a_copy_shows_the_same_arguments() {
    let owned: OwnedArguments = ["SET", "", "value"].into_iter().collect();
    let copy = owned.view().to_owned();
    assert_eq!(copy, owned);
    assert_eq!(copy.view().iter().collect::<Vec<_>>(), [&b"SET"[..], b"", b"value"]);
    assert_eq!(&copy.view()[2], b"value");
    assert_eq!(copy.view().size_bytes(), 8);
}

#[test]
fn what_is_not_there_is_none() {
    let owned: OwnedArguments = ["PING"].into_iter().collect();
    assert_eq!(owned.view().get(1), None);
    assert!(owned.view().from(1).is_empty());
    assert!(owned.view().from(9).is_empty());
}
