//! Keys that became live while somebody walks over the whole namespace, slice by slice: the walk
//! may have passed their places before they came.

use std::sync::{Arc, Weak};

/// Bytes of keys at which nobody is told of newcomers any more.
const BYTES_MAX: usize = 1 << 20;

/// A walk that wants to be told, for as long as this is kept.
pub type Walk = Arc<()>;

/// What came since the walks that are under way began.
#[derive(Default)]
pub struct Newcomers {
    walk: Weak<()>,
    keys: Vec<Box<[u8]>>,
    size_bytes: usize,
}

impl Newcomers {
    /// Begins a walk. Walks at the same time share one list, which tells each enough.
    pub fn begin(&mut self) -> Walk {
        if let Some(walk) = self.walk.upgrade() {
            return walk;
        }
        let walk = Walk::default();
        *self = Self { walk: Arc::downgrade(&walk), ..Self::default() };
        walk
    }

    /// Whether anybody walks.
    pub fn is_wanted(&self) -> bool {
        self.walk.strong_count() > 0
    }

    /// Notes a key that has become live, if anybody wants to know.
    pub fn add(&mut self, key: &[u8]) {
        self.size_bytes += key.len() + size_of::<Box<[u8]>>();
        if !self.is_wanted() || self.size_bytes > BYTES_MAX {
            *self = Self::default();
        } else {
            self.keys.push(key.into());
        }
    }

    /// The keys that came since `walk` began, some of them twice or gone again; `None` if they
    /// were too many to be told of.
    pub fn since(&self, walk: &Walk) -> Option<&[Box<[u8]>]> {
        self.walk.upgrade().is_some_and(|held| Arc::ptr_eq(&held, walk)).then_some(&self.keys)
    }

    /// Memory held, in bytes.
    pub fn size_bytes(&self) -> usize {
        self.size_bytes
    }
}

#[cfg(test)]
mod tests;
