//! What a batch sees of the keyspace, and the only way in which it can change it. Every change
//! is remembered for undo, made in the front and encoded as an effect of the batch's record, in
//! this order. Keys that lie below and are not in memory stop the batch (`Stop::Gather`); it is
//! then undone and run again when they are there. Nothing here waits.

mod keyspace;
mod read;
mod sight;
mod string;
mod write;

pub use keyspace::Whereabouts;
pub use read::{Facts, Watch};
pub use sight::Sight;

use crate::clock::Now;
use crate::effect::{Effect, Home};
use crate::error::Error;
use crate::front::{Entry, Handle, State as EntryState};
use crate::gather::{Gathered, Missing};
use crate::log::{Flags, RecordBuilder, RecordHead, Sequence};
use crate::namespace::NamespaceId;
use crate::state::State;
use crate::undo::Mark;

/// Why a batch did not happen. It has left no trace.
#[derive(Debug)]
pub enum Stop {
    /// Keys or rows are needed that are not in memory: `Engine::gather`, then run it again.
    Gather(Box<Missing>),
    /// The drain is behind: run it again after this many milliseconds.
    Delay {
        /// How long to wait.
        ms: u64,
    },
    /// It failed.
    Fail(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Fail(error)
    }
}

/// One batch at work.
pub struct Scope<'t> {
    pub(crate) state: &'t mut State,
    pub(crate) gathered: &'t mut Gathered,
    namespace: NamespaceId,
    /// The namespace that the effects so far end in.
    logged_namespace: NamespaceId,
    now: Now,
    /// The number of the batch, and so the version of what it changes.
    sequence: u64,
    record: Option<RecordBuilder>,
    record_start: usize,
    /// Whether anything was changed, logged or not.
    has_changed: bool,
    /// The newest version that was looked at.
    seen: u64,
    /// Whether looking a key up leaves its recency and frequency as they are.
    leaves_accesses: bool,
}

/// What a finished batch leaves to its turn.
pub(crate) struct Outcome {
    pub has_changed: bool,
    pub seen: u64,
}

impl<'t> Scope<'t> {
    pub(crate) fn new(
        state: &'t mut State,
        gathered: &'t mut Gathered,
        namespace: NamespaceId,
        now: Now,
    ) -> Self {
        let sequence = state.sequence + 1;
        let record_start = state.buffer.len();
        Self {
            state,
            gathered,
            namespace,
            logged_namespace: namespace,
            now,
            sequence,
            record: None,
            record_start,
            has_changed: false,
            seen: 0,
            leaves_accesses: false,
        }
    }

    /// Looks keys up from now on without that counting for eviction or promotion.
    pub fn leave_accesses(&mut self) {
        self.leaves_accesses = true;
    }

    /// The clocks, read once for the whole turn.
    pub fn now(&self) -> Now {
        self.now
    }

    /// The namespace that keys are looked up in.
    pub fn namespace(&self) -> NamespaceId {
        self.namespace
    }

    /// Looks keys up in another namespace from now on.
    pub fn select(&mut self, namespace: NamespaceId) {
        self.namespace = namespace;
    }

    /// Tells which keys the batch is about to look up, so that the processor fetches them all at
    /// once; a hint that changes nothing but speed. A hundred or so at a time are best.
    pub fn expect<'k>(&mut self, keys: impl Iterator<Item = &'k [u8]>) {
        for key in keys {
            self.state.front.expect(self.namespace, key);
        }
        self.state.front.prefetch_expected();
    }

    /// Runs a part of the batch; what it changed is undone if it fails, and the rest stays.
    ///
    /// # Errors
    /// Those of `part`.
    pub fn attempt<T>(
        &mut self,
        part: impl FnOnce(&mut Self) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let mark = self.state.undo.mark();
        let (buffer_bytes, has_record) = (self.state.buffer.len(), self.record.is_some());
        let (namespace, logged) = (self.namespace, self.logged_namespace);
        let result = part(self);
        if result.is_err() {
            self.roll_back(mark)?;
            self.state.buffer.truncate(buffer_bytes);
            self.namespace = namespace;
            self.logged_namespace = logged;
            if !has_record {
                // The record was begun by what has just been undone.
                self.record = None;
            }
        }
        result
    }

    /// Ends the batch's record.
    pub(crate) fn end(&mut self) -> Result<Outcome, Stop> {
        if let Some(record) = self.record.take() {
            self.state.logged_sequence = self.sequence;
            record
                .end(&mut self.state.buffer)
                .map_err(|error| Error::invalid(format!("the batch is too large: {error}")))?;
        }
        if self.has_changed {
            self.state.sequence = self.sequence;
        }
        Ok(Outcome { has_changed: self.has_changed, seen: self.seen })
    }

    /// Undoes the whole batch.
    pub(crate) fn abandon(mut self, mark: Mark) -> Result<(), Stop> {
        self.roll_back(mark)?;
        self.state.buffer.truncate(self.record_start);
        Ok(())
    }

    fn roll_back(&mut self, mark: Mark) -> Result<(), Stop> {
        let State { undo, front, .. } = &mut *self.state;
        match undo.roll_back(front, mark) {
            Ok(spaces) => {
                self.state.bury(spaces);
                Ok(())
            }
            Err(fatal) => {
                self.state.refusing = Some(fatal.clone());
                Err(Stop::Fail(fatal))
            }
        }
    }

    /// Appends an effect to the batch's record, if there is a log.
    fn log(&mut self, effect: &Effect<'_>) {
        if !self.state.has_log {
            return;
        }
        if self.record.is_none() {
            let head = RecordHead {
                sequence: Sequence::from_u64(self.sequence),
                time_ms: self.state.record_time_ms(self.now),
                raw_ms: self.now.wall_ms,
                // Numbers of batches that changed nothing logged, or were undone, are left out.
                flags: if self.sequence == self.state.logged_sequence + 1 {
                    Flags::NONE
                } else {
                    Flags::SKIPS
                },
            };
            let spaces = [self.namespace.number()];
            self.record = Some(RecordBuilder::begin(&mut self.state.buffer, &head, &spaces));
            self.logged_namespace = self.namespace;
        }
        if self.logged_namespace != self.namespace {
            Effect::Space(self.namespace).encode(&mut self.state.buffer);
            self.logged_namespace = self.namespace;
        }
        effect.encode(&mut self.state.buffer);
    }

    /// Appends an effect unless it is about memory alone and residents are not logged.
    fn log_for(&mut self, home: Home, effect: &Effect<'_>) {
        if home == Home::Disk || self.state.settings.log_resident {
            self.log(effect);
        }
    }

    /// Notes that the drain has something to do for the namespace since this batch.
    fn note_waiting(&mut self) {
        let sequence = self.sequence;
        let space = self.state.front.space_mut(self.namespace);
        space.waiting_since.get_or_insert(sequence);
    }

    /// Remembers an entry before it is changed.
    fn save(&mut self, hash: u64, key: &[u8], handle: Option<Handle>) {
        let State { undo, front, .. } = &mut *self.state;
        undo.save(front, self.namespace, hash, key, handle);
        front.space_mut(self.namespace).changed_at = self.sequence;
        self.has_changed = true;
    }

    /// Whether the batch has changed anything so far.
    pub(crate) fn has_changed(&self) -> bool {
        self.has_changed
    }

    /// Notes that the reply tells of this version.
    pub(crate) fn see(&mut self, version: u64) {
        self.seen = self.seen.max(version);
    }

    /// The home of a key that the state of its entry tells.
    fn home_of(entry: Entry<'_>) -> Home {
        if entry.state() == EntryState::Resident { Home::Memory } else { Home::Disk }
    }
}
