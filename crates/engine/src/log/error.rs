//! What can go wrong with the log, each kind saying what the caller must do.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::sequence::Sequence;
use crate::disk;

/// Why an operation of the log failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum LogError {
    /// The disk refused; nothing of the buffer counts, and the log may be used on.
    Io {
        /// What was being done, as a verb.
        action: &'static str,
        /// The file or directory.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The disk is full; nothing of the buffer counts, and the log may be used on when space is
    /// back. Release the reserve and free space.
    Full {
        /// The file that could not grow.
        file: PathBuf,
    },
    /// A sync failed, now or earlier. Whether what was not yet synced is durable is unknown, and
    /// all further writes are refused until the log is opened again.
    Poisoned,
    /// Bytes that were durable are not what was written. Restore; never try again.
    Damaged {
        /// The damaged file.
        file: PathBuf,
        /// Where the damage begins.
        offset: u64,
        /// What is wrong there.
        reason: &'static str,
    },
    /// Written by a newer Dwell.
    NewerFormat {
        /// The file.
        file: PathBuf,
        /// The version that it bears.
        found: u32,
        /// The newest version that this program reads.
        supported: u32,
    },
    /// The file is encrypted, which this version does not read.
    Encrypted {
        /// The file.
        file: PathBuf,
        /// The key that it names.
        key_id: u32,
    },
    /// A record beyond the limit.
    TooLarge {
        /// Its size.
        size_bytes: u64,
        /// The limit.
        limit_bytes: u64,
    },
    /// A mistake of the caller: a buffer that does not begin with the next record.
    OutOfOrder {
        /// The sequence that had to come next.
        expected: Sequence,
        /// The one that came.
        found: Sequence,
    },
    /// A mistake of the caller: a record whose time is before that of the last one.
    TimeBackwards {
        /// The time of the last record.
        last_ms: u64,
        /// The one that came.
        found_ms: u64,
    },
    /// A mistake of the caller: a buffer that is not a row of whole records.
    Malformed,
    /// The records asked for have been removed.
    Gone {
        /// The first one asked for.
        wanted: Sequence,
        /// The file that is now the first.
        first: PathBuf,
    },
    /// No epoch is left. Dump the data and load it into a new instance.
    EpochsExhausted,
    /// The log has been closed.
    Closed,
}

impl LogError {
    /// The error of an operation on a file, told apart by whether the disk is full.
    pub(super) fn io(action: &'static str, file: &Path, source: io::Error) -> Self {
        let file = file.to_path_buf();
        if disk::is_full(&source) { Self::Full { file } } else { Self::Io { action, file, source } }
    }

    pub(super) fn damaged(file: &Path, offset: u64, reason: &'static str) -> Self {
        Self::Damaged { file: file.to_path_buf(), offset, reason }
    }
}

impl fmt::Display for LogError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { action, file, source } => {
                write!(formatter, "cannot {action} the file {}: {source}", file.display())
            }
            Self::Full { file } => {
                write!(formatter, "the disk is full, writing the file: {}", file.display())
            }
            Self::Poisoned => formatter.write_str(
                "a sync of the log failed: what was written last may be lost, and writes are \
                 refused until an operator opens the instance again",
            ),
            Self::Damaged { file, offset, reason } => write!(
                formatter,
                "the log is damaged ({reason}) in the file {} at the offset: {offset}",
                file.display()
            ),
            Self::NewerFormat { file, found, supported } => write!(
                formatter,
                "the file {} has a newer format than {supported}, the newest one known here: \
                 {found}",
                file.display()
            ),
            Self::Encrypted { file, key_id } => write!(
                formatter,
                "the file {} is encrypted, which is not supported here, with the key: {key_id}",
                file.display()
            ),
            Self::TooLarge { size_bytes, limit_bytes } => write!(
                formatter,
                "a record may have {limit_bytes} bytes and this one would have: {size_bytes}"
            ),
            Self::OutOfOrder { expected, found } => {
                write!(formatter, "the next record is {expected}, not: {found}")
            }
            Self::TimeBackwards { last_ms, found_ms } => write!(
                formatter,
                "the time of a record is at least that of the last one, {last_ms}, not: {found_ms}"
            ),
            Self::Malformed => formatter.write_str("the buffer is not a row of whole records"),
            Self::Gone { wanted, first } => write!(
                formatter,
                "the log begins with the file {}, after the record: {wanted}",
                first.display()
            ),
            Self::EpochsExhausted => formatter.write_str("the log has used up its epochs"),
            Self::Closed => formatter.write_str("the log is closed"),
        }
    }
}

impl std::error::Error for LogError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
