//! Damage to what had been durable: an older base serves if the log reaches back to it, and all
//! else is refused with file and offset (INV-03, INV-05).

#![allow(clippy::unwrap_used, missing_docs)]

mod world;

use std::path::{Path, PathBuf};

use dwell_engine::disk::Disk;
use dwell_engine::{Engine, Error, ErrorKind, Value};

use world::{World, by_hand, everything, run};

fn files(world: &World, directory: &str) -> Vec<PathBuf> {
    let place = world.directory.path().join("instance").join(directory);
    let names = world.disk.list(&place).unwrap();
    names.iter().map(|name| place.join(name)).collect()
}

fn base(world: &World) -> PathBuf {
    let all = files(world, "base");
    assert_eq!(all.len(), 1);
    all[0].clone()
}

fn flip(world: &World, path: &Path, at: usize) {
    let mut bytes = world.disk.contents(path).unwrap();
    bytes[at] ^= 1;
    world.disk.put(path, bytes);
}

/// Residents and disk keys, some of them changed since the base before.
fn write(engine: &Engine, round: u8, value_bytes: usize) {
    let main = engine.namespace(b"0").unwrap();
    let value = vec![round; value_bytes];
    run(engine, main, |scope| {
        let deadline = scope.now().after_ms(1_000_000);
        for number in 0..20u8 {
            let key = [b'k', if number.is_multiple_of(2) { number } else { number + round * 20 }];
            scope.put(&key, Value::Bytes(&value), deadline)?;
        }
        scope.put(b"disk", Value::Integer(round.into()), None)?;
        scope.delete(&[b'k', 2 * round]).map(drop)
    })
    .unwrap();
}

/// Keys and values in their order.
type Contents = Vec<(Vec<u8>, Vec<u8>)>;

fn contents(engine: &Engine) -> Contents {
    let main = engine.namespace(b"0").unwrap();
    let range = everything();
    let rows = run(engine, main, |scope| scope.scan(&range)).unwrap().rows;
    rows.into_iter().map(|row| (row.key, row.value.unwrap().view().to_vec())).collect()
}

/// An instance after a kill whose older base was put back beside the newest, and what it holds.
fn with_two_bases(value_bytes: usize) -> (World, PathBuf, Contents) {
    let world = World::new(1, by_hand());
    let engine = world.open();
    write(&engine, 1, value_bytes);
    engine.drain_all().unwrap();
    engine.make_base().unwrap();
    let (older, bytes) = (base(&world), world.disk.contents(&base(&world)).unwrap());
    for round in 2..5 {
        write(&engine, round, value_bytes);
        engine.drain_all().unwrap();
    }
    engine.make_base().unwrap();
    let newest = base(&world);
    write(&engine, 5, value_bytes);
    let held = contents(&engine);
    world.disk.kill();
    drop(engine);
    world.disk.put(&older, bytes);
    (world, newest, held)
}

fn refusal(world: &World) -> Error {
    world.try_open().err().expect("it is refused")
}

#[test]
fn a_damaged_base_is_passed_over_for_an_older_one_and_nothing_is_missing() {
    let (world, newest, held) = with_two_bases(200);
    let size_bytes = world.disk.contents(&newest).unwrap().len();
    for at in (0..size_bytes).step_by(97).chain([size_bytes - 1]) {
        // The version in the header, whose change is a newer format and not damage.
        if (8..12).contains(&at) {
            continue;
        }
        flip(&world, &newest, at);
        let engine = world.open();
        assert!(contents(&engine) == held, "damaged at {at}");
        let told = engine.opening().damaged_base.clone().unwrap();
        assert!(told.contains(&*newest.to_string_lossy()), "{told}");
        world.disk.kill();
        drop(engine);
        flip(&world, &newest, at);
    }
    assert_eq!(world.open().opening().damaged_base, None);
}

#[test]
fn without_an_older_base_the_log_serves_from_its_beginning() {
    let (world, newest, held) = with_two_bases(200);
    for path in files(&world, "base").into_iter().filter(|path| *path != newest) {
        world.disk.remove(&path).unwrap();
    }
    flip(&world, &newest, 200);
    let engine = world.open();
    assert!(contents(&engine) == held);
    assert!(engine.opening().damaged_base.is_some());
    engine.make_base().unwrap();
    engine.close().unwrap();
    drop(engine);
    assert_eq!(world.open().opening().damaged_base, None);
}

#[test]
fn a_damaged_base_behind_which_the_log_was_removed_is_refused_with_file_and_offset() {
    let (world, newest, _) = with_two_bases(20_000);
    flip(&world, &newest, 200);
    let error = refusal(&world);
    assert_eq!(error.kind, ErrorKind::Corrupt);
    assert!(error.message.contains(&*newest.to_string_lossy()), "{error}");
    assert!(error.message.ends_with("at the offset: 128"), "{error}");
    assert!(error.hint.is_some());
    assert!(refusal(&world) == error, "nothing was changed");
}

#[test]
fn a_log_that_ends_before_what_a_file_has_applied_is_damaged_and_not_torn() {
    let world = World::new(2, by_hand());
    let engine = world.open();
    write(&engine, 1, 200);
    engine.drain_all().unwrap();
    world.disk.kill();
    drop(engine);
    let log = files(&world, "log").into_iter().find(|one| one.extension().is_some()).unwrap();
    let whole = world.disk.contents(&log).unwrap();
    let record = whole[4096..].windows(4).position(|bytes| bytes == b"disk").unwrap();
    // A flipped bit in the last record, and all behind it gone: as a torn tail would look.
    let mut torn = whole.clone();
    torn[4096 + record] ^= 1;
    torn[4096 + record + 30..].fill(0);
    for bytes in [torn, whole[..4096].to_vec()] {
        world.disk.put(&log, bytes);
        let error = refusal(&world);
        assert_eq!(error.kind, ErrorKind::Corrupt);
        assert!(error.message.contains("ends before what was durable"), "{error}");
        assert!(error.message.contains(&*log.to_string_lossy()), "{error}");
    }
    world.disk.put(&log, whole);
    assert_eq!(contents(&world.open()).len(), 20);
}
