//! Bases that are made, and segments that are removed, while keys come and go.

#![allow(clippy::unwrap_used, clippy::redundant_closure_for_method_calls, missing_docs)]

mod world;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dwell_engine::disk::Disk;
use dwell_engine::log::survey;
use dwell_engine::{Range, Settings, Value};

use world::{World, by_hand, everything, run};

/// LOG-06.
#[test]
fn log_06_no_key_loses_its_short_lifetime_while_the_log_is_compacted() {
    let world = World::new(6, Settings { segment_bytes: 20_000, ..by_hand() });
    let engine = world.open();
    let main = engine.namespace(b"0").unwrap();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let compacting = scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                engine.make_base().unwrap();
                engine.keep_some().unwrap();
            }
        });
        for number in 0..10_000u32 {
            run(&engine, main, |scope| {
                let deadline = scope.now().after_ms(1 + i64::from(number % 50));
                scope.put(&number.to_le_bytes(), Value::Integer(1), deadline)
            })
            .unwrap();
            if number % 100 == 0 {
                world.clock.advance(1);
                engine.tidy_some().unwrap();
            }
        }
        is_over.store(true, Ordering::Relaxed);
        compacting.join().unwrap();
    });
    assert!(engine.stats().base_sequence > 0);
    engine.sync().unwrap();
    world.disk.kill();
    drop(engine);
    let disk: Arc<dyn Disk> = Arc::new(world.disk.clone());
    let survey = survey(&disk, &world.directory.path().join("instance/log")).unwrap();
    assert!(survey.damage.is_none());
    let engine = world.open();
    let range = Range { keys_only: true, ..everything() };
    let rows = run(&engine, main, |scope| scope.scan(&range)).unwrap().rows;
    assert!(rows.len() > 1000, "{} keys are left", rows.len());
    for row in rows {
        let facts = run(&engine, main, |scope| scope.facts(&row.key)).unwrap().unwrap();
        assert!(facts.deadline.is_some(), "{:?}", row.key);
    }
    world.clock.advance(50);
    while engine.expire_some().unwrap() {}
    assert_eq!(run(&engine, main, |scope| scope.count()), Ok(0));
}
