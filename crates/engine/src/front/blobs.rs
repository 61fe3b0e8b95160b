//! Values that do not fit into their entry: one shared allocation up to a chunk, or the chunks
//! of a spread string, of which some may lie below only. Sharing (`Arc`) lets replies, undo and
//! drain hold a value without copying it under the engine's lock.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::limits::CHUNK_BYTES;
use crate::value::{SpreadView, Value, chunk_size};

/// A string in chunks of 64 KiB.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Spread {
    pub length: u64,
    /// By chunk number; `None` is not in memory (below, or zeros that were never written).
    pub chunks: Vec<Option<Arc<[u8]>>>,
    /// Chunks that the drain has not written yet.
    pub dirty: BTreeSet<u32>,
    /// Whether a `None` chunk may have a row below. Otherwise it is zeros.
    pub has_below: bool,
    /// First chunk that the drain must remove below, because what lies there is older.
    pub cut_from: Option<u32>,
    /// What a drain has taken to write, until it has committed.
    in_flight: Option<Changes>,
}

/// What the drain has to do for a spread string: remove chunks from a number on, then write.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Changes {
    pub cut_from: Option<u32>,
    pub chunks: Vec<(u32, Arc<[u8]>)>,
}

impl Spread {
    /// The string of `bytes`, all of it dirty.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let chunks: Vec<_> = bytes.chunks(CHUNK_BYTES).map(|part| Some(Arc::from(part))).collect();
        let dirty = (0..chunks.len() as u32).collect();
        let length = bytes.len() as u64;
        Self { length, chunks, dirty, cut_from: Some(0), ..Self::default() }
    }

    /// The string of a view's chunks, all of it dirty but the zeros.
    pub fn from_view(view: SpreadView<'_>) -> Self {
        let chunks = view.shared();
        let dirty = (0..chunks.len() as u32).filter(|&at| chunks[at as usize].is_some()).collect();
        Self { length: view.length(), chunks, dirty, cut_from: Some(0), ..Self::default() }
    }

    /// A string of zeros, none of which takes memory.
    pub fn zeros(length: u64) -> Self {
        Self { length, cut_from: Some(0), ..Self::default() }
    }

    /// A string of which nothing but the length is in memory.
    pub fn below(length: u64) -> Self {
        Self { length, has_below: true, ..Self::default() }
    }

    /// The value to look at; right only where the chunks asked for are in memory.
    pub fn view(&self) -> SpreadView<'_> {
        SpreadView { length: self.length, chunks: &self.chunks }
    }

    /// The chunks of `start..end` that must be read from below first.
    pub fn missing(&self, start: u64, end: u64) -> Vec<u32> {
        if !self.has_below || start >= end.min(self.length) {
            return Vec::new();
        }
        let first = (start / CHUNK_BYTES as u64) as u32;
        let last = ((end.min(self.length) - 1) / CHUNK_BYTES as u64) as u32;
        (first..=last)
            .filter(|&number| self.chunks.get(number as usize).is_none_or(Option::is_none))
            .filter(|&number| self.cut_from.is_none_or(|cut| number < cut))
            .collect()
    }

    /// The chunks that must be read from below before `length` bytes at `offset` are overwritten:
    /// those of which something else remains.
    pub fn missing_around(&self, offset: u64, length: u64) -> Vec<u32> {
        let chunk_bytes = CHUNK_BYTES as u64;
        let end = offset + length;
        let mut edges = vec![offset / chunk_bytes, end.saturating_sub(1) / chunk_bytes];
        edges.dedup();
        edges.retain(|number| {
            let start = number * chunk_bytes;
            let held = chunk_size(self.length, *number as u32) as u64;
            offset > start || end < start + held
        });
        let missing = |number: &u64| self.missing(number * chunk_bytes, number * chunk_bytes + 1);
        edges.iter().flat_map(missing).collect()
    }

    /// Puts a chunk read from below in place, unless a newer one is there.
    pub fn install(&mut self, number: u32, data: &[u8]) {
        let slot = self.slot(number);
        if slot.is_none() {
            *slot = Some(Arc::from(data));
        }
    }

    /// Overwrites from `offset` on, growing with zeros as needed. The chunks that are only
    /// partly overwritten must be in memory.
    pub fn patch(&mut self, offset: u64, data: &[u8]) {
        let end = offset + data.len() as u64;
        let old_length = self.length;
        self.length = self.length.max(end);
        let mut at = offset;
        let mut rest = data;
        while !rest.is_empty() {
            let number = (at / CHUNK_BYTES as u64) as u32;
            let inside = (at % CHUNK_BYTES as u64) as usize;
            let part = rest.len().min(CHUNK_BYTES - inside);
            let size = chunk_size(self.length, number);
            let mut chunk = match self.slot(number).take() {
                Some(held) => held.to_vec(),
                None => Vec::new(),
            };
            chunk.resize(size, 0);
            chunk[inside..inside + part].copy_from_slice(&rest[..part]);
            *self.slot(number) = Some(Arc::from(chunk));
            self.dirty.insert(number);
            at += part as u64;
            rest = &rest[part..];
        }
        debug_assert!(self.length >= old_length, "a patch never shortens");
    }

    /// Hands the changes to a drain.
    pub fn take_changes(&mut self) -> Changes {
        let chunks = std::mem::take(&mut self.dirty)
            .into_iter()
            .filter_map(|number| Some((number, self.chunks.get(number as usize)?.clone()?)))
            .collect();
        let changes = Changes { cut_from: self.cut_from.take(), chunks };
        self.in_flight = Some(changes.clone());
        changes
    }

    /// The drain has committed what it took.
    pub fn commit_changes(&mut self) {
        if self.in_flight.take().is_some() {
            self.has_below = true;
        }
    }

    /// The drain has given up what it took.
    pub fn restore_changes(&mut self) {
        if let Some(changes) = self.in_flight.take() {
            self.dirty.extend(changes.chunks.iter().map(|(number, _)| *number));
            self.cut_from = match (self.cut_from, changes.cut_from) {
                (Some(one), Some(other)) => Some(one.min(other)),
                (one, other) => one.or(other),
            };
        }
    }

    /// Bytes of the chunks in memory.
    pub fn size_bytes(&self) -> usize {
        self.chunks.iter().flatten().map(|chunk| chunk.len() + 16).sum::<usize>()
            + self.chunks.len() * size_of::<Option<Arc<[u8]>>>()
    }

    fn slot(&mut self, number: u32) -> &mut Option<Arc<[u8]>> {
        let number = number as usize;
        if self.chunks.len() <= number {
            self.chunks.resize(number + 1, None);
        }
        &mut self.chunks[number]
    }
}

/// One value outside its entry.
#[derive(Debug, Clone)]
pub enum Blob {
    /// Up to one chunk.
    Whole(Arc<[u8]>),
    /// More than one chunk.
    Spread(Box<Spread>),
}

impl Blob {
    /// The value to look at.
    pub fn value(&self) -> Value<'_> {
        match self {
            Self::Whole(bytes) => Value::Bytes(bytes),
            Self::Spread(spread) => Value::Spread(spread.view()),
        }
    }

    fn size_bytes(&self) -> usize {
        match self {
            // Two reference counts stand in front of the bytes.
            Self::Whole(bytes) => bytes.len() + 16,
            Self::Spread(spread) => spread.size_bytes(),
        }
    }
}

/// All of them, by number.
#[derive(Default)]
pub struct Blobs {
    slots: Vec<Option<Blob>>,
    vacant: Vec<u32>,
    size_bytes: usize,
}

impl Blobs {
    /// Memory held, in bytes.
    pub fn size_bytes(&self) -> usize {
        self.size_bytes + self.slots.capacity() * size_of::<Option<Blob>>()
    }

    /// Keeps `blob` and gives its number.
    pub fn add(&mut self, blob: Blob) -> u32 {
        self.size_bytes += blob.size_bytes();
        if let Some(number) = self.vacant.pop() {
            self.slots[number as usize] = Some(blob);
            return number;
        }
        self.slots.push(Some(blob));
        self.slots.len() as u32 - 1
    }

    /// Takes a blob out.
    pub fn take(&mut self, number: u32) -> Option<Blob> {
        let blob = self.slots.get_mut(number as usize)?.take()?;
        self.size_bytes -= blob.size_bytes();
        self.vacant.push(number);
        Some(blob)
    }

    /// Looks at a blob.
    pub fn get(&self, number: u32) -> Option<&Blob> {
        self.slots.get(number as usize)?.as_ref()
    }

    /// Changes a blob in place; its size is counted anew.
    pub fn change<T>(&mut self, number: u32, change: impl FnOnce(&mut Blob) -> T) -> Option<T> {
        let blob = self.slots.get_mut(number as usize)?.as_mut()?;
        self.size_bytes -= blob.size_bytes();
        let result = change(blob);
        self.size_bytes += blob.size_bytes();
        Some(result)
    }

    /// Bytes that the blob of `number` takes.
    pub fn footprint(&self, number: u32) -> usize {
        self.get(number).map_or(0, Blob::size_bytes)
    }
}

#[cfg(test)]
mod tests;
