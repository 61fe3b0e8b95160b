//! The files that are made ahead of need, in the background: the spare, which becomes the next
//! segment, and the reserve, which gives its space back when the disk is full.
//!
//! A segment that was prewritten with zeros is synced several times faster than one that grows,
//! since no metadata changes. Nobody may be kept waiting for that writing: whoever rolls while no
//! spare is there takes a file that grows.

use std::path::PathBuf;
use std::sync::Arc;

use super::error::LogError;
use super::segment::{SEGMENT_HEADER_BYTES, write_zeros};
use super::writer::Log;
use crate::disk::{Disk, File};

pub(super) const SPARE_NAME: &str = "spare";
pub(super) const RESERVE_NAME: &str = "reserve";
/// One part in so many of the reserve is for the log, the others are for the files of keys.
const LOG_SHARE_OF_RESERVE: u64 = 4;

/// A file full of zeros that has no place in the log yet.
pub(super) struct Spare {
    pub(super) file: Arc<dyn File>,
    pub(super) path: PathBuf,
    pub(super) size_bytes: u64,
}

impl Spare {
    /// Writes a file of zeros and syncs it, or leaves none.
    pub(super) fn make(disk: &dyn Disk, path: PathBuf, size_bytes: u64) -> Result<Self, LogError> {
        let file = disk.create_new(&path).map_err(|error| LogError::io("create", &path, error))?;
        let filled = write_zeros(file.as_ref(), 0, size_bytes).and_then(|()| file.sync());
        match filled {
            Ok(()) => Ok(Self { file, path, size_bytes }),
            Err(error) => {
                // What remains of it is removed when the log is opened, if not now.
                let _ = disk.remove(&path);
                Err(LogError::io("prewrite", &path, error))
            }
        }
    }
}

impl Log {
    /// Whether [`Log::prepare_spare`] has something to do: half of the segment is used up.
    pub fn wants_spare(&self) -> bool {
        let writer = self.writer.lock();
        let used_bytes = writer.position - SEGMENT_HEADER_BYTES;
        let left_bytes = writer.capacity_bytes.saturating_sub(writer.position);
        writer.spare.is_none() && used_bytes > left_bytes && !writer.is_closed
    }

    /// Prewrites the next segment, if it is time to. For a background thread: it writes and syncs
    /// a whole segment and holds nobody up meanwhile.
    ///
    /// # Errors
    /// [`LogError::Full`], [`LogError::Io`]; the log goes on without a spare.
    pub fn prepare_spare(&self) -> Result<bool, LogError> {
        let _alone = self.maintenance.lock();
        if !self.wants_spare() {
            return Ok(false);
        }
        let size_bytes = self.next_segment_bytes(&self.writer.lock());
        let spare = Spare::make(self.disk.as_ref(), self.directory.join(SPARE_NAME), size_bytes)?;
        self.writer.lock().spare = Some(spare);
        Ok(true)
    }

    /// Whether the reserve is on the disk.
    ///
    /// # Errors
    /// [`LogError::Io`] when the disk cannot tell.
    pub fn has_reserve(&self) -> Result<bool, LogError> {
        let path = self.directory.join(RESERVE_NAME);
        self.disk.exists(&path).map_err(|error| LogError::io("find", &path, error))
    }

    /// Removes the reserve at the first [`LogError::Full`], so that deletions, the drain and
    /// checkpoints have room; false if it was not there. The part that the log needs for the
    /// records of deletions is kept for it at once, or the drain would take all.
    ///
    /// # Errors
    /// [`LogError::Io`].
    pub fn release_reserve(&self) -> Result<bool, LogError> {
        let _alone = self.maintenance.lock();
        if !self.has_reserve()? {
            return Ok(false);
        }
        let path = self.directory.join(RESERVE_NAME);
        self.disk.remove(&path).map_err(|error| LogError::io("remove", &path, error))?;
        self.keep_room(self.limits.reserve_bytes / LOG_SHARE_OF_RESERVE);
        Ok(true)
    }

    /// Prewrites the place where the next records go, as far as there is room for it.
    fn keep_room(&self, size_bytes: u64) {
        let mut writer = self.writer.lock();
        let (start, end) = (writer.position, writer.position + size_bytes);
        // Whatever was written of it is a zero tail, which is the end of a log.
        if write_zeros(writer.file.as_ref(), start, end).is_ok() {
            writer.capacity_bytes = writer.capacity_bytes.max(end);
        }
    }

    /// Makes the reserve if it is missing; true once it is there. For a background thread.
    ///
    /// # Errors
    /// [`LogError::Full`] while there is no room; [`LogError::Io`].
    pub fn restore_reserve(&self) -> Result<bool, LogError> {
        let _alone = self.maintenance.lock();
        if self.limits.reserve_bytes == 0 {
            return Ok(false);
        }
        if !self.has_reserve()? {
            let path = self.directory.join(RESERVE_NAME);
            Spare::make(self.disk.as_ref(), path, self.limits.reserve_bytes)?;
        }
        Ok(true)
    }
}
