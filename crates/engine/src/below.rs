//! The disk tier as the engine uses it: which file a namespace has, and a bounded number of open
//! connections to all of them. Reads come from any thread, without the engine's lock; writing is
//! the drain's alone.

use std::path::{Path, PathBuf};

use dwell_sqlite::{Identity, KeysFile, KeysReader, file_name};
use parking_lot::{Mutex, RwLock};

use crate::clock::Deadline;
use crate::error::Error;
use crate::namespace::NamespaceId;

/// Suffix of a namespace's file of keys.
const SUFFIX: &str = ".keys";

/// The files of an instance.
pub struct DiskTier {
    directory: PathBuf,
    lineage: [u8; 16],
    main_file: Option<String>,
    names: RwLock<Vec<Vec<u8>>>,
    /// Connections that nobody is using, the longest unused first.
    idle: Mutex<Vec<(NamespaceId, KeysReader)>>,
    readers_max: usize,
}

impl DiskTier {
    /// The files in `directory`; `open_files_max` bounds the connections kept open.
    pub fn new(
        directory: &Path,
        lineage: [u8; 16],
        main_file: Option<String>,
        open_files_max: usize,
    ) -> Self {
        Self {
            directory: directory.to_owned(),
            lineage,
            main_file,
            names: RwLock::new(Vec::new()),
            idle: Mutex::new(Vec::new()),
            readers_max: open_files_max.max(1),
        }
    }

    /// Tells the name of a namespace.
    pub fn add_name(&self, namespace: NamespaceId, name: &[u8]) {
        let mut names = self.names.write();
        if names.len() <= namespace.index() {
            names.resize(namespace.index() + 1, Vec::new());
        }
        names[namespace.index()] = name.to_vec();
    }

    /// The file of a namespace.
    pub fn path(&self, namespace: NamespaceId) -> PathBuf {
        let names = self.names.read();
        let name = names.get(namespace.index()).map_or(&[][..], Vec::as_slice);
        match &self.main_file {
            Some(file) if name == b"0" => self.directory.join(file),
            _ => self.directory.join(file_name(name, SUFFIX)),
        }
    }

    /// Opens the file of a namespace for writing, making it if need be.
    pub fn open_writer(&self, namespace: NamespaceId) -> Result<KeysFile, Error> {
        let name = self.names.read().get(namespace.index()).cloned().unwrap_or_default();
        let identity = Identity { namespace: name, lineage: self.lineage };
        self.with_descriptors(|| KeysFile::open(&self.path(namespace), &identity))
    }

    /// Opens a file; if the system refuses, once more when the idle connections have given their
    /// descriptors back.
    fn with_descriptors<T>(
        &self,
        open: impl Fn() -> Result<T, dwell_sqlite::Error>,
    ) -> Result<T, Error> {
        let opened = match open() {
            Err(dwell_sqlite::Error::Io { .. }) => {
                self.close_idle();
                open()
            }
            opened => opened,
        };
        Ok(opened?)
    }

    /// Reads from the file of a namespace; `None` if there is no file.
    pub fn read<T>(
        &self,
        namespace: NamespaceId,
        read: impl FnOnce(&mut KeysReader) -> Result<T, dwell_sqlite::Error>,
    ) -> Result<Option<T>, Error> {
        let kept = {
            let mut idle = self.idle.lock();
            let at = idle.iter().rposition(|(one, _)| *one == namespace);
            at.map(|at| idle.remove(at).1)
        };
        let mut reader = match kept {
            Some(reader) => reader,
            None => match self.with_descriptors(|| KeysReader::open(&self.path(namespace)))? {
                Some(reader) => reader,
                None => return Ok(None),
            },
        };
        let result = read(&mut reader)?;
        // A reader that failed is closed rather than trusted again.
        let closed = {
            let mut idle = self.idle.lock();
            idle.push((namespace, reader));
            (idle.len() > self.readers_max).then(|| idle.remove(0))
        };
        drop(closed);
        Ok(Some(result))
    }

    /// Makes the file of a namespace, copied from elsewhere, one of this history.
    ///
    /// # Errors
    /// Those of opening and writing the file.
    pub fn adopt(&self, namespace: NamespaceId) -> Result<(), Error> {
        let path = self.path(namespace);
        let found = self.read(namespace, KeysReader::identity)?;
        self.close_idle();
        let Some(identity) = found else {
            return Ok(());
        };
        let mut file = KeysFile::open(&path, &identity)?;
        file.adopt(self.lineage)?;
        file.close()?;
        Ok(())
    }

    /// The sequence that the file of a namespace has applied.
    ///
    /// # Errors
    /// Those of opening the file.
    pub fn applied(&self, namespace: NamespaceId) -> Result<u64, Error> {
        Ok(self.read(namespace, KeysReader::applied)?.unwrap_or(0))
    }

    /// Closes every connection that is not in use.
    pub fn close_idle(&self) {
        let idle = std::mem::take(&mut *self.idle.lock());
        drop(idle);
    }
}

/// The deadline of a row.
pub fn deadline_from_row(deadline: dwell_sqlite::Deadline) -> Deadline {
    Deadline { at_ms: deadline.at_ms, absolute: deadline.absolute }
}

/// The deadline for a row.
pub fn deadline_for_row(deadline: Deadline) -> dwell_sqlite::Deadline {
    dwell_sqlite::Deadline { at_ms: deadline.at_ms, absolute: deadline.absolute }
}
