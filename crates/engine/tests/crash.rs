//! Power loss at every step of the log's disk, and writes that fail: what is there afterwards is
//! an exact prefix of the batches, no shorter than what was acknowledged as durable. The files of
//! SQLite lose what it has not synced at the same moment. INV-02, INV-03, INV-04.

#![allow(clippy::unwrap_used, clippy::redundant_closure_for_method_calls, missing_docs)]

mod world;

use dwell_engine::disk::{EIO, ENOSPC, Operation, SimulatedDisk, Verdict};
use dwell_engine::{
    BatchOptions, Durability, Engine, Error, ErrorKind, Home, NamespaceId, OwnedValue, Scope,
    Settings, Value,
};

use world::model::{Batch, Life, Maker, Model, Op, SPACES, perform};
use world::{Chance, World, by_hand, everything, run, run_unsettled};

/// What the world outside of the disk knows.
struct Outside {
    /// The keyspace after so many batches.
    history: Vec<Model>,
    /// So many batches were acknowledged as durable.
    durable_count: usize,
}

fn names(engine: &Engine) -> Result<Vec<NamespaceId>, Error> {
    (0..SPACES).map(|at| engine.namespace(at.to_string().as_bytes())).collect()
}

/// A batch over all namespaces that ends by noting its number in each.
fn numbered(maker: &Maker, chance: &mut Chance, number: usize) -> Batch {
    let mut batch = Batch { fails: false, ..maker.batch(chance) };
    for space in 0..SPACES {
        batch.ops.push(Op::Select(space));
        // One of the numbers lives in memory, the others on disk.
        let life = if space == 1 { Life::AfterMs(1_000_000_000) } else { Life::Forever };
        batch.ops.push(Op::Put(b"number".to_vec(), OwnedValue::Integer(number as i64), life));
    }
    batch
}

impl Outside {
    /// Works until an error, which means that the power is off.
    fn work(
        &mut self,
        engine: &Engine,
        durability: Durability,
        chance: &mut Chance,
        turns: usize,
    ) -> Result<(), Error> {
        let names = names(engine)?;
        let maker = Maker { keys: 12, length_max: if chance.one_in(3) { 150_000 } else { 700 } };
        for _ in 0..turns {
            match chance.below(12) {
                0..=6 => {
                    let number = self.history.len();
                    let batch = numbered(&maker, chance, number);
                    let mut model = self.history[number - 1].clone();
                    model.run(&batch, engine.lock().now());
                    self.history.push(model);
                    let (_, ticket) = run_unsettled(engine, names[batch.space], |scope| {
                        perform(scope, &names, &batch)
                    })?;
                    engine.settle(&ticket)?;
                    if durability == Durability::Always {
                        self.durable_count = self.history.len();
                    }
                }
                7 => {
                    engine.sync()?;
                    self.durable_count = self.history.len();
                }
                8 | 9 => drop(engine.drain_once()?),
                10 => engine.make_base()?,
                _ => engine.keep_some()?,
            }
        }
        Ok(())
    }

    /// Compares the keyspace after a crash with what is known, and goes on from what survived.
    fn check(&mut self, engine: &Engine, about: &str) {
        let names = names(engine).unwrap();
        let numbers: Vec<Option<Vec<u8>>> = names
            .iter()
            .map(|&name| {
                let value = run(engine, name, |scope| {
                    Ok(scope.read(b"number")?.map(|value| value.to_vec()))
                });
                value.unwrap_or_else(|error| panic!("{about}: {error}"))
            })
            .collect();
        assert!(numbers.iter().all(|one| *one == numbers[0]), "{about}: torn batch {numbers:?}");
        let number = numbers[0]
            .as_ref()
            .map_or(0, |text| String::from_utf8_lossy(text).parse::<usize>().unwrap());
        let (durable, last) = (self.durable_count - 1, self.history.len() - 1);
        assert!(number >= durable, "{about}: {number} is left, {durable} was durable");
        assert!(number <= last, "{about}: {number} was never written");
        let now = engine.lock().now();
        for (space, &name) in names.iter().enumerate() {
            let model = &self.history[number];
            let range = everything();
            let page = run(engine, name, |scope| scope.scan(&range));
            let page = page.unwrap_or_else(|error| panic!("{about}: {error}"));
            let found: Vec<_> = page.rows.iter().map(|row| row.key.clone()).collect();
            assert_eq!(found, model.live_keys(space, now), "{about}: keys of {space} at {number}");
            for row in &page.rows {
                let held = model.live(space, &row.key, now).unwrap();
                let text = row.value.as_ref().unwrap().view().to_vec();
                assert!(text[..] == held.text[..], "{about}: {:?} at {number}", row.key);
            }
        }
        self.history.truncate(number + 1);
        self.durable_count = number + 1;
    }
}

/// One life of an instance: work, power loss at a step, recovery (which may lose it too).
fn live(seed: u64, durability: Durability, rounds: usize, first_power_off: Option<u64>) -> u64 {
    let settings = Settings { durability, segment_bytes: 20_000, ..by_hand() };
    let world = World::new(seed, settings);
    let mut chance = Chance(seed);
    let mut outside = Outside { history: vec![Model::default()], durable_count: 1 };
    let mut power_off = first_power_off;
    for round in 0..rounds {
        let about = format!("seed {seed}, {durability:?}, {first_power_off:?}, round {round}");
        if let Some(number) = power_off {
            world.power_off_at(world.disk.steps() + number);
        }
        if let Ok(engine) = world.try_open() {
            if round > 0 {
                world.disk.clear_hook();
                outside.check(&engine, &about);
                if let Some(number) = power_off {
                    world.power_off_at(world.disk.steps() + number);
                }
            }
            let _ = outside.work(&engine, durability, &mut chance, 18);
            world.power_off();
            drop(engine);
        }
        world.crash();
        power_off = chance.one_in(3).then(|| 1 + chance.below(30));
    }
    let engine = world.try_open().unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    let about = format!("seed {seed}, {durability:?}, {first_power_off:?}, at the end");
    outside.check(&engine, &about);
    drop(engine);
    world.disk.steps()
}

#[test]
fn a_power_loss_at_every_step_leaves_an_exact_prefix_of_the_batches() {
    for (seed, durability) in [(0, Durability::Always), (1, Durability::Interval)] {
        let steps = live(seed, durability, 1, None);
        for step in 1..=steps {
            live(seed, durability, 1, Some(step));
        }
    }
}

#[test]
fn many_power_losses_in_a_row_leave_an_exact_prefix_of_the_batches() {
    for seed in 100..130u64 {
        let durability =
            if seed.is_multiple_of(2) { Durability::Always } else { Durability::Interval };
        live(seed, durability, 5, Some(1 + seed % 70));
    }
}

/// A drain larger than SQLite's cache writes pages before it commits, and before the log is synced
/// up to what they hold.
#[test]
fn a_power_loss_within_a_large_transaction_of_a_drain_leaves_the_commit_before_it() {
    let mut unsynced_bytes = 0;
    for step in 1..24 {
        let world = World::new(step, by_hand());
        let engine = world.open();
        let main = engine.namespace(b"0").unwrap();
        let write = |round: i64| {
            run(&engine, main, |scope| {
                let value = vec![round as u8; 50_000];
                for number in 0..80u8 {
                    scope.put(&[number], Value::Bytes(&value), None)?;
                }
                scope.put(b"round", Value::Integer(round), None)
            })
        };
        write(0).unwrap();
        engine.drain_all().unwrap();
        world.power_off_at(world.disk.steps() + step);
        let mut acknowledged = 0;
        for round in 1..3 {
            if write(round).is_err() || engine.drain_all().is_err() {
                break;
            }
            acknowledged = round;
        }
        world.power_off();
        drop(engine);
        unsynced_bytes += world.crash();
        let engine = world.open();
        let round = run(&engine, main, |scope| {
            let value = scope.read(b"round")?.unwrap().to_vec();
            Ok(String::from_utf8(value).unwrap().parse::<i64>().unwrap())
        })
        .unwrap();
        assert!((acknowledged..=acknowledged + 1).contains(&round), "step {step}: {round}");
        for number in 0..80u8 {
            let held = read(&engine, &[number]).unwrap().unwrap();
            assert!(held == vec![round as u8; 50_000], "step {step}, key {number}");
        }
    }
    assert!(unsynced_bytes > 1 << 20, "{unsynced_bytes} bytes of SQLite were torn");
}

fn put(engine: &Engine, key: &[u8], value: &[u8]) -> Result<(), Error> {
    let main = engine.namespace(b"0")?;
    run(engine, main, |scope| scope.put(key, Value::Bytes(value), None))
}

fn read(engine: &Engine, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
    let main = engine.namespace(b"0")?;
    run(engine, main, |scope| Ok(scope.read(key)?.map(|value| value.to_vec())))
}

fn fail_writes(disk: &SimulatedDisk, errno: i32) {
    disk.on_step(move |step| {
        let is_log = step.path.to_string_lossy().contains("/log/");
        if is_log && step.operation == Operation::Write {
            Verdict::Fail(errno)
        } else {
            Verdict::Go
        }
    });
}

#[test]
fn batches_whose_write_failed_are_undone_newest_first_and_earlier_ones_stay() {
    let world = World::new(3, by_hand());
    let engine = world.open();
    let main = engine.namespace(b"0").unwrap();
    put(&engine, b"a", b"1").unwrap();
    engine.drain_all().unwrap();
    let mut tickets = Vec::new();
    for value in [&b"2"[..], b"3"] {
        let work = |scope: &mut Scope<'_>| {
            scope.append(b"a", value)?;
            scope.put(b"b", Value::Bytes(value), None)
        };
        tickets.push(run_unsettled(&engine, main, work).unwrap().1);
    }
    fail_writes(&world.disk, EIO);
    for ticket in &tickets {
        assert_eq!(engine.settle(ticket).unwrap_err().kind, ErrorKind::Unavailable);
    }
    world.disk.clear_hook();
    assert_eq!(read(&engine, b"a").unwrap().unwrap(), b"1");
    assert_eq!(read(&engine, b"b").unwrap(), None);
    put(&engine, b"b", b"4").unwrap();
    world.disk.kill();
    drop(engine);
    let engine = world.open();
    assert_eq!(read(&engine, b"a").unwrap().unwrap(), b"1");
    assert_eq!(read(&engine, b"b").unwrap().unwrap(), b"4");
}

#[test]
fn a_flush_that_failed_is_undone_with_all_that_a_drain_had_taken() {
    let world = World::new(4, by_hand());
    let engine = world.open();
    let main = engine.namespace(b"0").unwrap();
    for number in 0..50 {
        put(&engine, format!("k{number}").as_bytes(), b"1").unwrap();
    }
    let ((), ticket) = run_unsettled(&engine, main, |scope| scope.clear()).unwrap();
    fail_writes(&world.disk, EIO);
    assert!(engine.drain_once().is_err());
    assert!(engine.settle(&ticket).is_err());
    world.disk.clear_hook();
    engine.drain_all().unwrap();
    assert_eq!(run(&engine, main, |scope| scope.count()).unwrap(), 50);
    run(&engine, main, |scope| scope.delete(b"k7")).unwrap();
    engine.drain_all().unwrap();
    assert_eq!(read(&engine, b"k7").unwrap(), None);
    assert_eq!(engine.stats().spaces[0].rows, Some(49));
}

#[test]
fn log_02_after_a_failed_fsync_writes_are_refused_and_reads_go_on() {
    let world = World::new(5, by_hand());
    let engine = world.open();
    let main = engine.namespace(b"0").unwrap();
    put(&engine, b"a", b"1").unwrap();
    world.disk.fail_nth(Operation::Sync, 1, EIO);
    let options = BatchOptions { durability: Some(Durability::Always) };
    let result = engine.run(main, &options, |scope| scope.put(b"a", Value::Integer(2), None));
    assert_eq!(result.unwrap_err().kind, ErrorKind::Unavailable);
    world.disk.clear_hook();
    assert!(put(&engine, b"b", b"1").is_err());
    assert!(engine.drain_all().is_err());
    assert!(engine.run(main, &options, |scope| scope.delete(b"a")).is_err());
    assert!(engine.run(main, &BatchOptions::default(), |scope| scope.touch(b"a")).is_ok());
}

#[test]
fn log_04_a_full_disk_refuses_writes_by_name_and_reads_go_on() {
    let world = World::new(6, by_hand());
    let engine = world.open();
    put(&engine, b"a", b"1").unwrap();
    fail_writes(&world.disk, ENOSPC);
    assert_eq!(put(&engine, b"b", b"1").unwrap_err().kind, ErrorKind::Full);
    world.disk.clear_hook();
    assert_eq!(put(&engine, b"c", b"1").unwrap_err().kind, ErrorKind::Full);
    assert_eq!(read(&engine, b"a").unwrap().unwrap(), b"1");
    assert_eq!(read(&engine, b"b").unwrap(), None);
    let main = engine.namespace(b"0").unwrap();
    assert!(run(&engine, main, |scope| scope.delete(b"a")).unwrap());
    world.disk.kill();
    drop(engine);
    let engine = world.open();
    assert_eq!(read(&engine, b"a").unwrap(), None);
    put(&engine, b"b", b"2").unwrap();
}

#[test]
fn ttl_04_a_step_of_the_wall_clock_moves_no_relative_lifetime_over_stops_and_kills() {
    for (step_ms, is_kill) in
        [(31_536_000_000, true), (-3_600_000, true), (31_536_000_000, false), (-3_600_000, false)]
    {
        let world = World::new(7, by_hand());
        let mut engine = world.open();
        let main = engine.namespace(b"0").unwrap();
        run(&engine, main, |scope| {
            let now = scope.now();
            scope.put(b"relative", Value::Integer(1), now.after_ms(3000))?;
            scope.put(b"absolute", Value::Integer(1), Some(now.at_wall_ms(now.wall_ms + 3000)))
        })
        .unwrap();
        world.clock.step_wall(step_ms);
        world.clock.advance(1000);
        let left = |engine: &Engine, key: &[u8]| {
            run(engine, main, |scope| {
                let now = scope.now();
                Ok(scope.facts(key)?.map(|facts| now.left_ms(facts.deadline.unwrap())))
            })
            .unwrap()
        };
        assert_eq!(left(&engine, b"relative"), Some(2000));
        assert_eq!(left(&engine, b"absolute").is_some(), step_ms < 0);
        // A record after the step knows both clocks.
        put(&engine, b"after", b"1").unwrap();
        if is_kill {
            world.disk.kill();
        } else {
            engine.close().unwrap();
        }
        drop(engine);
        world.clock.advance(500);
        engine = world.open();
        assert_eq!(left(&engine, b"relative"), Some(1500));
        world.clock.advance(1500);
        assert_eq!(left(&engine, b"relative"), None);
    }
}

#[test]
fn ttl_06_a_changed_deadline_does_not_confuse_the_others() {
    let world = World::new(8, by_hand());
    let engine = world.open();
    let main = engine.namespace(b"0").unwrap();
    run(&engine, main, |scope| {
        let now = scope.now();
        scope.put(b"a", Value::Integer(1), now.after_ms(5000))?;
        scope.put(b"b", Value::Integer(1), now.after_ms(8000))?;
        scope.set_deadline(b"a", now.after_ms(3_000_000)).map(drop)
    })
    .unwrap();
    world.clock.advance(8000);
    engine.tidy_some().unwrap();
    assert_eq!(run(&engine, main, |scope| scope.count()).unwrap(), 1);
    assert!(run(&engine, main, |scope| scope.touch(b"a")).unwrap());
}

#[test]
fn ttl_03_an_expired_key_does_not_rise_from_the_dead() {
    let world = World::new(9, by_hand());
    let engine = world.open();
    let main = engine.namespace(b"0").unwrap();
    put(&engine, b"k", b"old").unwrap();
    engine.drain_all().unwrap();
    let expire = |scope: &mut Scope<'_>| {
        let deadline = scope.now().after_ms(1000);
        scope.set_deadline(b"k", deadline)
    };
    assert!(run(&engine, main, expire).unwrap());
    world.clock.advance(1000);
    assert!(!run(&engine, main, |scope| scope.set_deadline(b"k", None)).unwrap());
    assert!(!run(&engine, main, expire).unwrap());
    assert_eq!(read(&engine, b"k").unwrap(), None);
    // LOG-08: a new value after the unnoticed end survives the replay.
    put(&engine, b"k", b"new").unwrap();
    world.disk.kill();
    drop(engine);
    let engine = world.open();
    assert_eq!(read(&engine, b"k").unwrap().unwrap(), b"new");
}

#[test]
fn ttl_07_a_key_that_moves_between_the_homes_is_never_older_after_a_kill() {
    for kill_after in 1..=4 {
        for drains in [false, true] {
            let world = World::new(10, by_hand());
            let engine = world.open();
            let main = engine.namespace(b"0").unwrap();
            for step in 1..=kill_after {
                run(&engine, main, |scope| {
                    let deadline = scope.now().after_ms(60_000);
                    match step {
                        1 => scope.put(b"k", Value::Bytes(b"v"), deadline),
                        2 => scope.set_deadline(b"k", None).map(drop),
                        3 => scope.put(b"k", Value::Bytes(b"w"), deadline),
                        _ => scope.delete(b"k").map(drop),
                    }
                })
                .unwrap();
                if drains {
                    engine.drain_once().unwrap();
                }
            }
            world.disk.kill();
            drop(engine);
            let engine = world.open();
            let expected = [Some(b"v"), Some(b"v"), Some(b"w"), None][kill_after - 1];
            assert_eq!(read(&engine, b"k").unwrap().as_deref(), expected.map(|text| &text[..]));
            let facts = run(&engine, main, |scope| scope.facts(b"k")).unwrap();
            let homes = [Some(Home::Memory), Some(Home::Disk), Some(Home::Memory), None];
            assert_eq!(facts.map(|facts| facts.home), homes[kill_after - 1]);
            engine.drain_all().unwrap();
            let count = run(&engine, main, |scope| scope.count()).unwrap();
            assert_eq!(count, u64::from(kill_after < 4));
        }
    }
}

#[test]
fn log_05_and_07_a_restart_and_a_derived_effect_keep_the_deadline() {
    let world = World::new(11, by_hand());
    let engine = world.open();
    let main = engine.namespace(b"0").unwrap();
    run(&engine, main, |scope| {
        let now = scope.now();
        scope.put(b"brief", Value::Integer(1), now.after_ms(1200))?;
        scope.put(b"long", Value::Bytes(&[b'x'; 600]), now.after_ms(1_000_000))
    })
    .unwrap();
    run(&engine, main, |scope| scope.append(b"long", b"y")).unwrap();
    world.disk.kill();
    drop(engine);
    world.clock.advance(1300);
    let engine = world.open();
    assert_eq!(read(&engine, b"brief").unwrap(), None);
    let left = run(&engine, main, |scope| {
        let now = scope.now();
        Ok(now.left_ms(scope.facts(b"long")?.unwrap().deadline.unwrap()))
    });
    assert_eq!(left.unwrap(), 998_700);
}
