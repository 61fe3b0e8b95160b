//! Which number a namespace's name has. Numbers stand in the log, so a name's number is durable
//! before the first record that uses it: an append-only file of checked lines, synced at each.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::disk::{Access, Disk, File};
use crate::error::{Error, ErrorKind};
use crate::limits::NAMESPACES_MAX;
use crate::namespace::NamespaceId;

const FILE: &str = "namespaces";

/// An entry is its length, its checksum and the name.
const ENTRY_HEADER_BYTES: usize = 8;

const HINT: &str = "restore it from a backup: it tells which file and which records are whose";

/// Longest name of a namespace, in bytes.
const NAME_BYTES_MAX: usize = 1024;

/// Names and numbers.
pub struct Registry {
    numbers: HashMap<Vec<u8>, NamespaceId>,
    names: Vec<Vec<u8>>,
    file: Option<RegistryFile>,
}

struct RegistryFile {
    file: Arc<dyn File>,
    path: PathBuf,
    size_bytes: u64,
}

impl Registry {
    /// A registry that is kept nowhere.
    pub fn in_memory() -> Self {
        Self { numbers: HashMap::new(), names: Vec::new(), file: None }
    }

    /// Reads the registry of an instance, or begins one.
    ///
    /// # Errors
    /// `Corrupt` with the offset for a damaged entry that is not the torn last one.
    pub fn open(disk: &dyn Disk, directory: &Path) -> Result<Self, Error> {
        let path = directory.join(FILE);
        let mut registry = Self::in_memory();
        let is_there = disk.exists(&path).map_err(|cause| Error::of_file("find", &path, &cause))?;
        let file = if is_there {
            disk.open(&path, Access::Write)
        } else {
            disk.create_new(&path).and_then(|file| {
                disk.sync_directory(directory)?;
                Ok(file)
            })
        };
        let file = file.map_err(|cause| Error::of_file("open", &path, &cause))?;
        let size = file.size().map_err(|cause| Error::of_file("read", &path, &cause))?;
        let mut bytes = vec![0; usize::try_from(size).unwrap_or(usize::MAX)];
        file.read_at(&mut bytes, 0).map_err(|cause| Error::of_file("read", &path, &cause))?;
        let mut at = 0;
        while let Some(name) = entry(&bytes[at..]) {
            at += ENTRY_HEADER_BYTES + name.len();
            registry.add(name);
        }
        if at < bytes.len() {
            if !is_torn(&bytes[at..]) {
                let message = format!("{} is damaged at offset {at}", path.display());
                return Err(Error::new(ErrorKind::Corrupt, message).with_hint(HINT));
            }
            // What is left of it must not stand behind a shorter name.
            file.set_size(at as u64)
                .and_then(|()| file.sync())
                .map_err(|cause| Error::of_file("cut", &path, &cause))?;
        }
        registry.file = Some(RegistryFile { file, path, size_bytes: at as u64 });
        Ok(registry)
    }

    /// The namespaces, by number.
    pub fn names(&self) -> impl Iterator<Item = (NamespaceId, &[u8])> {
        self.names
            .iter()
            .enumerate()
            .map(|(at, name)| (NamespaceId::new(at as u32), name.as_slice()))
    }

    /// The number of a name that has one.
    pub fn find(&self, name: &[u8]) -> Option<NamespaceId> {
        self.numbers.get(name).copied()
    }

    /// Gives a name its number; durable when this returns. Waits for the disk.
    ///
    /// # Errors
    /// `Invalid` for a name that is too long, or one too many; what the disk says.
    pub fn register(&mut self, name: &[u8]) -> Result<NamespaceId, Error> {
        if let Some(number) = self.find(name) {
            return Ok(number);
        }
        if name.len() > NAME_BYTES_MAX {
            let found = name.len();
            return Err(Error::invalid(format!(
                "the name of a namespace has at most {NAME_BYTES_MAX} bytes: {found}"
            )));
        }
        if self.names.len() as u32 >= NAMESPACES_MAX {
            return Err(Error::invalid(format!("there are at most {NAMESPACES_MAX} namespaces")));
        }
        if let Some(kept) = &mut self.file {
            let mut bytes = Vec::with_capacity(ENTRY_HEADER_BYTES + name.len());
            bytes.extend_from_slice(&(name.len() as u32).to_le_bytes());
            bytes.extend_from_slice(&checksum_of(name).to_le_bytes());
            bytes.extend_from_slice(name);
            kept.file
                .write_at(&bytes, kept.size_bytes)
                .and_then(|()| kept.file.sync())
                .map_err(|cause| Error::of_file("write", &kept.path, &cause))?;
            kept.size_bytes += bytes.len() as u64;
        }
        Ok(self.add(name))
    }

    fn add(&mut self, name: &[u8]) -> NamespaceId {
        let number = NamespaceId::new(self.names.len() as u32);
        self.names.push(name.to_vec());
        self.numbers.insert(name.to_vec(), number);
        number
    }
}

/// With the length, so that zeros that a power cut left are not the empty name.
fn checksum_of(name: &[u8]) -> u32 {
    let length = (name.len() as u32).to_le_bytes();
    crc32c::crc32c_append(crc32c::crc32c(&length), name)
}

/// The name at the front of `bytes`, if it is whole.
fn entry(bytes: &[u8]) -> Option<&[u8]> {
    let (header, rest) = bytes.split_first_chunk::<ENTRY_HEADER_BYTES>()?;
    let length = u32::from_le_bytes([header[0], header[1], header[2], header[3]]) as usize;
    let checksum = u32::from_le_bytes([header[4], header[5], header[6], header[7]]);
    let name = rest.get(..length)?;
    (length <= NAME_BYTES_MAX && checksum_of(name) == checksum).then_some(name)
}

/// Whether bytes that begin with no whole entry may be the last one, torn: each is durable before
/// the next is written, so that a whole one behind it proves damage.
fn is_torn(rest: &[u8]) -> bool {
    let is_entry = |at| entry(&rest[at..]).is_some();
    rest.len() < ENTRY_HEADER_BYTES + NAME_BYTES_MAX && !(1..rest.len()).any(is_entry)
}

#[cfg(test)]
mod tests;
