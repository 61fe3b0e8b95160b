#![allow(clippy::unwrap_used, clippy::redundant_closure_for_method_calls)]

use std::time::Duration;

use super::settle::Committed;
use crate::engine::Engine;
use crate::gather::Gathered;
use crate::namespace::NamespaceId;
use crate::scope::Stop;
use crate::settings::{Place, Settings, Sources};
use crate::turn::BatchOptions;
use crate::value::Value;

const KEYS: u64 = 10;

fn open(directory: &std::path::Path) -> (Engine, NamespaceId) {
    let settings = Settings { background: false, ..Settings::default() };
    let place = Place::Directory(directory.join("instance"));
    let engine = Engine::open(place, settings, Sources::default()).unwrap();
    let main = engine.namespace(b"0").unwrap();
    (engine, main)
}

fn put(engine: &Engine, main: NamespaceId, key: &[u8]) {
    let options = BatchOptions::default();
    engine.run(main, &options, |scope| scope.put(key, Value::Integer(1), None)).unwrap();
}

fn count(engine: &Engine, main: NamespaceId) -> u64 {
    engine.run(main, &BatchOptions::default(), |scope| scope.count()).unwrap()
}

#[test]
fn keys_whose_rows_were_just_committed_are_counted_once() {
    let directory = tempfile::tempdir().unwrap();
    let (engine, main) = open(directory.path());
    put(&engine, main, b"before");
    engine.close().unwrap();
    // After opening nobody knows how many rows there are.
    let (engine, main) = open(directory.path());
    for number in 0..KEYS {
        put(&engine, main, format!("k{number}").as_bytes());
    }
    let disk = engine.disk_tier().unwrap();
    let mut drainer = engine.drainer().lock();
    let file = &mut drainer.open(disk, main).unwrap().file;
    let mut sweep = engine.begin_sweep(main);
    let all = 0..sweep.keys.len();
    let mut writing = file.begin().unwrap();
    let written = engine.write_rows(&mut sweep, all.clone(), u64::MAX, &mut writing).unwrap();
    engine.secure(written.newest, sweep.failures).unwrap();
    assert_eq!(count(&engine, main), KEYS + 1);
    engine.begin_settling(&sweep);
    writing.commit(sweep.cut).unwrap();
    // Whoever counts between the commit and the settling is told to wait.
    let stop =
        engine
            .lock()
            .batch(main, &BatchOptions::default(), &mut Gathered::default(), |scope| scope.count());
    assert!(matches!(stop, Err(Stop::Delay { .. })));
    let rows = file.rows();
    let (bytes, took) = (written.bytes, Duration::ZERO);
    engine.settle_rows(&sweep, all, &Committed { cleared: false, bytes, took, rows });
    engine.finish_sweep(&sweep, rows);
    assert_eq!(count(&engine, main), KEYS + 1);
}
