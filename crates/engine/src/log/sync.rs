//! Making the log durable: one sync serves all who wait for it, a failed one ends all writing.
//!
//! A sync works on handles of its own and without the writer's lock, so that appending goes on
//! and a segment may even be removed meanwhile.

use std::mem;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use parking_lot::MutexGuard;

use super::error::LogError;
use super::record::{Flags, RECORD_HEADER_BYTES, RecordHead, control_record};
use super::sequence::Sequence;
use super::writer::{Log, Writer};
use crate::disk::File;

/// Who is syncing for the others.
#[derive(Debug, Default)]
pub(super) struct Group {
    is_syncing: bool,
}

/// What one sync has to make durable.
struct Work {
    up_to: Sequence,
    files: Vec<Arc<dyn File>>,
    is_directory_unsynced: bool,
}

impl Log {
    /// Waits until all up to `up_to` is durable, or all that is written if that is less; gives
    /// the last record that is durable.
    ///
    /// # Errors
    /// [`LogError::Poisoned`] if this or an earlier sync failed: whether what was written since
    /// the last success is durable is unknown, and stays so.
    ///
    /// # Cost
    /// One sync of the medium, shared by all who wait at the time.
    pub fn sync(&self, up_to: Sequence) -> Result<Sequence, LogError> {
        let up_to = up_to.min(self.written());
        let mut group = self.group.lock();
        loop {
            if self.synced() >= up_to {
                return Ok(self.synced());
            }
            if self.is_poisoned() {
                return Err(LogError::Poisoned);
            }
            if !group.is_syncing {
                break;
            }
            self.group_done.wait(&mut group);
        }
        self.lead(group)
    }

    /// Makes durable what there is, segments without records included.
    pub(super) fn flush(&self) -> Result<Sequence, LogError> {
        let mut group = self.group.lock();
        while group.is_syncing {
            self.group_done.wait(&mut group);
        }
        if self.is_poisoned() {
            return Err(LogError::Poisoned);
        }
        self.lead(group)
    }

    /// Syncs for all who wait.
    fn lead(&self, mut group: MutexGuard<'_, Group>) -> Result<Sequence, LogError> {
        group.is_syncing = true;
        drop(group);
        let work = self.writer.lock().take_work();
        let result = self.perform(&work);
        if result.is_ok() {
            self.synced.store(work.up_to.as_u64(), Ordering::Release);
        } else {
            self.is_poisoned.store(true, Ordering::Release);
        }
        self.group.lock().is_syncing = false;
        self.group_done.notify_all();
        result.map_err(|_| LogError::Poisoned)?;
        Ok(work.up_to)
    }

    fn perform(&self, work: &Work) -> std::io::Result<()> {
        for file in &work.files {
            file.sync()?;
        }
        if work.is_directory_unsynced {
            self.disk.sync_directory(&self.directory)?;
        }
        Ok(())
    }

    /// Notes in the log what is durable, unless it says so already, so that recovery can tell
    /// damage from a torn tail. It is a help only: a mark that cannot be written is left out, and
    /// nobody's reply waits for one.
    pub fn mark(&self) {
        let mut writer = self.writer.lock();
        let synced = self.synced();
        let end = writer.position + RECORD_HEADER_BYTES as u64;
        if writer.marked >= synced || end > writer.capacity_bytes || writer.is_closed {
            return;
        }
        writer.marked = synced;
        let head = RecordHead { sequence: synced, ..writer.control_head(Flags::MARK) };
        let first = writer.order.last.next();
        let _ = self.append(&mut writer, &control_record(&head, self.salt()), first);
    }

    /// Writes the record that opens the log again. The engine's time goes on by what the wall
    /// clock says has passed since the last record, and never backwards.
    pub(super) fn write_opening(
        &self,
        sequence: Sequence,
        flags: Flags,
        raw_ms: i64,
    ) -> Result<(), LogError> {
        if self.make_room(&mut self.writer.lock(), sequence, RECORD_HEADER_BYTES)? {
            // This record says that all before it is durable, and that is its header too.
            self.flush()?;
        }
        let previous = self.writer.lock().control_head(flags);
        let passed_ms = raw_ms.saturating_sub(previous.raw_ms).max(0);
        let time_ms = previous.time_ms.saturating_add(passed_ms.unsigned_abs());
        self.write_control(RecordHead { sequence, time_ms, raw_ms, flags })
    }

    /// Writes one control record as the next of the history and makes it durable.
    fn write_control(&self, head: RecordHead) -> Result<(), LogError> {
        let RecordHead { sequence, flags, .. } = head;
        self.write(&control_record(&head, self.salt()), sequence)?;
        if flags.contains(Flags::CLOSED) {
            // Before the sync, so that not even its mark follows.
            self.writer.lock().is_closed = true;
        }
        self.sync(sequence).map(|_| ())
    }

    /// Makes all durable and ends the log with the mark of a clean stop; nothing can be written
    /// afterwards. A second call does nothing. `last` is the last number that was given, which no
    /// record need bear; `time_ms` is the engine's time, `raw_ms` the wall clock's.
    ///
    /// # Errors
    /// As [`Log::write`] and [`Log::sync`]; the next start then takes the stop for an unclean one.
    pub fn close(&self, last: Sequence, time_ms: u64, raw_ms: i64) -> Result<(), LogError> {
        if self.writer.lock().is_closed {
            return Ok(());
        }
        self.sync(Sequence::MAX)?;
        let written = self.written();
        let skips = if last > written { Flags::SKIPS } else { Flags::NONE };
        let flags = Flags::CLOSED | skips;
        let previous = self.writer.lock().control_head(flags);
        let time_ms = time_ms.max(previous.time_ms);
        let sequence = written.max(last).next();
        self.write_control(RecordHead { sequence, time_ms, raw_ms, flags })
    }
}

impl Writer {
    fn take_work(&mut self) -> Work {
        let mut files = mem::take(&mut self.unsynced);
        files.push(Arc::clone(&self.file));
        let is_directory_unsynced = mem::take(&mut self.is_directory_unsynced);
        Work { up_to: self.order.last, files, is_directory_unsynced }
    }

    fn control_head(&self, flags: Flags) -> RecordHead {
        let order = self.order;
        RecordHead { sequence: order.last, time_ms: order.time_ms, raw_ms: order.raw_ms, flags }
    }
}
