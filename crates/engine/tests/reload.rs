//! Building what is in memory anew from the disk of an open instance: nothing changes by it, for
//! nobody (INV-01, INV-04).

#![allow(clippy::unwrap_used, clippy::redundant_closure_for_method_calls, missing_docs)]

mod world;

use std::sync::atomic::{AtomicBool, Ordering};

use dwell_engine::{BatchOptions, Engine, NamespaceId, OwnedValue, Settings, Value, Watch};

use world::model::{Batch, Life, Maker, Model, Op, SPACES, perform};
use world::{Chance, World, by_hand, everything, run};

fn namespaces(engine: &Engine) -> Vec<NamespaceId> {
    (0..SPACES).map(|at| engine.namespace(at.to_string().as_bytes()).unwrap()).collect()
}

/// Every key of a namespace with its value, deadline and version.
type Image = Vec<(Vec<u8>, Vec<u8>, Option<i64>, u64)>;

fn count(engine: &Engine, namespace: NamespaceId) -> u64 {
    run(engine, namespace, |scope| scope.count()).unwrap()
}

fn image(engine: &Engine, namespace: NamespaceId) -> Image {
    let range = dwell_engine::Range { keys_only: true, ..everything() };
    let keys = run(engine, namespace, |scope| scope.scan(&range)).unwrap().rows;
    let one = |key: &[u8]| {
        run(engine, namespace, |scope| {
            let facts = scope.facts(key)?.unwrap();
            let value = scope.read(key)?.unwrap().to_vec();
            Ok((key.to_vec(), value, facts.deadline.map(|one| one.at_ms), facts.version))
        })
    };
    keys.iter().map(|row| one(&row.key).unwrap()).collect()
}

#[test]
fn a_reload_in_the_midst_of_work_changes_no_value_deadline_or_version() {
    for seed in 0..40 {
        let log_resident = seed % 4 != 3;
        let world = World::new(seed, Settings { log_resident, ..by_hand() });
        let engine = world.open();
        let names = namespaces(&engine);
        let mut chance = Chance(seed);
        let maker = Maker { keys: 14, length_max: 150_000 };
        let mut model = Model::default();
        for turn in 0..60 {
            let batch = Batch { fails: false, ..maker.batch(&mut chance) };
            model.run(&batch, engine.lock().now());
            run(&engine, names[batch.space], |scope| perform(scope, &names, &batch)).unwrap();
            match chance.below(9) {
                0 => drop(engine.drain_once().unwrap()),
                1 => engine.make_base().unwrap(),
                2 => world.clock.advance(500),
                3 => {
                    let look = |&one: &_| (image(&engine, one), count(&engine, one));
                    let before: Vec<_> = names.iter().map(look).collect();
                    engine.reload().unwrap();
                    let after: Vec<_> = names.iter().map(look).collect();
                    assert!(before == after, "seed {seed}, turn {turn}");
                }
                _ => {}
            }
        }
        let now = engine.lock().now();
        for (space, &name) in names.iter().enumerate() {
            let keys: Vec<_> = image(&engine, name).into_iter().map(|one| one.0).collect();
            assert_eq!(keys, model.live_keys(space, now), "seed {seed}");
        }
    }
}

#[test]
fn a_reload_drops_what_only_memory_holds_and_reads_a_spread_string_from_its_base() {
    let world = World::new(1, by_hand());
    let engine = world.open();
    let main = engine.namespace(b"0").unwrap();
    let long = vec![b'x'; 300_000];
    run(&engine, main, |scope| {
        let deadline = scope.now().after_ms(5_000);
        scope.put(b"disk", Value::Integer(1), None)?;
        scope.put(b"gone", Value::Integer(1), None)?;
        scope.put(b"memory", Value::Bytes(b"short"), deadline)?;
        scope.put(b"spread", Value::Bytes(&long), None)?;
        scope.set_deadline(b"spread", deadline).map(drop)
    })
    .unwrap();
    engine.drain_all().unwrap();
    run(&engine, main, |scope| scope.delete(b"gone")).unwrap();
    assert_eq!(run(&engine, main, |scope| Ok(scope.read(b"disk")?.is_some())), Ok(true));
    engine.reload().unwrap();
    let gathered = engine.stats().counters.gathered;
    assert_eq!(run(&engine, main, |scope| Ok(scope.read(b"disk")?.is_some())), Ok(true));
    assert_eq!(engine.stats().counters.gathered, gathered + 1, "it was read from its file");
    assert_eq!(run(&engine, main, |scope| Ok(scope.read(b"gone")?.is_some())), Ok(false));
    let spread = run(&engine, main, |scope| Ok(scope.read(b"spread")?.unwrap().to_vec()));
    assert!(spread.unwrap() == long);
    world.clock.advance(5_000);
    engine.tidy_some().unwrap();
    assert_eq!(run(&engine, main, |scope| scope.count()), Ok(1), "deadlines are in order again");
}

#[test]
fn a_watcher_sees_no_change_in_a_reload_and_every_change_around_it() {
    let world = World::new(2, by_hand());
    let engine = world.open();
    let main = engine.namespace(b"0").unwrap();
    let put = |key: &[u8], ttl_ms: Option<i64>| {
        run(&engine, main, |scope| {
            let deadline = ttl_ms.and_then(|ms| scope.now().after_ms(ms));
            scope.put(key, Value::Integer(1), deadline)
        })
        .unwrap();
    };
    let watch = |key: &[u8]| -> Watch { run(&engine, main, |scope| scope.watch(key)).unwrap() };
    put(b"disk", None);
    put(b"memory", Some(9_000));
    put(b"deleted", None);
    run(&engine, main, |scope| scope.delete(b"deleted")).unwrap();
    let keys = [&b"disk"[..], b"memory", b"deleted", b"never"];
    let before = keys.map(watch);
    engine.reload().unwrap();
    assert_eq!(keys.map(watch), before);
    for key in keys {
        put(key, None);
    }
    engine.reload().unwrap();
    for (key, before) in keys.into_iter().zip(before) {
        assert_ne!(watch(key), before);
    }
}

#[test]
fn batches_of_other_threads_wait_for_a_reload_and_none_is_lost() {
    let world = World::new(3, Settings::default());
    let engine = world.open();
    let main = engine.namespace(b"0").unwrap();
    let is_over = AtomicBool::new(false);
    let count = std::thread::scope(|scope| {
        let writers: Vec<_> = [None, Some(1_000_000)]
            .into_iter()
            .map(|ttl_ms| {
                let (engine, is_over) = (&engine, &is_over);
                scope.spawn(move || {
                    let key = format!("{ttl_ms:?}");
                    let mut count = 0;
                    while !is_over.load(Ordering::Relaxed) {
                        count += 1;
                        let result = engine.run(main, &BatchOptions::default(), |scope| {
                            let deadline = ttl_ms.and_then(|ms| scope.now().after_ms(ms));
                            scope.put(key.as_bytes(), Value::Integer(count), deadline)
                        });
                        result.unwrap();
                    }
                    (key, count)
                })
            })
            .collect();
        for _ in 0..10 {
            engine.reload().unwrap();
        }
        is_over.store(true, Ordering::Relaxed);
        writers.into_iter().map(|one| one.join().unwrap()).collect::<Vec<_>>()
    });
    for (key, count) in count {
        let read = |scope: &mut dwell_engine::Scope<'_>| {
            Ok(scope.read(key.as_bytes())?.map(|value| value.to_owned()))
        };
        let value = engine.run(main, &BatchOptions::default(), read).unwrap();
        assert_eq!(value, Some(OwnedValue::Integer(count)), "{key}");
    }
    engine.close().unwrap();
}

#[test]
fn where_residents_are_not_logged_a_kill_after_a_reload_still_loses_them() {
    let world = World::new(4, Settings { log_resident: false, ..by_hand() });
    let engine = world.open();
    let main = engine.namespace(b"0").unwrap();
    let batch = Batch {
        space: 0,
        ops: vec![Op::Put(b"cached".to_vec(), OwnedValue::Integer(1), Life::AfterMs(9_000))],
        fails: false,
    };
    run(&engine, main, |scope| perform(scope, &[main], &batch)).unwrap();
    engine.reload().unwrap();
    assert_eq!(run(&engine, main, |scope| scope.count()), Ok(1));
    engine.sync().unwrap();
    world.disk.kill();
    drop(engine);
    let engine = world.open();
    assert_eq!(run(&engine, main, |scope| scope.count()), Ok(0));
}
