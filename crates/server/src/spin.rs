//! Looking again before sleeping. A thread that sleeps has to be woken, which takes longer than
//! most commands; where the next request nearly always comes within some microseconds, the loop
//! stays awake for these. It learns from how it went, so that a loop with nothing to do sleeps.

use std::time::Duration;

/// How long to look for more: what a client on the same machine takes to wake and to ask again,
/// also where its processor has gone to sleep as well.
const SPIN_MAX: Duration = Duration::from_micros(40);
/// With more clients than this the loop always sleeps.
pub const SPIN_CLIENTS_MAX: usize = 16;
/// What one success is worth, up to a limit, and what a failure costs: nine in ten must succeed.
const CREDIT_MAX: u32 = 64;
const MISS_COST: u32 = 9;
/// Without credit, one sleep in so many is tried as a spin, to notice that times have changed.
const SLEEPS_PER_PROBE: u32 = 64;

/// What was learnt.
#[derive(Debug, Default)]
pub struct Spin {
    credit: u32,
    sleeps: u32,
}

impl Spin {
    /// How long to stay awake this time; zero most of the time on a loop with little to do.
    pub fn budget(&mut self) -> Duration {
        self.sleeps = (self.sleeps + 1) % SLEEPS_PER_PROBE;
        if self.credit > 0 || self.sleeps == 0 { SPIN_MAX } else { Duration::ZERO }
    }

    /// Learns whether something came in that time.
    pub fn learn(&mut self, has_found: bool) {
        self.credit = if has_found {
            (self.credit + 1).min(CREDIT_MAX)
        } else {
            self.credit.saturating_sub(MISS_COST)
        };
    }
}

#[cfg(test)]
mod tests;
