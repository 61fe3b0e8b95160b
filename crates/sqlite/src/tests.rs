//! Claims about the crate as a whole.

use crate::{Error, OLDEST_SAFE_SQLITE, sqlite_version};

/// LITE-01.
#[test]
fn the_linked_sqlite_is_one_that_cannot_lose_commits_at_a_reset() {
    assert!(rusqlite::version_number() >= OLDEST_SAFE_SQLITE);
    assert_eq!(sqlite_version(), rusqlite::version());
}

#[test]
fn an_error_says_one_sentence_with_its_value_last() {
    let path = std::path::PathBuf::from("/data/users.keys");
    let newer = Error::TooNew { path: path.clone(), found: 7, known: 1 };
    assert_eq!(
        newer.to_string(),
        "a database file has format 7, this Dwell knows formats up to 1: /data/users.keys"
    );
    let network = Error::NetworkFilesystem { path, filesystem: "nfs4".to_owned() };
    assert!(network.to_string().contains("choose a folder on a local disk"));
}
