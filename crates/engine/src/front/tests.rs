//! Claims about the totals that every change keeps in step.

#![allow(clippy::unwrap_used, missing_docs)]

use super::lifetimes::Lifetimes;
use super::*;
use crate::clock::Deadline;
use crate::random::Random;
use crate::value::Kind;

const SPACE: NamespaceId = NamespaceId::new(0);

fn random_header(random: &mut Random) -> Header {
    let states = [State::Resident, State::Clean, State::Dirty, State::Tombstone, State::Fetching];
    let below = [Below::None, Below::Same, Below::Older, Below::Unknown];
    let state = states[random.below(5)];
    let is_copy = matches!(state, State::Clean | State::Fetching);
    let mark = random.below(3);
    Header {
        namespace: SPACE,
        kind: Some(Kind::String),
        state,
        below: below[random.below(4)],
        version: 1,
        deadline: (random.below(2) == 0)
            .then(|| Deadline { at_ms: random.below(9) as i64, absolute: random.below(2) == 0 }),
        queued: false,
        probation: is_copy && mark == 1,
        promoted: is_copy && mark == 2,
        accessed_s: 0,
        frequency: 0,
    }
}

fn random_value(random: &mut Random) -> Blob {
    match random.below(2) {
        0 => Blob::Whole(vec![1; 600 + random.below(3000)].into()),
        _ => Blob::Spread(Box::new(Spread::from_bytes(&vec![1; 70_000]))),
    }
}

#[test]
fn every_total_is_zero_again_when_everything_is_gone() {
    let mut front = Front::new(1);
    front.add_space(SPACE, Floor::Rows);
    while !matches!(front.space(SPACE).ordered, Ordered::Yes(_)) {
        front.space_mut(SPACE).begin_order();
        front.order_part(SPACE, 512);
    }
    let mut random = Random::new(1);
    for _ in 0..20_000 {
        let key = format!("key{}", random.below(200)).into_bytes();
        let hash = front.hash(&key);
        let old = front.find(SPACE, hash, &key);
        let header = random_header(&mut random);
        match (random.below(6), old) {
            (0, Some(handle)) => front.remove(handle, hash),
            (1, Some(handle)) => {
                let deadline = front.entry(handle).deadline();
                front.remark(handle, Header { deadline, ..header });
            }
            (2, Some(handle)) => {
                let offset = random.below(200_000) as u64;
                front.change_spread(handle, |spread| spread.patch(offset, b"changed"));
            }
            (3, _) => {
                let value = NewValue::Outside(random_value(&mut random));
                front.set(old, hash, &key, header, value).unwrap();
            }
            _ => {
                let value = vec![7; random.below(500)];
                front.set(old, hash, &key, header, NewValue::Inside(&value)).unwrap();
            }
        }
    }
    let mut handles = Vec::new();
    front.space(SPACE).table.walk(0, &mut handles);
    for handle in handles {
        front.remove(handle, front.hash(front.entry(handle).key()));
    }
    let space = front.space(SPACE);
    assert_eq!((space.live, space.hiding, space.unknown), (0, 0, 0));
    assert_eq!(space.lifetimes, Lifetimes::default());
    assert_eq!((space.dirty_bytes, front.dirty_bytes, space.table.len()), (0, 0, 0));
    assert_eq!((front.copies.probation_bytes, front.copies.promoted_bytes), (0, 0));
    assert_eq!((front.deadlines.len(), front.slab.live_bytes()), (0, 0));
    assert!(matches!(&space.ordered, Ordered::Yes(index)
        if index.ascending(b"", |_| b"").next().is_none()));
}
