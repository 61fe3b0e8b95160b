//! Building what is in memory anew from what is on disk while the instance is open: the test of log
//! and bases that DEBUG RELOAD asks for.
//!
//! Batches are sent back to wait meanwhile, so that neither this nor anybody else holds the lock
//! while a file is read. INV-01, INV-04.

use crate::engine::Engine;
use crate::error::Error;
use crate::front::Front;
use crate::recover::{Sources, rebuild};
use crate::state::State;
use crate::store::{BASES, Store};

/// Pause of a batch that comes meanwhile, in milliseconds.
const PAUSE_MS: u64 = 20;

impl Engine {
    /// Saves all there is, builds the residents again from the newest base and the log after it,
    /// and puts them in the place of those in memory; copies of disk keys are let go. Without a
    /// directory it does nothing.
    ///
    /// # Errors
    /// What saving or reading meets; everything then stays as it was.
    ///
    /// # Cost
    /// Writes and reads every resident, for as long as which other batches wait.
    pub fn reload(&self) -> Result<(), Error> {
        let Some(store) = self.store() else {
            return Ok(());
        };
        let _alone = store.reloading.lock();
        self.shared().state.lock().pause_ms = Some(PAUSE_MS);
        let rebuilt = self.front_from_disk(store);
        let mut state = self.shared().state.lock();
        state.pause_ms = None;
        let old = rebuilt.map(|front| state.replace_front(front))?;
        // Freeing a large front takes its time.
        drop(state);
        drop(old);
        if self.settings().log_resident { Ok(()) } else { self.forget_residents_of_log() }
    }

    fn front_from_disk(&self, store: &Store) -> Result<Front, Error> {
        self.drain_all()?;
        self.make_whole_base()?;
        let _no_base = store.base_lock.lock();
        let _no_drain = store.drainer.lock();
        let mut fresh = {
            let state = self.shared().state.lock();
            let mut fresh =
                State::new(state.settings.clone(), 0, state.has_log, state.has_disk, self.clock());
            fresh.front = state.front.emptied();
            fresh
        };
        let (log, tier, disk) = (&store.log, &store.tier, &store.disk);
        let bases = &store.directory.join(BASES);
        rebuild(&mut fresh, &Sources { log, tier, disk, bases })?;
        Ok(fresh.front)
    }
}

impl State {
    /// Takes a front with the same keys in the place of the present one, which it gives. What was
    /// begun with that one, outside of the lock, finds out by the counts.
    fn replace_front(&mut self, mut front: Front) -> Front {
        for (namespace, before) in self.front.spaces() {
            if !front.has_space(namespace) {
                front.add_space(namespace, before.floor);
            }
            let after = front.space_mut(namespace);
            after.generation = before.generation + 1;
            after.drains = before.drains + 1;
            after.removed_at = before.removed_at;
        }
        self.buried.clear();
        std::mem::replace(&mut self.front, front)
    }
}
