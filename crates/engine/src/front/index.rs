//! The ordered index of one namespace: handles sorted by their keys, in blocks, so that a key
//! costs about five bytes and an insertion moves at most a block. Only namespaces that were
//! scanned have one. It sees keys through the closure of its caller.

use super::slab::Handle;

/// Handles per block. Twice 256 comparisons of neighbours are cheaper than a third level.
const BLOCK_MAX: usize = 512;
/// Handles whose places are looked for together.
const GROUP: usize = 32;

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
        let spot = self.seek(key_of(handle), &key_of);
        self.insert_at(self.behind_the_last(spot), handle, &key_of);
    }

    /// Adds handles in the order of their keys. The places of some are looked for together, step
    /// by step, and what the next step reads is asked for by `prefetch`: one by one, each step of
    /// each search would wait for memory.
    pub fn insert_sorted<'k>(
        &mut self,
        handles: &[Handle],
        key_of: impl Fn(Handle) -> &'k [u8],
        prefetch: impl Fn(Handle),
    ) {
        for group in handles.chunks(GROUP) {
            let mut spots = [Spot { block: 0, at: 0 }; GROUP];
            self.seek_all(group, &mut spots, &key_of, &prefetch);
            let blocks = self.blocks.len();
            // The greatest first, so that the places of the others stay what they are.
            for (&handle, &spot) in group.iter().zip(&spots).rev() {
                if self.blocks.len() == blocks {
                    self.insert_at(spot, handle, &key_of);
                } else {
                    // A block was split, or the first begun, since they were found.
                    self.insert(handle, &key_of);
                }
            }
        }
    }

    fn insert_at<'k>(&mut self, spot: Spot, handle: Handle, key_of: &impl Fn(Handle) -> &'k [u8]) {
        if self.at(spot).is_some_and(|held| key_of(held) == key_of(handle)) {
            return;
        }
        if self.blocks.is_empty() {
            self.blocks.push(Vec::with_capacity(BLOCK_MAX / 2));
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

    /// The spot itself, or, beyond all blocks, the end of the last one.
    fn behind_the_last(&self, spot: Spot) -> Spot {
        match self.blocks.last() {
            Some(last) if spot.block == self.blocks.len() => {
                Spot { block: spot.block - 1, at: last.len() }
            }
            _ => spot,
        }
    }

    /// Seeks the keys of a group of handles, which are in order.
    fn seek_all<'k>(
        &self,
        group: &[Handle],
        spots: &mut [Spot; GROUP],
        key_of: &impl Fn(Handle) -> &'k [u8],
        prefetch: &impl Fn(Handle),
    ) {
        let mut ranges = [(0, self.blocks.len()); GROUP];
        let last_of = |_: usize, block: usize| self.blocks[block].last().copied();
        partition_all(group, &mut ranges, last_of, key_of, prefetch);
        for (spot, range) in spots.iter_mut().zip(&mut ranges) {
            spot.block = range.0;
            *range = (0, self.blocks.get(spot.block).map_or(0, Vec::len));
        }
        let handle_at = |one: usize, at: usize| self.blocks[spots[one].block].get(at).copied();
        partition_all(group, &mut ranges, handle_at, key_of, prefetch);
        for (spot, range) in spots.iter_mut().zip(&ranges) {
            spot.at = range.0;
            *spot = self.behind_the_last(*spot);
        }
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

/// Searches as many ranges as there are handles in `group` at once: afterwards each begins with
/// the first place whose key is not below the handle's own.
fn partition_all<'k>(
    group: &[Handle],
    ranges: &mut [(usize, usize); GROUP],
    handle_at: impl Fn(usize, usize) -> Option<Handle>,
    key_of: &impl Fn(Handle) -> &'k [u8],
    prefetch: &impl Fn(Handle),
) {
    let mut probes = [None; GROUP];
    loop {
        for (one, (low, high)) in ranges.iter().enumerate().take(group.len()) {
            let middle = low.midpoint(*high);
            probes[one] = if low < high { handle_at(one, middle) } else { None };
        }
        if probes.iter().all(Option::is_none) {
            return;
        }
        probes.iter().flatten().for_each(|&probe| prefetch(probe));
        for ((&handle, range), probe) in group.iter().zip(ranges.iter_mut()).zip(&probes) {
            if let Some(probe) = *probe {
                let middle = range.0.midpoint(range.1);
                let is_below = key_of(probe) < key_of(handle);
                *range = if is_below { (middle + 1, range.1) } else { (range.0, middle) };
            }
        }
    }
}

#[cfg(test)]
mod tests;
