//! Many threads over one engine with its own threads at work and homes that change all the time:
//! no increment is lost, a condition has one winner, no older value follows a newer one, nothing
//! deleted comes back, scans miss nothing. INV-01.

#![allow(clippy::unwrap_used, clippy::redundant_closure_for_method_calls, missing_docs)]

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use dwell_engine::{
    BatchOptions, Engine, NamespaceId, Place, Range, Scope, Settings, Sources, Stop, Value,
};

const THREADS: u64 = 4;

struct Bench {
    engine: Engine,
    main: NamespaceId,
    _directory: tempfile::TempDir,
}

impl Bench {
    /// An engine in which everything is drained and let go as soon as it can be.
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let settings = Settings {
            drain_after_ms: 1,
            probation_bytes_max: 4000,
            promoted_bytes_max: 4000,
            promote_ms: 20,
            sync_interval_ms: 5,
            base_after_bytes: 4 << 20,
            segment_bytes: 1 << 20,
            ..Settings::default()
        };
        let place = Place::Directory(directory.path().join("instance"));
        let engine = Engine::open(place, settings, Sources::default()).unwrap();
        let main = engine.namespace(b"0").unwrap();
        Self { engine, main, _directory: directory }
    }

    fn run<T>(&self, batch: impl FnMut(&mut Scope<'_>) -> Result<T, Stop>) -> T {
        self.engine.run(self.main, &BatchOptions::default(), batch).unwrap()
    }

    fn number(&self, key: &[u8]) -> i64 {
        self.run(|scope| number(scope, key))
    }
}

fn number(scope: &mut Scope<'_>, key: &[u8]) -> Result<i64, Stop> {
    Ok(match scope.read(key)? {
        Some(Value::Integer(number)) => number,
        _ => 0,
    })
}

/// The home changes with the lifetime.
fn put_somewhere(scope: &mut Scope<'_>, key: &[u8], value: i64, roll: u64) -> Result<(), Stop> {
    let deadline = if roll.is_multiple_of(2) { scope.now().after_ms(10_000_000) } else { None };
    scope.put(key, Value::Integer(value), deadline)
}

fn mixed(seed: u64) -> u64 {
    let mut mixed = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed ^ (mixed >> 31)
}

#[test]
fn counters_lose_no_increment_while_their_keys_change_homes() {
    const KEYS: u64 = 50;
    const EACH: u64 = 100_000;
    let bench = Bench::new();
    thread::scope(|threads| {
        for thread in 0..THREADS {
            let bench = &bench;
            threads.spawn(move || {
                for step in 0..EACH {
                    let roll = mixed(thread << 32 | step);
                    let key = format!("counter{}", roll % KEYS);
                    bench.run(|scope| {
                        let now = number(scope, key.as_bytes())?;
                        put_somewhere(scope, key.as_bytes(), now + 1, roll >> 20)
                    });
                }
            });
        }
    });
    let sum: i64 = (0..KEYS).map(|at| bench.number(format!("counter{at}").as_bytes())).sum();
    assert_eq!(sum, (THREADS * EACH) as i64);
    bench.engine.drain_all().unwrap();
    assert_eq!(bench.run(|scope| scope.count()), KEYS);
    bench.engine.close().unwrap();
}

/// Whoever finds the number of the round takes it and sets the next.
fn take_round(scope: &mut Scope<'_>, round: i64, thread: u64) -> Result<(i64, bool), Stop> {
    let found = number(scope, b"round")?;
    if found != round {
        return Ok((found, false));
    }
    if found % 3 == 0 {
        scope.delete(b"round")?;
    }
    put_somewhere(scope, b"round", found + 1, thread + found as u64)?;
    Ok((found + 1, true))
}

/// Deletes the key, or gives it a value in some home.
fn change(scope: &mut Scope<'_>, key: &[u8], value: Option<i64>, roll: u64) -> Result<(), Stop> {
    match value {
        Some(value) => put_somewhere(scope, key, value, roll),
        None => scope.delete(key).map(drop),
    }
}

#[test]
fn a_condition_has_exactly_one_winner() {
    const ROUNDS: i64 = 40_000;
    let bench = Bench::new();
    let wins = AtomicI64::new(0);
    thread::scope(|threads| {
        for thread in 0..THREADS {
            let (bench, wins) = (&bench, &wins);
            threads.spawn(move || {
                let mut round = 0;
                while round < ROUNDS {
                    let (found, won) = bench.run(|scope| take_round(scope, round, thread));
                    assert!(found >= round, "an older value after a newer: {found} {round}");
                    wins.fetch_add(i64::from(won), Ordering::Relaxed);
                    round = found;
                }
            });
        }
    });
    assert_eq!(wins.load(Ordering::Relaxed), ROUNDS);
    bench.engine.close().unwrap();
}

#[test]
fn no_older_value_follows_a_newer_one_and_nothing_deleted_comes_back() {
    const KEYS: u64 = 40;
    const EACH: u64 = 80_000;
    let bench = Bench::new();
    // What has been acknowledged for each key; a deletion is an odd number.
    let known: Vec<AtomicU64> = (0..KEYS).map(|_| AtomicU64::new(1)).collect();
    let is_over = AtomicBool::new(false);
    thread::scope(|threads| {
        let mut writers = Vec::new();
        for thread in 0..2 {
            let (bench, known) = (&bench, &known);
            writers.push(threads.spawn(move || {
                for step in 0..EACH {
                    let roll = mixed(thread << 32 | step);
                    // Each writer has keys of its own, so that it knows what is newest.
                    let at = roll % (KEYS / 2) * 2 + thread;
                    let key = format!("key{at}");
                    let before = known[at as usize].load(Ordering::SeqCst);
                    let deletes = (roll >> 8).is_multiple_of(4);
                    let after = (before + 2) & !1 | u64::from(deletes);
                    let value = (!deletes).then_some(after as i64);
                    bench.run(|scope| change(scope, key.as_bytes(), value, roll >> 20));
                    known[at as usize].store(after, Ordering::SeqCst);
                }
            }));
        }
        for thread in 0..2 {
            let (bench, known, is_over) = (&bench, &known, &is_over);
            threads.spawn(move || {
                let mut step = 0;
                while !is_over.load(Ordering::SeqCst) {
                    step += 1;
                    let at = mixed(thread << 40 | step) % KEYS;
                    let before = known[at as usize].load(Ordering::SeqCst);
                    let found = bench.number(format!("key{at}").as_bytes()) as u64;
                    let after = known[at as usize].load(Ordering::SeqCst);
                    let is_newest = before == after && before % 2 == 0 && found == before;
                    // Unchanged and deleted: absent, or already written anew.
                    let is_gone = before % 2 == 1 && (found == 0 || found > before);
                    let is_newer = found == 0 || found >= before;
                    assert!(
                        is_newest || is_gone || (before % 2 == 0 && is_newer),
                        "key{at}: {found} after {before}"
                    );
                }
            });
        }
        for writer in writers {
            writer.join().unwrap();
        }
        is_over.store(true, Ordering::SeqCst);
    });
    for (at, known) in known.iter().enumerate() {
        let known = known.load(Ordering::SeqCst);
        let expected = if known % 2 == 1 { 0 } else { known };
        assert_eq!(bench.number(format!("key{at}").as_bytes()) as u64, expected, "key{at}");
    }
    bench.engine.close().unwrap();
}

#[test]
fn key_01_a_scan_returns_each_key_that_stays_exactly_once_while_others_churn() {
    const KEPT: u64 = 300;
    let bench = Bench::new();
    for at in 0..KEPT {
        bench.run(|scope| put_somewhere(scope, format!("kept{at:03}").as_bytes(), 1, at));
    }
    let is_over = AtomicBool::new(false);
    thread::scope(|threads| {
        for thread in 0..2 {
            let (bench, is_over) = (&bench, &is_over);
            threads.spawn(move || {
                let mut step = 0;
                while !is_over.load(Ordering::SeqCst) {
                    step += 1;
                    let roll = mixed(thread << 32 | step);
                    // Kept keys move between the homes, others come and go between them.
                    let kept = format!("kept{:03}", roll % KEPT);
                    bench.run(|scope| put_somewhere(scope, kept.as_bytes(), 2, roll >> 20));
                    let other = format!("kept{:03}x{}", roll >> 9 & 255, roll & 3);
                    let value = (roll >> 40 & 1 == 1).then_some(3);
                    bench.run(|scope| change(scope, other.as_bytes(), value, roll >> 30));
                }
            });
        }
        let scans = 40;
        for scan in 0..scans {
            let reverse = scan % 2 == 1;
            let mut range = Range {
                prefix: b"kept".to_vec(),
                after: None,
                reverse,
                limit: 50,
                keys_only: true,
            };
            let mut found = Vec::new();
            loop {
                let page = bench.run(|scope| scope.scan(&range));
                found.extend(page.rows.into_iter().map(|row| row.key));
                match page.next {
                    Some(next) => range.after = Some(next),
                    None => break,
                }
            }
            let kept = found.iter().filter(|key| key.len() == 7).count() as u64;
            assert_eq!(kept, KEPT, "scan {scan}");
            let is_sorted = found.windows(2).all(|two| (two[0] < two[1]) != reverse);
            assert!(is_sorted, "scan {scan} is out of order, or repeats a key");
        }
        is_over.store(true, Ordering::SeqCst);
    });
    bench.engine.close().unwrap();
}

#[test]
fn flushes_in_between_leave_nothing_behind() {
    let bench = Bench::new();
    for round in 0..60 {
        thread::scope(|threads| {
            for thread in 0..THREADS {
                let bench = &bench;
                threads.spawn(move || {
                    for step in 0..40 {
                        let key = format!("{thread}:{step}");
                        bench.run(|scope| put_somewhere(scope, key.as_bytes(), 1, thread + step));
                    }
                });
            }
        });
        if round % 3 == 0 {
            thread::sleep(Duration::from_millis(3));
        }
        bench.run(|scope| scope.clear());
        assert_eq!(bench.run(|scope| scope.count()), 0);
        assert_eq!(bench.number(b"0:1"), 0);
    }
    bench.engine.drain_all().unwrap();
    assert_eq!(bench.run(|scope| scope.count()), 0);
    bench.engine.close().unwrap();
}
