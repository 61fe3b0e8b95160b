//! What a reply has to wait for that was put together by several batches, because one alone would
//! have held the engine's lock for too long (INV-06): all that any of them has seen (INV-03).

use super::Scope;

/// What a batch has seen, for a later one whose reply tells of it too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sight {
    /// The newest version.
    seen: u64,
    /// How many times the log had failed by then.
    failures: usize,
}

impl Scope<'_> {
    /// What the batch has seen and changed so far.
    pub fn sight(&self) -> Sight {
        let changed = if self.has_changed { self.sequence } else { 0 };
        Sight { seen: self.seen.max(changed), failures: self.state.failure_count }
    }

    /// Makes the reply wait for what an earlier batch has seen as well. `false` if batches were
    /// undone since: what was seen may never have happened, and must be looked at again.
    #[must_use]
    pub fn recall(&mut self, sight: &Sight) -> bool {
        // All that is undone at one time is undone together, so that until then the newest version
        // stands for the older ones.
        let stands = sight.failures == self.state.failure_count;
        if stands {
            self.see(sight.seen);
        }
        stands
    }
}
