//! Where a file may lie: a plain file, reached by no symbolic link, on a local disk.
//!
//! It never opens an existing database file: on POSIX systems closing any descriptor of a file
//! drops all locks that the process holds on it, SQLite's among them.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Filesystems over a network, by the names that Linux gives them.
const NETWORK: [&str; 10] =
    ["nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ncpfs", "fuse.sshfs", "fuse.s3fs"];

/// The path with its folder's links resolved, so that only the file itself may be a link; that
/// one is then refused by `exists` and, should it change in between, by SQLite.
pub(crate) fn resolve(path: &Path) -> Result<PathBuf> {
    let name = path.file_name().ok_or_else(|| Error::NotPlain { path: path.to_owned() })?;
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let folder = fs::canonicalize(folder).map_err(|error| Error::from_io(folder, &error))?;
    Ok(folder.join(name))
}

/// Whether there is a file. What is there but no plain file with content is an error.
pub(crate) fn exists(path: &Path) -> Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() => Err(Error::NotPlain { path: path.to_owned() }),
        Ok(found) if found.len() == 0 => Err(Error::corrupt(path, "it is empty")),
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Error::from_io(path, &error)),
    }
}

/// Refuses folders on a network filesystem, where the system can tell.
///
/// The table of mounts is read as text because the standard library has no `statfs`. Where there
/// is no such table, as on macOS, nothing is refused.
pub(crate) fn refuse_network(path: &Path) -> Result<()> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    match filesystem(&mounts, path) {
        Some(filesystem) if NETWORK.contains(&filesystem) => Err(Error::NetworkFilesystem {
            path: path.parent().unwrap_or(path).to_owned(),
            filesystem: filesystem.to_owned(),
        }),
        _ => Ok(()),
    }
}

/// The type of the filesystem that `path`, without links, lies on.
fn filesystem<'a>(mounts: &'a str, path: &Path) -> Option<&'a str> {
    let mut best: Option<(usize, &str)> = None;
    for line in mounts.lines() {
        // Fields: id, parent, device, root, mount point, options …, "-", type, source, options.
        let Some((before, after)) = line.split_once(" - ") else { continue };
        let point = before.split(' ').nth(4).map(unescaped);
        let (Some(point), Some(kind)) = (point, after.split(' ').next()) else { continue };
        let depth = Path::new(&point).components().count();
        // Of two mounts on one point the later one hides the earlier one.
        if path.starts_with(&point) && best.is_none_or(|(deepest, _)| depth >= deepest) {
            best = Some((depth, kind));
        }
    }
    best.map(|(_, kind)| kind)
}

/// Mount points write blanks and backslashes as three octal digits.
fn unescaped(point: &str) -> String {
    [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")]
        .iter()
        .fold(point.to_owned(), |text, (escape, plain)| text.replace(escape, plain))
}

/// Makes the names in the folder of `path` durable.
pub(crate) fn sync_folder(path: &Path) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(|error| Error::from_io(folder, &error))
}

/// `path` with more at its end: SQLite's way to name what lies beside a file.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// The size of a file, 0 where there is none.
pub(crate) fn size_bytes(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |found| found.len())
}

#[cfg(test)]
mod tests;
