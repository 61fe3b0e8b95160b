//! What an instance with a directory has on disk: the lock that keeps others out, the log, the
//! bases, the registry and the files of the namespaces.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::below::DiskTier;
use crate::disk::Disk;
use crate::drain::Drainer;
use crate::error::{Error, ErrorKind};
use crate::log::Log;

/// Directory of the log's segments.
pub const LOG: &str = "log";
/// Directory of the bases.
pub const BASES: &str = "base";
const LOCK: &str = "lock";

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
    base_sequence: AtomicU64,
    /// Size of the log as of the last look, for those who must not wait for a write.
    log_bytes: AtomicU64,
    /// Held for as long as the instance is open; the system lets go of it when we die.
    pub lock: File,
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
        lock: File,
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
            base_sequence: AtomicU64::new(0),
            log_bytes: AtomicU64::new(0),
            lock,
        }
    }
}

/// Makes the directory of an instance and takes its lock.
///
/// # Errors
/// `Busy`, naming the process that has it open; what the file system says.
pub fn lock_directory(directory: &Path) -> Result<File, Error> {
    make_private(directory)?;
    let path = directory.join(LOCK);
    // What is written into the file must not go where a link points.
    if fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file()) {
        let cause = std::io::Error::other("it is not a plain file");
        return Err(failed("open", &path, &cause));
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&path).map_err(|cause| failed("open", &path, &cause))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(taken(directory, &mut file)),
        Err(TryLockError::Error(cause)) => return Err(failed("lock", &path, &cause)),
    }
    let owner = format!("{}\n", std::process::id());
    file.set_len(0)
        .and_then(|()| file.rewind())
        .and_then(|()| file.write_all(owner.as_bytes()))
        .map_err(|cause| failed("write", &path, &cause))?;
    Ok(file)
}

fn taken(directory: &Path, file: &mut File) -> Error {
    let mut owner = String::new();
    // Who holds it is a courtesy; that it is held is certain.
    let _ = file.take(32).read_to_string(&mut owner);
    let place = directory.display();
    let message = match owner.trim() {
        "" => format!("the database is open in another process: {place}"),
        pid => format!("the database is open in process {pid}: {place}"),
    };
    Error::new(ErrorKind::Busy, message)
        .with_hint("close it there first, or connect to that process as a client")
}

/// Makes a directory for its owner alone, with its parents.
pub fn make_private(directory: &Path) -> Result<(), Error> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory).map_err(|cause| failed("create", directory, &cause))
}

/// What the file system said, as an error that names the file.
pub fn failed(action: &str, path: &Path, cause: &std::io::Error) -> Error {
    let message = format!("cannot {action} {}: {cause}", path.display());
    Error::new(ErrorKind::Unavailable, message)
}
