//! What a reply waits for: all that it tells of (INV-03), no less where it tells of many keys or
//! was put together by several batches, and no more.

#![allow(clippy::unwrap_used, clippy::redundant_closure_for_method_calls, missing_docs)]

mod world;

use dwell_engine::disk::Operation;
use dwell_engine::{
    BatchOptions, Durability, Engine, Error, Gathered, Home, NamespaceId, Placement, Range, Scope,
    Settings, Settled, Stop, Ticket, Value,
};
use world::{World, by_hand, everything, run, run_unsettled};

const ERRNO_EIO: i32 = 5;

fn put(engine: &Engine, main: NamespaceId, key: &[u8], ttl_ms: Option<i64>) -> Ticket {
    let write = |scope: &mut Scope<'_>| {
        let deadline = ttl_ms.and_then(|ms| scope.now().after_ms(ms));
        scope.put(key, Value::Integer(1), deadline)
    };
    run_unsettled(engine, main, write).unwrap().1
}

fn all() -> Range {
    Range { limit: 100, keys_only: true, ..everything() }
}

#[test]
fn inv_03_scans_counts_and_random_keys_wait_for_what_they_have_seen() {
    type Look = fn(&mut Scope<'_>) -> Result<(), Stop>;
    let world = World::new(1, Settings { durability: Durability::Always, ..by_hand() });
    let engine = world.open();
    let main = engine.namespace(b"0").unwrap();
    let looks: [Look; 3] = [
        |scope| scope.scan(&all()).map(drop),
        |scope| scope.count().map(drop),
        |scope| scope.random_key().map(drop),
    ];
    for (number, look) in looks.into_iter().enumerate() {
        put(&engine, main, b"resident", Some(1_000_000));
        put(&engine, main, b"dirty", None);
        let ticket = run_unsettled(&engine, main, look).unwrap().1;
        engine.hand_over(&ticket).unwrap();
        assert_eq!(engine.is_settled(&ticket), Settled::NotYet, "look {number}");
        engine.sync().unwrap();
        assert_eq!(engine.is_settled(&ticket), Settled::Yes, "look {number}");
    }
    // That a key is absent tells of its deletion.
    run_unsettled(&engine, main, |scope| scope.delete(b"resident")).unwrap();
    let ticket = run_unsettled(&engine, main, |scope| scope.scan(&all())).unwrap().1;
    assert_eq!(engine.is_settled(&ticket), Settled::NotYet);
    engine.close().unwrap();
}

#[test]
fn a_ticket_for_several_batches_fails_with_any_of_them() {
    let world = World::new(2, by_hand());
    let engine = world.open();
    let main = engine.namespace(b"0").unwrap();
    engine.settle(&put(&engine, main, b"first", None)).unwrap();
    let ticket = {
        let mut turn = engine.lock();
        let mut write = |key: &'static [u8]| {
            let mut gathered = Gathered::default();
            let options = BatchOptions::default();
            turn.batch(main, &options, &mut gathered, |scope| {
                scope.put(key, Value::Integer(2), None)
            })
            .unwrap();
            turn.take_ticket()
        };
        write(b"undone").join(write(b"undone too"))
    };
    world.disk.fail_nth(Operation::Write, 1, ERRNO_EIO);
    assert!(engine.hand_over(&ticket).is_err());
    // What comes later reaches the log, and makes nothing of that good.
    engine.settle(&put(&engine, main, b"later", None)).unwrap();
    assert!(matches!(engine.is_settled(&ticket), Settled::Failed(_)));
    let found = run(&engine, main, |scope| Ok(scope.read(b"undone")?.is_some())).unwrap();
    assert!(!found);
}

#[test]
fn what_an_earlier_part_has_seen_counts_for_the_reply_and_not_after_it_was_undone() {
    let world = World::new(3, Settings { durability: Durability::Always, ..by_hand() });
    let engine = world.open();
    let main = engine.namespace(b"0").unwrap();
    let look = |scope: &mut Scope<'_>| {
        scope.scan(&all())?;
        Ok(scope.sight())
    };
    put(&engine, main, b"pending", None);
    let sight = run_unsettled(&engine, main, look).unwrap().0;
    let recall = |scope: &mut Scope<'_>| Ok(scope.recall(&sight));
    let (stands, ticket) = run_unsettled(&engine, main, recall).unwrap();
    assert!(stands);
    assert_eq!(engine.is_settled(&ticket), Settled::NotYet);
    world.disk.fail_nth(Operation::Write, 1, ERRNO_EIO);
    assert!(engine.hand_over(&ticket).is_err());
    engine.settle(&put(&engine, main, b"later", None)).unwrap();
    assert!(!run(&engine, main, recall).unwrap());
}

#[test]
fn reading_what_is_not_logged_waits_for_no_record_of_others() {
    let world = World::new(4, Settings { log_resident: false, ..by_hand() });
    let engine = world.open();
    let main = engine.namespace(b"0").unwrap();
    engine.settle(&put(&engine, main, b"cached", Some(1_000_000))).unwrap();
    let read = |scope: &mut Scope<'_>| Ok(scope.read(b"cached")?.is_some());
    let (found, ticket) = run_unsettled(&engine, main, read).unwrap();
    assert!(found);
    put(&engine, main, b"on disk", None);
    let steps = world.disk.steps();
    engine.hand_over(&ticket).unwrap();
    assert_eq!(engine.is_settled(&ticket), Settled::Yes);
    assert_eq!(world.disk.steps(), steps, "the read has written what others had left");
    engine.close().unwrap();
}

/// The home of a key, and why.
fn place(engine: &Engine, main: NamespaceId, key: &[u8]) -> Result<(Home, &'static str), Error> {
    let found = run(engine, main, |scope| scope.where_is(key))?.unwrap();
    Ok((found.home, found.reason))
}

#[test]
fn another_placement_moves_each_key_with_its_next_write() {
    let world = World::new(5, by_hand());
    let engine = world.open();
    let main = engine.namespace(b"0").unwrap();
    for key in [&b"brief"[..], b"brief too", b"brief still"] {
        engine.settle(&put(&engine, main, key, Some(1_000_000))).unwrap();
    }
    engine.settle(&put(&engine, main, b"lasting", None)).unwrap();
    engine.drain_all().unwrap();
    engine.adjust(|settings| settings.placement = Placement::Disk).unwrap();
    let left = "it was written under another placement";
    assert_eq!(place(&engine, main, b"brief").unwrap(), (Home::Memory, left));
    // Every kind of write moves it: a value, a part of one, another deadline.
    engine.settle(&put(&engine, main, b"brief", Some(1_000_000))).unwrap();
    run(&engine, main, |scope| scope.append(b"brief too", b"0")).unwrap();
    run(&engine, main, |scope| {
        let deadline = scope.now().after_ms(2_000_000);
        scope.set_deadline(b"brief still", deadline)
    })
    .unwrap();
    let rule = "the instance places everything on disk";
    for key in [&b"brief"[..], b"brief too", b"brief still", b"lasting"] {
        assert_eq!(place(&engine, main, key).unwrap(), (Home::Disk, rule));
    }
    engine.drain_all().unwrap();
    engine.adjust(|settings| settings.placement = Placement::Memory).unwrap();
    let why = place(&engine, main, b"brief").unwrap();
    assert_eq!(why.0, Home::Disk);
    assert!(why.1.contains("another placement"), "{}", why.1);
    engine.settle(&put(&engine, main, b"lasting", None)).unwrap();
    assert_eq!(place(&engine, main, b"lasting").unwrap().0, Home::Memory);
    #[allow(clippy::redundant_closure_for_method_calls, reason = "the method is less general")]
    let count = |engine: &Engine| run(engine, main, |scope| scope.count()).unwrap();
    assert_eq!(count(&engine), 4);
    drop(engine);
    let engine = world.open();
    assert_eq!(place(&engine, main, b"lasting").unwrap().0, Home::Memory);
    assert_eq!(place(&engine, main, b"brief too").unwrap().0, Home::Disk);
    assert_eq!(count(&engine), 4);
    engine.close().unwrap();
}

#[test]
fn inv_06_a_page_ends_by_the_keys_it_has_looked_at_and_by_its_bytes() {
    let world = World::new(6, Settings { active_expire: false, ..by_hand() });
    let engine = world.open();
    let main = engine.namespace(b"0").unwrap();
    for number in 0..10_000 {
        put(&engine, main, format!("brief{number}").as_bytes(), Some(1));
    }
    put(&engine, main, b"lasting", Some(1_000_000));
    world.clock.advance(1_000);
    let page = run(&engine, main, |scope| scope.scan(&all())).unwrap();
    assert!(page.rows.is_empty() && page.next.is_some());
    let mut range = all();
    let mut pages = 0;
    let rows = loop {
        let page = run(&engine, main, |scope| scope.scan(&range)).unwrap();
        pages += 1;
        range.after = page.next;
        if range.after.is_none() || !page.rows.is_empty() {
            break page.rows;
        }
    };
    assert_eq!(rows[0].key, b"lasting");
    assert!(pages > 3);
    // Some are on disk and some in memory.
    for number in 0..100 {
        let key = format!("large{number:02}");
        let put = |scope: &mut Scope<'_>| {
            let deadline = (number % 2 == 0).then(|| scope.now().after_ms(1_000_000)).flatten();
            scope.put(key.as_bytes(), Value::Bytes(&vec![1; 60_000]), deadline)
        };
        run(&engine, main, put).unwrap();
    }
    engine.drain_all().unwrap();
    engine.forget_copies();
    let mut range = Range { prefix: b"large".to_vec(), keys_only: false, ..all() };
    let mut found = 0;
    loop {
        let page = run(&engine, main, |scope| scope.scan(&range)).unwrap();
        assert!(page.rows.len() <= 20, "{} rows", page.rows.len());
        found += page.rows.len();
        range.after = page.next;
        if range.after.is_none() {
            break;
        }
    }
    assert_eq!(found, 100);
}

#[test]
fn inv_06_a_random_key_is_found_in_slices_among_expired_ones() {
    let world = World::new(7, Settings { active_expire: false, ..by_hand() });
    let engine = world.open();
    let main = engine.namespace(b"0").unwrap();
    for number in 0..20_000 {
        put(&engine, main, format!("brief{number}").as_bytes(), Some(1));
    }
    world.clock.advance(1_000);
    let mut gathered = Gathered::default();
    let options = BatchOptions::default();
    let first = engine.lock().batch(main, &options, &mut gathered, |scope| scope.random_key());
    assert!(matches!(first, Err(Stop::Delay { .. })), "all of them were looked at in one step");
    assert_eq!(run(&engine, main, |scope| scope.random_key()).unwrap(), None);
    put(&engine, main, b"lasting", Some(1_000_000));
    let found = run(&engine, main, |scope| scope.random_key()).unwrap();
    assert_eq!(found.as_deref(), Some(&b"lasting"[..]));
}

#[test]
fn zeros_that_were_never_written_are_copied_for_nothing() {
    let world = World::new(8, by_hand());
    let engine = world.open();
    let main = engine.namespace(b"0").unwrap();
    run(&engine, main, |scope| scope.patch(b"sparse", 500 << 20, b"end")).unwrap();
    run(&engine, main, |scope| scope.rename(b"sparse", b"copy", main, true)).unwrap();
    assert!(engine.stats().used_bytes < 1 << 20);
    engine.drain_all().unwrap();
    engine.forget_copies();
    let read = |start: u64, end: u64| {
        run(&engine, main, |scope| scope.read_range(b"copy", start, end)).unwrap().unwrap()
    };
    assert_eq!(read((500 << 20) - 1, u64::MAX), b"\0end");
    assert_eq!(read(65_530, 65_540), [0; 10]);
    assert!(engine.stats().used_bytes < 1 << 20);
    engine.close().unwrap();
}

#[test]
fn a_flush_that_is_undone_brings_everything_back_before_the_next_drain() {
    const KEYS: u64 = 10_000;
    let world = World::new(9, by_hand());
    let engine = world.open();
    let main = engine.namespace(b"0").unwrap();
    let key = |number: u64| format!("k{number}").into_bytes();
    let fill = |from: u64, to: u64| {
        for number in from..to {
            put(&engine, main, &key(number), (number % 2 == 0).then_some(1_000));
        }
    };
    fill(0, KEYS / 2);
    engine.drain_all().unwrap();
    // Some hide rows, some are new, and a key with a lifetime was on disk before.
    fill(KEYS / 4, KEYS);
    put(&engine, main, &key(1), Some(1_000));
    engine.sync().unwrap();
    let clear = |scope: &mut Scope<'_>| scope.clear();
    let ticket = run_unsettled(&engine, main, clear).unwrap().1;
    world.disk.fail_nth(Operation::Write, 1, ERRNO_EIO);
    assert!(engine.hand_over(&ticket).is_err());
    let count = |engine: &Engine| run(engine, main, |scope| scope.count()).unwrap();
    assert_eq!(count(&engine), KEYS);
    for number in [0, 1, KEYS / 4, KEYS - 1] {
        let found = run(&engine, main, |scope| Ok(scope.read(&key(number))?.is_some())).unwrap();
        assert!(found, "key {number}");
    }
    world.clock.advance(2_000);
    while engine.expire_some().unwrap() {}
    assert_eq!(count(&engine), KEYS / 2 - 1);
    engine.close().unwrap();
    let engine = world.open();
    assert_eq!(count(&engine), KEYS / 2 - 1);
    engine.close().unwrap();
}
