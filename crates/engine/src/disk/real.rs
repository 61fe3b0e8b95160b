//! The machine's own file system. Files are made with mode 0600 and directories with 0700, from
//! the first moment on, and a symbolic link in the place of a file is refused.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;

use super::{Access, Disk, File};

/// The machine's file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

struct RealFile(fs::File);

impl Disk for RealDisk {
    fn create_directory(&self, path: &Path) -> io::Result<()> {
        if path.is_dir() {
            return Ok(());
        }
        DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => self.sync_directory(parent),
            _ => Ok(()),
        }
    }

    fn create_new(&self, path: &Path) -> io::Result<Arc<dyn File>> {
        let file =
            OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)?;
        Ok(Arc::new(RealFile(file)))
    }

    fn open(&self, path: &Path, access: Access) -> io::Result<Arc<dyn File>> {
        let named = require_regular(path)?;
        let file = OpenOptions::new().read(true).write(access == Access::Write).open(path)?;
        // The name may have been replaced by a link since it was looked at: what was opened must
        // be what was looked at. This needs no flag whose value differs from system to system.
        let opened = file.metadata()?;
        if (named.dev(), named.ino()) != (opened.dev(), opened.ino()) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "replaced while being opened"));
        }
        Ok(Arc::new(RealFile(file)))
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            if !entry.file_type()?.is_dir() {
                names.extend(entry.file_name().into_string());
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn sync_directory(&self, directory: &Path) -> io::Result<()> {
        fs::File::open(directory)?.sync_all()
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        match fs::symlink_metadata(path) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}

fn require_regular(path: &Path) -> io::Result<fs::Metadata> {
    let named = fs::symlink_metadata(path)?;
    if named.is_file() {
        return Ok(named);
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file (a link is refused)"))
}

impl File for RealFile {
    fn write_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        self.0.write_all_at(data, offset)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.0.read_at(&mut buffer[filled..], offset + filled as u64) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }

    fn sync(&self) -> io::Result<()> {
        // Both reach the medium: fdatasync on Linux, F_FULLFSYNC on macOS, whose plain fsync
        // stops at the drive's own cache.
        if cfg!(target_os = "macos") { self.0.sync_all() } else { self.0.sync_data() }
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    fn set_size(&self, size_bytes: u64) -> io::Result<()> {
        self.0.set_len(size_bytes)
    }
}
