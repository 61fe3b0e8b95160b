//! The first page of a scan where the ordered index is not complete: a walk over the whole
//! namespace, in slices, keeps the keys of the range that come first, and the index follows behind.
//! Together with the keys that came since the walk began, it tells what the index would tell.

use std::collections::BTreeSet;

use crate::front::{Front, Handle, Walk};
use crate::limits::PAGE_BYTES_MAX;
use crate::namespace::NamespaceId;
use crate::range::Range;

/// The keys of a range that come first.
#[derive(Debug)]
pub(crate) struct Least {
    walk: Walk,
    keys: BTreeSet<Vec<u8>>,
    size_bytes: usize,
    /// More keys were met than are kept; all that were left out come after those.
    is_cut: bool,
}

impl Least {
    /// Nothing, before the first step of a walk.
    pub fn new(walk: Walk) -> Self {
        Self { walk, keys: BTreeSet::new(), size_bytes: 0, is_cut: false }
    }

    /// Keeps a key that the walk has met, if it is among those that come first.
    pub fn offer(&mut self, range: &Range, key: &[u8]) {
        if !range.contains(key) || self.horizon(range).is_some_and(|end| !range.is_before(key, end))
        {
            return;
        }
        if self.keys.insert(key.to_vec()) {
            self.size_bytes += key.len();
        }
        let too_many = |keys: usize, bytes| keys > range.limit || bytes > PAGE_BYTES_MAX;
        while self.keys.len() > 1 && too_many(self.keys.len(), self.size_bytes) {
            let last = if range.reverse { self.keys.pop_first() } else { self.keys.pop_last() };
            self.size_bytes -= last.map_or(0, |key| key.len());
            self.is_cut = true;
        }
    }

    /// The last of the keys if some were left out: nothing is known of what comes after it.
    pub fn horizon(&self, range: &Range) -> Option<&[u8]> {
        let last = if range.reverse { self.keys.first() } else { self.keys.last() };
        last.filter(|_| self.is_cut).map(Vec::as_slice)
    }

    /// What is live of these keys and of those that came meanwhile, in the order of the range;
    /// `None` if too many came.
    pub fn handles(
        &self,
        front: &Front,
        namespace: NamespaceId,
        range: &Range,
    ) -> Option<Vec<Handle>> {
        let horizon = self.horizon(range);
        let is_within = |key: &&[u8]| {
            range.contains(key) && horizon.is_none_or(|end| !range.is_before(end, key))
        };
        let newcomers = front.newcomers(namespace, &self.walk)?.iter().map(AsRef::as_ref);
        let mut keys: Vec<&[u8]> = self.keys.iter().map(Vec::as_slice).collect();
        keys.extend(newcomers.filter(is_within));
        keys.sort_unstable();
        keys.dedup();
        if range.reverse {
            keys.reverse();
        }
        Some(keys.into_iter().filter_map(|key| front.find_live(namespace, key)).collect())
    }
}
