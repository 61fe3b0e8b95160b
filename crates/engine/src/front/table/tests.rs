//! Claims about growth in steps, and walks that miss nothing while it grows.

#![allow(clippy::unwrap_used, missing_docs)]

use std::cell::Cell;
use std::collections::BTreeSet;

use super::*;
use crate::front::slab::Slab;
use crate::random::Random;

/// Handles whose hash is kept beside them.
struct Hashed {
    slab: Slab,
    table: Table,
}

impl Hashed {
    fn new() -> Self {
        Self { slab: Slab::new(), table: Table::new() }
    }

    fn hash_of(slab: &Slab, handle: Handle) -> u64 {
        u64::from_le_bytes(slab.get(handle)[8..16].try_into().unwrap())
    }

    fn insert(&mut self, hash: u64) -> (Handle, usize) {
        let handle = self.slab.allocate(24).unwrap();
        self.slab.get_mut(handle)[8..16].copy_from_slice(&hash.to_le_bytes());
        let moved = Cell::new(0);
        let slab = &self.slab;
        self.table.insert(hash, handle, |&held| {
            moved.set(moved.get() + 1);
            Self::hash_of(slab, held)
        });
        (handle, moved.get())
    }
}

#[test]
fn no_insertion_moves_more_than_a_segment_of_handles() {
    let mut hashed = Hashed::new();
    let mut random = Random::new(1);
    let worst = (0..400_000).map(|_| hashed.insert(random.next_u64()).1).max();
    assert!(worst.unwrap() <= 4000, "{worst:?}");
    assert_eq!(hashed.table.len(), 400_000);
}

#[test]
fn what_was_inserted_is_found_and_what_was_removed_is_not() {
    let mut hashed = Hashed::new();
    let mut random = Random::new(2);
    let all: Vec<(u64, Handle)> = (0..20_000)
        .map(|_| {
            let hash = random.next_u64();
            (hash, hashed.insert(hash).0)
        })
        .collect();
    for (hash, handle) in all.iter().step_by(2) {
        hashed.table.remove(*hash, *handle);
    }
    for (at, (hash, handle)) in all.iter().enumerate() {
        let found = hashed.table.find(*hash, |held| held == handle);
        assert_eq!(found, (at % 2 == 1).then_some(*handle));
    }
    assert_eq!(hashed.table.len(), 10_000);
}

#[test]
fn a_walk_meets_every_handle_that_stays_exactly_once_while_segments_split() {
    let mut hashed = Hashed::new();
    let mut random = Random::new(3);
    let stay: BTreeSet<Handle> = (0..10_000).map(|_| hashed.insert(random.next_u64()).0).collect();
    let mut met = Vec::new();
    let mut position = Some(0);
    while let Some(at) = position {
        position = hashed.table.walk(at, &mut met);
        for _ in 0..3000 {
            hashed.insert(random.next_u64());
        }
    }
    let met: Vec<Handle> = met.into_iter().filter(|handle| stay.contains(handle)).collect();
    assert_eq!(met.len(), stay.len());
    assert_eq!(met.into_iter().collect::<BTreeSet<_>>(), stay);
}

#[test]
fn a_walk_that_stands_at_a_position_has_passed_what_is_before_it() {
    let mut hashed = Hashed::new();
    let mut random = Random::new(4);
    for _ in 0..20_000 {
        hashed.insert(random.next_u64());
    }
    let mut met = Vec::new();
    let position = hashed.table.walk(0, &mut met).unwrap();
    let is_before =
        |&handle: &Handle| Table::is_before(Hashed::hash_of(&hashed.slab, handle), position);
    assert!(met.iter().all(is_before));
    let mut rest = Vec::new();
    hashed.table.walk(position, &mut rest);
    assert!(!rest.iter().any(is_before));
}
