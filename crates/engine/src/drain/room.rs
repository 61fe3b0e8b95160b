//! How much a transaction of a sweep may write: as much as is good for speed, or, while the disk
//! is full, what has room inside the file. There a transaction must not make anything grow that it
//! cannot give back, or the deletions that could free the disk would have no room themselves.

use std::ops::Range;

use dwell_sqlite::KeysFile;

use super::rows::SweptKeys;
use crate::error::Error;

/// Rows per transaction: large enough that the fsync costs nothing, small enough that memory
/// comes free steadily.
const ROWS_MAX: usize = 50_000;
/// Bytes per transaction while the disk is full: its write-ahead log fits into the reserve.
const SMALL_BYTES_MAX: u64 = 512 << 10;
/// What such a transaction may need inside the file: its rows, and pages that are split for them.
const SMALL_ROOM_BYTES: u64 = 2 * SMALL_BYTES_MAX;

/// The room for one sweep.
pub(super) enum Room {
    Enough,
    /// The first so many keys of the sweep are deletions.
    Little {
        deletions: usize,
    },
}

impl Room {
    /// Looks at what there is, and puts first what gives room back.
    pub(super) fn find(is_full: bool, keys: &mut SweptKeys, file: &mut KeysFile) -> Self {
        if !is_full {
            return Self::Enough;
        }
        // What a transaction that did not fit has left behind takes room. A reader may be in the
        // way of the second; then there is that much less.
        let _ = file.trim_log();
        let _ = file.checkpoint(true);
        Self::Little { deletions: keys.put_deletions_first() }
    }

    /// The keys of the transaction that begins at `start`.
    ///
    /// # Errors
    /// `Full` when the file would have to grow.
    pub(super) fn part(
        &self,
        start: usize,
        count: usize,
        file: &KeysFile,
    ) -> Result<Range<usize>, Error> {
        let end = (start + ROWS_MAX).min(count);
        match self {
            Self::Enough => Ok(start..end),
            Self::Little { deletions } if start < *deletions => Ok(start..end.min(*deletions)),
            Self::Little { .. } if start == end || file.unused_bytes()? >= SMALL_ROOM_BYTES => {
                Ok(start..end)
            }
            Self::Little { .. } => Err(Error::from(dwell_sqlite::Error::Full)),
        }
    }

    /// After how many bytes a transaction ends.
    pub(super) fn bytes_max(&self) -> u64 {
        match self {
            Self::Enough => u64::MAX,
            Self::Little { .. } => SMALL_BYTES_MAX,
        }
    }

    /// Lets the next transaction use the same write-ahead log again, where room is little.
    pub(super) fn end_transaction(&self, file: &mut KeysFile) -> Result<(), Error> {
        match self {
            Self::Enough => Ok(()),
            Self::Little { .. } => Ok(file.checkpoint(false)?),
        }
    }
}
