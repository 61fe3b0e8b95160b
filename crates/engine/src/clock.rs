//! Time as the engine sees it. *Engine time* starts as the wall clock of the first opening and
//! then follows the monotonic clock, so a step of the wall clock moves no relative lifetime
//! (TTL-04); it goes on across restarts from the last record of the log. Absolute deadlines
//! follow the wall clock. Nothing else in the engine may ask the system for the time.

mod watched;

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

pub use watched::WatchedClock;

/// A source of time; injected, so that any run can be repeated.
pub trait Clock: Send + Sync {
    /// Milliseconds of a clock that never steps; its origin means nothing.
    fn monotonic_ms(&self) -> i64;
    /// Milliseconds since the Unix epoch, as the machine believes.
    fn wall_ms(&self) -> i64;
    /// Both.
    fn read(&self) -> Reading {
        Reading { monotonic_ms: self.monotonic_ms(), wall_ms: self.wall_ms() }
    }
    /// Whether the monotonic clock was found to stand still, so that another takes its place.
    fn stands_still(&self) -> bool {
        false
    }
}

/// What the two clocks say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// Of the clock that never steps.
    pub monotonic_ms: i64,
    /// Of the wall clock.
    pub wall_ms: i64,
}

/// The machine's own clocks. Both begin their milliseconds at the same moments, so that a reading
/// of the wall clock holds for as long as the other one's millisecond; else a lifetime could be
/// told to be a millisecond longer than it was given.
pub struct SystemClock {
    origin: Instant,
    /// How much of its millisecond the wall clock had behind it at the origin.
    lead: Duration,
}

impl SystemClock {
    /// Starts counting now.
    pub fn new() -> Self {
        let lead = Duration::from_nanos(u64::from(Self::wall().subsec_nanos() % 1_000_000));
        Self { origin: Instant::now(), lead }
    }

    /// Time since the Unix epoch; none before it.
    fn wall() -> Duration {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn monotonic_ms(&self) -> i64 {
        i64::try_from((self.origin.elapsed() + self.lead).as_millis()).unwrap_or(i64::MAX)
    }

    fn wall_ms(&self) -> i64 {
        i64::try_from(Self::wall().as_millis()).unwrap_or(i64::MAX)
    }
}

/// A clock that moves only when told to, for tests.
#[derive(Default)]
pub struct ManualClock {
    monotonic_ms: AtomicI64,
    wall_ms: AtomicI64,
}

impl ManualClock {
    /// A clock that stands at `wall_ms`.
    pub fn at(wall_ms: i64) -> Self {
        Self { monotonic_ms: AtomicI64::new(0), wall_ms: AtomicI64::new(wall_ms) }
    }

    /// Lets `ms` pass on both clocks.
    pub fn advance(&self, ms: i64) {
        self.monotonic_ms.fetch_add(ms, Ordering::SeqCst);
        self.wall_ms.fetch_add(ms, Ordering::SeqCst);
    }

    /// Steps the wall clock alone, as an operator or NTP does.
    pub fn step_wall(&self, ms: i64) {
        self.wall_ms.fetch_add(ms, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn monotonic_ms(&self) -> i64 {
        self.monotonic_ms.load(Ordering::SeqCst)
    }

    fn wall_ms(&self) -> i64 {
        self.wall_ms.load(Ordering::SeqCst)
    }
}

/// The absolute moment at which a key ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Deadline {
    /// Milliseconds, on the wall clock if `absolute`, else in engine time.
    pub at_ms: i64,
    /// Given as a moment (`EXPIREAT`), not as a duration.
    pub absolute: bool,
}

/// One reading of both clocks; a turn uses one throughout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Now {
    /// Engine time in milliseconds.
    pub engine_ms: i64,
    /// Wall clock, in milliseconds since the Unix epoch.
    pub wall_ms: i64,
}

impl Now {
    /// The deadline `ms` from now; `None` where it cannot be represented.
    pub fn after_ms(&self, ms: i64) -> Option<Deadline> {
        let at_ms = self.engine_ms.checked_add(ms)?;
        self.wall_ms.checked_add(ms)?;
        Some(Deadline { at_ms, absolute: false })
    }

    /// The deadline at a moment of the wall clock.
    pub fn at_wall_ms(&self, ms: i64) -> Deadline {
        Deadline { at_ms: ms, absolute: true }
    }

    /// Milliseconds until `deadline`; zero or less once it is past.
    pub fn left_ms(&self, deadline: Deadline) -> i64 {
        deadline.at_ms.saturating_sub(self.of(deadline.absolute))
    }

    /// The moment of the wall clock at which `deadline` falls, as far as is known now.
    pub fn wall_ms_of(&self, deadline: Deadline) -> i64 {
        if deadline.absolute {
            return deadline.at_ms;
        }
        self.wall_ms.saturating_add(self.left_ms(deadline))
    }

    /// Whether `deadline` has come.
    pub fn is_past(&self, deadline: Deadline) -> bool {
        deadline.at_ms <= self.of(deadline.absolute)
    }

    fn of(&self, absolute: bool) -> i64 {
        if absolute { self.wall_ms } else { self.engine_ms }
    }
}

/// Engine time: a line through the last known pair of engine time and wall clock.
#[derive(Debug, Clone, Copy)]
pub struct Timeline {
    origin_engine_ms: i64,
    origin_monotonic_ms: i64,
}

impl Timeline {
    /// Starts where the log ended: engine time goes on by what the wall clock says has passed
    /// since, never backwards. `None` for a new database: engine time is the wall clock.
    pub fn resume(clock: &dyn Clock, last: Option<(i64, i64)>) -> Self {
        let Reading { monotonic_ms, wall_ms } = clock.read();
        let origin_engine_ms = match last {
            Some((engine_ms, raw_ms)) => {
                engine_ms.saturating_add(wall_ms.saturating_sub(raw_ms).max(0))
            }
            None => wall_ms,
        };
        Self { origin_engine_ms, origin_monotonic_ms: monotonic_ms }
    }

    /// Reads both clocks.
    pub fn now(&self, clock: &dyn Clock) -> Now {
        let Reading { monotonic_ms, wall_ms } = clock.read();
        let passed_ms = monotonic_ms.saturating_sub(self.origin_monotonic_ms).max(0);
        Now { engine_ms: self.origin_engine_ms.saturating_add(passed_ms), wall_ms }
    }
}
