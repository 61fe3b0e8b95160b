//! Restoring to a time: the exact prefix, over segments, bases and files (LOG-09, LOG-11, INV-04).

#![allow(clippy::unwrap_used, missing_docs)]

use std::path::Path;
use std::sync::Arc;

use dwell_engine::{
    BatchOptions, Engine, ErrorKind, ManualClock, OwnedValue, Place, Settings, Sources, Value,
    points, restore,
};

const NOW_MS: i64 = 1_800_000_000_000;

fn settings(history_ms: u64) -> Settings {
    Settings { background: false, history_ms, segment_bytes: 4096, ..Settings::default() }
}

fn sources(clock: &Arc<ManualClock>) -> Sources {
    Sources { clock: clock.clone(), seed: 3, ..Sources::default() }
}

fn open(directory: &Path, clock: &Arc<ManualClock>, history_ms: u64) -> Engine {
    let place = Place::Directory(directory.to_owned());
    Engine::open(place, settings(history_ms), sources(clock)).unwrap()
}

fn put(engine: &Engine, key: &str, value: &str, ttl_ms: Option<i64>) {
    let main = engine.namespace(b"0").unwrap();
    engine
        .run(main, &BatchOptions::default(), |scope| {
            let deadline = ttl_ms.and_then(|ms| scope.now().after_ms(ms));
            scope.put(key.as_bytes(), Value::Bytes(value.as_bytes()), deadline)
        })
        .unwrap();
}

fn read(engine: &Engine, key: &str) -> Option<String> {
    let main = engine.namespace(b"0").unwrap();
    engine
        .run(main, &BatchOptions::default(), |scope| {
            let value = scope.read(key.as_bytes())?;
            Ok(value.map(|value| String::from_utf8(value.to_vec()).unwrap()))
        })
        .unwrap()
}

#[test]
fn log_11_a_restore_to_each_second_gives_the_exact_prefix_over_bases_and_files() {
    let scratch = tempfile::tempdir().unwrap();
    let source = scratch.path().join("source");
    let clock = Arc::new(ManualClock::at(NOW_MS));
    let engine = open(&source, &clock, 3_600_000);
    for second in 0..10 {
        put(&engine, "disk", &second.to_string(), None);
        put(&engine, "memory", &second.to_string(), Some(100_000));
        put(&engine, &format!("k{second}"), "x", (second % 2 == 0).then_some(50_000));
        if second == 3 || second == 7 {
            engine.drain_all().unwrap();
        }
        if second == 4 {
            engine.make_base().unwrap();
        }
        clock.advance(1_000);
    }
    engine.sync().unwrap();
    assert_eq!(points(&source).unwrap().len(), 1);
    for second in 0..10i64 {
        let target = scratch.path().join(format!("restored-{second}"));
        let until_ms = NOW_MS + second * 1_000 + 500;
        restore(&source, &target, until_ms, settings(0), sources(&clock)).unwrap();
        let restored = open(&target, &clock, 0);
        assert_eq!(read(&restored, "disk"), Some(second.to_string()), "at {second}");
        assert_eq!(read(&restored, "memory"), Some(second.to_string()), "at {second}");
        for other in 0..10 {
            let expected = (other <= second).then(|| "x".to_owned());
            assert_eq!(read(&restored, &format!("k{other}")), expected, "{other} at {second}");
        }
        put(&restored, "disk", "new", None);
        restored.close().unwrap();
        assert_eq!(read(&open(&target, &clock, 0), "disk").as_deref(), Some("new"));
    }
    assert_eq!(read(&engine, "disk").as_deref(), Some("9"));
}

/// LOG-14: a restore cuts all namespaces at one record.
#[test]
fn log_14_a_restore_gives_the_same_commit_point_in_every_namespace() {
    let scratch = tempfile::tempdir().unwrap();
    let source = scratch.path().join("source");
    let clock = Arc::new(ManualClock::at(NOW_MS));
    let engine = open(&source, &clock, 3_600_000);
    let names = [&b"0"[..], b"other"].map(|name| engine.namespace(name).unwrap());
    for number in 0..40i64 {
        engine
            .run(names[0], &BatchOptions::default(), |scope| {
                scope.put(b"number", Value::Integer(number), None)?;
                scope.select(names[1]);
                let deadline = scope.now().after_ms(1_000_000);
                scope.put(b"number", Value::Integer(number), deadline)?;
                scope.put(b"disk", Value::Integer(number), None)
            })
            .unwrap();
        // A drain between, so that the files themselves have come to different points.
        if number % 7 == 3 {
            engine.drain_once().unwrap();
        }
        if number % 10 == 5 {
            engine.make_base().unwrap();
        }
        clock.advance(100);
    }
    engine.sync().unwrap();
    for number in (0..40i64).step_by(3) {
        let target = scratch.path().join(format!("restored-{number}"));
        let until_ms = NOW_MS + number * 100 + 50;
        restore(&source, &target, until_ms, settings(0), sources(&clock)).unwrap();
        let restored = open(&target, &clock, 0);
        for (name, key) in [(names[0], &b"number"[..]), (names[1], b"number"), (names[1], b"disk")]
        {
            let found = restored
                .run(name, &BatchOptions::default(), |scope| {
                    Ok(scope.read(key)?.map(|value| value.to_owned()))
                })
                .unwrap();
            assert_eq!(found, Some(OwnedValue::Integer(number)), "{name:?}");
        }
    }
}

/// INV-08: what a kept restore point needs is not deleted.
#[test]
fn inv_08_a_kept_point_restores_and_a_time_before_the_oldest_is_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let source = scratch.path().join("source");
    let clock = Arc::new(ManualClock::at(NOW_MS));
    let engine = open(&source, &clock, 5_000);
    for second in 0..20 {
        for filler in 0..30 {
            put(&engine, &format!("f{filler}"), &"y".repeat(2_000), None);
        }
        put(&engine, "a", &second.to_string(), None);
        engine.drain_all().unwrap();
        engine.make_base().unwrap();
        clock.advance(1_000);
    }
    let kept = points(&source).unwrap();
    assert!((6..=8).contains(&kept.len()), "{} points are kept", kept.len());
    let target = scratch.path().join("too-early");
    let result = restore(&source, &target, NOW_MS + 2_500, settings(0), sources(&clock));
    assert_eq!(result.unwrap_err().kind, ErrorKind::Invalid);
    let target = scratch.path().join("in-time");
    restore(&source, &target, NOW_MS + 16_500, settings(0), sources(&clock)).unwrap();
    assert_eq!(read(&open(&target, &clock, 0), "a").as_deref(), Some("16"));
}

#[test]
fn a_restore_never_overwrites_what_is_there() {
    let scratch = tempfile::tempdir().unwrap();
    let clock = Arc::new(ManualClock::at(NOW_MS));
    let source = scratch.path().join("source");
    let engine = open(&source, &clock, 1_000);
    put(&engine, "a", "1", None);
    let result = restore(&source, &source, NOW_MS, settings(0), sources(&clock));
    assert_eq!(result.unwrap_err().kind, ErrorKind::Invalid);
    assert_eq!(read(&engine, "a").as_deref(), Some("1"));
}
