//! Keys that will be looked up soon (decision 0010): their entries are asked for together, so that
//! the waits for memory overlap; looked up one by one they add up.

use super::Front;
use super::slab::Handle;
use crate::namespace::NamespaceId;

/// What is expected, in the order of its coming.
#[derive(Default)]
pub struct Expected {
    hashes: Vec<(NamespaceId, u64)>,
    /// Kept for its room.
    handles: Vec<Handle>,
}

impl Front {
    /// Notes that a key will be looked up soon.
    pub fn expect(&mut self, namespace: NamespaceId, key: &[u8]) {
        let hash = self.hash(key);
        self.expected.hashes.push((namespace, hash));
    }

    /// Begins to bring the entries of the expected keys into the processor's cache.
    pub fn prefetch_expected(&mut self) {
        let Self { expected: Expected { hashes, handles }, spaces, slab, .. } = self;
        // Three loops, and short ones, since the processor looks only some hundred instructions
        // ahead: in one loop each step waits for the one before.
        for &(namespace, hash) in hashes.iter() {
            spaces[namespace.index()].table.touch(hash);
        }
        let likely =
            |(namespace, hash): (NamespaceId, u64)| spaces[namespace.index()].table.likely(hash);
        handles.extend(hashes.drain(..).filter_map(likely));
        for handle in handles.drain(..) {
            slab.prefetch(handle);
        }
    }
}
