//! The disk as the engine sees it: a few operations on named files, behind two small traits.
//!
//! `real` is the machine's file system, `simulated` an in-memory one that forgets what was not
//! synced. Nothing here knows what the files hold. Paths are taken as they are given.

mod real;
mod simulated;
#[cfg(test)]
mod tests;

use std::io;
use std::path::Path;
use std::sync::Arc;

pub use real::RealDisk;
pub use simulated::{EIO, ENOSPC, Operation, SimulatedDisk, Step, Verdict};

/// A place that holds files in directories.
///
/// A change of names (create, rename, remove) is durable after [`Disk::sync_directory`] only; the
/// content of a file after [`File::sync`] only. The two are independent of each other.
pub trait Disk: Send + Sync {
    /// Makes a directory, with its parents, for its owner alone; durable when it returns.
    ///
    /// # Errors
    /// What the file system says; an existing directory is no error.
    fn create_directory(&self, path: &Path) -> io::Result<()>;

    /// Makes a file that must not exist yet and opens it for reading and writing.
    ///
    /// # Errors
    /// `AlreadyExists` when the name is taken, also by a symbolic link.
    fn create_new(&self, path: &Path) -> io::Result<Arc<dyn File>>;

    /// Opens an existing regular file.
    ///
    /// # Errors
    /// `NotFound`; `InvalidInput` when the name is a symbolic link or not a regular file.
    fn open(&self, path: &Path, access: Access) -> io::Result<Arc<dyn File>>;

    /// The names of the files of a directory, sorted; names that are not Unicode are left out.
    ///
    /// # Errors
    /// `NotFound` when there is no such directory.
    fn list(&self, directory: &Path) -> io::Result<Vec<String>>;

    /// Gives a file another name in the same directory, replacing what bears that name.
    ///
    /// # Errors
    /// What the file system says.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file's name; handles that are open stay usable.
    ///
    /// # Errors
    /// `NotFound`, or what the file system says.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Makes the names of a directory durable.
    ///
    /// # Errors
    /// What the file system says; the outcome is then unknown.
    fn sync_directory(&self, directory: &Path) -> io::Result<()>;

    /// Whether a file of that name exists.
    ///
    /// # Errors
    /// What the file system says when it cannot tell.
    fn exists(&self, path: &Path) -> io::Result<bool>;
}

/// An open file. All methods take `&self`: any number of threads may use one handle at once.
pub trait File: Send + Sync {
    /// Writes all of `data` at `offset`; the file grows as needed.
    ///
    /// # Errors
    /// What the file system says. A part of `data` may have been written.
    fn write_at(&self, data: &[u8], offset: u64) -> io::Result<()>;

    /// Reads into `buffer` from `offset`; less than its length only at the end of the file.
    ///
    /// # Errors
    /// What the file system says.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Makes the content that was written before this call durable.
    ///
    /// # Errors
    /// What the file system says. What was written since the last success may then be lost, even
    /// if a second call succeeds: never repeat it and believe the answer.
    fn sync(&self) -> io::Result<()>;

    /// The size in bytes.
    ///
    /// # Errors
    /// What the file system says.
    fn size(&self) -> io::Result<u64>;

    /// Cuts the file or extends it with zeros.
    ///
    /// # Errors
    /// What the file system says.
    fn set_size(&self, size_bytes: u64) -> io::Result<()>;
}

/// What a file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reading alone.
    Read,
    /// Reading and writing.
    Write,
}

/// Whether an error says that the disk, or its owner's share of it, is full.
pub fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}
