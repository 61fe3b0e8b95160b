//! One holding of the engine's lock. It runs batches one after the other, each with one reading
//! of the clocks, and remembers what the replies have to wait for. It waits for nothing itself.

use std::mem;

use parking_lot::MutexGuard;

use crate::clock::Now;
use crate::engine::Engine;
use crate::error::{Error, ErrorKind};
use crate::gather::Gathered;
use crate::namespace::NamespaceId;
use crate::scope::{Outcome, Scope, Stop};
use crate::settings::{Durability, Eviction};
use crate::state::State;

/// Longest that a batch waits for the drain before it is given up, in milliseconds.
const DELAY_MS_MAX: i64 = 30_000;

/// Records that may wait for the interval under durability `none`, in bytes.
const KEPT_BYTES_MAX: usize = 4 << 20;

/// What a batch asks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BatchOptions {
    /// More durability than the instance gives; less is not possible.
    pub durability: Option<Durability>,
}

fn behind() -> Error {
    Error::new(ErrorKind::Busy, "the disk does not keep up with the writes")
        .with_hint("write more slowly, or raise dirty_bytes_max")
}

impl Engine {
    /// Does something to its end, a slice in each holding of the lock and everybody else in
    /// between; `slice` tells whether there is more to do.
    pub(crate) fn in_slices(&self, mut slice: impl FnMut(&mut State) -> bool) {
        loop {
            let mut turn = self.lock();
            let is_more = slice(turn.state());
            turn.give_way();
            if !is_more {
                return;
            }
            // Whoever has just begun to wait still spins, and is not seen by those who give way.
            std::thread::yield_now();
        }
    }

    /// Ends a slice that was a batch about entries in memory: lets others have the lock, and hands
    /// over what was logged. Gives what the batch gave: whether there is more to do.
    pub(crate) fn end_slice(
        &self,
        mut turn: Turn<'_>,
        result: Result<bool, Stop>,
    ) -> Result<bool, Error> {
        let ticket = turn.take_ticket();
        turn.give_way();
        match result {
            Ok(is_more) => self.hand_over(&ticket).map(|()| is_more),
            Err(Stop::Fail(error)) => Err(error),
            // Nothing of an entry in memory lies below.
            Err(_) => Ok(false),
        }
    }
}

/// What a reply has to wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticket {
    /// The newest record that the batches have written or seen.
    pub(crate) sequence: u64,
    pub(crate) durability: Durability,
}

impl Ticket {
    /// Waits for nothing.
    pub const NONE: Self = Self { sequence: 0, durability: Durability::None };

    /// Whether it is settled only once it is durable.
    pub fn awaits_sync(&self) -> bool {
        self.durability == Durability::Always
    }

    /// What a reply to both has to wait for, both taken while the lock was held once: whatever is
    /// undone later takes all that was pending then, so that the newer number stands for both. What
    /// several holdings have seen is joined by `Scope::recall`.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        Self {
            sequence: self.sequence.max(other.sequence),
            durability: self.durability.max(other.durability),
        }
    }
}

/// The engine's lock, held.
pub struct Turn<'e> {
    engine: &'e Engine,
    state: MutexGuard<'e, State>,
    now: Now,
    ticket: Ticket,
}

impl<'e> Turn<'e> {
    pub(crate) fn new(engine: &'e Engine, state: MutexGuard<'e, State>) -> Self {
        let now = state.now(engine.clock());
        Self { engine, state, now, ticket: Ticket::NONE }
    }

    /// The clocks, as all batches of the turn see them.
    pub fn now(&self) -> Now {
        self.now
    }

    /// Runs a batch: all of it as one step, or, if it fails, nothing of it.
    ///
    /// # Errors
    /// What the batch returns. After `Stop::Gather`, call `Engine::gather` without the turn and
    /// run the same batch again with what was gathered.
    pub fn batch<T>(
        &mut self,
        namespace: NamespaceId,
        options: &BatchOptions,
        gathered: &mut Gathered,
        batch: impl FnOnce(&mut Scope<'_>) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let state = &mut *self.state;
        if let Some(ms) = state.pause_ms {
            return Err(Stop::Delay { ms });
        }
        if gathered.is_fresh() {
            state.install(gathered, self.now)?;
        }
        let mark = state.undo.mark();
        let mut scope = Scope::new(state, gathered, namespace, self.now);
        let result = batch(&mut scope).and_then(|value| Ok((value, scope.end()?)));
        match result {
            Ok((value, outcome)) => {
                self.note(&outcome, options);
                Ok(value)
            }
            Err(stop) => {
                scope.abandon(mark)?;
                if let Stop::Gather(mut missing) = stop {
                    gathered.note_stop(&mut self.state.front.copies);
                    self.state.mark_fetching(&mut missing, self.now)?;
                    return Err(Stop::Gather(missing));
                }
                if self.state.wants_room > 0 {
                    let size = mem::take(&mut self.state.wants_room);
                    self.free_room(namespace, size)?;
                }
                let is_delay = matches!(stop, Stop::Delay { .. });
                if is_delay && gathered.note_delay(self.now.engine_ms) > DELAY_MS_MAX {
                    return Err(Stop::Fail(behind()));
                }
                Err(stop)
            }
        }
    }

    /// Evicts a slice of what is beyond the bound of memory; whether there was any.
    ///
    /// # Errors
    /// Those of the log.
    pub(crate) fn shrink(&mut self) -> Result<bool, Stop> {
        let settings = &self.state.settings;
        let is_over = settings.memory_bytes_max != 0
            && self.state.front.used_bytes() > settings.memory_bytes_max;
        if !is_over || settings.eviction == Eviction::None {
            return Ok(false);
        }
        self.free_room(NamespaceId::new(0), 0)
    }

    /// Frees memory for a batch that found no room, as a batch of its own; whether it did.
    fn free_room(&mut self, namespace: NamespaceId, size: u64) -> Result<bool, Stop> {
        let mark = self.state.undo.mark();
        let mut gathered = Gathered::default();
        let mut scope = Scope::new(&mut self.state, &mut gathered, namespace, self.now);
        let outcome = match scope.free_some(size).and_then(|()| scope.end()) {
            Ok(outcome) => outcome,
            Err(stop) => {
                scope.abandon(mark)?;
                return Err(stop);
            }
        };
        self.note(&outcome, &BatchOptions::default());
        if self.state.settings.eviction == Eviction::None {
            self.engine.shared().background.want_drain();
        }
        Ok(outcome.has_changed)
    }

    /// Notes that a batch of this turn will ask for `key`; a hint that changes nothing but speed.
    pub fn expect(&mut self, namespace: NamespaceId, key: &[u8]) {
        self.state.front.expect(namespace, key);
    }

    /// Brings what was expected into the processor's cache, all at once.
    pub fn prefetch_expected(&mut self) {
        self.state.front.prefetch_expected();
    }

    /// What the batches since the last call have to wait for.
    pub fn take_ticket(&mut self) -> Ticket {
        mem::replace(&mut self.ticket, Ticket::NONE)
    }

    fn note(&mut self, outcome: &Outcome, options: &BatchOptions) {
        let state = &mut *self.state;
        if !state.has_log {
            // Nothing can fail any more: the batch is final as it ends.
            if !state.undo.is_empty() {
                let spaces = state.undo.forget();
                state.bury(spaces);
            }
            return;
        }
        let durability =
            state.settings.durability.max(options.durability.unwrap_or(Durability::None));
        let sequence =
            if outcome.has_changed { state.sequence } else { state.awaited(outcome.seen) };
        self.ticket = self.ticket.join(Ticket { sequence, durability });
        if durability == Durability::None && state.buffer.len() >= KEPT_BYTES_MAX {
            // No reply has it handed over.
            self.engine.want_sync();
        }
    }

    /// Lets go of the lock so that whoever waits for it has it next. Who takes the lock again at
    /// once does that, or the others would wait for all of its slices.
    pub(crate) fn give_way(self) {
        MutexGuard::unlock_fair(self.state);
    }

    pub(crate) fn state(&mut self) -> &mut State {
        &mut self.state
    }
}
