//! Keeping the ordered index of a namespace in step with its entries, and building it in slices
//! behind the first scan.

use std::hash::BuildHasher;

use super::Front;
use super::entry::{Entry, Header, State};
use super::index::Index;
use super::slab::Handle;
use super::space::{Ordered, Space};
use super::table::Table;
use crate::namespace::NamespaceId;

impl Front {
    /// Takes the ordered index of a namespace about `keys_max` keys further; how many they were,
    /// `None` once it is complete.
    pub fn order_part(&mut self, namespace: NamespaceId, keys_max: usize) -> Option<usize> {
        let Self { slab, spaces, hasher, .. } = self;
        let space = &mut spaces[namespace.index()];
        let Ordered::Building { index, position } = &mut space.ordered else {
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

    /// Adds an entry to the ordered index of its namespace, or takes it out.
    pub(super) fn order(&mut self, handle: Handle, add: bool) {
        let Self { slab, spaces, hasher, .. } = self;
        let key_of = |one: Handle| Entry(slab.get(one)).key();
        let entry = Entry(slab.get(handle));
        let space = &mut spaces[entry.namespace().index()];
        if matches!(space.ordered, Ordered::No) {
            return;
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
        Ordered::Building { index, position } => Table::is_before(hash, *position).then_some(index),
    }
}
