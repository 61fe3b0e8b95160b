//! The drain: it carries what the log already holds durably into the files of the namespaces, in
//! one sweep over sorted keys at a time (DESIGN.md 6). A sweep writes each key as it is now,
//! which may be newer than the sweep's cut: the log is synced beyond it before the commit, and
//! replaying a record onto a newer row ends in the same row. INV-01, INV-04.
//!
//! A sweep is committed in several transactions; only the last one moves the applied sequence.

mod room;
mod rows;
mod settle;

use std::ops::Range;
use std::time::Instant;

use dwell_sqlite::KeysFile;

use crate::below::DiskTier;
use crate::engine::Engine;
use crate::error::Error;
use crate::front::{Floor, State as EntryState, waits};
use crate::limits::SLICE_KEYS;
use crate::log::Sequence;
use crate::namespace::NamespaceId;
use room::Room;
use rows::SweptKeys;
use settle::Committed;

/// Write-ahead log of a file beyond which it is copied into the file itself.
const CHECKPOINT_EVERY_SWEEPS: u32 = 4;

/// The drain's own belongings: open files, the longest unused first.
pub struct Drainer {
    files: Vec<OpenFile>,
    files_max: usize,
}

struct OpenFile {
    namespace: NamespaceId,
    file: KeysFile,
    sweeps: u32,
}

/// One sweep over a namespace.
struct Sweep {
    namespace: NamespaceId,
    /// Everything up to this sequence is in the sweep.
    cut: u64,
    generation: u64,
    clears: bool,
    /// How many times the log had failed when it began.
    failures: usize,
    keys: SweptKeys,
}

impl Drainer {
    /// A drain that keeps at most `files_max` files open.
    pub fn new(files_max: usize) -> Self {
        Self { files: Vec::new(), files_max: files_max.max(1) }
    }

    fn open(&mut self, disk: &DiskTier, namespace: NamespaceId) -> Result<&mut OpenFile, Error> {
        if let Some(at) = self.files.iter().position(|one| one.namespace == namespace) {
            let open = self.files.remove(at);
            self.files.push(open);
        } else {
            if self.files.len() >= self.files_max {
                self.files.remove(0).file.close()?;
            }
            let file = disk.open_writer(namespace)?;
            self.files.push(OpenFile { namespace, file, sweeps: 0 });
        }
        self.files.last_mut().ok_or_else(|| Error::internal("a file that was opened is gone"))
    }

    /// Closes a file whose commit failed: what it holds is asked anew, and redone from the front.
    fn discard(&mut self, namespace: NamespaceId) {
        if let Some(at) = self.files.iter().position(|one| one.namespace == namespace) {
            // The error that led here is the one that counts.
            let _ = self.files.remove(at).file.close();
        }
    }

    /// Closes all files, each with a last checkpoint.
    pub fn close(&mut self) -> Result<(), Error> {
        for mut open in self.files.drain(..) {
            open.file.checkpoint(true)?;
            open.file.close()?;
        }
        Ok(())
    }
}

impl Engine {
    /// Sweeps every namespace for which something waits; whether there was one.
    ///
    /// # Errors
    /// Those of writing a file or the log; what was not written waits on.
    pub fn drain_once(&self) -> Result<bool, Error> {
        let Some(store) = self.store() else {
            return Ok(false);
        };
        store.note_drain();
        let waiting: Vec<NamespaceId> = {
            let mut turn = self.lock();
            let spaces = turn.state().front.spaces();
            spaces.filter(|(_, space)| space.waiting_since.is_some()).map(|(id, _)| id).collect()
        };
        let mut drainer = self.drainer().lock();
        store.lock.check()?;
        for &namespace in &waiting {
            self.drain_namespace(&mut drainer, &store.tier, namespace)?;
        }
        Ok(!waiting.is_empty())
    }

    fn drain_namespace(
        &self,
        drainer: &mut Drainer,
        disk: &DiskTier,
        namespace: NamespaceId,
    ) -> Result<(), Error> {
        let open = drainer.open(disk, namespace)?;
        self.finish_reclaiming(namespace);
        let mut sweep = self.begin_sweep(namespace);
        let result = self.write_sweep(&mut sweep, open);
        if result.is_err() {
            let is_unusable = open.file.begin().is_err();
            if is_unusable {
                drainer.discard(namespace);
            }
            self.give_up(&sweep);
            return result;
        }
        open.sweeps += 1;
        if open.sweeps.is_multiple_of(CHECKPOINT_EVERY_SWEEPS) {
            open.file.checkpoint(false)?;
        }
        Ok(())
    }

    /// Lets everything wait again, in slices, that a FLUSH had taken away before it was undone.
    fn finish_reclaiming(&self, namespace: NamespaceId) {
        self.in_slices(|state| state.front.reclaim_some(namespace));
    }

    /// Fixes the cut and takes the queue, in slices.
    fn begin_sweep(&self, namespace: NamespaceId) -> Sweep {
        let (mut sweep, queue) = {
            let mut turn = self.lock();
            let state = turn.state();
            // No number that no record bears: what a file has applied, the log must reach.
            let (cut, failures) = (state.logged_sequence, state.failure_count);
            let space = state.front.space_mut(namespace);
            space.in_flight_since = space.waiting_since.take();
            // From here on a row may appear at any moment.
            space.floor = Floor::Rows;
            let sweep = Sweep {
                namespace,
                cut,
                generation: space.generation,
                clears: space.clear_pending,
                failures,
                keys: SweptKeys::default(),
            };
            (sweep, std::mem::take(&mut space.queue))
        };
        for slice in queue.chunks(SLICE_KEYS) {
            let mut turn = self.lock();
            let front = &mut turn.state().front;
            for &handle in slice {
                let Some(entry) = front.entry_if_live(handle) else {
                    continue;
                };
                let header = entry.header();
                if header.namespace != namespace || !header.queued {
                    continue;
                }
                let hash = front.hash(entry.key());
                let is_current = front.find(namespace, hash, entry.key()) == Some(handle);
                if is_current && waits(&header) {
                    let is_deletion = header.state != EntryState::Dirty;
                    sweep.keys.push(entry.key(), is_deletion);
                }
                front.set_in_flight(handle);
            }
            turn.give_way();
        }
        sweep.keys.sort();
        sweep
    }

    fn write_sweep(&self, sweep: &mut Sweep, open: &mut OpenFile) -> Result<(), Error> {
        let room = Room::find(self.has_full_disk(), &mut sweep.keys, &mut open.file);
        let mut start = 0;
        loop {
            let part = room.part(start, sweep.keys.len(), &open.file)?;
            start = self.write_transaction(sweep, part, room.bytes_max(), open)?;
            room.end_transaction(&mut open.file)?;
            if start == sweep.keys.len() {
                break;
            }
        }
        self.finish_sweep(sweep, open.file.rows());
        Ok(())
    }

    /// Commits a part of the sweep, or what `bytes_max` lets through of it; tells where it ended.
    fn write_transaction(
        &self,
        sweep: &mut Sweep,
        part: Range<usize>,
        bytes_max: u64,
        open: &mut OpenFile,
    ) -> Result<usize, Error> {
        let began = Instant::now();
        let (start, applied_before) = (part.start, open.file.applied());
        let mut writing = open.file.begin()?;
        let clears = sweep.clears && start == 0;
        if clears {
            writing.clear()?;
        }
        let written = self.write_rows(sweep, part, bytes_max, &mut writing)?;
        let is_last = written.end == sweep.keys.len();
        let newest = written.newest.max(if clears || is_last { sweep.cut } else { 0 });
        self.secure(newest, sweep.failures)?;
        self.begin_settling(sweep);
        writing.commit(if is_last { sweep.cut } else { applied_before })?;
        let (took, rows) = (began.elapsed(), open.file.rows());
        let done = Committed { cleared: clears, bytes: written.bytes, took, rows };
        self.settle_rows(sweep, start..written.end, &done);
        Ok(written.end)
    }

    /// Makes the log durable up to `newest`: nothing may be in a file, or in a base, that a power
    /// cut could still take from the history. `failures` is how often the log had failed when
    /// the first of it was read.
    pub(crate) fn secure(&self, newest: u64, failures: usize) -> Result<(), Error> {
        // No ticket waits here: the newest number may be one that was undone before.
        if let Some(store) = self.store() {
            if store.log.written().as_u64() < newest {
                self.hand_over_all()?;
            }
            let up_to = Sequence::from_u64(newest);
            store.log.sync(up_to).map_err(|cause| self.refuse(cause))?;
        }
        let mut turn = self.lock();
        if turn.state().failure_count == failures {
            return Ok(());
        }
        // What was read may have been undone since.
        Err(Error::new(
            crate::error::ErrorKind::Unavailable,
            "the log failed while what it holds was being written elsewhere",
        ))
    }
}

#[cfg(test)]
mod tests;
