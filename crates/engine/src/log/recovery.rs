//! What a crash left at the end of a log, and whether it is a torn tail or damage.
//!
//! After a power loss the bytes that were not synced may survive in any mixture, so a whole record
//! behind a broken one proves nothing by itself. It is damage if what is broken had been synced,
//! and the log says so in its own words: each sync leaves a mark in the log, each segment names in
//! its header what was durable when it began, and the log's own records follow a sync.

use std::fmt;
use std::path::PathBuf;

use super::error::LogError;
use super::record::{Flags, RecordHead, Salt};
use super::scan::{Scanner, find_control_record, open_window};
use super::segment::{SegmentFile, write_zeros};
use super::sequence::Sequence;
use crate::disk::{Access, Disk};

/// The end of a log that was never made durable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tail {
    /// The file in which the last whole record ends.
    pub file: PathBuf,
    /// Where it ends.
    pub offset: u64,
    /// How many bytes follow there, up to the last that is not zero.
    pub bytes: u64,
    /// How many later files hold nothing but what follows.
    pub later_files: usize,
    /// What is wrong at the offset.
    pub reason: &'static str,
}

impl fmt::Display for Tail {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, offset, bytes) = (self.file.display(), self.offset, self.bytes);
        write!(formatter, "{bytes} bytes at offset {offset} of {file}: {}", self.reason)
    }
}

/// A place where the row of records breaks off.
pub(super) struct Break<'a> {
    pub(super) segments: &'a [SegmentFile],
    /// The segment in which the last record before ends.
    pub(super) index: usize,
    pub(super) offset: u64,
    /// The last record before.
    pub(super) last: Sequence,
    /// Unknown only if no header at all could be read.
    pub(super) salt: Option<Salt>,
    pub(super) reason: &'static str,
}

impl Break<'_> {
    /// The torn tail that begins here; none if what is broken had been durable, so that it is
    /// damage.
    pub(super) fn judge(&self, disk: &dyn Disk) -> Result<Option<Tail>, LogError> {
        if self.was_durable(disk)? {
            return Ok(None);
        }
        let file = &self.segments[self.index].path;
        let mut window = open_window(disk, file)?;
        let end = window
            .end_of_data(self.offset)
            .map_err(|error| LogError::io("read", file, error))?
            .unwrap_or(self.offset);
        Ok(Some(Tail {
            file: file.clone(),
            offset: self.offset,
            bytes: end - self.offset,
            later_files: self.segments.len() - self.index - 1,
            reason: self.reason,
        }))
    }

    fn was_durable(&self, disk: &dyn Disk) -> Result<bool, LogError> {
        for (number, segment) in self.segments.iter().enumerate().skip(self.index) {
            let mut start = self.offset;
            if number > self.index {
                start = 0;
                let scanner = Scanner::open(disk, &segment.path)?;
                if scanner.is_ok_and(|scanner| scanner.header.synced > self.last) {
                    return Ok(true);
                }
            }
            let mut window = open_window(disk, &segment.path)?;
            let found = match self.salt {
                Some(salt) => {
                    find_control_record(&mut window, start, salt, |head| self.is_refuted_by(head))
                }
                // The first header of a log is durable before any record is written.
                None => window.end_of_data(super::SEGMENT_HEADER_BYTES),
            };
            if found.map_err(|error| LogError::io("read", &segment.path, error))?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a control record behind the break says that what is broken had been durable.
    fn is_refuted_by(&self, head: &RecordHead) -> bool {
        if head.flags.contains(Flags::MARK) {
            return head.sequence > self.last;
        }
        // All before a gap and an opened record is synced, and all records before a closed one,
        // but not the mark that may stand between.
        !head.flags.contains(Flags::CLOSED) || head.sequence > self.last.next()
    }
}

/// Cuts a torn tail off, durably: later files go first and last to first, so that each step
/// leaves a log that still ends in the same torn tail.
pub(super) fn cut(
    disk: &dyn Disk,
    segments: &mut Vec<SegmentFile>,
    tail: &Tail,
) -> Result<(), LogError> {
    // Only the first segment can be cut off whole: the log is then a new one.
    let kept = segments.len() - tail.later_files - usize::from(tail.offset == 0);
    while segments.len() > kept {
        let Some(segment) = segments.pop() else { break };
        disk.remove(&segment.path).map_err(|error| LogError::io("remove", &segment.path, error))?;
        if let Some(directory) = segment.path.parent() {
            disk.sync_directory(directory)
                .map_err(|error| LogError::io("sync", directory, error))?;
        }
    }
    if tail.offset == 0 {
        return Ok(());
    }
    disk.open(&tail.file, Access::Write)
        .and_then(|file| {
            write_zeros(file.as_ref(), tail.offset, tail.offset + tail.bytes)?;
            file.sync()
        })
        .map_err(|error| LogError::io("cut", &tail.file, error))
}
