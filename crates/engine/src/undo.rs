//! What it takes to undo the batches whose records have not reached the log (DESIGN.md 6): the
//! image of each entry before each change, newest last. The images lie in one buffer, so that
//! remembering costs a copy of some dozen bytes and no allocation.

use std::ops::Range;

use crate::error::Error;
use crate::front::{Below, Blob, Entry, Front, Handle, Header, NewValue, Space, State, Stored};
use crate::namespace::NamespaceId;

enum Item {
    /// The bytes of the entry before, and its value if that lay outside.
    Entry { namespace: NamespaceId, hash: u64, image: Range<usize>, blob: Option<Blob> },
    /// The key of an entry that was not there.
    Absent { namespace: NamespaceId, hash: u64, key: Range<usize> },
    /// The namespace before a FLUSH.
    Space { namespace: NamespaceId, space: Box<Space> },
}

/// A stack of images.
#[derive(Default)]
pub struct Undo {
    images: Vec<u8>,
    items: Vec<Item>,
}

/// A height of the stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark(usize);

impl Undo {
    /// The present height.
    pub fn mark(&self) -> Mark {
        Mark(self.items.len())
    }

    /// Remembers the entry of `key` as it is before a change.
    pub fn save(
        &mut self,
        front: &Front,
        namespace: NamespaceId,
        hash: u64,
        key: &[u8],
        handle: Option<Handle>,
    ) {
        let start = self.images.len();
        let Some(handle) = handle else {
            self.images.extend_from_slice(key);
            let key = start..self.images.len();
            self.items.push(Item::Absent { namespace, hash, key });
            return;
        };
        self.images.extend_from_slice(front.entry(handle).image());
        let image = start..self.images.len();
        let blob = front.blob_at(handle);
        self.items.push(Item::Entry { namespace, hash, image, blob });
    }

    /// Remembers a namespace that was exchanged for an empty one.
    pub fn save_space(&mut self, namespace: NamespaceId, space: Space) {
        self.items.push(Item::Space { namespace, space: Box::new(space) });
    }

    /// Undoes everything above `mark`, newest first. Gives the namespaces that are now buried.
    ///
    /// # Errors
    /// `Full` when memory can no longer be addressed: the front is then not to be trusted.
    pub fn roll_back(&mut self, front: &mut Front, mark: Mark) -> Result<Vec<Space>, Error> {
        let mut buried = Vec::new();
        while self.items.len() > mark.0 {
            let Some(item) = self.items.pop() else {
                break;
            };
            match item {
                Item::Absent { namespace, hash, key } => {
                    let start = key.start;
                    if let Some(handle) = front.find(namespace, hash, &self.images[key]) {
                        front.remove(handle, hash);
                    }
                    self.images.truncate(start);
                }
                Item::Entry { namespace, hash, image, blob } => {
                    let entry = Entry(&self.images[image.clone()]);
                    restore(front, namespace, hash, entry, blob)?;
                    self.images.truncate(image.start);
                }
                Item::Space { namespace, space } => {
                    buried.push(front.exchange(namespace, *space));
                }
            }
        }
        Ok(buried)
    }

    /// The namespaces whose FLUSH would be undone.
    pub fn cleared(&self) -> Vec<NamespaceId> {
        let cleared = self.items.iter().filter_map(|item| match item {
            Item::Space { namespace, .. } => Some(*namespace),
            _ => None,
        });
        cleared.collect()
    }

    /// Takes everything out, to be forgotten or undone by whoever hands the records over.
    pub fn take(&mut self) -> Self {
        std::mem::take(self)
    }

    /// Puts `older` below everything that is remembered here.
    pub fn prepend(&mut self, mut older: Self) {
        let shift = older.images.len();
        older.images.append(&mut self.images);
        let moved = |range: Range<usize>| range.start + shift..range.end + shift;
        older.items.extend(self.items.drain(..).map(|item| match item {
            Item::Entry { namespace, hash, image, blob } => {
                Item::Entry { namespace, hash, image: moved(image), blob }
            }
            Item::Absent { namespace, hash, key } => {
                Item::Absent { namespace, hash, key: moved(key) }
            }
            space @ Item::Space { .. } => space,
        }));
        *self = older;
    }

    /// Takes over the room of a stack that was emptied, if there is nothing here to lose.
    pub fn reuse(&mut self, emptied: Self) {
        /// Room that one huge batch has made is not kept.
        const KEPT_BYTES_MAX: usize = 4 << 20;
        let is_free = self.items.is_empty() && self.images.is_empty();
        if is_free && emptied.images.capacity() <= KEPT_BYTES_MAX {
            *self = emptied;
        }
    }

    /// Whether nothing is remembered.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Forgets everything and keeps the room. Gives the namespaces that are now buried.
    pub fn forget(&mut self) -> Vec<Space> {
        let mut buried = Vec::new();
        self.images.clear();
        for item in self.items.drain(..) {
            if let Item::Space { space, .. } = item {
                buried.push(*space);
            }
        }
        buried
    }
}

/// Puts an entry back as its image says, except for what a drain may have changed since: what
/// lies below is a fact about the file, not about the batch that is undone.
fn restore(
    front: &mut Front,
    namespace: NamespaceId,
    hash: u64,
    image: Entry<'_>,
    blob: Option<Blob>,
) -> Result<(), Error> {
    let current = front.find(namespace, hash, image.key());
    let value = match (image.stored(), blob) {
        (Stored::Inside(bytes), _) => NewValue::Inside(bytes),
        (Stored::Outside(_), Some(Blob::Spread(mut spread))) => {
            // Nobody knows what became of what a drain had taken of it: it is written again.
            spread.restore_changes();
            NewValue::Outside(Blob::Spread(spread))
        }
        (Stored::Outside(_), Some(blob)) => NewValue::Outside(blob),
        (Stored::Outside(_), None) => return Err(Error::internal("an undo image lost its value")),
    };
    let mut header = image.header();
    let known = current.map(|handle| front.entry(handle).header());
    if let Some(known) = known.filter(|known| !is_copy(&header) && !is_copy(known)) {
        header.below = if known.below == Below::Same { Below::Older } else { known.below };
    }
    // The queues may have let go of a copy meanwhile, so it starts anew.
    header.probation = is_copy(&header);
    header.promoted = false;
    let handle = front.set(current, hash, image.key(), header, value)?;
    if header.probation {
        front.copies.probation.push_back(handle);
    }
    Ok(())
}

/// Whether the entry only repeats what lies below.
fn is_copy(header: &Header) -> bool {
    matches!(header.state, State::Clean | State::Fetching)
}

#[cfg(test)]
mod tests;
