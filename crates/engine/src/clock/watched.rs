//! A clock whose monotonic source is watched (TTL-05): where it stands still while the wall clock
//! goes on, the wall clock's small steps are lent to it, so that keys still expire, and whoever
//! asks is told. One large step of the wall clock is an operator's and no sign of anything.
//!
//! It also saves most readings of the wall clock: within one millisecond a few answers are enough,
//! and a reading costs a good part of what looking up a key costs.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering};

use parking_lot::Mutex;

use super::{Clock, Reading};

/// Readings of one millisecond that share one of the wall clock.
const SHARED_MAX: u32 = 16;
/// So often the wall clock must be seen to move on before the other is held to stand still.
const MOVES_MIN: u32 = 8;
/// The most that one step of the wall clock may lend, in milliseconds: the engine's own threads
/// look at the time more often.
const LENT_MS_MAX: i64 = 1000;

/// A clock that watches the clock `C`.
pub struct WatchedClock<C> {
    source: C,
    /// The last reading of the source, and the wall clock's with it.
    raw_ms: AtomicI64,
    wall_ms: AtomicI64,
    /// What was lent to the source so far.
    lent_ms: AtomicI64,
    shared: AtomicU32,
    stands_still: AtomicBool,
    watch: Mutex<Watch>,
}

/// What has been seen since the source last moved.
#[derive(Default)]
struct Watch {
    moves: u32,
    missed_ms: i64,
}

impl<C: Clock> WatchedClock<C> {
    /// Watches `source`.
    pub fn new(source: C) -> Self {
        let Reading { monotonic_ms, wall_ms } = source.read();
        Self {
            source,
            raw_ms: AtomicI64::new(monotonic_ms),
            wall_ms: AtomicI64::new(wall_ms),
            lent_ms: AtomicI64::new(0),
            shared: AtomicU32::new(0),
            stands_still: AtomicBool::new(false),
            watch: Mutex::default(),
        }
    }

    /// Reads both clocks, and judges the one by the other.
    fn compare(&self) -> Reading {
        let mut watch = self.watch.lock();
        let now = self.source.read();
        let moved_ms = now.wall_ms - self.wall_ms.swap(now.wall_ms, Ordering::Relaxed);
        if now.monotonic_ms > self.raw_ms.load(Ordering::Relaxed) {
            *watch = Watch::default();
            self.stands_still.store(false, Ordering::Relaxed);
            self.raw_ms.store(now.monotonic_ms, Ordering::Release);
        } else if moved_ms > 0 {
            watch.moves += 1;
            watch.missed_ms += moved_ms.min(LENT_MS_MAX);
            if watch.moves >= MOVES_MIN {
                self.lent_ms.fetch_add(watch.missed_ms, Ordering::Relaxed);
                watch.missed_ms = 0;
                self.stands_still.store(true, Ordering::Relaxed);
            }
        }
        self.shared.store(0, Ordering::Relaxed);
        Reading { monotonic_ms: self.lent(now.monotonic_ms), wall_ms: now.wall_ms }
    }

    /// The source's reading with what was lent to it. A source that goes back is not followed.
    fn lent(&self, raw_ms: i64) -> i64 {
        raw_ms.max(self.raw_ms.load(Ordering::Relaxed)) + self.lent_ms.load(Ordering::Relaxed)
    }
}

impl<C: Clock> Clock for WatchedClock<C> {
    fn monotonic_ms(&self) -> i64 {
        self.read().monotonic_ms
    }

    fn wall_ms(&self) -> i64 {
        self.source.wall_ms()
    }

    fn read(&self) -> Reading {
        let raw_ms = self.source.monotonic_ms();
        // Two threads that count at once may lose one, which only delays the next comparison.
        let shared = self.shared.load(Ordering::Relaxed);
        let is_same = raw_ms == self.raw_ms.load(Ordering::Acquire);
        if !is_same || shared >= SHARED_MAX || self.stands_still() {
            return self.compare();
        }
        self.shared.store(shared + 1, Ordering::Relaxed);
        let wall_ms = self.wall_ms.load(Ordering::Relaxed);
        Reading { monotonic_ms: self.lent(raw_ms), wall_ms }
    }

    fn stands_still(&self) -> bool {
        self.stands_still.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests;
