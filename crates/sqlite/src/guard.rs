//! The lock that makes a file's writer the only one, and keeps strangers out of the file.
//!
//! POSIX locks, which SQLite uses, are dropped by *any* `close` of the file within the process:
//! a `sqlite3.connect()` somewhere in a Python program, or a copy made for a clone. A stranger
//! that then finds no lock may delete the write-ahead log under a running writer. A lock of an
//! open file description is dropped with that description alone, and conflicts with POSIX locks
//! even of the same process. Held on the byte that SQLite locks before anything else, it answers
//! every other SQLite with "database is locked". Our own connections never ask for that byte:
//! the VFS that they use settles their locks among themselves, see `connect`.

use std::path::Path;

use crate::error::Result;

/// Holds the lock until dropped. It must outlive the writer's connection.
#[derive(Debug)]
pub(crate) struct Guard {
    #[cfg(target_os = "linux")]
    file: std::fs::File,
    #[cfg(target_os = "linux")]
    process_id: u32,
}

#[cfg(target_os = "linux")]
impl Guard {
    /// Locks the file, or says `Busy`.
    pub(crate) fn lock(path: &Path) -> Result<Guard> {
        use std::os::unix::fs::OpenOptionsExt;

        use crate::error::Error;

        let refused = |error: std::io::Error| match error.raw_os_error() {
            Some(libc::EAGAIN | libc::EACCES) => Error::Busy,
            Some(libc::ELOOP) => Error::NotPlain { path: path.to_owned() },
            _ => Error::from_io(path, &error),
        };
        let file = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(libc::O_NOFOLLOW)
            .open(path)
            .map_err(refused)?;
        match set_pending_byte(&file, libc::F_WRLCK) {
            // A filesystem without such locks keeps SQLite's own protection.
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {}
            outcome => outcome.map_err(refused)?,
        }
        Ok(Guard { file, process_id: std::process::id() })
    }
}

#[cfg(target_os = "linux")]
impl Drop for Guard {
    /// Whoever forks at this moment to begin another program holds the description too, for a
    /// little longer than we do. So the lock is given up itself, and not only our hold on it. A
    /// child that goes on as this program leaves it alone: it is still the parent's.
    fn drop(&mut self) {
        if std::process::id() == self.process_id {
            // Closing the file does the rest where this fails.
            let _ = set_pending_byte(&self.file, libc::F_UNLCK);
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl Guard {
    /// Elsewhere there are no such locks, and SQLite's own have to do.
    pub(crate) fn lock(_path: &Path) -> Result<Guard> {
        Ok(Guard {})
    }
}

/// Part of SQLite's file format: the byte that is locked before any other lock is asked for.
#[cfg(target_os = "linux")]
const PENDING_BYTE: libc::off_t = 0x4000_0000;

#[cfg(target_os = "linux")]
fn set_pending_byte(file: &std::fs::File, kind: libc::c_int) -> std::io::Result<()> {
    use std::os::fd::AsRawFd;

    let lock = libc::flock {
        l_type: kind as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: PENDING_BYTE,
        l_len: 1,
        l_pid: 0,
    };
    // SAFETY: the descriptor is open for the whole call, and the kernel only reads `lock`.
    let outcome = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &raw const lock) };
    if outcome == -1 { Err(std::io::Error::last_os_error()) } else { Ok(()) }
}
