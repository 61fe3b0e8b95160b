//! The cursors of SCAN: a number that the client holds, and the key it stands for.
//!
//! Redis's clients expect a cursor to be a small number, while a place in the order of keys is a
//! key. A cursor is therefore a hash of the last key, and this table gives the key back. Since the
//! number depends on the key alone, it means the same on every connection, and after a restart
//! either the same or nothing, never another place. It must not know scans or namespaces.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

#[cfg(test)]
mod tests;

/// Cursors of each generation, of which there are two.
const CURSORS_MAX: usize = 32 * 1024;
/// Bytes of keys in each generation.
const KEY_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Clients in JavaScript read a cursor as a double, which holds integers of this many bits.
const CURSOR_BITS: u32 = 53;

/// All cursors of a server, bounded: those asked for least recently are forgotten.
///
/// A forgotten cursor begins the scan anew. That keeps SCAN's promise, each key at least once,
/// at the price of repeating some, which SCAN allows.
#[derive(Debug, Default)]
pub struct Cursors(Mutex<Generations>);

/// What was asked for lately, and what was before; an old one that is asked for becomes young.
#[derive(Debug, Default)]
struct Generations {
    young: HashMap<u64, Box<[u8]>>,
    young_bytes: usize,
    old: HashMap<u64, Box<[u8]>>,
}

impl Cursors {
    /// The cursor that continues after `key`; never 0, which is the beginning.
    pub fn remember(&self, key: &[u8]) -> u64 {
        let mut generations = self.0.lock();
        let mut cursor = cursor_of(key);
        while generations.find(cursor).is_some_and(|known| known != key) {
            cursor = following(cursor);
        }
        generations.insert(cursor, key.into());
        cursor
    }

    /// The key after which to continue; `None` for the beginning and for a forgotten cursor.
    pub fn recall(&self, cursor: u64) -> Option<Vec<u8>> {
        let mut generations = self.0.lock();
        let key: Box<[u8]> = generations.find(cursor)?.into();
        generations.insert(cursor, key.clone());
        Some(key.into_vec())
    }
}

impl Generations {
    fn find(&self, cursor: u64) -> Option<&[u8]> {
        self.young.get(&cursor).or_else(|| self.old.get(&cursor)).map(|key| &**key)
    }

    fn insert(&mut self, cursor: u64, key: Box<[u8]>) {
        let is_full = self.young.len() >= CURSORS_MAX || self.young_bytes >= KEY_BYTES_MAX;
        if is_full && !self.young.contains_key(&cursor) {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        let key_bytes = key.len();
        if self.young.insert(cursor, key).is_none() {
            self.young_bytes += key_bytes;
        }
    }
}

fn cursor_of(key: &[u8]) -> u64 {
    // Not seeded, so that a cursor outlives the process that gave it out.
    let mut hasher = DefaultHasher::new();
    hasher.write(key);
    following((hasher.finish() >> (u64::BITS - CURSOR_BITS)).saturating_sub(1))
}

fn following(cursor: u64) -> u64 {
    cursor % ((1 << CURSOR_BITS) - 1) + 1
}
