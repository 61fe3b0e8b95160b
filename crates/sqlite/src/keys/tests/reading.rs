use std::ops::Bound::{self, Excluded, Included, Unbounded};

use super::*;

type End = Bound<&'static [u8]>;

fn letters() -> Place {
    let place = Place::new();
    let mut file = place.file();
    put(&mut file, &[b"a", b"b", b"c", b"d", b"e"].map(|key| row(key, key)));
    file.close().unwrap();
    place
}

fn span(
    place: &Place,
    from: Bound<&[u8]>,
    to: Bound<&[u8]>,
    reverse: bool,
    limit: usize,
) -> String {
    let range = Range { from: from.map(<[u8]>::to_vec), to: to.map(<[u8]>::to_vec), reverse };
    let rows = place.reader().range(&range, false, limit).unwrap();
    assert!(rows.iter().all(|row| row.value == row.key));
    String::from_utf8(keys(&rows).concat()).unwrap()
}

#[test]
fn a_range_keeps_to_its_bounds_in_both_directions() {
    let place = letters();
    let cases: [(End, End, &str); 9] = [
        (Unbounded, Unbounded, "abcde"),
        (Included(b"b"), Unbounded, "bcde"),
        (Excluded(b"b"), Unbounded, "cde"),
        (Unbounded, Included(b"d"), "abcd"),
        (Unbounded, Excluded(b"d"), "abc"),
        (Included(b"b"), Excluded(b"d"), "bc"),
        (Excluded(b"aa"), Included(b"dd"), "bcd"),
        (Included(b"d"), Included(b"b"), ""),
        (Excluded(b"c"), Excluded(b"c"), ""),
    ];
    for (from, to, expected) in cases {
        assert_eq!(span(&place, from, to, false, 9), expected);
        let reversed: String = expected.chars().rev().collect();
        assert_eq!(span(&place, from, to, true, 9), reversed);
    }
}

#[test]
fn a_limit_takes_from_the_end_at_which_the_range_begins() {
    let place = letters();
    assert_eq!(span(&place, Unbounded, Unbounded, false, 2), "ab");
    assert_eq!(span(&place, Unbounded, Unbounded, true, 2), "ed");
    assert_eq!(span(&place, Unbounded, Unbounded, false, 0), "");
    assert_eq!(span(&place, Unbounded, Unbounded, false, usize::MAX), "abcde");
}

#[test]
fn keys_are_ordered_as_bytes() {
    let place = Place::new();
    let mut file = place.file();
    let ordered: [&[u8]; 8] = [b"", b"\0", b"\0\0", b"\x01", b"A", b"a", b"a\0", b"\xff"];
    let mut shuffled = ordered.map(|key| row(key, b""));
    shuffled.reverse();
    put(&mut file, &shuffled);
    let rows = place.reader().range(&Range::prefix(b""), true, 99).unwrap();
    assert_eq!(keys(&rows), ordered);
}

#[test]
fn a_prefix_ends_where_its_keys_end() {
    let place = Place::new();
    let mut file = place.file();
    let all: [&[u8]; 6] = [b"a", b"a\xff", b"a\xff\xff", b"b", b"\xff", b"\xff\xff"];
    put(&mut file, &all.map(|key| row(key, b"")));
    let mut reader = place.reader();
    let mut of = |prefix: &[u8]| reader.range(&Range::prefix(prefix), true, 99).unwrap().len();
    assert_eq!([of(b"a"), of(b"a\xff"), of(b"\xff"), of(b"c"), of(b"")], [3, 2, 2, 0, 6]);
}

#[test]
fn heads_have_no_value_and_everything_else() {
    let place = Place::new();
    let mut file = place.file();
    let whole = RowRef { length: Some(3), ..due(b"a", 5, true) };
    put(&mut file, &[RowRef { value: b"value", ..whole }]);
    let mut reader = place.reader();
    let head = reader.head(b"a").unwrap().unwrap();
    assert_eq!(head.as_ref(), whole);
    assert_eq!(reader.range(&Range::prefix(b""), true, 9).unwrap(), [head]);
    assert_eq!(reader.head(b"b").unwrap(), None);
}

#[test]
fn a_reader_sees_each_commit_and_nothing_before_it() {
    let place = Place::new();
    let mut file = place.file();
    let mut reader = place.reader();
    assert_eq!((reader.rows().unwrap(), reader.get(b"a").unwrap()), (0, None));
    let mut writing = file.begin().unwrap();
    writing.put(&row(b"a", b"1"), Below::Absent).unwrap();
    assert_eq!((reader.rows().unwrap(), reader.get(b"a").unwrap()), (0, None));
    writing.commit(1).unwrap();
    assert_eq!(reader.rows().unwrap(), 1);
    assert_eq!(reader.get(b"a").unwrap().unwrap().value, b"1");
}

#[test]
fn readers_in_other_threads_read_while_the_writer_writes() {
    let place = Place::new();
    let mut file = place.file();
    put(&mut file, &[row(b"left", b"0"), row(b"right", b"0")]);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            let mut reader = place.reader();
            scope.spawn(move || {
                for _ in 0..500 {
                    let pair = reader.range(&Range::prefix(b""), false, 9).unwrap();
                    assert_eq!(pair[0].value, pair[1].value);
                }
            });
        }
        for number in 0..200_u32 {
            let value = number.to_string();
            put(&mut file, &[row(b"left", value.as_bytes()), row(b"right", value.as_bytes())]);
            file.checkpoint(false).unwrap();
        }
    });
}

#[test]
fn a_reader_outlives_the_writer() {
    let place = Place::new();
    let mut file = place.file();
    put(&mut file, &[row(b"a", b"1")]);
    let mut reader = place.reader();
    file.close().unwrap();
    assert_eq!(reader.get(b"a").unwrap().unwrap().value, b"1");
    let mut file = place.file();
    put(&mut file, &[row(b"a", b"2")]);
    assert_eq!(reader.get(b"a").unwrap().unwrap().value, b"2");
}

#[test]
fn a_reader_cannot_write() {
    let place = letters();
    let reader = place.reader();
    assert!(reader.key("DELETE FROM keys WHERE key = ?1 RETURNING key", b"a").is_err());
}

#[test]
fn every_key_can_be_drawn_and_the_same_seed_draws_the_same() {
    let place = Place::new();
    let mut file = place.file();
    assert_eq!(place.reader().any(1).unwrap(), None);
    let mut names: Vec<Vec<u8>> = (0..50).map(|number| format!("user:{number}").into()).collect();
    names.extend([b"".to_vec(), b"user:".to_vec(), vec![0xff; 3], vec![0xff; 4], vec![0; 2]]);
    put(&mut file, &names.iter().map(|key| row(key, key)).collect::<Vec<_>>());
    let mut reader = place.reader();
    let drawn: Vec<Vec<u8>> =
        (0..2000).map(|seed| reader.any(seed).unwrap().unwrap().key).collect();
    for name in &names {
        let times = drawn.iter().filter(|key| *key == name).count();
        assert!(times > 0, "{name:?} is never drawn");
        assert!(times < 1000, "{name:?} is drawn {times} times of 2000");
    }
    assert_eq!(reader.any(7).unwrap().unwrap().key, drawn[7]);
}
