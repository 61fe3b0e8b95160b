#![allow(clippy::unwrap_used, missing_docs)]

//! Claims about the `keys` file, by what they are about; here what they share.

mod crash;
mod deadlines;
mod model;
mod opening;
mod reading;
mod writing;

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{KeysFile, KeysReader, Range};
use crate::{Below, Deadline, Error, Identity, Row, RowRef};

/// A folder of its own for one test, with the file not yet made.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Place {
        Place { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("users.keys")
    }

    fn file(&self) -> KeysFile {
        KeysFile::open(&self.path(), &identity()).unwrap()
    }

    fn reader(&self) -> KeysReader {
        KeysReader::open(&self.path()).unwrap().unwrap()
    }

    fn read(&self, key: &[u8]) -> Option<Row> {
        self.reader().get(key).unwrap()
    }
}

fn identity() -> Identity {
    Identity { namespace: b"users".to_vec(), lineage: [7; 16] }
}

fn row<'a>(key: &'a [u8], value: &'a [u8]) -> RowRef<'a> {
    RowRef { key, kind: 4, version: 1, deadline: None, length: None, value }
}

fn due(key: &[u8], at_ms: i64, absolute: bool) -> RowRef<'_> {
    RowRef { deadline: Some(Deadline { at_ms, absolute }), ..row(key, b"") }
}

/// Commits these rows under the next sequence.
fn put(file: &mut KeysFile, rows: &[RowRef<'_>]) {
    let applied = file.applied() + 1;
    let mut writing = file.begin().unwrap();
    for row in rows {
        writing.put(row, Below::Unknown).unwrap();
    }
    writing.commit(applied).unwrap();
}

fn keys(rows: &[Row]) -> Vec<&[u8]> {
    rows.iter().map(|row| row.key.as_slice()).collect()
}

fn sound(file: &KeysFile) -> bool {
    let findings = file.integrity().unwrap();
    assert_eq!(findings, Vec::<String>::new());
    true
}

fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}
