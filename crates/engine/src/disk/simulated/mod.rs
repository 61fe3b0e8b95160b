//! An in-memory disk that keeps what was not synced apart and, at a crash, keeps, drops, reorders
//! and tears it, all from one seed. It is public so that the tests of other crates can use it.
//!
//! It is as unkind as a medium is allowed to be, and no unkinder: each unsynced write, truncation
//! and change of names survives or not independently of the others, but two writes of the same
//! sector never swap, since no page cache writes an older page over a newer one.

mod medium;
mod random;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

use super::{Access, Disk, File};
use medium::Medium;

/// What a step does to the disk. Reading is not a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// [`File::write_at`].
    Write,
    /// [`File::sync`].
    Sync,
    /// [`File::set_size`].
    SetSize,
    /// [`Disk::create_new`].
    Create,
    /// [`Disk::rename`].
    Rename,
    /// [`Disk::remove`].
    Remove,
    /// [`Disk::sync_directory`].
    SyncDirectory,
}

/// One operation that is about to happen.
#[derive(Clone, Debug)]
pub struct Step {
    /// Counts all steps of this disk, from 1.
    pub number: u64,
    /// What is about to be done.
    pub operation: Operation,
    /// The file or directory.
    pub path: PathBuf,
}

/// What becomes of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is done.
    Go,
    /// It fails with this `errno`. A write that fails has written a part; a sync that fails has
    /// kept a part and forgotten the rest, as Linux does.
    Fail(i32),
    /// The power goes off while it is done: it and all later ones fail until
    /// [`SimulatedDisk::crash`].
    PowerOff,
}

/// `errno` of a broken medium.
pub const EIO: i32 = 5;
/// `errno` of a full disk.
pub const ENOSPC: i32 = 28;

type Hook = Arc<dyn Fn(&Step) -> Verdict + Send + Sync>;

/// The simulated disk. Clones are handles to the same disk.
#[derive(Clone)]
pub struct SimulatedDisk {
    shared: Arc<Shared>,
}

struct Shared {
    medium: Mutex<Medium>,
    hook: Mutex<Option<Hook>>,
}

struct SimulatedFile {
    shared: Arc<Shared>,
    inode: usize,
    path: PathBuf,
    boot: u64,
}

impl SimulatedDisk {
    /// An empty disk whose every whim follows from `seed`.
    pub fn new(seed: u64) -> Self {
        let medium = Mutex::new(Medium::new(seed));
        Self { shared: Arc::new(Shared { medium, hook: Mutex::new(None) }) }
    }

    /// Asks `hook` before each step what becomes of it. The hook runs without any lock of the
    /// disk, so it may block to imitate a slow device.
    pub fn on_step(&self, hook: impl Fn(&Step) -> Verdict + Send + Sync + 'static) {
        *self.shared.hook.lock() = Some(Arc::new(hook));
    }

    /// Lets every step happen again.
    pub fn clear_hook(&self) {
        *self.shared.hook.lock() = None;
    }

    /// Turns the power off at the step of this number.
    pub fn power_off_at(&self, number: u64) {
        self.on_step(
            move |step| {
                if step.number >= number { Verdict::PowerOff } else { Verdict::Go }
            },
        );
    }

    /// Lets the `nth` operation of a kind from now on, counted from 1, fail with `errno`.
    pub fn fail_nth(&self, operation: Operation, nth: u64, errno: i32) {
        let seen = Mutex::new(0);
        self.on_step(move |step| {
            if step.operation != operation {
                return Verdict::Go;
            }
            let mut seen = seen.lock();
            *seen += 1;
            if *seen == nth { Verdict::Fail(errno) } else { Verdict::Go }
        });
    }

    /// Bounds the bytes of all files; writing beyond is a full disk. `None` lifts the bound.
    pub fn set_capacity(&self, capacity_bytes: Option<u64>) {
        self.shared.medium.lock().capacity_bytes = capacity_bytes;
    }

    /// The bytes of all files.
    pub fn used_bytes(&self) -> u64 {
        self.shared.medium.lock().used_bytes()
    }

    /// The number of steps so far.
    pub fn steps(&self) -> u64 {
        self.shared.medium.lock().steps
    }

    /// Loses the power: settles the fate of all that was not synced, makes all open handles
    /// useless, and turns the power on again.
    pub fn crash(&self) {
        self.clear_hook();
        self.shared.medium.lock().crash();
    }

    /// Kills the process but not the machine: nothing is lost, all open handles become useless.
    pub fn kill(&self) {
        self.clear_hook();
        self.shared.medium.lock().kill();
    }

    /// What is in a file now, as a reader of the running system sees it.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn contents(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.shared.medium.lock().contents(path)
    }

    /// Replaces the content of a file, durably and without a step: damage, or a file from
    /// elsewhere.
    pub fn put(&self, path: &Path, contents: Vec<u8>) {
        self.shared.medium.lock().put(path, contents);
    }
}

impl Shared {
    /// Counts the step and asks the hook. The medium is not locked meanwhile.
    fn step(&self, operation: Operation, path: &Path) -> io::Result<Verdict> {
        let number = self.medium.lock().begin_step()?;
        let hook = self.hook.lock().clone();
        let step = Step { number, operation, path: path.to_path_buf() };
        Ok(hook.map_or(Verdict::Go, |hook| hook(&step)))
    }

    /// One step that either happens whole or, when the power goes off, may have happened.
    fn change<T>(
        &self,
        operation: Operation,
        path: &Path,
        change: impl FnOnce(&mut Medium) -> io::Result<T>,
    ) -> io::Result<T> {
        let verdict = self.step(operation, path)?;
        let mut medium = self.medium.lock();
        medium.require_power()?;
        match verdict {
            Verdict::Go => change(&mut medium),
            Verdict::Fail(errno) => Err(io::Error::from_raw_os_error(errno)),
            Verdict::PowerOff => {
                if medium.random.chance(1, 2) {
                    let _ = change(&mut medium);
                }
                Err(medium.power_off())
            }
        }
    }
}

impl Disk for SimulatedDisk {
    fn create_directory(&self, path: &Path) -> io::Result<()> {
        self.shared.medium.lock().create_directory(path)
    }

    fn create_new(&self, path: &Path) -> io::Result<Arc<dyn File>> {
        let inode =
            self.shared.change(Operation::Create, path, |medium| medium.create_new(path))?;
        Ok(self.handle(inode, path))
    }

    fn open(&self, path: &Path, _access: Access) -> io::Result<Arc<dyn File>> {
        let inode = self.shared.medium.lock().lookup(path)?;
        Ok(self.handle(inode, path))
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<String>> {
        self.shared.medium.lock().list(directory)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.shared.change(Operation::Rename, from, |medium| medium.rename(from, to))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.shared.change(Operation::Remove, path, |medium| medium.remove(path))
    }

    fn sync_directory(&self, directory: &Path) -> io::Result<()> {
        let step = Operation::SyncDirectory;
        self.shared.change(step, directory, |medium| {
            medium.sync_directory(directory);
            Ok(())
        })
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        let medium = self.shared.medium.lock();
        medium.require_power()?;
        Ok(medium.lookup(path).is_ok())
    }
}

impl SimulatedDisk {
    fn handle(&self, inode: usize, path: &Path) -> Arc<dyn File> {
        let boot = self.shared.medium.lock().boot;
        let shared = Arc::clone(&self.shared);
        Arc::new(SimulatedFile { shared, inode, path: path.to_path_buf(), boot })
    }
}

impl File for SimulatedFile {
    fn write_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        let verdict = self.shared.step(Operation::Write, &self.path)?;
        let mut medium = self.shared.medium.lock();
        medium.require_boot(self.boot)?;
        match verdict {
            Verdict::Go => medium.write(self.inode, data, offset),
            Verdict::Fail(errno) => {
                medium.write_part(self.inode, data, offset)?;
                Err(io::Error::from_raw_os_error(errno))
            }
            Verdict::PowerOff => {
                medium.write_part(self.inode, data, offset)?;
                Err(medium.power_off())
            }
        }
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let medium = self.shared.medium.lock();
        medium.require_boot(self.boot)?;
        Ok(medium.read(self.inode, buffer, offset))
    }

    fn sync(&self) -> io::Result<()> {
        let verdict = self.shared.step(Operation::Sync, &self.path)?;
        let mut medium = self.shared.medium.lock();
        medium.require_boot(self.boot)?;
        match verdict {
            Verdict::Go => {
                medium.sync(self.inode);
                Ok(())
            }
            Verdict::Fail(errno) => {
                medium.fail_sync(self.inode);
                Err(io::Error::from_raw_os_error(errno))
            }
            Verdict::PowerOff => Err(medium.power_off()),
        }
    }

    fn size(&self) -> io::Result<u64> {
        let medium = self.shared.medium.lock();
        medium.require_boot(self.boot)?;
        Ok(medium.size(self.inode))
    }

    fn set_size(&self, size_bytes: u64) -> io::Result<()> {
        self.shared.change(Operation::SetSize, &self.path, |medium| {
            medium.require_boot(self.boot)?;
            medium.set_size(self.inode, size_bytes)
        })
    }
}
