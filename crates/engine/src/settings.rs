//! What an operator may choose. Plain values, printable and comparable; clock, disk and
//! randomness are `Sources`, never settings. The host (`src/dwell/settings.py`) documents and
//! validates them; here they are only obeyed.

use std::path::PathBuf;
use std::sync::Arc;

use crate::clock::{Clock, SystemClock, WatchedClock};
use crate::disk::{Disk, RealDisk};

/// Which home a key gets (DESIGN.md 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// With a lifetime in memory, without on disk.
    Lifetime,
    /// Everything in memory.
    Memory,
    /// Everything on disk, deadlines too.
    Disk,
}

/// What an acknowledged write survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Durability {
    /// Handed to the operating system within the sync interval.
    None,
    /// Handed to the operating system before the reply, fsync every interval.
    Interval,
    /// Fsync before the reply.
    Always,
}

/// What leaves memory first when `memory_bytes_max` is reached; Redis's policies by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Eviction {
    /// Residents move to disk; where there is none, writes are refused.
    None,
    /// Any resident, least recently used first.
    AllkeysLru,
    /// Any resident, least frequently used first.
    AllkeysLfu,
    /// Any resident, at random.
    AllkeysRandom,
    /// Residents with a deadline, least recently used first.
    VolatileLru,
    /// Residents with a deadline, least frequently used first.
    VolatileLfu,
    /// Residents with a deadline, at random.
    VolatileRandom,
    /// Residents with a deadline, the nearest first.
    VolatileTtl,
}

impl Eviction {
    /// Whether only keys with a deadline may be evicted.
    pub fn is_volatile(self) -> bool {
        matches!(
            self,
            Self::VolatileLru | Self::VolatileLfu | Self::VolatileRandom | Self::VolatileTtl
        )
    }

    /// Whether accesses are counted by frequency.
    pub fn is_frequency(self) -> bool {
        matches!(self, Self::AllkeysLfu | Self::VolatileLfu)
    }
}

/// Where an instance lives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Nowhere: not one file is written, nothing survives.
    Memory,
    /// A directory of its own.
    Directory(PathBuf),
}

/// The choices of an operator. `Default` gives what `dwell.open(path)` gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The placement rule.
    pub placement: Placement,
    /// What a write survives unless its batch asks for more.
    pub durability: Durability,
    /// Whether residents are logged; off makes memory a cache that only a clean stop saves.
    pub log_resident: bool,
    /// Pause between two background fsyncs, in milliseconds.
    pub sync_interval_ms: u64,
    /// Most bytes that wait in memory for the drain.
    pub dirty_bytes_max: u64,
    /// Longest that a dirty key waits for a drain, in milliseconds.
    pub drain_after_ms: u64,
    /// Most bytes of the keyspace in memory; 0 is without bound.
    pub memory_bytes_max: u64,
    /// What leaves memory first at that bound.
    pub eviction: Eviction,
    /// Keys that eviction looks at per choice.
    pub eviction_samples: usize,
    /// Most bytes of copies that were read once.
    pub probation_bytes_max: u64,
    /// Most bytes of copies that were read twice.
    pub promoted_bytes_max: u64,
    /// How long a promoted copy stays, in milliseconds.
    pub promote_ms: u64,
    /// Size of a segment of the log.
    pub segment_bytes: u64,
    /// Log since the last base after which a new base is made.
    pub base_after_bytes: u64,
    /// How far back a restore can reach, in milliseconds; 0 keeps no history.
    pub history_ms: u64,
    /// Most SQLite connections open at once.
    pub open_files_max: usize,
    /// File name of the keys of namespace "0"; `None` is the usual one.
    pub main_file: Option<String>,
    /// Whether expired keys are removed without being asked for.
    pub active_expire: bool,
    /// Whether the engine runs its own threads; tests call the steps by hand instead.
    pub background: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            placement: Placement::Lifetime,
            durability: Durability::Interval,
            log_resident: true,
            sync_interval_ms: 1000,
            dirty_bytes_max: 512 << 20,
            drain_after_ms: 10_000,
            memory_bytes_max: 0,
            eviction: Eviction::None,
            eviction_samples: 5,
            probation_bytes_max: 64 << 20,
            promoted_bytes_max: 256 << 20,
            promote_ms: 60_000,
            segment_bytes: 64 << 20,
            base_after_bytes: 256 << 20,
            history_ms: 0,
            open_files_max: 48,
            main_file: None,
            active_expire: true,
            background: true,
        }
    }
}

/// What the engine takes from the world: time, a disk for the log, and a seed.
#[derive(Clone)]
pub struct Sources {
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Where log, bases and the registry are kept.
    pub disk: Arc<dyn Disk>,
    /// Seed of hashing and sampling.
    pub seed: u64,
}

impl Default for Sources {
    fn default() -> Self {
        // The address of a fresh allocation and the time differ per process: enough to keep a
        // stranger from guessing hash collisions, and no dependency for it.
        let clock = Arc::new(WatchedClock::new(SystemClock::new()));
        let seed = clock.wall_ms() as u64 ^ (Arc::as_ptr(&clock) as u64).rotate_left(32);
        Self { clock, disk: Arc::new(RealDisk), seed }
    }
}
