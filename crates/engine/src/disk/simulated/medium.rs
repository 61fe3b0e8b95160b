//! The state of the simulated disk: what a reader sees now beside what a crash leaves.
//!
//! Each file holds its durable bytes and the list of changes since; each directory change waits
//! until its directory is synced. `crash` lets each of them survive whole, in part or not at all.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::mem;
use std::path::{Path, PathBuf};

use super::random::Random;

const SECTOR_BYTES: usize = 512;

pub(super) struct Medium {
    pub(super) random: Random,
    pub(super) capacity_bytes: Option<u64>,
    pub(super) steps: u64,
    /// Counts the crashes; a handle of an earlier boot is useless.
    pub(super) boot: u64,
    powered: bool,
    inodes: Vec<Inode>,
    directories: BTreeSet<PathBuf>,
    names: BTreeMap<PathBuf, usize>,
    durable_names: BTreeMap<PathBuf, usize>,
    name_changes: Vec<NameChange>,
}

#[derive(Default)]
struct Inode {
    now: Vec<u8>,
    durable: Vec<u8>,
    changes: Vec<Change>,
}

enum Change {
    Write { offset: usize, data: Vec<u8> },
    SetSize(usize),
}

enum NameChange {
    Create { path: PathBuf, inode: usize },
    Rename { from: PathBuf, to: PathBuf, inode: usize },
    Remove { path: PathBuf, inode: usize },
}

/// How kind one crash is to what was not synced.
#[derive(Clone, Copy)]
enum Mood {
    KeepAll,
    DropAll,
    Mixed,
}

impl Medium {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            capacity_bytes: None,
            steps: 0,
            boot: 0,
            powered: true,
            inodes: Vec::new(),
            directories: BTreeSet::new(),
            names: BTreeMap::new(),
            durable_names: BTreeMap::new(),
            name_changes: Vec::new(),
        }
    }

    pub(super) fn begin_step(&mut self) -> io::Result<u64> {
        self.require_power()?;
        self.steps += 1;
        Ok(self.steps)
    }

    pub(super) fn require_power(&self) -> io::Result<()> {
        if self.powered { Ok(()) } else { Err(io::Error::other("the power is off")) }
    }

    pub(super) fn require_boot(&self, boot: u64) -> io::Result<()> {
        self.require_power()?;
        if self.boot == boot { Ok(()) } else { Err(io::Error::other("a handle from before")) }
    }

    pub(super) fn power_off(&mut self) -> io::Error {
        self.powered = false;
        io::Error::other("the power went off")
    }

    pub(super) fn used_bytes(&self) -> u64 {
        self.names.values().map(|&inode| self.inodes[inode].now.len() as u64).sum()
    }

    pub(super) fn create_directory(&mut self, path: &Path) -> io::Result<()> {
        self.require_power()?;
        self.directories.extend(path.ancestors().map(Path::to_path_buf));
        Ok(())
    }

    pub(super) fn lookup(&self, path: &Path) -> io::Result<usize> {
        self.require_power()?;
        self.names.get(path).copied().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    pub(super) fn list(&self, directory: &Path) -> io::Result<Vec<String>> {
        self.require_power()?;
        if !self.directories.contains(directory) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let within = self.names.keys().filter(|path| path.parent() == Some(directory));
        Ok(within.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect())
    }

    pub(super) fn create_new(&mut self, path: &Path) -> io::Result<usize> {
        if !path.parent().is_some_and(|parent| self.directories.contains(parent)) {
            return Err(io::ErrorKind::NotFound.into());
        }
        if self.names.contains_key(path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let inode = self.inodes.len();
        self.inodes.push(Inode::default());
        self.change_names(NameChange::Create { path: path.to_path_buf(), inode });
        Ok(inode)
    }

    pub(super) fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let inode = self.lookup(from)?;
        let (from, to) = (from.to_path_buf(), to.to_path_buf());
        self.change_names(NameChange::Rename { from, to, inode });
        Ok(())
    }

    pub(super) fn remove(&mut self, path: &Path) -> io::Result<()> {
        let inode = self.lookup(path)?;
        self.change_names(NameChange::Remove { path: path.to_path_buf(), inode });
        Ok(())
    }

    fn change_names(&mut self, change: NameChange) {
        change.apply(&mut self.names);
        self.name_changes.push(change);
    }

    pub(super) fn sync_directory(&mut self, directory: &Path) {
        for change in mem::take(&mut self.name_changes) {
            if change.path().parent() == Some(directory) {
                change.apply(&mut self.durable_names);
            } else {
                self.name_changes.push(change);
            }
        }
    }

    pub(super) fn read(&self, inode: usize, buffer: &mut [u8], offset: u64) -> usize {
        let now = &self.inodes[inode].now;
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(now.len());
        let count = buffer.len().min(now.len() - start);
        buffer[..count].copy_from_slice(&now[start..start + count]);
        count
    }

    pub(super) fn write(&mut self, inode: usize, data: &[u8], offset: u64) -> io::Result<()> {
        let offset = usize::try_from(offset).map_err(io::Error::other)?;
        let fitting = self.fitting(inode, offset, data.len());
        self.inodes[inode].change(Change::Write { offset, data: data[..fitting].to_vec() });
        if fitting < data.len() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    /// A random prefix of a write that then fails.
    pub(super) fn write_part(&mut self, inode: usize, data: &[u8], offset: u64) -> io::Result<()> {
        let count = self.random.below(data.len() as u64 + 1) as usize;
        self.write(inode, &data[..count], offset)
    }

    /// How many of `length` bytes at `offset` have room under the capacity.
    fn fitting(&self, inode: usize, offset: usize, length: usize) -> usize {
        let Some(capacity_bytes) = self.capacity_bytes else { return length };
        let room = capacity_bytes.saturating_sub(self.used_bytes()) as usize;
        (self.inodes[inode].now.len() + room).saturating_sub(offset).min(length)
    }

    pub(super) fn size(&self, inode: usize) -> u64 {
        self.inodes[inode].now.len() as u64
    }

    pub(super) fn set_size(&mut self, inode: usize, size_bytes: u64) -> io::Result<()> {
        let size_bytes = usize::try_from(size_bytes).map_err(io::Error::other)?;
        let growth = size_bytes.saturating_sub(self.inodes[inode].now.len());
        if self.fitting(inode, self.inodes[inode].now.len(), growth) < growth {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.inodes[inode].change(Change::SetSize(size_bytes));
        Ok(())
    }

    pub(super) fn sync(&mut self, inode: usize) {
        let inode = &mut self.inodes[inode];
        for change in mem::take(&mut inode.changes) {
            change.apply(&mut inode.durable);
        }
    }

    /// A failed sync marks its pages clean: a part is durable, the rest never will be, and a
    /// reader sees all of it until the crash.
    pub(super) fn fail_sync(&mut self, inode: usize) {
        self.settle(inode, Mood::Mixed);
    }

    pub(super) fn kill(&mut self) {
        self.boot += 1;
        self.powered = true;
    }

    pub(super) fn crash(&mut self) {
        let mood = match self.random.below(4) {
            0 => Mood::KeepAll,
            1 => Mood::DropAll,
            _ => Mood::Mixed,
        };
        for change in mem::take(&mut self.name_changes) {
            if self.survives(mood) {
                change.apply(&mut self.durable_names);
            }
        }
        self.names = self.durable_names.clone();
        for inode in 0..self.inodes.len() {
            self.settle(inode, mood);
            self.inodes[inode].now = self.inodes[inode].durable.clone();
        }
        self.kill();
    }

    fn survives(&mut self, mood: Mood) -> bool {
        match mood {
            Mood::KeepAll => true,
            Mood::DropAll => false,
            Mood::Mixed => self.random.chance(1, 2),
        }
    }

    /// Makes durable what survives of a file's changes and forgets the rest.
    fn settle(&mut self, inode: usize, mood: Mood) {
        for change in mem::take(&mut self.inodes[inode].changes) {
            if self.survives(mood) {
                change.apply(&mut self.inodes[inode].durable);
            } else if let (Mood::Mixed, Change::Write { offset, data }) = (mood, change) {
                self.tear(inode, offset, &data);
            }
        }
    }

    /// Keeps some sectors of a write, or cuts it at any byte, or drops it.
    fn tear(&mut self, inode: usize, offset: usize, data: &[u8]) {
        match self.random.below(3) {
            0 => {
                let mut start = 0;
                while start < data.len() {
                    let to_boundary = SECTOR_BYTES - (offset + start) % SECTOR_BYTES;
                    let end = data.len().min(start + to_boundary);
                    if self.random.chance(1, 2) {
                        let durable = &mut self.inodes[inode].durable;
                        write_into(durable, offset + start, &data[start..end]);
                    }
                    start = end;
                }
            }
            1 => {
                let count = self.random.below(data.len() as u64 + 1) as usize;
                write_into(&mut self.inodes[inode].durable, offset, &data[..count]);
            }
            _ => {}
        }
    }

    pub(super) fn contents(&self, path: &Path) -> io::Result<Vec<u8>> {
        Ok(self.inodes[self.lookup(path)?].now.clone())
    }

    pub(super) fn put(&mut self, path: &Path, contents: Vec<u8>) {
        let inode = self.names.get(path).copied().unwrap_or(self.inodes.len());
        if inode == self.inodes.len() {
            self.inodes.push(Inode::default());
        }
        self.names.insert(path.to_path_buf(), inode);
        self.durable_names.insert(path.to_path_buf(), inode);
        let durable = contents.clone();
        self.inodes[inode] = Inode { now: contents, durable, changes: Vec::new() };
    }
}

impl Inode {
    fn change(&mut self, change: Change) {
        change.apply(&mut self.now);
        self.changes.push(change);
    }
}

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Write { offset, data } => write_into(bytes, *offset, data),
            Self::SetSize(size_bytes) => bytes.resize(*size_bytes, 0),
        }
    }
}

impl NameChange {
    fn path(&self) -> &Path {
        match self {
            Self::Create { path, .. } | Self::Remove { path, .. } => path,
            Self::Rename { from, .. } => from,
        }
    }

    /// What was meant is the file, not what else bore its name when an earlier change was lost.
    fn apply(&self, names: &mut BTreeMap<PathBuf, usize>) {
        match self {
            Self::Create { path, inode } => {
                names.insert(path.clone(), *inode);
            }
            Self::Rename { from, to, inode } => {
                remove_if(names, from, *inode);
                names.insert(to.clone(), *inode);
            }
            Self::Remove { path, inode } => remove_if(names, path, *inode),
        }
    }
}

fn remove_if(names: &mut BTreeMap<PathBuf, usize>, path: &Path, inode: usize) {
    if names.get(path) == Some(&inode) {
        names.remove(path);
    }
}

fn write_into(bytes: &mut Vec<u8>, offset: usize, data: &[u8]) {
    let end = offset + data.len();
    if data.is_empty() {
        return;
    }
    if bytes.len() < end {
        bytes.resize(end, 0);
    }
    bytes[offset..end].copy_from_slice(data);
}
