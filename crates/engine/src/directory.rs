//! The directory of an instance: made for its owner alone, and locked against everybody else
//! (INV-07).

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use crate::error::{Error, ErrorKind};

const LOCK: &str = "lock";

/// The lock of a directory; the system lets go of it when the last process that holds it dies.
pub struct DirectoryLock {
    file: Mutex<Option<File>>,
    path: PathBuf,
}

impl DirectoryLock {
    /// Lets others in.
    pub fn unlock(&self) -> std::io::Result<()> {
        self.file.lock().as_ref().map_or(Ok(()), File::unlock)
    }

    /// Refuses where the directory is no longer the one that is locked: files that were made anew
    /// in its place would be of no use to anybody.
    ///
    /// # Errors
    /// `Unavailable`, naming the directory.
    pub fn check(&self) -> Result<(), Error> {
        if self.file.lock().as_ref().is_none_or(|held| is_same_file(held, &self.path)) {
            return Ok(());
        }
        let place = self.path.parent().unwrap_or(&self.path).display();
        let message = format!("the directory was removed or replaced while it was open: {place}");
        Err(Error::new(ErrorKind::Unavailable, message)
            .with_hint("close the database before its directory goes, or put it back"))
    }

    /// Lets go of the lock in a forked child. It is one lock, held by both, and lasts as long as
    /// either holds it; so the child must not unlock it, but close what it has inherited. Does
    /// not wait: whoever unlocked it while the fork happened does not exist in the child.
    pub fn leave(&self) {
        if let Some(mut file) = self.file.try_lock() {
            *file = None;
        }
    }
}

/// Makes the directory of an instance and takes its lock.
///
/// # Errors
/// `Busy`, naming the process that has it open; what the file system says.
pub fn lock_directory(directory: &Path) -> Result<DirectoryLock, Error> {
    make_private(directory)?;
    let path = directory.join(LOCK);
    // What is written into the file must not go where a link points.
    if fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file()) {
        let cause = std::io::Error::other("it is not a plain file");
        return Err(Error::of_file("open", &path, &cause));
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&path).map_err(|cause| Error::of_file("open", &path, &cause))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(taken(directory, &mut file)),
        Err(TryLockError::Error(cause)) => return Err(Error::of_file("lock", &path, &cause)),
    }
    let owner = format!("{}\n", std::process::id());
    file.set_len(0)
        .and_then(|()| file.rewind())
        .and_then(|()| file.write_all(owner.as_bytes()))
        .map_err(|cause| Error::of_file("write", &path, &cause))?;
    Ok(DirectoryLock { file: Mutex::new(Some(file)), path })
}

/// Whether a path still leads to a file that is held open.
#[cfg(unix)]
fn is_same_file(held: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (held.metadata(), fs::metadata(path)) {
        (Ok(held), Ok(found)) => (held.dev(), held.ino()) == (found.dev(), found.ino()),
        _ => false,
    }
}

/// The same where a file that is held open cannot go.
#[cfg(not(unix))]
fn is_same_file(_held: &File, path: &Path) -> bool {
    path.exists()
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
    builder.create(directory).map_err(|cause| Error::of_file("create", directory, &cause))
}
