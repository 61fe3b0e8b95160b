use super::*;

fn filled() -> (Place, KeysFile) {
    let place = Place::new();
    let mut file = place.file();
    put(
        &mut file,
        &[
            due(b"engine-30", 30, false),
            due(b"engine-10", 10, false),
            due(b"wall-20", 20, true),
            due(b"wall-40", 40, true),
            due(b"engine-50", 50, false),
            row(b"forever", b""),
        ],
    );
    (place, file)
}

fn expired(place: &Place, engine_ms: i64, wall_ms: i64, limit: usize) -> Vec<String> {
    let rows = place.reader().expired(engine_ms, wall_ms, limit).unwrap();
    rows.into_iter().map(|row| String::from_utf8(row.key).unwrap()).collect()
}

#[test]
fn what_has_expired_on_either_clock_comes_earliest_first() {
    let (place, _file) = filled();
    assert_eq!(expired(&place, 30, 40, 9), ["engine-10", "wall-20", "engine-30", "wall-40"]);
    assert_eq!(expired(&place, 100, 0, 9), ["engine-10", "engine-30", "engine-50"]);
    assert_eq!(expired(&place, 0, 100, 9), ["wall-20", "wall-40"]);
    assert_eq!(expired(&place, 9, 19, 9), Vec::<String>::new());
}

#[test]
fn a_limit_keeps_the_earliest() {
    let (place, _file) = filled();
    assert_eq!(expired(&place, 100, 100, 3), ["engine-10", "wall-20", "engine-30"]);
    assert_eq!(expired(&place, 100, 100, 0), Vec::<String>::new());
}

#[test]
fn the_count_is_of_what_has_expired() {
    let (place, _file) = filled();
    let mut reader = place.reader();
    assert_eq!(reader.expired_count(30, 40).unwrap(), 4);
    assert_eq!(reader.expired_count(i64::MAX, i64::MAX).unwrap(), 5);
    assert_eq!(reader.expired_count(i64::MIN, i64::MIN).unwrap(), 0);
}

#[test]
fn a_deadline_that_moves_or_goes_is_followed() {
    let (place, mut file) = filled();
    put(&mut file, &[due(b"engine-10", 60, true), row(b"wall-20", b"")]);
    assert_eq!(expired(&place, 30, 60, 9), ["engine-30", "wall-40", "engine-10"]);
    let mut writing = file.begin().unwrap();
    writing.delete(b"engine-30").unwrap();
    writing.commit(9).unwrap();
    assert_eq!(expired(&place, 30, 60, 9), ["wall-40", "engine-10"]);
    assert!(sound(&file));
}

#[test]
fn finding_what_has_expired_scans_no_table() {
    let (place, _file) = filled();
    let stranger = rusqlite::Connection::open(place.path()).unwrap();
    let explain = format!("EXPLAIN QUERY PLAN {}", super::super::reader::EXPIRED);
    let mut plan = stranger.prepare(&explain).unwrap();
    let steps: Vec<String> =
        plan.query_map([1, 1, 1], |row| row.get(3)).unwrap().map(Result::unwrap).collect();
    let scans = steps.iter().filter(|step| step.starts_with("SCAN keys")).count();
    let searches = steps.iter().filter(|step| step.contains("USING INDEX deadlines")).count();
    assert_eq!((scans, searches), (0, 2), "{steps:?}");
    assert!(!steps.iter().any(|step| step.contains("TEMP B-TREE")), "{steps:?}");
}
