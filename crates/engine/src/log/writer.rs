//! The log that is open: appending records, rolling on to the next segment, removing old ones.
//!
//! `write` hands bytes to the system and never waits for the medium; syncing is in `sync`. Of two
//! locks one is held for an append, the other (`maintenance`) by slow work in the background; who
//! takes both takes `maintenance` first.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::{Condvar, Mutex};

use super::error::LogError;
use super::reader::Records;
use super::record::Salt;
use super::segment::{
    self, Lineage, Order, SEGMENT_HEADER_BYTES, SegmentFile, SegmentHeader, write_zeros,
};
use super::sequence::Sequence;
use super::spare::Spare;
use super::sync::Group;
use crate::disk::{Disk, File};

pub(super) const ROLLING_NAME: &str = "rolling";

/// Sizes of the files that a log makes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) segment_bytes_min: u64,
    pub(super) segment_bytes_max: u64,
    pub(super) reserve_bytes: u64,
}

/// An open log. All methods may be called by any number of threads at once.
pub struct Log {
    pub(super) disk: Arc<dyn Disk>,
    pub(super) directory: PathBuf,
    pub(super) lineage: Lineage,
    pub(super) limits: Limits,
    pub(super) writer: Mutex<Writer>,
    pub(super) maintenance: Mutex<()>,
    pub(super) group: Mutex<Group>,
    pub(super) group_done: Condvar,
    pub(super) written: AtomicU64,
    pub(super) synced: AtomicU64,
    pub(super) is_poisoned: AtomicBool,
}

/// The place where the next record goes.
pub(super) struct Writer {
    pub(super) segments: Vec<Segment>,
    pub(super) file: Arc<dyn File>,
    pub(super) position: u64,
    /// Up to here the segment is to grow; a larger record gets a segment of its own.
    pub(super) capacity_bytes: u64,
    pub(super) order: Order,
    /// What the newest mark says is durable.
    pub(super) marked: Sequence,
    /// Earlier segments that may hold bytes that are not synced.
    pub(super) unsynced: Vec<Arc<dyn File>>,
    pub(super) is_directory_unsynced: bool,
    pub(super) spare: Option<Spare>,
    pub(super) is_closed: bool,
}

pub(super) struct Segment {
    pub(super) name: SegmentFile,
    pub(super) size_bytes: u64,
}

impl Log {
    /// What the checksums of this log start from; for [`super::seal`].
    pub fn salt(&self) -> Salt {
        self.lineage.salt()
    }

    /// Which history this is.
    pub fn lineage(&self) -> Lineage {
        self.lineage
    }

    /// The last record that was handed to the system.
    pub fn written(&self) -> Sequence {
        Sequence::from_u64(self.written.load(Ordering::Acquire))
    }

    /// The last record that is known to be durable.
    pub fn synced(&self) -> Sequence {
        Sequence::from_u64(self.synced.load(Ordering::Acquire))
    }

    /// Whether a sync has failed, so that writes are refused.
    pub fn is_poisoned(&self) -> bool {
        self.is_poisoned.load(Ordering::Acquire)
    }

    /// Appends sealed records, the last of which is `last`, and hands them to the system; they
    /// are durable after [`Log::sync`] only. The buffer goes into one segment whole.
    ///
    /// # Errors
    /// [`LogError::Full`] or [`LogError::Io`]: nothing of the buffer is in the log, also after a
    /// power loss; its sequences are used again or passed over with [`super::Flags::SKIPS`].
    /// [`LogError::Poisoned`]: whether it is in the log is unknown. [`LogError::OutOfOrder`],
    /// [`LogError::TimeBackwards`], [`LogError::Malformed`], [`LogError::Closed`]: nothing was
    /// done.
    ///
    /// # Cost
    /// One system call; a few when a segment is full. Only a failing call waits for the medium.
    pub fn write(&self, sealed: &[u8], last: Sequence) -> Result<(), LogError> {
        let mut writer = self.writer.lock();
        if writer.is_closed {
            return Err(LogError::Closed);
        }
        let (first, order) = writer.order.after(sealed)?;
        if order.last != last {
            return Err(LogError::Malformed);
        }
        self.append(&mut writer, sealed, first)?;
        writer.order = order;
        self.written.store(last.as_u64(), Ordering::Release);
        Ok(())
    }

    /// Puts bytes at the end, in the next segment if they do not fit into this one.
    pub(super) fn append(
        &self,
        writer: &mut Writer,
        bytes: &[u8],
        first: Sequence,
    ) -> Result<(), LogError> {
        if self.is_poisoned() {
            return Err(LogError::Poisoned);
        }
        self.make_room(writer, first, bytes.len())?;
        let size_bytes = bytes.len() as u64;
        if let Err(error) = writer.file.write_at(bytes, writer.position) {
            return Err(self.cut(writer, size_bytes, error));
        }
        writer.position += size_bytes;
        Ok(())
    }

    /// Begins a new segment if `length` bytes do not fit into this one; says whether it has.
    pub(super) fn make_room(
        &self,
        writer: &mut Writer,
        first: Sequence,
        length: usize,
    ) -> Result<bool, LogError> {
        let end = writer.position + length as u64;
        if end <= writer.capacity_bytes {
            return Ok(false);
        }
        if writer.has_records() {
            self.roll_to(writer, first, SEGMENT_HEADER_BYTES + length as u64)?;
            return Ok(true);
        }
        // The next segment would bear the same name, so this one grows instead.
        writer.capacity_bytes = end;
        Ok(false)
    }

    /// Takes back what a failed write may have left, durably: a batch that was answered by an
    /// error must not come back after a power loss.
    fn cut(&self, writer: &Writer, length: u64, error: std::io::Error) -> LogError {
        let file = writer.file.as_ref();
        let zeroed = file.size().and_then(|size_bytes| {
            write_zeros(file, writer.position, size_bytes.min(writer.position + length))
        });
        let cut = zeroed.or_else(|_| file.set_size(writer.position)).and_then(|()| file.sync());
        if cut.is_err() {
            self.is_poisoned.store(true, Ordering::Release);
            return LogError::Poisoned;
        }
        LogError::io("write", &writer.current().path, error)
    }

    /// Begins a new segment now, so that the old one can become garbage; does nothing if the
    /// current one holds no record.
    ///
    /// # Errors
    /// As [`Log::write`]; the log then goes on in the old segment.
    pub fn roll(&self) -> Result<(), LogError> {
        let mut writer = self.writer.lock();
        if writer.is_closed {
            return Err(LogError::Closed);
        }
        if self.is_poisoned() {
            return Err(LogError::Poisoned);
        }
        if writer.has_records() {
            let first = writer.order.last.next();
            self.roll_to(&mut writer, first, SEGMENT_HEADER_BYTES)?;
        }
        Ok(())
    }

    /// How large the next segment is to be: they double, so that a small instance stays small.
    pub(super) fn next_segment_bytes(&self, writer: &Writer) -> u64 {
        let doubled = writer.capacity_bytes.saturating_mul(2);
        doubled.clamp(self.limits.segment_bytes_min, self.limits.segment_bytes_max)
    }

    fn roll_to(
        &self,
        writer: &mut Writer,
        first: Sequence,
        needed_bytes: u64,
    ) -> Result<(), LogError> {
        let next = match writer.spare.take_if(|spare| spare.size_bytes >= needed_bytes) {
            Some(spare) => spare,
            None => self.growing_file(needed_bytes.max(self.next_segment_bytes(writer)))?,
        };
        let header = SegmentHeader {
            lineage: self.lineage,
            first,
            previous: writer.order.last,
            synced: self.synced(),
            time_ms: writer.order.time_ms,
            raw_ms: writer.order.raw_ms,
        };
        let path = segment::path_of(&self.directory, first);
        let placed = next
            .file
            .write_at(&header.encode(), 0)
            .and_then(|()| self.disk.rename(&next.path, &path));
        if let Err(error) = placed {
            let _ = self.disk.remove(&next.path);
            return Err(LogError::io("begin", &path, error));
        }
        writer.enter(next, SegmentFile { first, path });
        Ok(())
    }

    fn growing_file(&self, size_bytes: u64) -> Result<Spare, LogError> {
        let path = self.directory.join(ROLLING_NAME);
        let made = match self.disk.create_new(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                self.disk.remove(&path).and_then(|()| self.disk.create_new(&path))
            }
            made => made,
        };
        let file = made.map_err(|error| LogError::io("create", &path, error))?;
        Ok(Spare { file, path, size_bytes })
    }

    /// The segments, oldest first.
    pub fn segments(&self) -> Vec<SegmentFile> {
        self.writer.lock().segments.iter().map(|segment| segment.name.clone()).collect()
    }

    /// The bytes of all segments, up to the last record.
    pub fn size_bytes(&self) -> u64 {
        let writer = self.writer.lock();
        let earlier = writer.segments.iter().rev().skip(1);
        earlier.map(|segment| segment.size_bytes).sum::<u64>() + writer.position
    }

    /// Removes the segments all of whose records are before `sequence`, oldest first, and never
    /// one that is not durable or is being written; gives their number. For a background thread.
    ///
    /// # Errors
    /// [`LogError::Io`], [`LogError::Poisoned`]; what was not removed stays in the log.
    pub fn remove_before(&self, sequence: Sequence) -> Result<usize, LogError> {
        let _alone = self.maintenance.lock();
        let bound = sequence.min(self.synced().next());
        if self.writer.lock().garbage(bound).is_none() {
            return Ok(0);
        }
        // The segment that becomes the first must be durable itself, also if it is empty: without
        // any segment the next start would begin a new history.
        self.flush()?;
        let mut removed = 0;
        loop {
            let garbage = self.writer.lock().garbage(bound);
            let Some(path) = garbage else { return Ok(removed) };
            // One by one, each durable before the next, so that no crash leaves a hole.
            self.disk.remove(&path).map_err(|error| LogError::io("remove", &path, error))?;
            self.disk
                .sync_directory(&self.directory)
                .map_err(|error| LogError::io("sync", &self.directory, error))?;
            self.writer.lock().segments.remove(0);
            removed += 1;
        }
    }

    /// The records from `from` on up to the last that is written now.
    ///
    /// # Errors
    /// [`LogError::Gone`] when some of them have been removed.
    pub fn records(&self, from: Sequence) -> Result<Records, LogError> {
        let (segments, until) = {
            let writer = self.writer.lock();
            let segments = writer.segments.iter().map(|segment| segment.name.clone()).collect();
            (segments, writer.order.last)
        };
        Records::new(Arc::clone(&self.disk), segments, from, Some(until))
    }
}

impl Writer {
    fn current(&self) -> &SegmentFile {
        &self.segments.last().expect("an open log has a segment").name
    }

    fn has_records(&self) -> bool {
        self.current().first <= self.order.last
    }

    /// Goes on in a new segment.
    fn enter(&mut self, next: Spare, name: SegmentFile) {
        self.unsynced.push(Arc::clone(&self.file));
        if let Some(segment) = self.segments.last_mut() {
            segment.size_bytes = self.position;
        }
        self.segments.push(Segment { name, size_bytes: next.size_bytes });
        self.file = next.file;
        self.position = SEGMENT_HEADER_BYTES;
        self.capacity_bytes = next.size_bytes;
        self.is_directory_unsynced = true;
    }

    /// The oldest segment, if all its records are before `bound`.
    fn garbage(&self, bound: Sequence) -> Option<PathBuf> {
        let [oldest, second, ..] = self.segments.as_slice() else { return None };
        (second.name.first <= bound).then(|| oldest.name.path.clone())
    }
}
