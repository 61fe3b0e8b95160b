//! The front: the one in-memory map that every read asks first (DESIGN.md 5). It owns entries,
//! values, tables, indexes, deadlines and their accounting, and offers a few primitives that
//! keep all of these in step. It decides nothing: placement, logging and undo are above it, and
//! it never reads a file or a clock.

mod blobs;
mod copies;
mod deadlines;
pub mod entry;
mod expected;
mod index;
mod lifetimes;
mod newcomers;
mod order;
mod prefetch;
mod slab;
mod space;
mod table;

use std::hash::BuildHasher;

use foldhash::fast::FixedState;

pub use blobs::{Blob, Changes, Spread};
pub use copies::{Copies, Hold};
pub use deadlines::Deadlines;
pub use entry::{Below, Entry, Header, State, Stored};
pub use newcomers::Walk;
pub use slab::{Handle, Slab};
pub use space::{Floor, Ordered, Space};

use crate::error::Error;
use crate::limits::SLICE_KEYS;
use crate::namespace::NamespaceId;
use crate::value::Value;
use blobs::Blobs;
use expected::Expected;
use order::{index_of, is_ordered};

/// A value on its way into the front.
pub enum NewValue<'a> {
    /// Small enough to lie inside the entry.
    Inside(&'a [u8]),
    /// Of its own.
    Outside(Blob),
    /// Already kept under this number; the entry takes it over.
    Kept(u32),
}

/// Everything in memory.
pub struct Front {
    hasher: FixedState,
    slab: Slab,
    blobs: Blobs,
    spaces: Vec<Space>,
    pub deadlines: Deadlines,
    pub copies: Copies,
    /// Bytes of entries that wait for the drain.
    pub dirty_bytes: u64,
    /// Entries of all namespaces.
    entries: u64,
    expected: Expected,
}

/// Memory of a handle in its table: four bytes and a tag, at the mean load of a segment.
const TABLE_BYTES_PER_ENTRY: u64 = 8;

impl Front {
    /// An empty front; `seed` keeps strangers from choosing colliding keys.
    pub fn new(seed: u64) -> Self {
        Self {
            hasher: FixedState::with_seed(seed),
            slab: Slab::new(),
            blobs: Blobs::default(),
            spaces: Vec::new(),
            deadlines: Deadlines::default(),
            copies: Copies::default(),
            dirty_bytes: 0,
            entries: 0,
            expected: Expected::default(),
        }
    }

    /// The hash of a key.
    pub fn hash(&self, key: &[u8]) -> u64 {
        self.hasher.hash_one(key)
    }

    /// A front with the same namespaces and hashes, and nothing in it.
    pub fn emptied(&self) -> Self {
        let spaces = self.spaces.iter().map(|space| Space::new(space.floor)).collect();
        Self { spaces, hasher: self.hasher.clone(), ..Self::new(0) }
    }

    /// Makes sure that `namespace` exists.
    pub fn add_space(&mut self, namespace: NamespaceId, floor: Floor) {
        while self.spaces.len() <= namespace.index() {
            self.spaces.push(Space::new(Floor::Empty));
        }
        self.spaces[namespace.index()].floor = floor;
    }

    /// All namespaces by number.
    pub fn spaces(&self) -> impl Iterator<Item = (NamespaceId, &Space)> {
        self.spaces.iter().enumerate().map(|(at, space)| (NamespaceId::new(at as u32), space))
    }

    /// Whether there is a namespace of that number.
    pub fn has_space(&self, namespace: NamespaceId) -> bool {
        namespace.index() < self.spaces.len()
    }

    /// One namespace. Its number was given by the registry, which made the space first.
    pub fn space(&self, namespace: NamespaceId) -> &Space {
        &self.spaces[namespace.index()]
    }

    /// One namespace, to be changed.
    pub fn space_mut(&mut self, namespace: NamespaceId) -> &mut Space {
        &mut self.spaces[namespace.index()]
    }

    /// Memory in use, in bytes: what `maxmemory` bounds. O(1), since each write asks.
    pub fn used_bytes(&self) -> u64 {
        let held = self.slab.live_bytes() + self.blobs.size_bytes() + self.deadlines.size_bytes();
        held as u64 + self.entries * TABLE_BYTES_PER_ENTRY
    }

    /// Memory of tables and indexes, in bytes; costs a walk over the namespaces.
    pub fn table_bytes(&self) -> u64 {
        self.spaces.iter().map(|space| space.size_bytes() as u64).sum()
    }

    /// The entry of a key.
    pub fn find(&self, namespace: NamespaceId, hash: u64, key: &[u8]) -> Option<Handle> {
        let slab = &self.slab;
        self.space(namespace).table.find(hash, |&handle| Entry(slab.get(handle)).key() == key)
    }

    /// The entry at a handle.
    pub fn entry(&self, handle: Handle) -> Entry<'_> {
        Entry(self.slab.get(handle))
    }

    /// Puts the order of deadlines off until [`Front::order_deadlines`].
    pub fn put_off_deadlines(&mut self) {
        self.deadlines.put_off();
    }

    /// Brings all deadlines into their order; nothing may be buried.
    pub fn order_deadlines(&mut self) {
        let Self { slab, deadlines, .. } = self;
        let ordered = slab.handles().filter_map(|handle| {
            let header = Entry(slab.get(handle)).header();
            Some((header.deadline.filter(|_| is_ordered(&header))?, handle))
        });
        deadlines.take_up(ordered);
    }

    /// The entry at a handle that a queue kept, if there still is one.
    pub fn entry_if_live(&self, handle: Handle) -> Option<Entry<'_>> {
        self.slab.is_live(handle).then(|| self.entry(handle))
    }

    /// The value at a handle.
    pub fn value_at(&self, handle: Handle) -> Result<Value<'_>, Error> {
        let entry = Entry(self.slab.get(handle));
        let Some(kind) = entry.kind() else {
            return Err(Error::internal("an absent key was asked for its value"));
        };
        let value = match entry.stored() {
            Stored::Inside(bytes) => Value::from_stored(kind, bytes),
            Stored::Outside(number) => self.blobs.get(number).map(Blob::value),
        };
        value.ok_or_else(|| Error::internal("a value in memory cannot be read"))
    }

    /// The spread string at a handle, if the value is one.
    #[inline]
    pub fn spread_at(&self, handle: Handle) -> Option<&Spread> {
        let entry = self.entry(handle);
        // Asked of every value that is read, and hardly any is one.
        if entry.is_inside() {
            return None;
        }
        let Stored::Outside(number) = entry.stored() else { return None };
        match self.blobs.get(number)? {
            Blob::Spread(spread) => Some(spread),
            Blob::Whole(_) => None,
        }
    }

    /// A copy of the value outside an entry, for undo; chunks are shared.
    pub fn blob_at(&self, handle: Handle) -> Option<Blob> {
        match self.entry(handle).stored() {
            Stored::Outside(number) => self.blobs.get(number).cloned(),
            Stored::Inside(_) => None,
        }
    }

    /// Changes the spread string at a handle.
    pub fn change_spread<T>(
        &mut self,
        handle: Handle,
        change: impl FnOnce(&mut Spread) -> T,
    ) -> Option<T> {
        self.spread_at(handle)?;
        let Stored::Outside(number) = self.entry(handle).stored() else {
            return None;
        };
        self.uncount(handle);
        let result = self.blobs.change(number, |blob| match blob {
            Blob::Spread(spread) => Some(change(spread)),
            Blob::Whole(_) => None,
        });
        self.count(handle);
        result.flatten()
    }

    /// Bytes that an entry takes, its value outside included.
    pub fn footprint(&self, handle: Handle) -> usize {
        let entry = self.entry(handle);
        let outside = match entry.stored() {
            Stored::Outside(number) => self.blobs.footprint(number),
            Stored::Inside(_) => 0,
        };
        entry.0.len() + outside
    }

    /// Writes an entry: in the place of the one at `old`, or a new one. The queue of the drain,
    /// counts, deadlines, index and copies follow.
    ///
    /// # Errors
    /// `Full` when no more memory can be addressed; nothing has changed then.
    pub fn set(
        &mut self,
        old: Option<Handle>,
        hash: u64,
        key: &[u8],
        mut header: Header,
        value: NewValue<'_>,
    ) -> Result<Handle, Error> {
        let shape = match &value {
            NewValue::Inside(bytes) => Stored::Inside(bytes),
            NewValue::Outside(_) | NewValue::Kept(_) => Stored::Outside(0),
        };
        let size = Entry::size(key, header.deadline.is_some(), shape);
        let in_place = old.filter(|&held| self.slab.get(held).len() == Slab::footprint(size));
        let handle = match in_place {
            Some(held) => held,
            None => self.slab.allocate(size).ok_or_else(Error::full)?,
        };
        let before = old.map(|held| self.entry(held).header());
        header.queued = in_place.is_some() && before.is_some_and(|before| before.queued);
        if let (Some(held), Some(before)) = (old, &before) {
            self.account(held, before, -1);
            if !matches!(value, NewValue::Kept(_)) {
                self.drop_blob(held);
            }
        }
        if waits(&header) && !header.queued {
            header.queued = true;
            self.space_mut(header.namespace).queue.push(handle);
        }
        let stored = match value {
            NewValue::Inside(bytes) => Stored::Inside(bytes),
            NewValue::Outside(blob) => Stored::Outside(self.blobs.add(blob)),
            NewValue::Kept(number) => Stored::Outside(number),
        };
        entry::write(self.slab.get_mut(handle), &header, key, stored);
        self.place(old, before.as_ref().is_some_and(is_ordered), handle, &header, hash);
        self.account(handle, &header, 1);
        Ok(handle)
    }

    /// Changes marks, state and version of an entry; its deadline and value stay.
    pub fn remark(&mut self, handle: Handle, mut header: Header) {
        let was_ordered = is_ordered(&self.entry(handle).header());
        header.queued = self.entry(handle).is_queued() && header.queued;
        self.uncount(handle);
        if waits(&header) && !header.queued {
            header.queued = true;
            self.space_mut(header.namespace).queue.push(handle);
        }
        entry::remark(self.slab.get_mut(handle), &header);
        let now_ordered = is_ordered(&header);
        if was_ordered != now_ordered {
            self.order(handle, now_ordered);
        }
        self.count(handle);
    }

    /// Takes an entry out of the hands of the queue: the drain is writing it.
    pub fn set_in_flight(&mut self, handle: Handle) {
        entry::set_queued(self.slab.get_mut(handle), false);
    }

    /// Notes an access.
    pub fn set_access(&mut self, handle: Handle, accessed_s: u32, frequency: u8) {
        entry::set_access(self.slab.get_mut(handle), accessed_s, frequency);
    }

    /// Removes an entry without a trace.
    pub fn remove(&mut self, handle: Handle, hash: u64) {
        let header = self.entry(handle).header();
        if is_ordered(&header) {
            self.order(handle, false);
        }
        self.space_mut(header.namespace).table.remove(hash, handle);
        self.release(handle);
    }

    /// Exchanges a namespace for another: an empty one for FLUSH, the old one to undo it.
    pub fn exchange(&mut self, namespace: NamespaceId, space: Space) -> Space {
        let old = std::mem::replace(&mut self.spaces[namespace.index()], space);
        self.dirty_bytes -= old.dirty_bytes;
        self.dirty_bytes += self.spaces[namespace.index()].dirty_bytes;
        old
    }

    /// Forgets changes after `sequence`, which were undone.
    pub fn forget_changes(&mut self, sequence: u64) {
        for space in &mut self.spaces {
            space.removed_at = space.removed_at.min(sequence);
            space.changed_at = space.changed_at.min(sequence);
        }
    }

    /// Takes up a namespace whose FLUSH was undone after drains may have been at work: what they
    /// had taken of it waits again, and nobody knows whether its rows were written. `generation`
    /// is one that no drain has begun with, `sequence` one that no write to come has. The entries
    /// follow in slices before the next drain begins; until then they are known as being written.
    pub fn reclaim(&mut self, namespace: NamespaceId, generation: u64, sequence: u64) {
        let space = self.space_mut(namespace);
        space.generation = generation;
        space.drains += generation;
        space.rows = None;
        space.give_back();
        // Counts are not to be trusted before it is over, and a drain ends it.
        space.is_settling = true;
        space.reclaimed_to = Some(0);
        space.waiting_since.get_or_insert(sequence);
    }

    /// Takes a namespace that is being reclaimed a slice further; `false` once it is over.
    pub fn reclaim_some(&mut self, namespace: NamespaceId) -> bool {
        let Some(position) = self.space(namespace).reclaimed_to else {
            return false;
        };
        let mut handles = Vec::new();
        let next = self.space(namespace).table.walk(position, &mut handles);
        for handle in handles {
            let header = self.entry(handle).header();
            if let Some(deadline) = header.deadline.filter(|_| is_ordered(&header)) {
                self.deadlines.add(deadline, handle);
            }
            if waits(&header) && !header.queued {
                self.remark(handle, Header { below: header.below.after_a_drain(), ..header });
            }
        }
        let space = self.space_mut(namespace);
        space.reclaimed_to = next;
        space.is_settling = next.is_some();
        true
    }

    /// Frees some entries of a namespace that was exchanged and will not come back; `false`
    /// once nothing is left of it.
    pub fn free_some(&mut self, buried: &mut Buried) -> bool {
        if buried.handles.is_empty() {
            let Some(position) = buried.position else {
                return false;
            };
            buried.position = buried.space.table.walk(position, &mut buried.handles);
        }
        let from = buried.handles.len().saturating_sub(SLICE_KEYS);
        for handle in buried.handles.drain(from..) {
            let header = self.entry(handle).header();
            self.release_buried(handle, &header);
        }
        true
    }

    /// A live entry near a random one of any namespace.
    pub fn near(&self, roll: u64) -> Option<Handle> {
        let handle = self.slab.near(roll)?;
        let entry = self.entry(handle);
        let hash = self.hash(entry.key());
        // A buried entry has a slot but no place in its namespace any more.
        (self.find(entry.namespace(), hash, entry.key()) == Some(handle)).then_some(handle)
    }

    /// Puts the entry into the table, and into the index if it belongs there.
    fn place(
        &mut self,
        old: Option<Handle>,
        was_ordered: bool,
        handle: Handle,
        header: &Header,
        hash: u64,
    ) {
        let Self { slab, spaces, hasher, .. } = self;
        let space = &mut spaces[header.namespace.index()];
        let moved = old.filter(|&held| held != handle);
        if old.is_none() {
            let rehash = |held: &Handle| hasher.hash_one(Entry(slab.get(*held)).key());
            space.table.insert(hash, handle, rehash);
            self.entries += 1;
        } else if let Some(held) = moved {
            space.table.replace(hash, held, handle);
        }
        match (was_ordered, is_ordered(header)) {
            (true, true) => {
                if let (Some(held), Some(index)) = (moved, index_of(space, hash)) {
                    index.replace(held, handle, |one| Entry(slab.get(one)).key());
                }
            }
            (false, true) => self.order(handle, true),
            (true, false) => self.order(handle, false),
            (false, false) => {}
        }
        if let Some(held) = moved {
            self.slab.release(held);
        }
    }

    fn count(&mut self, handle: Handle) {
        self.account(handle, &self.entry(handle).header(), 1);
    }

    fn uncount(&mut self, handle: Handle) {
        self.account(handle, &self.entry(handle).header(), -1);
    }

    /// Adds to or takes from every total what one entry contributes.
    fn account(&mut self, handle: Handle, header: &Header, sign: i64) {
        let needs_size = waits(header) || header.probation || header.promoted;
        let bytes = if needs_size { self.footprint(handle) as i64 * sign } else { 0 };
        let space = &mut self.spaces[header.namespace.index()];
        space.tally(header, sign);
        if waits(header) {
            space.dirty_bytes = space.dirty_bytes.wrapping_add_signed(bytes);
            self.dirty_bytes = self.dirty_bytes.wrapping_add_signed(bytes);
        }
        self.copies.tally(header, bytes);
        if let Some(deadline) = header.deadline.filter(|_| is_ordered(header)) {
            if sign > 0 {
                self.deadlines.add(deadline, handle);
            } else {
                self.deadlines.remove(deadline, handle);
            }
        }
    }

    fn drop_blob(&mut self, handle: Handle) {
        if let Stored::Outside(number) = self.entry(handle).stored() {
            self.blobs.take(number);
        }
    }

    fn release(&mut self, handle: Handle) {
        self.uncount(handle);
        self.drop_blob(handle);
        self.slab.release(handle);
        self.entries -= 1;
    }

    /// Frees an entry whose namespace's counts have already gone with it.
    fn release_buried(&mut self, handle: Handle, header: &Header) {
        if header.probation || header.promoted {
            let bytes = self.footprint(handle) as i64;
            self.copies.tally(header, -bytes);
        }
        if let Some(deadline) = header.deadline.filter(|_| is_ordered(header)) {
            self.deadlines.remove(deadline, handle);
        }
        self.drop_blob(handle);
        self.slab.release(handle);
        self.entries -= 1;
    }
}

/// A namespace that was flushed, on its way out.
pub struct Buried {
    space: Space,
    handles: Vec<Handle>,
    position: Option<u64>,
}

impl Buried {
    /// The remains of `space`.
    pub fn new(space: Space) -> Self {
        Self { space, handles: Vec::new(), position: Some(0) }
    }
}

/// Whether the drain has something to write or delete for such an entry.
pub fn waits(header: &Header) -> bool {
    match header.state {
        State::Dirty | State::Tombstone => true,
        State::Resident => header.below != Below::None,
        State::Clean | State::Fetching => false,
    }
}

#[cfg(test)]
mod tests;
