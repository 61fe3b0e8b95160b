//! Claims about the order of an index, against a sorted map.

#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::BTreeMap;

use super::*;
use crate::front::slab::Slab;
use crate::random::Random;

fn key_of(slab: &Slab, handle: Handle) -> &[u8] {
    &slab.get(handle)[1..17]
}

#[test]
fn an_index_is_a_sorted_map_whatever_the_order_of_arrival() {
    for seed in 0..3 {
        let mut slab = Slab::new();
        let mut index = Index::default();
        let mut model: BTreeMap<Vec<u8>, Handle> = BTreeMap::new();
        let mut random = Random::new(seed);
        for step in 0..6000u64 {
            // In order, backwards, or at random.
            let number = match seed {
                0 => step,
                1 => 100_000 - step,
                _ => random.next_u64() % 5000,
            };
            let key = format!("{number:016}").into_bytes();
            if seed == 2 && random.below(3) == 0 {
                index.remove(&key, |handle| key_of(&slab, handle));
                model.remove(&key);
                continue;
            }
            let handle = slab.allocate(24).unwrap();
            slab.get_mut(handle)[1..17].copy_from_slice(&key);
            index.insert(handle, |handle| key_of(&slab, handle));
            model.entry(key).or_insert(handle);
        }
        let expected: Vec<Handle> = model.values().copied().collect();
        let ascending = index.ascending(b"", |handle| key_of(&slab, handle));
        assert_eq!(ascending.collect::<Vec<_>>(), expected);
        let mut descending: Vec<_> =
            index.descending(None, |handle| key_of(&slab, handle)).collect();
        descending.reverse();
        assert_eq!(descending, expected);
        let middle = model.keys().nth(model.len() / 2).unwrap();
        let from: Vec<_> = index.ascending(middle, |handle| key_of(&slab, handle)).collect();
        assert_eq!(from, expected[model.len() / 2..]);
        let to: Vec<_> = index.descending(Some(middle), |handle| key_of(&slab, handle)).collect();
        assert_eq!(to.len(), model.len() / 2);
        assert!(to.iter().all(|&handle| key_of(&slab, handle) < middle.as_slice()));
    }
}

#[test]
fn handles_in_order_are_inserted_together_as_one_by_one() {
    let mut slab = Slab::new();
    let mut random = Random::new(7);
    let (mut together, mut one_by_one) = (Index::default(), Index::default());
    let mut model: BTreeMap<Vec<u8>, Handle> = BTreeMap::new();
    for round in 0..40 {
        // Among those that are there, behind them all, and some that are there already.
        let start = if round % 3 == 0 { round * 10_000 } else { 0 };
        let mut handles: Vec<Handle> = (0..=random.below(700))
            .map(|_| {
                let key = format!("{:016}", start + random.below(400_000)).into_bytes();
                let handle = slab.allocate(24).unwrap();
                slab.get_mut(handle)[1..17].copy_from_slice(&key);
                handle
            })
            .collect();
        handles.sort_by_key(|&handle| key_of(&slab, handle));
        handles.dedup_by_key(|handle| key_of(&slab, *handle).to_vec());
        together.insert_sorted(&handles, |handle| key_of(&slab, handle), |_| {});
        for handle in handles {
            one_by_one.insert(handle, |handle| key_of(&slab, handle));
            model.entry(key_of(&slab, handle).to_vec()).or_insert(handle);
        }
    }
    let expected: Vec<Handle> = model.values().copied().collect();
    for index in [together, one_by_one] {
        let found: Vec<_> = index.ascending(b"", |handle| key_of(&slab, handle)).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn a_handle_is_replaced_where_it_stands() {
    let mut slab = Slab::new();
    let mut index = Index::default();
    let add = |slab: &mut Slab, text: &[u8; 16]| {
        let handle = slab.allocate(24).unwrap();
        slab.get_mut(handle)[1..17].copy_from_slice(text);
        handle
    };
    let (one, two) = (add(&mut slab, b"aaaaaaaaaaaaaaaa"), add(&mut slab, b"bbbbbbbbbbbbbbbb"));
    let moved = add(&mut slab, b"aaaaaaaaaaaaaaaa");
    for handle in [two, one] {
        index.insert(handle, |handle| key_of(&slab, handle));
    }
    index.replace(one, moved, |handle| key_of(&slab, handle));
    let found: Vec<_> = index.ascending(b"", |handle| key_of(&slab, handle)).collect();
    assert_eq!(found, [moved, two]);
}
