//! Drawing a key by lot without counting keys.
//!
//! The keys are seen as a trie: from the range of all keys, each step picks a byte between
//! those that the first and the last key have where they part, takes the keys that share the
//! nearest byte in use, and goes on with those. A single seek to random bytes would not do: the
//! gaps between keys such as `user:123` are so wide that a handful of keys would be drawn always.

use super::range::successor;
use super::reader::KeysReader;
use crate::error::Result;

/// Steps before one of the two ends is taken; only keys made to defy this have more forks.
const STEPS_MAX: usize = 64;

const FIRST_FROM: &str = "SELECT key FROM keys WHERE key >= ?1 ORDER BY key LIMIT 1";
const FIRST_AFTER: &str = "SELECT key FROM keys WHERE key > ?1 ORDER BY key LIMIT 1";
const LAST_BEFORE: &str = "SELECT key FROM keys WHERE key < ?1 ORDER BY key DESC LIMIT 1";
const LAST: &str = "SELECT key FROM keys WHERE key >= ?1 ORDER BY key DESC LIMIT 1";

/// The key that `seed` draws, or `None` from an empty file.
pub(super) fn draw(reader: &KeysReader, seed: u64) -> Result<Option<Vec<u8>>> {
    let mut dice = Dice(seed);
    let mut ends = ends_within(reader, &[])?;
    for _ in 0..STEPS_MAX {
        let Some((low, high)) = &ends else { return Ok(None) };
        let fork = low.iter().zip(high).take_while(|(left, right)| left == right).count();
        // The last key reaches past the fork unless both are one key, since it is the greater.
        let Some(&greatest) = high.get(fork) else { break };
        let ends_here = low.len() == fork;
        let first = if ends_here { reader.key(FIRST_AFTER, low)? } else { None };
        let Some(&smallest) = first.as_ref().unwrap_or(low).get(fork) else { break };
        let Some(byte) = dice.between(smallest, greatest, ends_here) else {
            return Ok(Some(low.clone()));
        };
        let mut prefix = low[..fork].to_vec();
        prefix.push(byte);
        // Where no key has that byte, the next one in either direction is as good.
        let nearest = if dice.coin() {
            last_within(reader, &prefix)?
        } else {
            reader.key(FIRST_FROM, &prefix)?
        };
        let Some(nearest) = nearest else { break };
        ends = ends_within(reader, nearest.get(..=fork).unwrap_or(&nearest))?;
    }
    Ok(ends.map(|(low, high)| if dice.coin() { low } else { high }))
}

/// The first and the last key that begin with `prefix`.
fn ends_within(reader: &KeysReader, prefix: &[u8]) -> Result<Option<(Vec<u8>, Vec<u8>)>> {
    let low = reader.key(FIRST_FROM, prefix)?;
    Ok(low.zip(last_within(reader, prefix)?))
}

/// The last key that begins with `prefix` or is less.
fn last_within(reader: &KeysReader, prefix: &[u8]) -> Result<Option<Vec<u8>>> {
    match successor(prefix) {
        Some(end) => reader.key(LAST_BEFORE, &end),
        None => reader.key(LAST, &[]),
    }
}

/// Pseudo-random numbers from a seed: `SplitMix64`, by Steele, Lea and Flood (2014).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn coin(&mut self) -> bool {
        self.next().is_multiple_of(2)
    }

    /// A byte from `smallest` to `greatest`, or, `with_none`, perhaps none of them.
    fn between(&mut self, smallest: u8, greatest: u8, with_none: bool) -> Option<u8> {
        let bytes = u64::from(greatest.saturating_sub(smallest)) + 1;
        let drawn = self.next() % (bytes + u64::from(with_none));
        u8::try_from(u64::from(smallest) + drawn).ok().filter(|byte| *byte <= greatest)
    }
}
