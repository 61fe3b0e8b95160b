//! Claims about undoing: the front is as it was, except for what is a fact about the file.

#![allow(clippy::unwrap_used, missing_docs)]

use super::*;
use crate::front::Floor;
use crate::value::Kind;

const SPACE: NamespaceId = NamespaceId::new(0);

fn header(state: State, below: Below, version: u64) -> Header {
    let kind = Some(Kind::String);
    Header { kind, below, frequency: 0, ..Header::new(SPACE, state, version) }
}

fn front() -> Front {
    let mut front = Front::new(1);
    front.add_space(SPACE, Floor::Rows);
    front
}

fn set(front: &mut Front, undo: &mut Undo, header: Header, value: &[u8]) -> Handle {
    let hash = front.hash(b"key");
    let old = front.find(SPACE, hash, b"key");
    undo.save(front, SPACE, hash, b"key", old);
    front.set(old, hash, b"key", header, NewValue::Inside(value)).unwrap()
}

fn key(front: &Front) -> Option<Handle> {
    front.find(SPACE, front.hash(b"key"), b"key")
}

#[test]
fn changes_are_undone_newest_first_also_where_the_entry_has_moved() {
    let (mut front, mut undo) = (front(), Undo::default());
    set(&mut front, &mut undo, header(State::Dirty, Below::Unknown, 1), b"one");
    let mark = undo.mark();
    set(&mut front, &mut undo, header(State::Dirty, Below::Unknown, 2), &[2; 400]);
    set(&mut front, &mut undo, header(State::Resident, Below::Unknown, 3), b"three");
    undo.roll_back(&mut front, mark).unwrap();
    let handle = key(&front).unwrap();
    assert_eq!(front.entry(handle).version(), 1);
    assert_eq!(front.value_at(handle).unwrap().to_vec(), b"one");
    undo.roll_back(&mut front, Undo::default().mark()).unwrap();
    assert_eq!(key(&front), None);
    assert_eq!((front.dirty_bytes, front.space(SPACE).live), (0, 0));
}

#[test]
fn what_lies_below_is_not_undone() {
    let (mut front, mut undo) = (front(), Undo::default());
    set(&mut front, &mut undo, header(State::Dirty, Below::None, 1), b"one");
    undo.forget();
    set(&mut front, &mut undo, header(State::Dirty, Below::Unknown, 2), b"two");
    // A drain has committed the first value meanwhile.
    let handle = key(&front).unwrap();
    front.remark(handle, Header { below: Below::Older, ..front.entry(handle).header() });
    undo.roll_back(&mut front, Undo::default().mark()).unwrap();
    let header = front.entry(key(&front).unwrap()).header();
    assert_eq!((header.version, header.below, header.queued), (1, Below::Older, true));
}

#[test]
fn a_copy_that_comes_back_can_be_let_go_again() {
    let (mut front, mut undo) = (front(), Undo::default());
    let mut copy = header(State::Clean, Below::Same, 1);
    copy.promoted = true;
    set(&mut front, &mut undo, copy, b"one");
    undo.forget();
    set(&mut front, &mut undo, header(State::Dirty, Below::Older, 2), b"two");
    undo.roll_back(&mut front, Undo::default().mark()).unwrap();
    let handle = key(&front).unwrap();
    assert!(front.entry(handle).in_probation());
    let mut queued = std::iter::from_fn(|| front.copies.probation.pop_front());
    assert!(queued.any(|one| one == handle));
    assert!(front.copies.probation_bytes > 0);
    assert_eq!(front.copies.promoted_bytes, 0);
}

#[test]
fn an_older_stack_goes_below_a_newer_one() {
    let (mut front, mut undo) = (front(), Undo::default());
    set(&mut front, &mut undo, header(State::Resident, Below::None, 1), b"one");
    let older = undo.take();
    set(&mut front, &mut undo, header(State::Resident, Below::None, 2), b"two");
    undo.prepend(older);
    undo.roll_back(&mut front, Undo::default().mark()).unwrap();
    assert_eq!(key(&front), None);
}
