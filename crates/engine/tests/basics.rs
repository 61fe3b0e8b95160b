//! The engine end to end, on real files: what is written is read, where it lives, and what a
//! restart keeps.

#![allow(clippy::unwrap_used, clippy::redundant_closure_for_method_calls, missing_docs)]

use std::sync::Arc;

use dwell_engine::{
    BatchOptions, Durability, Engine, Gathered, Home, ManualClock, NamespaceId, Place, Placement,
    Range, Settings, Sources, Stop, Value,
};

const NOW_MS: i64 = 1_800_000_000_000;

struct Bench {
    directory: tempfile::TempDir,
    clock: Arc<ManualClock>,
    settings: Settings,
}

impl Bench {
    fn new() -> Self {
        Self::with(Settings { background: false, ..Settings::default() })
    }

    fn with(settings: Settings) -> Self {
        let directory = tempfile::tempdir().unwrap();
        Self { directory, clock: Arc::new(ManualClock::at(NOW_MS)), settings }
    }

    fn open(&self) -> (Engine, NamespaceId) {
        let place = Place::Directory(self.directory.path().join("instance"));
        let sources = Sources { clock: self.clock.clone(), seed: 7, ..Sources::default() };
        let engine = Engine::open(place, self.settings.clone(), sources).unwrap();
        let main = engine.namespace(b"0").unwrap();
        (engine, main)
    }
}

fn put(engine: &Engine, main: NamespaceId, key: &[u8], value: &[u8], ttl_ms: Option<i64>) {
    engine
        .run(main, &BatchOptions::default(), |scope| {
            let deadline = ttl_ms.and_then(|ms| scope.now().after_ms(ms));
            scope.put(key, Value::Bytes(value), deadline)
        })
        .unwrap();
}

fn read(engine: &Engine, main: NamespaceId, key: &[u8]) -> Option<Vec<u8>> {
    engine
        .run(main, &BatchOptions::default(), |scope| {
            Ok(scope.read(key)?.map(|value| value.to_vec()))
        })
        .unwrap()
}

fn delete(engine: &Engine, main: NamespaceId, key: &[u8]) -> bool {
    engine.run(main, &BatchOptions::default(), |scope| scope.delete(key)).unwrap()
}

fn home(engine: &Engine, main: NamespaceId, key: &[u8]) -> Option<Home> {
    engine
        .run(main, &BatchOptions::default(), |scope| Ok(scope.facts(key)?.map(|facts| facts.home)))
        .unwrap()
}

fn count(engine: &Engine, main: NamespaceId) -> u64 {
    engine.run(main, &BatchOptions::default(), |scope| scope.count()).unwrap()
}

fn keys(engine: &Engine, main: NamespaceId, prefix: &[u8], reverse: bool) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    let mut range =
        Range { prefix: prefix.to_vec(), after: None, reverse, limit: 3, keys_only: true };
    loop {
        let page = engine.run(main, &BatchOptions::default(), |scope| scope.scan(&range)).unwrap();
        all.extend(page.rows.into_iter().map(|row| row.key));
        match page.next {
            Some(next) => range.after = Some(next),
            None => return all,
        }
    }
}

#[test]
fn a_lifetime_decides_the_home_and_changing_it_moves_the_key() {
    let bench = Bench::new();
    let (engine, main) = bench.open();
    put(&engine, main, b"a", b"1", None);
    put(&engine, main, b"b", b"2", Some(100_000));
    assert_eq!(home(&engine, main, b"a"), Some(Home::Disk));
    assert_eq!(home(&engine, main, b"b"), Some(Home::Memory));
    engine.drain_all().unwrap();
    let moved = engine.run(main, &BatchOptions::default(), |scope| {
        let deadline = scope.now().after_ms(5_000);
        Ok((scope.set_deadline(b"a", deadline)?, scope.set_deadline(b"b", None)?))
    });
    assert_eq!(moved.unwrap(), (true, true));
    assert_eq!(home(&engine, main, b"a"), Some(Home::Memory));
    assert_eq!(home(&engine, main, b"b"), Some(Home::Disk));
    engine.drain_all().unwrap();
    assert_eq!(count(&engine, main), 2);
    bench.clock.advance(5_001);
    assert_eq!(read(&engine, main, b"a"), None);
    assert_eq!(read(&engine, main, b"b").as_deref(), Some(&b"2"[..]));
    engine.close().unwrap();
}

#[test]
fn inv_03_an_acknowledged_write_survives_a_kill_whatever_its_home() {
    let bench = Bench::new();
    let (engine, main) = bench.open();
    put(&engine, main, b"a", b"1", None);
    put(&engine, main, b"b", b"2", Some(100_000));
    put(&engine, main, b"c", b"3", None);
    engine.drain_once().unwrap();
    put(&engine, main, b"c", b"4", None);
    assert!(delete(&engine, main, b"a"));
    drop(engine);
    bench.clock.advance(1_000);
    let (engine, main) = bench.open();
    assert_eq!(read(&engine, main, b"a"), None);
    assert_eq!(read(&engine, main, b"b").as_deref(), Some(&b"2"[..]));
    assert_eq!(read(&engine, main, b"c").as_deref(), Some(&b"4"[..]));
    let left = engine
        .run(main, &BatchOptions::default(), |scope| {
            let deadline = scope.facts(b"b")?.unwrap().deadline.unwrap();
            Ok(scope.now().left_ms(deadline))
        })
        .unwrap();
    assert_eq!(left, 99_000);
    assert_eq!(count(&engine, main), 2);
    engine.close().unwrap();
    let (engine, main) = bench.open();
    assert!(engine.opening().was_clean);
    assert_eq!(read(&engine, main, b"b").as_deref(), Some(&b"2"[..]));
    assert_eq!(keys(&engine, main, b"", false), [b"b".to_vec(), b"c".to_vec()]);
}

#[test]
fn residents_that_are_not_logged_are_gone_after_a_kill_and_kept_by_a_clean_stop() {
    let settings = Settings { background: false, log_resident: false, ..Settings::default() };
    let bench = Bench::with(settings);
    let (engine, main) = bench.open();
    put(&engine, main, b"a", b"1", None);
    put(&engine, main, b"b", b"2", Some(100_000));
    drop(engine);
    let (engine, main) = bench.open();
    assert_eq!(read(&engine, main, b"a").as_deref(), Some(&b"1"[..]));
    assert_eq!(read(&engine, main, b"b"), None);
    put(&engine, main, b"b", b"3", Some(100_000));
    engine.close().unwrap();
    let (engine, main) = bench.open();
    assert_eq!(read(&engine, main, b"b").as_deref(), Some(&b"3"[..]));
    put(&engine, main, b"b", b"4", Some(100_000));
    drop(engine);
    let (engine, main) = bench.open();
    assert_eq!(read(&engine, main, b"b"), None);
}

#[test]
fn scans_merge_both_homes_in_order_and_count_is_exact() {
    let bench = Bench::new();
    let (engine, main) = bench.open();
    for number in 0..40u32 {
        let ttl_ms = (number % 3 == 0).then_some(50_000);
        put(&engine, main, format!("k{number:02}").as_bytes(), b"x", ttl_ms);
        if number == 20 {
            engine.drain_all().unwrap();
        }
    }
    for number in [1, 2, 3, 30, 31] {
        assert!(delete(&engine, main, format!("k{number:02}").as_bytes()));
    }
    let expected: Vec<Vec<u8>> = (0..40u32)
        .filter(|number| ![1, 2, 3, 30, 31].contains(number))
        .map(|number| format!("k{number:02}").into_bytes())
        .collect();
    assert_eq!(keys(&engine, main, b"k", false), expected);
    let mut backwards = expected.clone();
    backwards.reverse();
    assert_eq!(keys(&engine, main, b"", true), backwards);
    assert_eq!(keys(&engine, main, b"k1", false), expected[7..17].to_vec());
    assert_eq!(count(&engine, main), 35);
    engine.drain_all().unwrap();
    assert_eq!(keys(&engine, main, b"k", false), expected);
    assert_eq!(count(&engine, main), 35);
    engine.run(main, &BatchOptions::default(), |scope| scope.clear()).unwrap();
    assert_eq!(count(&engine, main), 0);
    put(&engine, main, b"z", b"1", None);
    drop(engine);
    let (engine, main) = bench.open();
    assert_eq!(keys(&engine, main, b"", false), [b"z".to_vec()]);
    engine.drain_all().unwrap();
    assert_eq!(count(&engine, main), 1);
}

#[test]
fn a_long_string_is_spread_and_edited_in_parts() {
    let bench = Bench::new();
    let (engine, main) = bench.open();
    let mut model = vec![7u8; 300_000];
    put(&engine, main, b"big", &model, Some(1_000_000));
    assert_eq!(home(&engine, main, b"big"), Some(Home::Disk));
    let edit = |offset: u64, data: &[u8]| {
        engine
            .run(main, &BatchOptions::default(), |scope| scope.patch(b"big", offset, data))
            .unwrap()
    };
    edit(65_530, b"0123456789");
    model[65_530..65_540].copy_from_slice(b"0123456789");
    engine.drain_all().unwrap();
    edit(400_000, b"end");
    model.resize(400_003, 0);
    model[400_000..].copy_from_slice(b"end");
    assert_eq!(read(&engine, main, b"big").unwrap(), model);
    drop(engine);
    let (engine, main) = bench.open();
    assert_eq!(read(&engine, main, b"big").unwrap(), model);
    let part = engine
        .run(main, &BatchOptions::default(), |scope| scope.read_range(b"big", 65_525, 65_545))
        .unwrap();
    assert_eq!(part.unwrap(), model[65_525..65_545]);
    engine.close().unwrap();
    let (engine, main) = bench.open();
    assert_eq!(read(&engine, main, b"big").unwrap(), model);
    put(&engine, main, b"big", b"short", None);
    engine.drain_all().unwrap();
    put(&engine, main, b"other", b"", None);
    let grown = engine
        .run(main, &BatchOptions::default(), |scope| scope.patch(b"big", 200_000, b"!"))
        .unwrap();
    assert_eq!(grown, 200_001);
    engine.drain_all().unwrap();
    let mut sparse = vec![0; 200_001];
    sparse[..5].copy_from_slice(b"short");
    sparse[200_000] = b'!';
    assert_eq!(read(&engine, main, b"big").unwrap(), sparse);
}

#[test]
fn the_other_rules_place_everything_in_one_home() {
    for (placement, expected) in [(Placement::Memory, Home::Memory), (Placement::Disk, Home::Disk)]
    {
        let settings = Settings { background: false, placement, ..Settings::default() };
        let bench = Bench::with(settings);
        let (engine, main) = bench.open();
        put(&engine, main, b"a", b"1", None);
        put(&engine, main, b"b", b"2", Some(9_000));
        assert_eq!(home(&engine, main, b"a"), Some(expected));
        assert_eq!(home(&engine, main, b"b"), Some(expected));
        engine.close().unwrap();
        bench.clock.advance(10_000);
        let (engine, main) = bench.open();
        assert_eq!(read(&engine, main, b"a").as_deref(), Some(&b"1"[..]));
        engine.tidy_some().unwrap();
        engine.drain_all().unwrap();
        assert_eq!(count(&engine, main), 1);
    }
}

#[test]
fn a_second_opener_is_told_who_has_it() {
    let bench = Bench::new();
    let (engine, _) = bench.open();
    let place = Place::Directory(bench.directory.path().join("instance"));
    let error = Engine::open(place, Settings::default(), Sources::default()).err().unwrap();
    assert_eq!(error.kind, dwell_engine::ErrorKind::Busy);
    assert!(error.message.contains(&std::process::id().to_string()), "{error}");
    engine.close().unwrap();
    bench.open();
}

#[test]
fn always_waits_for_the_fsync_and_a_batch_may_ask_for_it() {
    let bench = Bench::new();
    let (engine, main) = bench.open();
    let options = BatchOptions { durability: Some(Durability::Always) };
    engine.run(main, &options, |scope| scope.put(b"k", Value::Integer(5), None)).unwrap();
    let stats = engine.stats();
    assert_eq!(stats.synced_sequence, stats.sequence);
    put(&engine, main, b"l", b"1", None);
    let stats = engine.stats();
    assert_eq!(stats.written_sequence, stats.sequence);
    assert!(stats.synced_sequence < stats.sequence);
}

#[test]
fn a_long_value_that_becomes_short_leaves_no_chunk_in_its_file() {
    let bench = Bench::new();
    let (engine, main) = bench.open();
    put(&engine, main, b"big", &vec![7; 300_000], None);
    engine.drain_all().unwrap();
    put(&engine, main, b"big", b"short", None);
    engine.drain_all().unwrap();
    engine.close().unwrap();
    let path = bench.directory.path().join("instance/0.keys");
    let mut reader = dwell_sqlite::KeysReader::open(&path).unwrap().unwrap();
    assert!((0..5).all(|number| reader.chunk(b"big", number).unwrap().is_none()));
    assert_eq!(reader.get(b"big").unwrap().unwrap().value, b"short");
}

#[test]
fn expired_rows_leave_their_file_without_being_asked_for() {
    let settings =
        Settings { background: false, placement: Placement::Disk, ..Settings::default() };
    let bench = Bench::with(settings);
    let (engine, main) = bench.open();
    for number in 0..5000u32 {
        put(&engine, main, format!("k{number}").as_bytes(), b"x", Some(1000));
    }
    put(&engine, main, b"kept", b"x", None);
    engine.drain_all().unwrap();
    bench.clock.advance(1000);
    for _ in 0..8 {
        engine.tidy_some().unwrap();
        engine.drain_all().unwrap();
        bench.clock.advance(1000);
    }
    assert_eq!(engine.stats().spaces[0].rows, Some(1));
    assert_eq!(count(&engine, main), 1);
}

#[test]
fn a_copy_serves_the_second_read_and_the_third_within_the_window_keeps_it() {
    let settings = Settings {
        background: false,
        probation_bytes_max: 20_000,
        promote_ms: 60_000,
        ..Settings::default()
    };
    let bench = Bench::with(settings);
    let (engine, main) = bench.open();
    for number in 0..2000u32 {
        put(&engine, main, format!("k{number:04}").as_bytes(), &[b'x'; 100], None);
    }
    engine.drain_all().unwrap();
    engine.forget_copies();
    let gathered = || engine.stats().counters.gathered;
    read(&engine, main, b"k0000");
    let first = gathered();
    read(&engine, main, b"k0000");
    assert_eq!((gathered(), engine.stats().counters.promoted), (first, 1));
    // A pass over everything pushes out only what was read once.
    for number in 1..2000u32 {
        read(&engine, main, format!("k{number:04}").as_bytes());
        engine.tidy_some().unwrap();
    }
    let before = gathered();
    read(&engine, main, b"k0000");
    assert_eq!(gathered(), before);
    read(&engine, main, b"k0001");
    assert_eq!(gathered(), before + 1);
    bench.clock.advance(60_001);
    engine.tidy_some().unwrap();
    read(&engine, main, b"k0000");
    assert_eq!(gathered(), before + 2);
}

#[test]
fn several_scans_and_what_a_batch_has_itself_deleted_end_in_one_batch() {
    let bench = Bench::new();
    let (engine, main) = bench.open();
    for number in 0..30u32 {
        let ttl_ms = (number % 2 == 0).then_some(9000);
        put(&engine, main, format!("k{number:02}").as_bytes(), b"x", ttl_ms);
    }
    engine.drain_all().unwrap();
    engine.forget_copies();
    let page = |prefix: &[u8]| Range {
        prefix: prefix.to_vec(),
        after: None,
        reverse: false,
        limit: 100,
        keys_only: false,
    };
    let found = engine
        .run(main, &BatchOptions::default(), |scope| {
            let one = scope.scan(&page(b"k0"))?.rows.len();
            assert!(scope.delete(b"k02")?);
            assert!(scope.read(b"k02")?.is_none());
            let other = scope.scan(&page(b"k1"))?.rows.len();
            let again = scope.scan(&page(b"k0"))?.rows.len();
            Ok((one, other, again))
        })
        .unwrap();
    assert_eq!(found, (10, 10, 9));
}

#[test]
fn a_random_key_is_found_however_many_rows_wait_for_their_deletion() {
    let bench = Bench::new();
    let (engine, main) = bench.open();
    for number in 0..200u32 {
        put(&engine, main, format!("k{number:03}").as_bytes(), b"x", None);
    }
    engine.drain_all().unwrap();
    for number in 0..199u32 {
        assert!(delete(&engine, main, format!("k{number:03}").as_bytes()));
    }
    engine.forget_copies();
    for _ in 0..20 {
        let found = engine.run(main, &BatchOptions::default(), |scope| scope.random_key());
        assert_eq!(found.unwrap().as_deref(), Some(&b"k199"[..]));
        engine.forget_copies();
    }
    assert!(delete(&engine, main, b"k199"));
    let none = engine.run(main, &BatchOptions::default(), |scope| scope.random_key()).unwrap();
    assert_eq!(none, None);
}

#[test]
fn a_drain_leaves_no_more_copies_than_probation_may_hold() {
    let settings =
        Settings { background: false, probation_bytes_max: 50_000, ..Settings::default() };
    let bench = Bench::with(settings);
    let (engine, main) = bench.open();
    for number in 0..5000u32 {
        put(&engine, main, format!("k{number}").as_bytes(), &[b'x'; 100], None);
    }
    engine.drain_all().unwrap();
    assert!(engine.stats().probation_bytes <= 50_000);
    assert_eq!(count(&engine, main), 5000);
}

#[test]
fn a_long_log_of_few_keys_is_drained_before_the_time() {
    let settings = Settings { dirty_bytes_max: 1 << 20, ..Settings::default() };
    let bench = Bench::with(settings);
    let (engine, main) = bench.open();
    // The clock stands, so that no change grows old.
    for number in 0..1_000_000u32 {
        put(&engine, main, b"key", &[number as u8; 1000], None);
        if engine.stats().applied_sequence > 0 {
            return;
        }
        std::thread::sleep(std::time::Duration::from_micros(20));
    }
    panic!("a log of a gigabyte was never drained");
}

#[test]
fn a_read_that_leaves_accesses_does_not_count_and_a_touch_does() {
    let bench = Bench::new();
    let (engine, main) = bench.open();
    put(&engine, main, b"a", b"1", Some(1_000_000));
    bench.clock.advance(10_000);
    let idle_ms = |touches: bool| {
        engine
            .run(main, &BatchOptions::default(), |scope| {
                scope.leave_accesses();
                scope.read(b"a")?;
                if touches {
                    scope.touch(b"a")?;
                }
                scope.idle_ms(b"a")
            })
            .unwrap()
    };
    assert!(idle_ms(false).unwrap() >= 9_000);
    assert!(idle_ms(true).unwrap() < 1_000);
}

#[test]
fn a_batch_that_needs_more_than_the_copies_may_take_comes_to_an_end() {
    const COUNT: usize = 60;
    let bench = Bench::with(Settings {
        background: false,
        probation_bytes_max: 1 << 20,
        ..Settings::default()
    });
    let (engine, main) = bench.open();
    let value = vec![b'v'; 200_000];
    let key_of = |number: usize| format!("cold{number}").into_bytes();
    for number in 0..COUNT {
        put(&engine, main, &key_of(number), &value, None);
    }
    engine.drain_all().unwrap();
    engine.forget_copies();
    let mut gathered = Gathered::default();
    let mut stops = 0;
    let read = loop {
        let result = engine.lock().batch(main, &BatchOptions::default(), &mut gathered, |scope| {
            let mut read = 0;
            for number in 0..COUNT {
                read += scope.read(&key_of(number))?.map_or(0, |value| value.to_vec().len());
            }
            Ok(read)
        });
        match result {
            Ok(read) => break read,
            Err(Stop::Gather(missing)) => {
                engine.gather(&missing, &mut gathered).unwrap();
                // What is too much goes, as it would in the background.
                engine.tidy_some().unwrap();
            }
            Err(stop) => panic!("{stop:?}"),
        }
        stops += 1;
        assert!(stops < 5 * COUNT, "what was brought goes before the rest has come");
    };
    assert_eq!(read, COUNT * value.len());
    let held = engine.stats().probation_bytes;
    drop(gathered);
    for _ in 0..COUNT {
        engine.tidy_some().unwrap();
    }
    let left = engine.stats().probation_bytes;
    assert!(left <= 1 << 20 && left < held, "{held} bytes of copies became {left}");
}
