//! Claims about spread strings: a patch is what it would be on plain bytes, only what is needed
//! is asked for from below, and what a drain took comes back if it fails.

#![allow(clippy::unwrap_used, missing_docs)]

use super::*;
use crate::random::Random;

#[test]
fn patches_amount_to_the_same_as_on_plain_bytes() {
    let mut random = Random::new(1);
    let mut model = vec![1; 70_000];
    let mut spread = Spread::from_bytes(&model);
    for step in 0..200u8 {
        let offset = random.below(200_000);
        let data = vec![step; 1 + random.below(100_000)];
        spread.patch(offset as u64, &data);
        model.resize(model.len().max(offset + data.len()), 0);
        model[offset..offset + data.len()].copy_from_slice(&data);
        assert_eq!(spread.length, model.len() as u64);
        assert!(Value::Spread(spread.view()).to_vec() == model, "step {step}");
    }
}

#[test]
fn only_chunks_of_which_something_remains_are_needed_from_below() {
    let chunk = CHUNK_BYTES as u64;
    let spread = Spread::below(3 * chunk + 10);
    assert_eq!(spread.missing_around(5, 3), [0]);
    assert_eq!(spread.missing_around(chunk, chunk), [0; 0]);
    assert_eq!(spread.missing_around(chunk - 1, chunk + 2), [0, 2]);
    // Appending keeps the beginning of the last chunk.
    assert_eq!(spread.missing_around(3 * chunk + 10, 5), [3]);
    assert_eq!(spread.missing_around(3 * chunk, 10), [0; 0]);
    assert_eq!(spread.missing_around(9 * chunk + 3, 5), [0; 0]);
    let mut zeros = Spread::zeros(3 * chunk);
    assert_eq!(zeros.missing_around(5, 3), [0; 0]);
    zeros.patch(0, b"x");
    assert_eq!(zeros.missing(0, u64::MAX), [0; 0]);
}

#[test]
fn what_a_failed_drain_had_taken_is_written_by_the_next() {
    let mut spread = Spread::from_bytes(&vec![7; 200_000]);
    let taken = spread.take_changes();
    assert_eq!((taken.cut_from, taken.chunks.len()), (Some(0), 4));
    spread.patch(0, b"x");
    spread.restore_changes();
    let again = spread.take_changes();
    assert_eq!((again.cut_from, again.chunks.len()), (Some(0), 4));
    assert_eq!(again.chunks[0].1[..2], *b"x\x07");
    spread.commit_changes();
    spread.patch(70_000, b"y");
    let rest = spread.take_changes();
    assert_eq!((rest.cut_from, rest.chunks.len()), (None, 1));
}

#[test]
fn a_chunk_from_below_never_replaces_a_newer_one() {
    let mut spread = Spread::below(100_000);
    spread.install(1, &vec![1; 34_464]);
    spread.patch(65_536, b"new");
    spread.install(1, &vec![2; 34_464]);
    assert_eq!(spread.chunks[1].as_ref().unwrap()[..4], *b"new\x01");
}

#[test]
fn the_size_of_all_blobs_follows_every_change() {
    let mut blobs = Blobs::default();
    let one = blobs.add(Blob::Whole(Arc::from(vec![1; 1000])));
    let other = blobs.add(Blob::Spread(Box::new(Spread::from_bytes(&vec![1; 100_000]))));
    blobs.change(other, |blob| match blob {
        Blob::Spread(spread) => spread.patch(300_000, b"x"),
        Blob::Whole(_) => {}
    });
    assert_eq!(blobs.size_bytes, blobs.footprint(one) + blobs.footprint(other));
    blobs.take(one);
    blobs.take(other);
    assert_eq!(blobs.size_bytes, 0);
}
