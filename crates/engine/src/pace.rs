//! How fast writers may go while the drain is behind: from half of the dirty bound on they are
//! delayed one by one, so that what comes in nears what goes out, and nobody meets a wall. A
//! leaky bucket whose rate is that of the drain, scaled by the room that is left.

/// The bucket.
#[derive(Debug, Default)]
pub struct Pace {
    /// Bytes a millisecond that the drain has lately written; 0 until it has been measured.
    drain_rate: f64,
    /// Engine time at which the next write is due, in milliseconds and fractions.
    next_ms: f64,
}

/// What a write has to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Go on.
    Go,
    /// Come back after this many milliseconds; nothing was counted.
    Wait { ms: u64 },
    /// The bound is reached: come back, and give up after a while.
    Full,
}

/// Assumed until the drain has been measured: 16 MiB a second.
const RATE_AT_FIRST: f64 = 16.0 * 1024.0;

/// A burst that is let through at once, in milliseconds of the present rate.
const BURST_MS: f64 = 5.0;

impl Pace {
    /// Notes what a drain has written in how long.
    pub fn measured(&mut self, bytes: u64, took_ms: u64) {
        let rate = bytes as f64 / took_ms.max(1) as f64;
        self.drain_rate =
            if self.drain_rate == 0.0 { rate } else { f64::midpoint(self.drain_rate, rate) };
    }

    /// Whether a write of `size` may go on with `dirty` of `bound` bytes waiting.
    pub fn admit(&mut self, size: u64, dirty: u64, bound: u64, now_ms: i64) -> Verdict {
        let half = bound / 2;
        if dirty < half {
            return Verdict::Go;
        }
        if dirty + size > bound && dirty > 0 {
            return Verdict::Full;
        }
        let room = (bound - dirty) as f64 / half.max(1) as f64;
        let rate = if self.drain_rate == 0.0 { RATE_AT_FIRST } else { self.drain_rate };
        // Twice the drain's rate with half the room free, down to half of it with none.
        let allowed = rate * (0.5 + 1.5 * room);
        let now = now_ms as f64;
        if self.next_ms > now + BURST_MS {
            return Verdict::Wait { ms: (self.next_ms - now) as u64 };
        }
        self.next_ms = self.next_ms.max(now) + size as f64 / allowed;
        Verdict::Go
    }
}

#[cfg(test)]
mod tests;
