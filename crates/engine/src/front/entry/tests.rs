//! Claims about the bytes of an entry: what is written is read, and marks change in place.

#![allow(clippy::unwrap_used, missing_docs)]

use proptest::prelude::*;

use super::*;

fn header() -> impl Strategy<Value = Header> {
    let states = prop_oneof![
        Just(State::Resident),
        Just(State::Clean),
        Just(State::Dirty),
        Just(State::Tombstone),
        Just(State::Fetching)
    ];
    let below =
        prop_oneof![Just(Below::None), Just(Below::Same), Just(Below::Older), Just(Below::Unknown)];
    let deadline = proptest::option::of((any::<i64>(), any::<bool>()))
        .prop_map(|one| one.map(|(at_ms, absolute)| Deadline { at_ms, absolute }));
    let kind = (0u8..16).prop_map(Kind::from_byte);
    let marks = (any::<bool>(), any::<bool>(), any::<bool>(), any::<u32>(), any::<u8>());
    (0u32..1 << 24, kind, states, below, any::<u64>(), deadline, marks).prop_map(
        |(namespace, kind, state, below, version, deadline, marks)| Header {
            namespace: NamespaceId::new(namespace),
            kind,
            state,
            below,
            version,
            deadline,
            queued: marks.0,
            probation: marks.1,
            promoted: marks.2,
            accessed_s: marks.3,
            frequency: marks.4,
        },
    )
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        header in header(),
        key in proptest::collection::vec(any::<u8>(), 0..300),
        value in proptest::collection::vec(any::<u8>(), 0..513),
        number in any::<u32>(),
        is_outside in any::<bool>(),
    ) {
        let stored = if is_outside { Stored::Outside(number) } else { Stored::Inside(&value) };
        let size = Entry::size(&key, header.deadline.is_some(), stored);
        let mut slot = vec![0xAA; size + 16];
        write(&mut slot, &header, &key, stored);
        let entry = Entry(&slot);
        prop_assert_eq!(entry.header(), header);
        prop_assert_eq!(entry.key(), &key[..]);
        prop_assert_eq!(entry.stored(), stored);
        prop_assert_eq!(entry.image().len(), size);
        // The first byte of a live slot is never that of a free one.
        prop_assert_ne!(slot[0], 0xFF);
    }

    #[test]
    fn marks_change_in_place_and_deadline_and_value_stay(
        before in header(),
        after in header(),
        key in proptest::collection::vec(any::<u8>(), 0..40),
    ) {
        let stored = Stored::Inside(b"value");
        let mut slot = vec![0; Entry::size(&key, before.deadline.is_some(), stored)];
        write(&mut slot, &before, &key, stored);
        remark(&mut slot, &after);
        let (deadline, namespace) = (before.deadline, before.namespace);
        prop_assert_eq!(Entry(&slot).header(), Header { namespace, deadline, ..after });
        prop_assert_eq!(Entry(&slot).key(), &key[..]);
        prop_assert_eq!(Entry(&slot).stored(), stored);
    }
}
