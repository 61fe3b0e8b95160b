//! Keeping the ordered index of a namespace in step with its entries, and building it in slices
//! behind the first scan.

use std::hash::BuildHasher;

use super::Front;
use super::entry::{Entry, Header, State};
use super::index::Index;
use super::newcomers::Walk;
use super::slab::Handle;
use super::space::{Ordered, Space};
use super::table::Table;
use crate::namespace::NamespaceId;

/// Entries that a walk brings into the processor's cache together.
const GROUP: usize = 32;

impl Front {
    /// Takes the ordered index of a namespace about `keys_max` keys further; how many they were,
    /// `None` once it is complete.
    pub fn order_part(&mut self, namespace: NamespaceId, keys_max: usize) -> Option<usize> {
        let Self { slab, spaces, hasher, .. } = self;
        let space = &mut spaces[namespace.index()];
        let Ordered::Building { index, position, .. } = &mut space.ordered else {
            return None;
        };
        let key_of = |one: Handle| Entry(slab.get(one)).key();
        let mut handles = Vec::with_capacity(2 * keys_max);
        let hash_of = |one: Handle| hasher.hash_one(key_of(one));
        let next = space.table.walk_part(*position, keys_max, hash_of, &mut handles);
        let count = handles.len();
        handles.retain(|&handle| is_ordered(&Entry(slab.get(handle)).header()));
        handles.sort_unstable_by_key(|&handle| key_of(handle));
        index.insert_sorted(&handles, key_of, |handle| slab.prefetch(handle));
        if let Some(next) = next {
            *position = next;
        } else {
            let index = std::mem::take(index);
            space.ordered = Ordered::Yes(index);
        }
        Some(count)
    }

    /// Begins a walk over the live keys of a namespace whose ordered index is being built.
    pub fn begin_walk(&mut self, namespace: NamespaceId) -> Option<Walk> {
        match &mut self.space_mut(namespace).ordered {
            Ordered::Building { newcomers, .. } => Some(newcomers.begin()),
            _ => None,
        }
    }

    /// Shows a step of such a walk the live keys from `position` on; where the next step begins,
    /// `None` at the end.
    pub fn walk_keys(
        &self,
        namespace: NamespaceId,
        position: u64,
        mut show: impl FnMut(&[u8]),
    ) -> Option<u64> {
        let mut handles = Vec::new();
        let next = self.space(namespace).table.walk(position, &mut handles);
        for group in handles.chunks(GROUP) {
            for &handle in group {
                self.slab.prefetch(handle);
            }
            for &handle in group {
                let entry = self.entry(handle);
                if is_ordered(&entry.header()) {
                    show(entry.key());
                }
            }
        }
        next
    }

    /// The entry of a key that such a walk would show.
    pub fn find_live(&self, namespace: NamespaceId, key: &[u8]) -> Option<Handle> {
        let handle = self.find(namespace, self.hash(key), key)?;
        is_ordered(&self.entry(handle).header()).then_some(handle)
    }

    /// The keys that came since a walk began; `None` if they were too many, or if there is no
    /// need to know: the index is complete, or the namespace is another one.
    pub fn newcomers(&self, namespace: NamespaceId, walk: &Walk) -> Option<&[Box<[u8]>]> {
        match &self.space(namespace).ordered {
            Ordered::Building { newcomers, .. } => newcomers.since(walk),
            _ => None,
        }
    }

    /// Adds an entry to the ordered index of its namespace, or takes it out.
    pub(super) fn order(&mut self, handle: Handle, add: bool) {
        let Self { slab, spaces, hasher, .. } = self;
        let key_of = |one: Handle| Entry(slab.get(one)).key();
        let entry = Entry(slab.get(handle));
        let space = &mut spaces[entry.namespace().index()];
        match &mut space.ordered {
            Ordered::No => return,
            Ordered::Building { newcomers, .. } if add => newcomers.add(entry.key()),
            _ => {}
        }
        let hash = hasher.hash_one(entry.key());
        if let Some(index) = index_of(space, hash) {
            if add {
                index.insert(handle, key_of);
            } else {
                index.remove(entry.key(), key_of);
            }
        }
    }
}

/// Whether such an entry stands in the ordered index and among the deadlines: it is a live key
/// that a walk over the rows below would not find, or not as it is.
pub fn is_ordered(header: &Header) -> bool {
    matches!(header.state, State::Resident | State::Dirty)
}

/// The index, if the entry of `hash` belongs into it by now.
pub fn index_of(space: &mut Space, hash: u64) -> Option<&mut Index> {
    match &mut space.ordered {
        Ordered::No => None,
        Ordered::Yes(index) => Some(index),
        Ordered::Building { index, position, .. } => {
            Table::is_before(hash, *position).then_some(index)
        }
    }
}
