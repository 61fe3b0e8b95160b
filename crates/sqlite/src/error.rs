//! What can go wrong with a file, in kinds that a caller would treat differently.
//!
//! It knows SQLite's result codes and hides them: nobody above this crate matches on a code.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ffi;

/// Why an operation on a file of a namespace failed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// SQLite refused for a reason that no other kind names; most likely a bug of ours.
    Sqlite {
        /// SQLite's extended result code.
        code: i32,
        /// SQLite's own words.
        message: String,
    },
    /// The medium has no room left; nothing of the transaction was kept.
    Full,
    /// The file holds what Dwell did not write, or lacks what it did: restore it.
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What was found.
        detail: String,
    },
    /// The file was written by a newer Dwell.
    TooNew {
        /// The file.
        path: PathBuf,
        /// The format of the file.
        found: u32,
        /// The newest format that this build reads.
        known: u32,
    },
    /// The file is sound but belongs to another namespace or another lineage.
    Foreign {
        /// The file.
        path: PathBuf,
        /// Which part of its identity differs: `namespace` or `lineage`.
        part: &'static str,
    },
    /// Somebody else holds the file; try later.
    Busy,
    /// The operating system refused.
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's own words.
        message: String,
    },
    /// The path is a symbolic link, or something else than a plain file.
    NotPlain {
        /// The path as it would have been opened.
        path: PathBuf,
    },
    /// The folder lies on a network filesystem, whose locks and syncs cannot be relied upon.
    NetworkFilesystem {
        /// The folder.
        path: PathBuf,
        /// The type of the filesystem, as the system names it.
        filesystem: String,
    },
}

impl Error {
    pub(crate) fn corrupt(path: &Path, detail: impl Into<String>) -> Error {
        Error::Corrupt { path: path.to_owned(), detail: detail.into() }
    }

    pub(crate) fn from_io(path: &Path, error: &io::Error) -> Error {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Error::Full,
            _ => Error::Io { path: path.to_owned(), message: error.to_string() },
        }
    }

    pub(crate) fn from_sqlite(path: &Path, error: &rusqlite::Error) -> Error {
        let rusqlite::Error::SqliteFailure(failure, words) = error else {
            return Error::from_conversion(path, error);
        };
        let message = words.clone().unwrap_or_else(|| failure.to_string());
        match failure.extended_code & 0xff {
            ffi::SQLITE_FULL => Error::Full,
            ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED => Error::Busy,
            ffi::SQLITE_CORRUPT | ffi::SQLITE_NOTADB => Error::corrupt(path, message),
            ffi::SQLITE_IOERR | ffi::SQLITE_CANTOPEN | ffi::SQLITE_PERM | ffi::SQLITE_READONLY => {
                let message = format!("{message} (SQLite code {})", failure.extended_code);
                Error::Io { path: path.to_owned(), message }
            }
            _ => Error::Sqlite { code: failure.extended_code, message },
        }
    }

    /// Column types are strict, so a value of another type or out of range is damage.
    fn from_conversion(path: &Path, error: &rusqlite::Error) -> Error {
        match error {
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::QueryReturnedNoRows
            | rusqlite::Error::Utf8Error(..) => Error::corrupt(path, error.to_string()),
            _ => Error::Sqlite { code: ffi::SQLITE_MISUSE, message: error.to_string() },
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Sqlite { code, message } => {
                write!(f, "SQLite refused with code {code}: {message}")
            }
            Error::Full => f.write_str("the disk is full"),
            Error::Corrupt { path, detail } => {
                write!(f, "a database file is damaged ({detail}): {}", path.display())
            }
            Error::TooNew { path, found, known } => write!(
                f,
                "a database file has format {found}, this Dwell knows formats up to {known}: {}",
                path.display()
            ),
            Error::Foreign { path, part } => {
                write!(f, "a database file belongs to another {part}: {}", path.display())
            }
            Error::Busy => f.write_str("the database file is in use elsewhere"),
            Error::Io { path, message } => {
                write!(f, "the system refused ({message}): {}", path.display())
            }
            Error::NotPlain { path } => write!(
                f,
                "a database file must be a plain file and no symbolic link: {}",
                path.display()
            ),
            Error::NetworkFilesystem { path, filesystem } => write!(
                f,
                "a database cannot live on a network filesystem ({filesystem}), \
                 so choose a folder on a local disk: {}",
                path.display()
            ),
        }
    }
}

impl std::error::Error for Error {}

/// The outcome of an operation of this crate.
pub type Result<T> = std::result::Result<T, Error>;
