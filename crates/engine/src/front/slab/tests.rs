//! Claims about slots: no two overlap, room is used again, and a dead handle is known for one.

#![allow(clippy::unwrap_used, missing_docs)]

use super::*;
use crate::random::Random;

#[test]
fn live_slots_never_overlap_and_keep_their_bytes() {
    let mut slab = Slab::new();
    let mut random = Random::new(1);
    let mut live: Vec<(Handle, usize, u8)> = Vec::new();
    for step in 0..20_000u32 {
        if random.below(3) > 0 || live.is_empty() {
            let size = 24 + random.below(if step % 50 == 0 { 9000 } else { 500 });
            let handle = slab.allocate(size).unwrap();
            let fill = (step % 251) as u8;
            // The first byte of a live slot is never 0xFF.
            slab.get_mut(handle)[..size].fill(fill);
            assert!(slab.get(handle).len() >= size);
            assert_eq!(slab.get(handle).len(), Slab::footprint(size));
            live.push((handle, size, fill));
        } else {
            let (handle, size, fill) = live.swap_remove(random.below(live.len()));
            assert!(slab.get(handle)[..size].iter().all(|&byte| byte == fill));
            slab.release(handle);
            assert!(!slab.is_live(handle));
        }
    }
    for (handle, size, fill) in &live {
        assert!(slab.is_live(*handle));
        assert!(slab.get(*handle)[..*size].iter().all(|byte| byte == fill));
    }
    let bytes: usize = live.iter().map(|(handle, ..)| slab.get(*handle).len()).sum();
    assert_eq!(slab.live_bytes(), bytes);
    for (handle, ..) in live {
        slab.release(handle);
    }
    assert_eq!(slab.live_bytes(), 0);
}

#[test]
fn room_that_was_given_back_is_used_again() {
    let mut slab = Slab::new();
    let first: Vec<Handle> = (0..10_000).map(|_| slab.allocate(100).unwrap()).collect();
    let pages = slab.pages.len();
    for handle in first {
        slab.release(handle);
    }
    for _ in 0..10_000 {
        slab.allocate(100).unwrap();
    }
    assert_eq!(slab.pages.len(), pages);
}

#[test]
fn a_sample_is_a_live_slot() {
    let mut slab = Slab::new();
    let mut random = Random::new(2);
    let all: Vec<Handle> = (0..3000).map(|_| slab.allocate(50).unwrap()).collect();
    for handle in all.iter().skip(1).step_by(2) {
        slab.release(*handle);
    }
    let found = (0..1000).filter_map(|_| slab.near(random.next_u64())).collect::<Vec<_>>();
    assert_eq!(found.len(), 1000);
    assert!(found.iter().all(|&handle| slab.is_live(handle)));
}
