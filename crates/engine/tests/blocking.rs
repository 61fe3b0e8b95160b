//! No file and no fsync is waited for under the engine's lock: while the log's disk stands still,
//! others take the lock, read what is in memory and write (INV-06).

#![allow(clippy::unwrap_used, missing_docs)]

mod world;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use dwell_engine::disk::{Operation, Verdict};
use dwell_engine::{BatchOptions, Durability, Engine, Gathered, Range, Stop, Value};
use parking_lot::{Condvar, Mutex};

use world::{World, by_hand, run_unsettled};

/// A gate in front of a step of the disk.
#[derive(Default)]
struct Gate {
    /// Whether someone waits, and whether all may pass.
    state: Mutex<(bool, bool)>,
    changed: Condvar,
}

impl Gate {
    fn pass(&self) {
        let mut state = self.state.lock();
        state.0 = true;
        self.changed.notify_all();
        while !state.1 {
            self.changed.wait(&mut state);
        }
    }

    fn wait_for_someone(&self) {
        let mut state = self.state.lock();
        while !state.0 {
            self.changed.wait(&mut state);
        }
    }

    fn open(&self) {
        self.state.lock().1 = true;
        self.changed.notify_all();
    }
}

/// While `work` stands still at an operation of the log's disk, everything in memory goes on.
fn stands_still(stops_at: Operation, work: impl FnOnce(&Engine) + Send) {
    let world = World::new(1, by_hand());
    let engine = world.open();
    let main = engine.namespace(b"0").unwrap();
    let put = |key: &'static [u8], value: i64| {
        run_unsettled(&engine, main, |scope| {
            let deadline = scope.now().after_ms(1_000_000);
            scope.put(key, Value::Integer(value), deadline)
        })
        .unwrap()
        .1
    };
    engine.settle(&put(b"resident", 1)).unwrap();
    let dirty = |value: i64| {
        run_unsettled(&engine, main, |scope| scope.put(b"dirty", Value::Integer(value), None))
            .unwrap()
            .1
    };
    dirty(1);
    let gate = Arc::new(Gate::default());
    let at_the_gate = Arc::clone(&gate);
    world.disk.on_step(move |step| {
        if step.operation == stops_at {
            at_the_gate.pass();
        }
        Verdict::Go
    });
    thread::scope(|threads| {
        let waiting = threads.spawn(|| work(&engine));
        gate.wait_for_someone();
        let read = |key: &[u8]| {
            run_unsettled(&engine, main, |scope| Ok(scope.read(key)?.map(|value| value.to_vec())))
                .unwrap()
                .0
        };
        assert_eq!(read(b"resident").as_deref(), Some(&b"1"[..]));
        assert_eq!(read(b"dirty").as_deref(), Some(&b"1"[..]));
        let ticket = put(b"resident", 2);
        dirty(2);
        assert_eq!(read(b"resident").as_deref(), Some(&b"2"[..]));
        assert_eq!(read(b"dirty").as_deref(), Some(&b"2"[..]));
        let _ = engine.is_settled(&ticket);
        engine.expire_some().unwrap();
        assert!(engine.stats().used_bytes > 0);
        gate.open();
        waiting.join().unwrap();
        world.disk.clear_hook();
        engine.settle(&ticket).unwrap();
    });
    engine.close().unwrap();
}

#[test]
fn a_write_of_the_log_that_stands_still_stops_nobody_else() {
    stands_still(Operation::Write, |engine| engine.sync().unwrap());
}

#[test]
fn an_fsync_that_stands_still_stops_nobody_else() {
    stands_still(Operation::Sync, |engine| engine.sync().unwrap());
}

#[test]
fn a_drain_that_waits_for_the_log_stops_nobody_else() {
    stands_still(Operation::Sync, |engine| engine.drain_all().unwrap());
}

#[test]
fn a_base_that_stands_still_stops_nobody_else() {
    stands_still(Operation::Create, |engine| engine.make_base().unwrap());
}

#[test]
fn a_batch_that_waits_for_durability_stops_nobody_else() {
    stands_still(Operation::Sync, |engine| {
        let main = engine.namespace(b"0").unwrap();
        let options = BatchOptions { durability: Some(Durability::Always) };
        engine.run(main, &options, |scope| scope.put(b"other", Value::Void, None)).unwrap();
    });
}

#[test]
fn a_long_gather_leaves_the_lock_to_others() {
    let world = World::new(2, by_hand());
    let engine = world.open();
    let main = engine.namespace(b"0").unwrap();
    for number in 0..200 {
        let key = format!("k{number}");
        run_unsettled(&engine, main, |scope| {
            scope.put(key.as_bytes(), Value::Bytes(&vec![1; 60_000]), None)
        })
        .unwrap();
    }
    engine.drain_all().unwrap();
    let (is_gathering, is_over) = (AtomicBool::new(false), AtomicBool::new(false));
    let locked = AtomicU64::new(0);
    thread::scope(|threads| {
        threads.spawn(|| {
            while !is_over.load(Ordering::SeqCst) {
                let turn = engine.try_lock();
                if turn.is_some() && is_gathering.load(Ordering::SeqCst) {
                    locked.fetch_add(1, Ordering::SeqCst);
                }
            }
        });
        let range = Range {
            prefix: Vec::new(),
            after: None,
            reverse: false,
            limit: 1000,
            keys_only: false,
        };
        let enough = || locked.load(Ordering::SeqCst) > 100;
        while !enough() {
            let mut gathered = Gathered::default();
            let options = BatchOptions::default();
            let result =
                engine.lock().batch(main, &options, &mut gathered, |scope| scope.scan(&range));
            if let Err(Stop::Gather(missing)) = result {
                is_gathering.store(true, Ordering::SeqCst);
                engine.gather(&missing, &mut gathered).unwrap();
                is_gathering.store(false, Ordering::SeqCst);
            }
        }
        is_over.store(true, Ordering::SeqCst);
    });
}
