//! Lifetimes where they go wrong elsewhere: a clock that stands still (TTL-05), deadlines on disk
//! over a restart (TTL-08), a cap with a separate expiry job (TTL-09), and very many tiny values
//! on disk (TTL-10).

#![allow(clippy::unwrap_used, clippy::redundant_closure_for_method_calls, missing_docs)]

mod world;

use std::sync::Arc;

use dwell_engine::limits::SLICE_KEYS;
use dwell_engine::{
    Clock, Engine, ErrorKind, ManualClock, NamespaceId, Place, Placement, Settings, Sources, Value,
    WatchedClock,
};

use world::{NOW_MS, World, by_hand, run};

fn put(engine: &Engine, main: NamespaceId, key: &str, ttl_ms: i64) -> Result<(), ErrorKind> {
    let result = run(engine, main, |scope| {
        let deadline = scope.now().after_ms(ttl_ms);
        scope.put(key.as_bytes(), Value::Bytes(b"value"), deadline)
    });
    result.map_err(|error| error.kind)
}

fn has(engine: &Engine, main: NamespaceId, key: &str) -> bool {
    run(engine, main, |scope| Ok(scope.facts(key.as_bytes())?.is_some())).unwrap()
}

/// The clock of a machine whose monotonic source has stopped.
struct Stopped(Arc<ManualClock>);

impl Clock for Stopped {
    fn monotonic_ms(&self) -> i64 {
        0
    }

    fn wall_ms(&self) -> i64 {
        self.0.wall_ms()
    }
}

#[test]
fn ttl_05_keys_expire_and_an_alarm_is_raised_when_the_clock_stands_still() {
    let wall = Arc::new(ManualClock::at(NOW_MS));
    let clock = Arc::new(WatchedClock::new(Stopped(wall.clone())));
    let sources = Sources { clock, seed: 7, ..Sources::default() };
    let engine = Engine::open(Place::Memory, by_hand(), sources).unwrap();
    let main = engine.namespace(b"0").unwrap();
    put(&engine, main, "brief", 2_000).unwrap();
    put(&engine, main, "lasting", 600_000).unwrap();
    assert!(!engine.stats().clock_stands_still);
    for _ in 0..1_000 {
        // What the thread that expires does by itself, every 50 milliseconds.
        wall.step_wall(50);
        engine.expire_some().unwrap();
    }
    assert!(engine.stats().clock_stands_still);
    assert_eq!(engine.stats().counters.expired, 1);
    assert!(!has(&engine, main, "brief"));
    assert!(has(&engine, main, "lasting"));
}

#[test]
fn ttl_08_deadlines_on_disk_expire_after_a_restart() {
    for is_drained in [false, true] {
        for is_closed in [false, true] {
            let world = World::new(8, Settings { placement: Placement::Disk, ..by_hand() });
            let engine = world.open();
            let main = engine.namespace(b"0").unwrap();
            put(&engine, main, "brief", 60_000).unwrap();
            put(&engine, main, "longer", 120_000).unwrap();
            if is_drained {
                engine.drain_all().unwrap();
            }
            if is_closed {
                engine.close().unwrap();
            }
            drop(engine);

            world.clock.advance(30_000);
            let engine = world.open();
            let main = engine.namespace(b"0").unwrap();
            assert!(has(&engine, main, "brief"), "{is_drained} {is_closed}");
            world.clock.advance(30_000);
            assert!(!has(&engine, main, "brief"), "{is_drained} {is_closed}");
            assert!(has(&engine, main, "longer"), "{is_drained} {is_closed}");

            // Nobody asks for the other one: it goes by itself.
            engine.drain_all().unwrap();
            world.clock.advance(60_000);
            engine.tidy_some().unwrap();
            engine.drain_all().unwrap();
            assert_eq!(run(&engine, main, |scope| scope.count()).unwrap(), 0);
        }
    }
}

#[test]
fn ttl_09_a_cap_holds_without_eviction_and_expiry_works_in_bounded_steps() {
    const CAP_BYTES: u64 = 512 << 10;
    // A write is let in by the length of its key and value; its entry takes a little more.
    const ENTRY_BYTES: u64 = 128;
    let clock = Arc::new(ManualClock::at(NOW_MS));
    let sources = Sources { clock: clock.clone(), seed: 9, ..Sources::default() };
    let settings = Settings { memory_bytes_max: CAP_BYTES, ..by_hand() };
    let engine = Engine::open(Place::Memory, settings, sources).unwrap();
    let main = engine.namespace(b"0").unwrap();
    let fill = |round: usize| {
        (0..100_000)
            .take_while(|number| {
                let written = put(&engine, main, &format!("{round}:{number}"), 1_000);
                assert!(engine.stats().used_bytes <= CAP_BYTES + ENTRY_BYTES);
                assert!(written.is_ok() || written == Err(ErrorKind::Full));
                written.is_ok()
            })
            .count()
    };

    let held = fill(0);
    assert!(held > 2 * SLICE_KEYS, "{held}");
    assert_eq!(engine.stats().counters.evicted, 0);
    clock.advance(1_001);
    let mut expired = 0;
    loop {
        let has_more = engine.expire_some().unwrap();
        let now_expired = engine.stats().counters.expired;
        assert!(now_expired - expired <= SLICE_KEYS as u64);
        expired = now_expired;
        if !has_more {
            break;
        }
    }
    assert_eq!(expired, held as u64);
    assert_eq!(fill(1), held);
}

#[test]
fn ttl_10_many_tiny_values_on_disk_leave_memory_to_the_working_set() {
    const COPIES_BYTES: u64 = 64 << 10;
    const KEYS: usize = 50_000;
    const WORKING: usize = 100;
    let settings = Settings {
        probation_bytes_max: COPIES_BYTES,
        promoted_bytes_max: COPIES_BYTES,
        promote_ms: 600_000,
        ..by_hand()
    };
    let world = World::new(10, settings);
    let engine = world.open();
    let main = engine.namespace(b"0").unwrap();
    let key = |number: usize| format!("key:{number:08}").into_bytes();
    for first in (0..KEYS).step_by(1_000) {
        run(&engine, main, |scope| {
            (first..first + 1_000)
                .try_for_each(|number| scope.put(&key(number), Value::Bytes(b"1"), None))
        })
        .unwrap();
    }
    engine.drain_all().unwrap();
    engine.forget_copies();
    assert!(engine.stats().used_bytes < 4 * COPIES_BYTES, "{}", engine.stats().used_bytes);

    let read = |number: usize| {
        run(&engine, main, |scope| Ok(scope.read(&key(number))?.is_some())).unwrap()
    };
    for _ in 0..2 {
        assert!((0..WORKING).all(read));
    }
    for number in WORKING..KEYS {
        assert!(read(number));
        if number % 100 == 0 {
            engine.tidy_some().unwrap();
            let used_bytes = engine.stats().used_bytes;
            assert!(used_bytes < 4 * COPIES_BYTES, "{used_bytes} after {number}");
        }
    }
    let gathered = engine.stats().counters.gathered;
    assert!((0..WORKING).all(read));
    assert_eq!(engine.stats().counters.gathered, gathered, "the working set was pushed out");
}
