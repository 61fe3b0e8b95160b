//! What happens later: connections to be tried again at a moment, and the regular look at all.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::{Duration, Instant};

use crate::clients::Handle;

/// How often some of the clients are looked at, at least.
const TICK: Duration = Duration::from_millis(100);
/// How long it takes to look at every client once, at most.
const ROUND: Duration = Duration::from_secs(1);
/// Clients that are looked at in one tick: so few that nobody's reply waits for it.
pub const CLIENTS_PER_TICK: usize = 128;

/// Moments to come.
pub struct Timers {
    delays: BinaryHeap<Reverse<(Instant, Handle)>>,
    next_tick: Instant,
}

impl Timers {
    /// No delays, and the first tick soon.
    pub fn new(now: Instant) -> Self {
        Self { delays: BinaryHeap::new(), next_tick: now + TICK }
    }

    /// Remembers to try a connection again.
    pub fn delay(&mut self, client: Handle, until: Instant) {
        self.delays.push(Reverse((until, client)));
    }

    /// The next connection whose moment has come.
    pub fn take_due(&mut self, now: Instant) -> Option<Handle> {
        let Reverse((until, client)) = *self.delays.peek()?;
        if until > now {
            return None;
        }
        self.delays.pop();
        Some(client)
    }

    /// Whether it is time to look at some of so many clients; the next time is then a tick later.
    pub fn take_tick(&mut self, now: Instant, clients: usize) -> bool {
        let is_due = now >= self.next_tick;
        if is_due {
            let ticks = clients.div_ceil(CLIENTS_PER_TICK).max(1) as u32;
            self.next_tick = now + TICK.min(ROUND / ticks);
        }
        is_due
    }

    /// How long nothing is due.
    pub fn wait(&self, now: Instant) -> Duration {
        let delay = self.delays.peek().map_or(self.next_tick, |Reverse((until, _))| *until);
        delay.min(self.next_tick).saturating_duration_since(now)
    }
}
