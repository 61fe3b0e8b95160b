//! What an instance with a directory has on disk: the lock that keeps others out, the log, the
//! bases, the registry and the files of the namespaces.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::below::DiskTier;
use crate::directory::DirectoryLock;
use crate::disk::Disk;
use crate::drain::Drainer;
use crate::log::Log;

/// Directory of the log's segments.
pub const LOG: &str = "log";
/// Directory of the bases.
pub const BASES: &str = "base";

/// The belongings of an instance with a directory.
pub struct Store {
    pub directory: PathBuf,
    pub disk: Arc<dyn Disk>,
    pub log: Log,
    pub tier: DiskTier,
    pub drainer: Mutex<Drainer>,
    /// One handing over at a time, so that records reach the log in their order.
    pub handing: Mutex<Vec<u8>>,
    pub base_lock: Mutex<()>,
    /// One rebuilding of what is in memory at a time.
    pub reloading: Mutex<()>,
    /// Size of the log when the last base was made.
    pub log_bytes_at_base: AtomicU64,
    /// The least that the log has been since the last drain began.
    log_bytes_at_drain: AtomicU64,
    base_sequence: AtomicU64,
    /// Size of the log as of the last look, for those who must not wait for a write.
    log_bytes: AtomicU64,
    /// Held for as long as the instance is open.
    pub lock: DirectoryLock,
}

impl Store {
    /// Notes that a base was made at `sequence`.
    pub fn note_base(&self, sequence: u64) {
        self.base_sequence.store(sequence, Ordering::Relaxed);
        self.log_bytes_at_base.store(self.look_at_log(), Ordering::Relaxed);
    }

    /// Looks how large the log is; may wait for a write to it.
    pub fn look_at_log(&self) -> u64 {
        let size_bytes = self.log.size_bytes();
        self.log_bytes.store(size_bytes, Ordering::Relaxed);
        size_bytes
    }

    /// How large the log was at the last look.
    pub fn log_bytes(&self) -> u64 {
        self.log_bytes.load(Ordering::Relaxed)
    }

    /// Notes that a drain begins.
    pub fn note_drain(&self) {
        self.log_bytes_at_drain.store(self.log_bytes(), Ordering::Relaxed);
    }

    /// How much the log has grown since the last drain began, as of the last look.
    pub fn grown_since_drain(&self) -> u64 {
        let now = self.log_bytes();
        // Segments are removed as well, and then it grows from there.
        now - self.log_bytes_at_drain.fetch_min(now, Ordering::Relaxed).min(now)
    }

    /// The sequence of the last base that was made or loaded.
    pub fn base_sequence(&self) -> u64 {
        self.base_sequence.load(Ordering::Relaxed)
    }

    /// Puts the parts together.
    pub fn new(
        directory: &Path,
        disk: Arc<dyn Disk>,
        log: Log,
        tier: DiskTier,
        lock: DirectoryLock,
        writers_max: usize,
    ) -> Self {
        Self {
            directory: directory.to_owned(),
            disk,
            log,
            tier,
            drainer: Mutex::new(Drainer::new(writers_max)),
            handing: Mutex::new(Vec::new()),
            base_lock: Mutex::new(()),
            reloading: Mutex::new(()),
            log_bytes_at_base: AtomicU64::new(0),
            log_bytes_at_drain: AtomicU64::new(0),
            base_sequence: AtomicU64::new(0),
            log_bytes: AtomicU64::new(0),
            lock,
        }
    }
}
