//! What follows a commit: entries that were written as they still are turn into copies, deletions
//! are forgotten, and what has changed since waits on with a new mark of what lies below.

use std::ops::Range;
use std::time::Duration;

use super::Sweep;
use crate::engine::Engine;
use crate::front::{Below, Floor, Front, Handle, Header, Spread, State as EntryState, waits};
use crate::limits::SLICE_KEYS;
use crate::namespace::NamespaceId;
use crate::state::State;

/// What a transaction of a sweep has done.
pub(super) struct Committed {
    /// It carried out a FLUSH first.
    pub cleared: bool,
    pub bytes: u64,
    pub took: Duration,
    /// Rows in the file since.
    pub rows: u64,
}

impl Engine {
    /// Notes that rows are about to appear of keys that still count as new.
    pub(super) fn begin_settling(&self, sweep: &Sweep) {
        let mut turn = self.lock();
        let space = turn.state().front.space_mut(sweep.namespace);
        if space.generation == sweep.generation {
            space.is_settling = true;
        }
    }

    /// Lets go what a committed transaction has written.
    pub(super) fn settle_rows(&self, sweep: &Sweep, part: Range<usize>, done: &Committed) {
        let mut is_first = true;
        let (mut at, end) = (part.start, part.end);
        loop {
            let mut turn = self.lock();
            let now = turn.now();
            let state = turn.state();
            let space = state.front.space_mut(sweep.namespace);
            if space.generation != sweep.generation {
                return;
            }
            if is_first {
                // Scans that read rows before this moment must read them again.
                space.drains += 1;
                if done.cleared {
                    space.clear_pending = false;
                }
                state.counters.drains += 1;
                state.pace.measured(done.bytes, done.took.as_millis() as u64);
                is_first = false;
            }
            // Half of a slice, since each key settled may let another one go.
            let stop = (at + SLICE_KEYS / 2).min(end);
            for one in at..stop {
                state.settle_key(sweep, one);
            }
            state.trim_copies(now);
            at = stop;
            if at == end {
                let space = state.front.space_mut(sweep.namespace);
                space.is_settling = false;
                space.rows = Some(done.rows);
                return;
            }
            turn.give_way();
        }
    }

    /// Ends a sweep that was written whole.
    pub(super) fn finish_sweep(&self, sweep: &Sweep, rows: u64) {
        let mut turn = self.lock();
        let space = turn.state().front.space_mut(sweep.namespace);
        space.in_flight_since = None;
        space.next_row_deadline_ms = 0;
        if space.generation != sweep.generation {
            return;
        }
        if rows == 0 && space.waiting_since.is_none() {
            space.floor = Floor::Empty;
        }
    }

    /// Takes back a sweep that failed, in slices: what was not settled waits on. A key that has
    /// not been taken back yet is known as one that a drain is writing.
    pub(super) fn give_up(&self, sweep: &Sweep) {
        let mut at = 0;
        loop {
            let mut turn = self.lock();
            let front = &mut turn.state().front;
            let space = front.space_mut(sweep.namespace);
            if space.generation != sweep.generation {
                // A FLUSH has made away with what was taken, or its undoing has taken it back.
                return;
            }
            space.give_back();
            space.rows = None;
            let stop = (at + SLICE_KEYS).min(sweep.keys.len());
            for one in at..stop {
                take_back(front, sweep.namespace, sweep.keys.key(one));
            }
            at = stop;
            if at == sweep.keys.len() {
                front.space_mut(sweep.namespace).is_settling = false;
                return;
            }
            front.space_mut(sweep.namespace).is_settling = true;
            turn.give_way();
        }
    }
}

/// Lets a key wait again that a sweep had taken.
fn take_back(front: &mut Front, namespace: NamespaceId, key: &[u8]) {
    let Some(handle) = front.find(namespace, front.hash(key), key) else {
        return;
    };
    front.change_spread(handle, Spread::restore_changes);
    let header = front.entry(handle).header();
    if waits(&header) && !header.queued {
        // A commit that failed may have happened all the same.
        front.remark(handle, Header { below: header.below.after_a_drain(), ..header });
    }
}

impl State {
    fn settle_key(&mut self, sweep: &Sweep, at: usize) {
        let (version, wrote_row) = sweep.keys.written(at);
        if version == 0 {
            return;
        }
        self.counters.drained += 1;
        let key = sweep.keys.key(at);
        let hash = self.front.hash(key);
        let Some(handle) = self.front.find(sweep.namespace, hash, key) else {
            return;
        };
        let header = self.front.entry(handle).header();
        if !waits(&header) {
            return;
        }
        self.front.change_spread(handle, Spread::commit_changes);
        if header.version == version {
            self.settle_unchanged(handle, hash, header);
            return;
        }
        let below = if wrote_row { Below::Older } else { Below::None };
        // Changed meanwhile, so queued again; only the mark of what lies below is new.
        self.front.remark(handle, Header { below, ..header });
    }

    fn settle_unchanged(&mut self, handle: Handle, hash: u64, header: Header) {
        match header.state {
            EntryState::Dirty => {
                let mut header = Header { state: EntryState::Clean, ..header };
                header.below = Below::Same;
                header.queued = false;
                header.probation = true;
                self.front.remark(handle, header);
                self.front.copies.probation.push_back(handle);
                // A drain may settle more than the background lets go in the same time.
                if self.front.copies.probation_bytes > self.settings.probation_bytes_max {
                    self.drop_oldest_probation();
                }
            }
            EntryState::Tombstone => {
                let namespace = header.namespace;
                self.front.remove(handle, hash);
                let space = self.front.space_mut(namespace);
                space.removed_at = space.removed_at.max(header.version);
            }
            _ => self.front.remark(handle, Header { below: Below::None, queued: false, ..header }),
        }
    }
}
