//! The map from key to handle: extendible hashing over small hash tables, so that growing moves
//! at most one segment's worth of handles at a time (T12). It keeps handles only; keys are seen
//! through the closures of its caller.

use hashbrown::HashTable;

use super::slab::Handle;

/// A segment splits at this many handles: the load limit of a table of 4,096 buckets, so that
/// the memory of a full table is used before the next is begun.
const SEGMENT_MAX: usize = 3584;

/// The directory takes its bits from here downwards; hashbrown itself uses the lowest bits and
/// the seven highest.
const PREFIX_TOP: u32 = 56;

struct Segment {
    depth: u32,
    handles: HashTable<Handle>,
}

/// Handles by hash.
pub struct Table {
    depth: u32,
    directory: Vec<u32>,
    segments: Vec<Segment>,
    length: usize,
}

impl Table {
    /// An empty table; it holds no memory before the first insertion.
    pub fn new() -> Self {
        Self {
            depth: 0,
            directory: vec![0],
            segments: vec![Segment { depth: 0, handles: HashTable::new() }],
            length: 0,
        }
    }

    /// Handles held.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Memory held, in bytes.
    pub fn size_bytes(&self) -> usize {
        let handles: usize = self.segments.iter().map(|one| one.handles.allocation_size()).sum();
        handles
            + self.segments.capacity() * size_of::<Segment>()
            + self.directory.capacity() * size_of::<u32>()
    }

    /// The handle of `hash` for which `is_key` holds.
    pub fn find(&self, hash: u64, is_key: impl FnMut(&Handle) -> bool) -> Option<Handle> {
        self.segments[self.segment_of(hash)].handles.find(hash, is_key).copied()
    }

    /// A handle whose hash resembles `hash`: nearly always the right one, and found without a
    /// look at any key.
    pub fn likely(&self, hash: u64) -> Option<Handle> {
        self.segments[self.segment_of(hash)].handles.iter_hash(hash).next().copied()
    }

    /// Reads the place where a handle of `hash` would go, for the sake of the processor's cache:
    /// stores that wait for memory hold up all that follow them.
    pub fn touch(&self, hash: u64) {
        let handles = &self.segments[self.segment_of(hash)].handles;
        let mask = handles.num_buckets().wrapping_sub(1);
        // Only a bucket in use can be looked at, and hashbrown begins where the lowest bits say.
        let buckets = (0..4).map(|step| (hash as usize).wrapping_add(step) & mask);
        let mut held = buckets.filter_map(|at| handles.get_bucket(at));
        std::hint::black_box(held.next().copied());
    }

    /// Adds a handle that is not there yet; `rehash` gives the hash of any handle held.
    pub fn insert(&mut self, hash: u64, handle: Handle, rehash: impl Fn(&Handle) -> u64) {
        let mut at = self.segment_of(hash);
        while self.segments[at].handles.len() >= SEGMENT_MAX && self.depth < 32 {
            self.split(at, &rehash);
            at = self.segment_of(hash);
        }
        self.segments[at].handles.insert_unique(hash, handle, rehash);
        self.length += 1;
    }

    /// Puts another handle in the place of one that is there.
    pub fn replace(&mut self, hash: u64, old: Handle, new: Handle) {
        let at = self.segment_of(hash);
        if let Some(held) = self.segments[at].handles.find_mut(hash, |&held| held == old) {
            *held = new;
        }
    }

    /// Takes a handle out.
    pub fn remove(&mut self, hash: u64, handle: Handle) {
        let at = self.segment_of(hash);
        let place = self.segments[at].handles.find_entry(hash, |&held| held == handle);
        if let Ok(held) = place {
            held.remove();
            self.length -= 1;
        }
    }

    /// One step of a walk over everything: adds the handles of the segment at `position` to
    /// `out` and gives the next position, `None` at the end. A handle that is in the table
    /// during the whole walk is met exactly once, also when segments split meanwhile.
    pub fn walk(&self, position: u64, out: &mut Vec<Handle>) -> Option<u64> {
        let at = self.segment_of(position);
        let segment = &self.segments[at];
        out.extend(segment.handles.iter().copied());
        let step = 1u64 << (PREFIX_TOP - segment.depth);
        let next = (position & !(step - 1)) + step;
        (next < 1 << PREFIX_TOP).then_some(next)
    }

    /// One step of such a walk for who does more with a handle than look at it: of a segment that
    /// holds more than `handles_max` only a part, by its hashes.
    pub fn walk_part(
        &self,
        position: u64,
        handles_max: usize,
        hash_of: impl Fn(Handle) -> u64,
        out: &mut Vec<Handle>,
    ) -> Option<u64> {
        let segment = &self.segments[self.segment_of(position)];
        let parts = segment.handles.len().div_ceil(handles_max).next_power_of_two() as u64;
        let step = ((1u64 << (PREFIX_TOP - segment.depth)) / parts).max(1);
        let next = (position & !(step - 1)) + step;
        let is_in_part = |&handle: &Handle| {
            let prefix = hash_of(handle) & ((1 << PREFIX_TOP) - 1);
            (position..next).contains(&prefix)
        };
        out.extend(segment.handles.iter().copied().filter(is_in_part));
        (next < 1 << PREFIX_TOP).then_some(next)
    }

    /// Whether the walk has passed the place of `hash` when it stands at `position`.
    pub fn is_before(hash: u64, position: u64) -> bool {
        hash & ((1 << PREFIX_TOP) - 1) < position
    }

    /// A handle near a random one.
    pub fn near(&self, roll: u64) -> Option<Handle> {
        let count = self.segments.len();
        let start = (roll >> 32) as usize % count;
        let segment = (0..count)
            .map(|step| &self.segments[(start + step) % count])
            .find(|segment| !segment.handles.is_empty())?;
        let skip = roll as u32 as usize % segment.handles.len();
        segment.handles.iter().nth(skip).copied()
    }

    fn segment_of(&self, hash: u64) -> usize {
        let prefix = hash & ((1 << PREFIX_TOP) - 1);
        self.directory[(prefix >> (PREFIX_TOP - self.depth)) as usize] as usize
    }

    /// Parts one segment in two by the next bit of the hash.
    fn split(&mut self, at: usize, rehash: &impl Fn(&Handle) -> u64) {
        if self.segments[at].depth == self.depth {
            self.directory = self.directory.iter().flat_map(|&held| [held, held]).collect();
            self.depth += 1;
        }
        let depth = self.segments[at].depth + 1;
        let bit = 1u64 << (PREFIX_TOP - depth);
        let old = std::mem::take(&mut self.segments[at].handles);
        let mut halves = [
            HashTable::with_capacity(SEGMENT_MAX / 2 + SEGMENT_MAX / 16),
            HashTable::with_capacity(SEGMENT_MAX / 2 + SEGMENT_MAX / 16),
        ];
        // Hashes first: a short loop whose loads of distant keys overlap.
        let hashes: Vec<_> = old.iter().map(|handle| (rehash(handle), *handle)).collect();
        for (hash, handle) in hashes {
            halves[usize::from(hash & bit != 0)].insert_unique(hash, handle, rehash);
        }
        let [low, high] = halves;
        let new = self.segments.len() as u32;
        self.segments[at] = Segment { depth, handles: low };
        self.segments.push(Segment { depth, handles: high });
        // The directory entries of a segment are neighbours; the upper half now leads to the new.
        let span = 1usize << (self.depth - depth);
        let first = self.directory.iter().position(|&held| held as usize == at).unwrap_or(0);
        for entry in &mut self.directory[first + span..first + 2 * span] {
            *entry = new;
        }
    }
}

#[cfg(test)]
mod tests;
