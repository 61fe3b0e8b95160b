//! SQLite for Dwell: the `keys` file of a namespace, with its one writer and its readers.
//!
//! This crate owns connections, the schema and the names of files. It knows nothing of the front,
//! the log or any protocol: a key is bytes, a value is bytes, a kind is a number. It keeps
//! INV-04 for its part: rows and the sequence up to which the log has been applied are committed
//! as one, so a file that was killed at any moment tells exactly how far it is.
//!
//! The drain writes through [`KeysFile`], in large transactions sorted by key:
//!
//! ```
//! use dwell_sqlite::{Below, Identity, KeysFile, KeysReader, Range, RowRef, file_name};
//!
//! # fn main() -> dwell_sqlite::Result<()> {
//! # let folder = tempfile::tempdir().expect("a temporary folder can be made");
//! # let folder = folder.path();
//! let path = folder.join(file_name(b"users", ".keys"));
//! let identity = Identity { namespace: b"users".to_vec(), lineage: [7; 16] };
//! let mut file = KeysFile::open(&path, &identity)?;
//!
//! let mut writing = file.begin()?;
//! for (key, value) in [(b"user:1", b"Ada"), (b"user:2", b"Eve")] {
//!     let row = RowRef { key, kind: 4, version: 9, deadline: None, length: None, value };
//!     writing.put(&row, Below::Absent)?;
//! }
//! writing.commit(9)?;
//! assert_eq!((file.applied(), file.rows()), (9, 2));
//!
//! // Readers see the last commit, wait for nobody, and nobody waits for them.
//! let mut reader = KeysReader::open(&path)?.expect("the file was made above");
//! let row = reader.get(b"user:2")?.expect("the row was committed above");
//! assert_eq!(row.value, b"Eve");
//! let heads = reader.range(&Range::prefix(b"user:"), true, 10)?;
//! assert_eq!(heads.len(), 2);
//!
//! file.checkpoint(false)?;
//! file.close()
//! # }
//! ```
//!
//! What a file looks like inside: one row for each key in `keys`, in byte order of the keys; the
//! bytes of spread values in `chunks`; a partial index over the deadlines; and in `meta` the
//! format, the lineage, the namespace's real name, the applied sequence and the row count.

#![allow(clippy::doc_markdown, reason = "SQLite is a name and no code")]

mod connect;
mod error;
mod guard;
mod keys;
mod name;
mod place;
mod row;
mod schema;

pub use error::{Error, Result};
pub use keys::{KeysFile, KeysReader, Range, Writing};
pub use name::{FileName, file_name, parse_file_name};
pub use row::{Below, Deadline, Row, RowRef};
pub use schema::Identity;

/// Versions before this one can lose commits when a write-ahead log starts again while it is
/// being checkpointed by another connection (SQLite's own report, fixed in 3.51.3).
const OLDEST_SAFE_SQLITE: i32 = 3_051_003;

const _: () = assert!(
    rusqlite::ffi::SQLITE_VERSION_NUMBER >= OLDEST_SAFE_SQLITE,
    "the bundled SQLite must be 3.51.3 or newer"
);

/// The version of the SQLite that is linked, such as `3.53.2`.
pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}

#[cfg(test)]
mod tests;
