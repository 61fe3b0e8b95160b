//! The ordered index of one namespace: handles sorted by their keys, in blocks, so that a key
//! costs about five bytes and an insertion moves at most a block. Only namespaces that were
//! scanned have one. It sees keys through the closure of its caller.

use super::slab::Handle;

/// Handles per block. Twice 256 comparisons of neighbours are cheaper than a third level.
const BLOCK_MAX: usize = 512;

/// Sorted handles.
#[derive(Default)]
pub struct Index {
    blocks: Vec<Vec<Handle>>,
}

/// Where a key stands or would stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Spot {
    block: usize,
    at: usize,
}

impl Index {
    /// Memory held, in bytes.
    pub fn size_bytes(&self) -> usize {
        let handles: usize = self.blocks.iter().map(Vec::capacity).sum();
        handles * size_of::<Handle>() + self.blocks.capacity() * size_of::<Vec<Handle>>()
    }

    /// Adds a handle whose key is not there yet; does nothing if it is.
    pub fn insert<'k>(&mut self, handle: Handle, key_of: impl Fn(Handle) -> &'k [u8]) {
        let key = key_of(handle);
        if self.blocks.is_empty() {
            self.blocks.push(Vec::with_capacity(BLOCK_MAX / 2));
        }
        let mut spot = self.seek(key, &key_of);
        if self.at(spot).is_some_and(|held| key_of(held) == key) {
            return;
        }
        if spot.block == self.blocks.len() {
            spot = Spot { block: spot.block - 1, at: self.blocks[spot.block - 1].len() };
        }
        self.blocks[spot.block].insert(spot.at, handle);
        if self.blocks[spot.block].len() > BLOCK_MAX {
            // Keys often arrive in order: then a full left block is what is wanted.
            let is_append = spot.block + 1 == self.blocks.len() && spot.at == BLOCK_MAX;
            let keep = if is_append { BLOCK_MAX } else { BLOCK_MAX / 2 };
            let right = self.blocks[spot.block].split_off(keep);
            self.blocks.insert(spot.block + 1, right);
        }
    }

    /// Takes the handle of `key` out, if it is there.
    pub fn remove<'k>(&mut self, key: &[u8], key_of: impl Fn(Handle) -> &'k [u8]) {
        let spot = self.seek(key, &key_of);
        if self.at(spot).is_none_or(|held| key_of(held) != key) {
            return;
        }
        self.blocks[spot.block].remove(spot.at);
        if self.blocks[spot.block].is_empty() {
            self.blocks.remove(spot.block);
        }
    }

    /// Puts `new` in the place of `old`, which has the same key. `key_of` must still know `old`.
    pub fn replace<'k>(&mut self, old: Handle, new: Handle, key_of: impl Fn(Handle) -> &'k [u8]) {
        let spot = self.seek(key_of(old), &key_of);
        if self.at(spot) == Some(old) {
            self.blocks[spot.block][spot.at] = new;
        }
    }

    /// Handles with keys from `from` on, in order.
    pub fn ascending<'k>(
        &self,
        from: &[u8],
        key_of: impl Fn(Handle) -> &'k [u8],
    ) -> impl Iterator<Item = Handle> + '_ {
        let spot = self.seek(from, &key_of);
        let first = self.blocks.get(spot.block).map_or(&[][..], |block| &block[spot.at..]);
        let rest = self.blocks.iter().skip(spot.block + 1).flatten();
        first.iter().chain(rest).copied()
    }

    /// Handles with keys below `to`, the greatest first; `None` starts at the very end.
    pub fn descending<'k>(
        &self,
        to: Option<&[u8]>,
        key_of: impl Fn(Handle) -> &'k [u8],
    ) -> impl Iterator<Item = Handle> + '_ {
        let spot = match to {
            Some(key) => self.seek(key, &key_of),
            None => Spot { block: self.blocks.len(), at: 0 },
        };
        let first = self.blocks.get(spot.block).map_or(&[][..], |block| &block[..spot.at]);
        let rest = self.blocks[..spot.block].iter().rev().flat_map(|block| block.iter().rev());
        first.iter().rev().chain(rest).copied()
    }

    fn at(&self, spot: Spot) -> Option<Handle> {
        self.blocks.get(spot.block)?.get(spot.at).copied()
    }

    /// The first spot whose key is not below `key`.
    fn seek<'k>(&self, key: &[u8], key_of: &impl Fn(Handle) -> &'k [u8]) -> Spot {
        let block = self
            .blocks
            .partition_point(|block| block.last().is_some_and(|&last| key_of(last) < key));
        let at = self
            .blocks
            .get(block)
            .map_or(0, |held| held.partition_point(|&handle| key_of(handle) < key));
        Spot { block, at }
    }
}

#[cfg(test)]
mod tests;
