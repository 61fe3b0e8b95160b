use std::collections::BTreeMap;
use std::ops::Bound;

use proptest::prelude::*;

use super::*;

/// One step of a history; keys are few and short, so that steps meet.
#[derive(Debug, Clone)]
enum Step {
    Put(Vec<u8>, Vec<u8>, Option<i64>, Below),
    Delete(Vec<u8>),
    Clear,
    Commit,
    RollBack,
    Checkpoint,
    Reopen,
}

type Model = BTreeMap<Vec<u8>, (Vec<u8>, Option<i64>)>;

fn some_key() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(vec![0, b'a', b'b', 0xff]), 0..4)
}

fn some_step() -> impl Strategy<Value = Step> {
    let below = prop::sample::select(vec![Below::Absent, Below::Present, Below::Unknown]);
    let value = prop::collection::vec(any::<u8>(), 0..300);
    prop_oneof![
        12 => (some_key(), value, prop::option::of(0..50_i64), below)
            .prop_map(|(key, value, deadline, below)| Step::Put(key, value, deadline, below)),
        5 => some_key().prop_map(Step::Delete),
        1 => Just(Step::Clear),
        4 => Just(Step::Commit),
        1 => Just(Step::RollBack),
        1 => Just(Step::Checkpoint),
        1 => Just(Step::Reopen),
    ]
}

fn some_bound() -> impl Strategy<Value = Bound<Vec<u8>>> {
    prop_oneof![
        some_key().prop_map(Bound::Included),
        some_key().prop_map(Bound::Excluded),
        Just(Bound::Unbounded),
    ]
}

/// Applies the steps up to the next one that ends a transaction; says how it ended.
fn transact(
    file: &mut KeysFile,
    model: &mut Model,
    steps: &mut impl Iterator<Item = Step>,
) -> Option<Step> {
    let applied = file.applied() + 1;
    let mut draft = model.clone();
    let mut writing = file.begin().unwrap();
    for step in steps.by_ref() {
        match step {
            Step::Put(key, value, at_ms, below) => {
                let deadline = at_ms.map(|at_ms| Deadline { at_ms, absolute: false });
                let row = RowRef { deadline, ..row(&key, &value) };
                writing.put(&row, below).unwrap();
                draft.insert(key, (value, at_ms));
            }
            Step::Delete(key) => {
                assert_eq!(writing.delete(&key).unwrap(), draft.remove(&key).is_some());
            }
            Step::Clear => {
                writing.clear().unwrap();
                draft.clear();
            }
            Step::RollBack => return Some(step),
            Step::Commit | Step::Checkpoint | Step::Reopen => {
                writing.commit(applied).unwrap();
                *model = draft;
                return Some(step);
            }
        }
    }
    None
}

fn compare(file: &KeysFile, reader: &mut KeysReader, model: &Model) {
    assert_eq!(file.rows(), model.len() as u64);
    assert_eq!(reader.rows().unwrap(), model.len() as u64);
    assert_eq!(reader.applied().unwrap(), file.applied());
    let found: Model = reader
        .range(&Range::prefix(b""), false, usize::MAX)
        .unwrap()
        .into_iter()
        .map(|row| (row.key, (row.value, row.deadline.map(|deadline| deadline.at_ms))))
        .collect();
    assert_eq!(&found, model);
}

/// The model's own range panics where the bounds cross.
fn within(bound: &Range, key: &Vec<u8>) -> bool {
    let from = match &bound.from {
        Bound::Included(from) => key >= from,
        Bound::Excluded(from) => key > from,
        Bound::Unbounded => true,
    };
    let to = match &bound.to {
        Bound::Included(to) => key <= to,
        Bound::Excluded(to) => key < to,
        Bound::Unbounded => true,
    };
    from && to
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_history_reads_like_an_ordered_map(
        steps in prop::collection::vec(some_step(), 1..80),
        from in some_bound(),
        to in some_bound(),
        reverse in any::<bool>(),
        limit in 0..20_usize,
        now_ms in 0..50_i64,
    ) {
        let place = Place::new();
        let mut file = place.file();
        let mut reader = place.reader();
        let mut model = Model::new();
        let mut steps = steps.into_iter();
        while let Some(end) = transact(&mut file, &mut model, &mut steps) {
            match end {
                Step::Checkpoint => file.checkpoint(true).unwrap(),
                Step::Reopen => {
                    file.close().unwrap();
                    file = place.file();
                }
                _ => {}
            }
            compare(&file, &mut reader, &model);
        }
        prop_assert!(sound(&file));

        let range = Range { from, to, reverse };
        let mut expected: Vec<&[u8]> =
            model.keys().filter(|key| within(&range, key)).map(Vec::as_slice).collect();
        if reverse {
            expected.reverse();
        }
        expected.truncate(limit);
        let found = reader.range(&range, true, limit).unwrap();
        prop_assert_eq!(keys(&found), expected);

        let due = model.values().filter(|(_, at_ms)| at_ms.is_some_and(|at_ms| at_ms <= now_ms));
        let count = due.count();
        prop_assert_eq!(reader.expired_count(now_ms, 0).unwrap(), count as u64);
        let expired = reader.expired(now_ms, 0, limit).unwrap();
        prop_assert_eq!(expired.len(), count.min(limit));
        prop_assert!(expired.is_sorted_by_key(|row| row.deadline.map(|deadline| deadline.at_ms)));
        let drawn = reader.any(now_ms.cast_unsigned()).unwrap().map(|row| row.key);
        prop_assert_eq!(drawn.is_none(), model.is_empty());
        prop_assert!(drawn.is_none_or(|key| model.contains_key(&key)));
    }
}
