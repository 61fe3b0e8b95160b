//! Claims about what each policy evicts, and what is never dropped.

#![allow(clippy::unwrap_used, missing_docs)]

use std::sync::Arc;

use crate::{
    BatchOptions, Engine, Eviction, Home, ManualClock, NamespaceId, Place, Settings, Sources, Value,
};

const NOW_MS: i64 = 1_800_000_000_000;

/// An engine without a disk, bounded, whose clock moves by hand.
fn bounded(eviction: Eviction, memory_bytes_max: u64) -> (Engine, NamespaceId, Arc<ManualClock>) {
    let settings = Settings {
        eviction,
        memory_bytes_max,
        background: false,
        eviction_samples: 64,
        ..Settings::default()
    };
    let clock = Arc::new(ManualClock::at(NOW_MS));
    let sources = Sources { clock: clock.clone(), seed: 5, ..Sources::default() };
    let engine = Engine::open(Place::Memory, settings, sources).unwrap();
    let main = engine.namespace(b"0").unwrap();
    (engine, main, clock)
}

fn put(
    engine: &Engine,
    main: NamespaceId,
    key: &str,
    ttl_ms: Option<i64>,
) -> Result<(), crate::Error> {
    engine.run(main, &BatchOptions::default(), |scope| {
        let deadline = ttl_ms.and_then(|ms| scope.now().after_ms(ms));
        scope.put(key.as_bytes(), Value::Bytes(&[7; 400]), deadline)
    })
}

fn has(engine: &Engine, main: NamespaceId, key: &str) -> bool {
    engine
        .run(main, &BatchOptions::default(), |scope| Ok(scope.facts(key.as_bytes())?.is_some()))
        .unwrap()
}

fn touch(engine: &Engine, main: NamespaceId, key: &str) {
    engine.run(main, &BatchOptions::default(), |scope| scope.touch(key.as_bytes())).unwrap();
}

#[test]
fn the_least_recently_used_key_goes_first() {
    let (engine, main, clock) = bounded(Eviction::AllkeysLru, 45_000);
    for number in 0..60 {
        put(&engine, main, &format!("old{number}"), None).unwrap();
        clock.advance(1000);
    }
    for number in 0..10 {
        touch(&engine, main, &format!("old{number}"));
    }
    clock.advance(1000);
    for number in 0..80 {
        put(&engine, main, &format!("new{number}"), None).unwrap();
        clock.advance(1000);
        for number in 0..10 {
            touch(&engine, main, &format!("old{number}"));
        }
    }
    assert!(engine.stats().counters.evicted > 20);
    assert!((0..10).all(|number| has(&engine, main, &format!("old{number}"))));
    assert!(has(&engine, main, "new79"));
}

#[test]
fn the_least_frequently_used_key_goes_first() {
    let (engine, main, _) = bounded(Eviction::AllkeysLfu, 60_000);
    for number in 0..20 {
        put(&engine, main, &format!("hot{number}"), None).unwrap();
        for _ in 0..200 {
            touch(&engine, main, &format!("hot{number}"));
        }
    }
    for number in 0..300 {
        put(&engine, main, &format!("cold{number}"), None).unwrap();
    }
    assert!(engine.stats().counters.evicted > 100);
    assert!((0..20).all(|number| has(&engine, main, &format!("hot{number}"))));
}

#[test]
fn a_volatile_policy_never_takes_a_key_without_a_deadline() {
    for policy in [
        Eviction::VolatileLru,
        Eviction::VolatileLfu,
        Eviction::VolatileRandom,
        Eviction::VolatileTtl,
    ] {
        let (engine, main, _) = bounded(policy, 60_000);
        for number in 0..30 {
            put(&engine, main, &format!("kept{number}"), None).unwrap();
        }
        for number in 0..200 {
            put(&engine, main, &format!("brief{number}"), Some(1_000_000)).unwrap();
        }
        assert!(engine.stats().counters.evicted > 50, "{policy:?}");
        assert!((0..30).all(|number| has(&engine, main, &format!("kept{number}"))), "{policy:?}");
        // With nothing left that may go, a write is refused.
        let refused = (0..400).map(|number| put(&engine, main, &format!("more{number}"), None));
        assert!(refused.into_iter().any(|result| result.is_err()), "{policy:?}");
    }
}

#[test]
fn under_volatile_ttl_the_key_that_ends_first_goes_first() {
    let (engine, main, _) = bounded(Eviction::VolatileTtl, 60_000);
    for number in 0..60 {
        put(&engine, main, &format!("k{number:02}"), Some(1_000_000 - number * 1000)).unwrap();
    }
    for number in 0..80 {
        put(&engine, main, &format!("late{number}"), Some(9_000_000)).unwrap();
    }
    let left: Vec<_> =
        (0..60).filter(|number| has(&engine, main, &format!("k{number:02}"))).collect();
    let count = left.len() as i64;
    assert!((1..60).contains(&count), "{count}");
    assert_eq!(left, (0..count).collect::<Vec<_>>());
}

#[test]
fn memory_stays_within_its_bound_under_a_storm_of_writes() {
    for policy in [Eviction::AllkeysLru, Eviction::AllkeysRandom, Eviction::VolatileTtl] {
        let (engine, main, _) = bounded(policy, 200_000);
        for number in 0..5000 {
            put(&engine, main, &format!("k{number}"), Some(1_000_000)).unwrap();
            assert!(engine.stats().used_bytes <= 200_000, "{policy:?}");
        }
    }
}

#[test]
fn without_a_policy_residents_move_to_disk_with_their_deadline_before_anything_is_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let settings = Settings { memory_bytes_max: 300_000, drain_after_ms: 1, ..Settings::default() };
    let place = Place::Directory(scratch.path().join("instance"));
    let engine = Engine::open(place, settings, Sources::default()).unwrap();
    let main = engine.namespace(b"0").unwrap();
    for number in 0..3000 {
        put(&engine, main, &format!("k{number}"), Some(100_000_000)).unwrap();
    }
    let stats = engine.stats();
    assert!(stats.counters.demoted > 1000, "{stats:?}");
    assert_eq!(stats.counters.evicted, 0);
    let mut on_disk = 0;
    for number in 0..3000 {
        let key = format!("k{number}");
        let facts = engine
            .run(main, &BatchOptions::default(), |scope| scope.facts(key.as_bytes()))
            .unwrap()
            .unwrap();
        assert!(facts.deadline.is_some(), "{key}");
        on_disk += u64::from(facts.home == Home::Disk);
    }
    assert!(on_disk > 1000, "{on_disk}");
    engine.close().unwrap();
}

#[test]
fn a_large_value_is_let_in_where_many_small_ones_may_go() {
    let (engine, main, _) = bounded(Eviction::AllkeysRandom, 300_000);
    for number in 0..2000 {
        put(&engine, main, &format!("k{number}"), None).unwrap();
    }
    let large = vec![1; 200_000];
    engine
        .run(main, &BatchOptions::default(), |scope| {
            scope.put(b"large", Value::Bytes(&large), None)
        })
        .unwrap();
    for number in 0..100 {
        put(&engine, main, &format!("k{number}"), None).unwrap();
    }
    assert!(engine.stats().used_bytes <= 300_000);
}

#[test]
fn one_large_value_evicts_as_many_small_ones_as_it_takes() {
    const MOST: u64 = 1_000_000;
    let (engine, main, _) = bounded(Eviction::AllkeysLru, MOST);
    for number in 0..5000 {
        put(&engine, main, &format!("small{number}"), None).unwrap();
    }
    for number in 0..30 {
        let key = format!("large{number}");
        let value = vec![7; 200_000];
        engine
            .run(main, &BatchOptions::default(), |scope| {
                scope.put(key.as_bytes(), Value::Bytes(&value), None)
            })
            .unwrap();
        let used = engine.stats().used_bytes;
        // The chunks' own bookkeeping comes on top, and goes in the background.
        assert!(used <= MOST + 1000, "{used} bytes after {number} large values");
    }
    assert!(has(&engine, main, "large29"));
}

#[test]
fn a_bound_that_is_lowered_is_held_soon_without_any_write() {
    let (engine, main, _) = bounded(Eviction::AllkeysLru, 10_000_000);
    for number in 0..5000 {
        put(&engine, main, &format!("k{number}"), None).unwrap();
    }
    assert!(engine.stats().used_bytes > 2_000_000);
    engine.adjust(|settings| settings.memory_bytes_max = 500_000).unwrap();
    put(&engine, main, "new", None).unwrap();
    for _ in 0..10 {
        engine.tidy_some().unwrap();
    }
    let used = engine.stats().used_bytes;
    assert!((100_000..=500_000).contains(&used), "{used}");
}
