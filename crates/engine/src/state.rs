//! What the engine's lock guards: the front, the records that have not been handed over, and
//! what it takes to undo them. No method here waits for a file, a thread or a clock.

use crate::arrivals::Arrivals;
use crate::clock::{Clock, Now, Timeline};
use crate::error::Error;
use crate::front::{Buried, Front, Space};
use crate::namespace::NamespaceId;
use crate::pace::Pace;
use crate::random::Random;
use crate::settings::Settings;
use crate::undo::Undo;

/// Records of these sequences were undone because the log could not be written.
pub struct Failure {
    pub first: u64,
    pub last: u64,
    pub error: Error,
}

/// Counters for INFO; they only grow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Reads that found their key in memory.
    pub hits: u64,
    /// Reads of keys that do not exist.
    pub misses: u64,
    /// Keys read from below.
    pub gathered: u64,
    /// Keys removed because their deadline had come.
    pub expired: u64,
    /// Keys removed to make room.
    pub evicted: u64,
    /// Residents moved to disk to make room.
    pub demoted: u64,
    /// Copies promoted by a second read.
    pub promoted: u64,
    /// Rows written or deleted by the drain.
    pub drained: u64,
    /// Transactions of the drain.
    pub drains: u64,
}

/// Everything under the lock.
pub struct State {
    pub front: Front,
    pub undo: Undo,
    /// Ended records, not yet sealed or written.
    pub buffer: Vec<u8>,
    /// The sequence of the last batch that changed something.
    pub sequence: u64,
    /// The sequence of the last record in the log or in `buffer`.
    pub logged_sequence: u64,
    pub settings: Settings,
    /// There is a log; otherwise batches are final as they end.
    pub has_log: bool,
    /// There is a disk tier; otherwise every key is a resident.
    pub has_disk: bool,
    /// Why writes are refused, if they are.
    pub refusing: Option<Error>,
    /// The disk is full: only deletions are let in.
    pub disk_full: Option<Error>,
    pub is_closed: bool,
    /// Batches are to come back after this while: the front is being built anew.
    pub pause_ms: Option<u64>,
    pub failures: Vec<Failure>,
    /// How many there have been; the list forgets the oldest.
    pub failure_count: usize,
    pub buried: Vec<Buried>,
    /// Namespaces whose ordered index was begun and may not be complete.
    pub ordering: Vec<NamespaceId>,
    pub random: Random,
    /// Numbers the reads from below.
    pub fetches: u64,
    pub counters: Counters,
    pub arrivals: Arrivals,
    pub pace: Pace,
    /// Bytes that a batch found no room for, until residents have been moved to disk for it.
    pub wants_room: u64,
    /// The last sequence of which nothing will be undone any more.
    pub final_sequence: u64,
    timeline: Timeline,
    /// Record times never decrease.
    last_time_ms: u64,
}

impl State {
    /// An empty state; recovery fills it.
    pub fn new(
        settings: Settings,
        seed: u64,
        has_log: bool,
        has_disk: bool,
        clock: &dyn Clock,
    ) -> Self {
        Self {
            front: Front::new(seed),
            undo: Undo::default(),
            buffer: Vec::new(),
            sequence: 0,
            logged_sequence: 0,
            settings,
            has_log,
            has_disk,
            refusing: None,
            disk_full: None,
            is_closed: false,
            pause_ms: None,
            failures: Vec::new(),
            failure_count: 0,
            buried: Vec::new(),
            ordering: Vec::new(),
            random: Random::new(seed),
            fetches: 0,
            counters: Counters::default(),
            arrivals: Arrivals::default(),
            pace: Pace::default(),
            wants_room: 0,
            final_sequence: 0,
            timeline: Timeline::resume(clock, None),
            last_time_ms: 0,
        }
    }

    /// Takes up engine time where the log ended.
    pub fn resume_time(&mut self, clock: &dyn Clock, last: Option<(i64, i64)>) {
        self.timeline = Timeline::resume(clock, last);
        self.last_time_ms = last.map_or(0, |(engine_ms, _)| engine_ms.max(0) as u64);
    }

    /// Reads the clocks.
    pub fn now(&self, clock: &dyn Clock) -> Now {
        self.timeline.now(clock)
    }

    /// The time that a record of now bears.
    pub fn record_time_ms(&mut self, now: Now) -> u64 {
        self.last_time_ms = self.last_time_ms.max(now.engine_ms.max(0) as u64);
        self.last_time_ms
    }

    /// Lays flushed namespaces aside, to be freed in slices.
    pub fn bury(&mut self, spaces: Vec<Space>) {
        self.buried.extend(spaces.into_iter().map(Buried::new));
    }

    /// Frees a slice of what was flushed; `false` once nothing is left of it.
    pub fn free_buried(&mut self) -> bool {
        let Some(mut buried) = self.buried.pop() else {
            return false;
        };
        if self.front.free_some(&mut buried) {
            self.buried.push(buried);
        }
        true
    }

    /// Undoes every batch after `written`, the last one that was handed over, and says so to
    /// whoever waits for one. Their numbers are not used again.
    pub fn undo_pending(&mut self, written: u64, error: &Error) {
        let mark = Undo::default().mark();
        let generations: Vec<_> = self
            .undo
            .cleared()
            .into_iter()
            .map(|namespace| (namespace, self.front.space(namespace).generation))
            .collect();
        match self.undo.roll_back(&mut self.front, mark) {
            Ok(spaces) => self.bury(spaces),
            Err(fatal) => self.refusing = Some(fatal),
        }
        for (namespace, generation) in generations {
            self.front.reclaim(namespace, generation + 1, self.sequence);
        }
        self.front.forget_changes(self.final_sequence);
        self.buffer.clear();
        self.logged_sequence = written;
        let first = self.final_sequence + 1;
        let failure = Failure { first, last: self.sequence, error: error.clone() };
        self.failures.push(failure);
        self.failure_count += 1;
        // Whoever asks does so within seconds; the list only must not grow for ever.
        if self.failures.len() > 4096 {
            self.failures.remove(0);
        }
    }

    /// The number that a reply waits for which tells of version `seen`. What is not logged has
    /// numbers that the log never reaches: once it is final, only what was logged before matters.
    pub fn awaited(&self, seen: u64) -> u64 {
        if seen <= self.final_sequence { seen.min(self.logged_sequence) } else { seen }
    }

    /// Why the batch of `sequence` was undone, if it was.
    pub fn failure_of(&self, sequence: u64) -> Option<&Error> {
        self.failures
            .iter()
            .rev()
            .find(|failure| (failure.first..=failure.last).contains(&sequence))
            .map(|failure| &failure.error)
    }
}
