//! When keys last came or changed, by bucket of their hashes: how a watcher of an absent key learns
//! that it was there for a while. Nothing is noted before somebody watches an absent key.
//!
//! Keys that share a bucket are taken for each other, which makes a watcher try again and never
//! lets it miss a change.

use crate::namespace::NamespaceId;

/// With a thousand keys changing while somebody watches, one watcher in sixteen tries again.
const BUCKETS: usize = 16 * 1024;

/// The last change of each bucket.
#[derive(Default)]
pub struct Arrivals {
    /// Changes so far; sequences will not do, since that of a batch that fails is used again.
    count: u64,
    /// Empty until the first question.
    last: Vec<u64>,
}

impl Arrivals {
    /// Notes that a key has come or changed.
    pub fn note(&mut self, namespace: NamespaceId, hash: u64) {
        if let Some(last) = self.last.get_mut(bucket(namespace, hash)) {
            self.count += 1;
            *last = self.count;
        }
    }

    /// What differs once a key has come or changed.
    pub fn last(&mut self, namespace: NamespaceId, hash: u64) -> u64 {
        if self.last.is_empty() {
            self.last = vec![0; BUCKETS];
        }
        self.last[bucket(namespace, hash)]
    }
}

fn bucket(namespace: NamespaceId, hash: u64) -> usize {
    (hash as usize).wrapping_add(namespace.index()) % BUCKETS
}
