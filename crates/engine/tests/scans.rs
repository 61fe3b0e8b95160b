//! Scans where the ordered index is not complete: the first page does without it and is what the
//! index would have told, whatever happens between the walk and the page.

#![allow(clippy::unwrap_used, clippy::redundant_closure_for_method_calls, missing_docs)]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use dwell_engine::{
    BatchOptions, Deadline, Engine, Gathered, ManualClock, NamespaceId, Page, Place, Range, Scope,
    Settings, Sources, Stop, Value,
};

const NOW_MS: i64 = 1_800_000_000_000;
/// More than a few slices index.
const FILLERS: u64 = 30_000;

fn open(directory: &tempfile::TempDir, background: bool) -> Engine {
    let place = Place::Directory(directory.path().join("instance"));
    let sources = Sources { clock: Arc::new(ManualClock::at(NOW_MS)), ..Sources::default() };
    Engine::open(place, Settings { background, ..Settings::default() }, sources).unwrap()
}

fn run<T>(
    engine: &Engine,
    name: NamespaceId,
    work: impl FnMut(&mut Scope<'_>) -> Result<T, Stop>,
) -> T {
    engine.run(name, &BatchOptions::default(), work).unwrap()
}

fn key_of(number: u64) -> Vec<u8> {
    format!("key{:06}", mixed(number) % 1_000_000).into_bytes()
}

/// A number that looks like chance.
fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ mixed >> 31
}

/// Puts keys of either home, a thousand in each batch.
fn fill(engine: &Engine, name: NamespaceId, numbers: std::ops::Range<u64>) -> BTreeSet<Vec<u8>> {
    let numbers: Vec<_> = numbers.collect();
    for some in numbers.chunks(1000) {
        run(engine, name, |scope| some.iter().try_for_each(|&one| put(scope, one)));
    }
    numbers.into_iter().map(key_of).collect()
}

fn put(scope: &mut Scope<'_>, number: u64) -> Result<(), Stop> {
    let deadline = lifetime(scope, number);
    scope.put(&key_of(number), Value::Bytes(b"value"), deadline)
}

fn lifetime(scope: &Scope<'_>, number: u64) -> Option<Deadline> {
    number.is_multiple_of(3).then(|| scope.now().after_ms(1_000_000)).flatten()
}

fn first_page(prefix: &[u8], reverse: bool, limit: usize) -> Range {
    Range { prefix: prefix.to_vec(), after: None, reverse, limit, keys_only: true }
}

fn wanted(model: &BTreeSet<Vec<u8>>, range: &Range) -> Vec<Vec<u8>> {
    let mut keys: Vec<_> =
        model.iter().filter(|key| key.starts_with(&range.prefix)).cloned().collect();
    if range.reverse {
        keys.reverse();
    }
    keys.truncate(range.limit);
    keys
}

fn keys(page: &Page) -> Vec<Vec<u8>> {
    page.rows.iter().map(|row| row.key.clone()).collect()
}

/// Scans by hand; `meanwhile` happens before and after each gathering.
fn scan(engine: &Engine, name: NamespaceId, range: &Range, mut meanwhile: impl FnMut()) -> Page {
    let mut gathered = Gathered::default();
    loop {
        let options = BatchOptions::default();
        let result = engine.lock().batch(name, &options, &mut gathered, |scope| scope.scan(range));
        match result {
            Ok(page) => return page,
            Err(Stop::Gather(missing)) => {
                meanwhile();
                engine.gather(&missing, &mut gathered).unwrap();
                meanwhile();
            }
            Err(stop) => panic!("{stop:?}"),
        }
    }
}

#[test]
fn the_first_page_does_not_wait_for_the_index_and_the_second_does() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(&directory, false);
    let name = engine.namespace(b"0").unwrap();
    let model = fill(&engine, name, 0..FILLERS);
    engine.drain_all().unwrap();
    let written = fill(&engine, name, FILLERS..2 * FILLERS);
    let model: BTreeSet<_> = model.union(&written).cloned().collect();
    for (prefix, reverse) in [(&b""[..], false), (b"key", true), (b"key12", false), (b"no", true)] {
        let range = first_page(prefix, reverse, 100);
        let page = run(&engine, name, |scope| scope.scan(&range));
        assert_eq!(keys(&page), wanted(&model, &range));
    }
    assert!(engine.order_some(), "the index is complete: these pages have told nothing");
    let mut range = first_page(b"", false, 4000);
    let mut found = Vec::new();
    loop {
        let page = run(&engine, name, |scope| scope.scan(&range));
        found.extend(keys(&page));
        range.after = page.next;
        if range.after.is_none() {
            break;
        }
    }
    assert_eq!(found, model.into_iter().collect::<Vec<_>>());
    assert!(!engine.order_some());
}

#[test]
fn the_index_is_completed_behind_the_first_page() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(&directory, true);
    let name = engine.namespace(b"0").unwrap();
    fill(&engine, name, 0..FILLERS);
    let before = engine.stats().table_bytes;
    run(&engine, name, |scope| scope.scan(&first_page(b"", false, 1)));
    while engine.stats().table_bytes < before + FILLERS * 4 {
        thread::yield_now();
    }
    engine.close().unwrap();
}

#[test]
fn a_page_tells_of_everything_that_happened_while_its_keys_were_selected() {
    for seed in 0..60 {
        let directory = tempfile::tempdir().unwrap();
        let engine = open(&directory, false);
        let name = engine.namespace(b"0").unwrap();
        let mut model = fill(&engine, name, 0..FILLERS / 4);
        engine.drain_all().unwrap();
        for round in 0..6 {
            let roll = mixed(seed << 32 | round);
            let prefix = [&b"key"[..], b"", b"key1"][roll as usize % 3];
            let limit = [1, 30, 4000][(roll >> 8) as usize % 3];
            let range = first_page(prefix, roll >> 16 & 1 == 1, limit);
            let mut step = roll;
            let page = scan(&engine, name, &range, || {
                step = step.wrapping_add(1);
                churn(&engine, name, &mut model, step);
            });
            let wanted = wanted(&model, &range);
            // A page may be short, even empty, but not have holes.
            let found = keys(&page);
            assert_eq!(found, wanted[..found.len()], "seed {seed}, round {round}");
            let is_whole = page.next.is_none();
            assert!(!is_whole || found.len() == wanted.len(), "seed {seed}, round {round}");
        }
    }
}

/// Adds, moves and removes some keys, and now and then drains or flushes.
fn churn(engine: &Engine, name: NamespaceId, model: &mut BTreeSet<Vec<u8>>, step: u64) {
    let roll = mixed(step);
    let changes: Vec<_> = (0..200).map(|number| change(mixed(roll.wrapping_add(number)))).collect();
    run(engine, name, |scope| {
        changes.iter().try_for_each(|(key, lives)| match *lives {
            None => scope.delete(key).map(drop),
            Some(number) => {
                let deadline = lifetime(scope, number);
                scope.put(key, Value::Bytes(b"other"), deadline)
            }
        })
    });
    for (key, lives) in changes {
        if lives.is_some() {
            model.insert(key);
        } else {
            model.remove(&key);
        }
    }
    match roll >> 50 & 15 {
        0..4 => engine.drain_all().unwrap(),
        4 => {
            run(engine, name, |scope| scope.clear());
            *model = fill(engine, name, 0..FILLERS / 8);
        }
        _ => {}
    }
}

/// A key, often one that comes first or last, so that pages have something to tell, and the number
/// that decides its lifetime; `None` to delete it.
fn change(chance: u64) -> (Vec<u8>, Option<u64>) {
    let key = match chance % 4 {
        0 => format!("key{:06}", chance >> 8 & 63).into_bytes(),
        1 => format!("key99{:04}", chance >> 8 & 1023).into_bytes(),
        _ => key_of(chance % FILLERS),
    };
    (key, (chance >> 40 & 3 != 0).then_some(chance >> 20))
}

#[test]
fn a_batch_sees_what_it_has_itself_written_and_flushed() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(&directory, false);
    let name = engine.namespace(b"0").unwrap();
    let model = fill(&engine, name, 0..FILLERS / 4);
    let range = first_page(b"key", false, 10);
    let page = run(&engine, name, |scope| {
        scope.put(b"key", Value::Bytes(b"first of all"), None)?;
        scope.delete(model.first().unwrap())?;
        scope.scan(&range)
    });
    let mut wanted: Vec<_> = model.iter().skip(1).take(9).cloned().collect();
    wanted.insert(0, b"key".to_vec());
    assert_eq!(keys(&page), wanted);
    let other = engine.namespace(b"1").unwrap();
    fill(&engine, other, 0..FILLERS / 4);
    let page = run(&engine, other, |scope| {
        scope.clear()?;
        (FILLERS..FILLERS + 5000).try_for_each(|number| put(scope, number))?;
        scope.scan(&range)
    });
    let model: BTreeSet<_> = (FILLERS..FILLERS + 5000).map(key_of).collect();
    assert_eq!(keys(&page), model.into_iter().take(10).collect::<Vec<_>>());
}

#[test]
fn key_01_first_pages_return_each_key_that_stays_while_others_churn() {
    const KEPT: u64 = 300;
    let directory = tempfile::tempdir().unwrap();
    let engine = open(&directory, true);
    for round in 0..8 {
        let name = engine.namespace(format!("round{round}").as_bytes()).unwrap();
        fill(&engine, name, 0..FILLERS / 4);
        let kept = |number: u64| format!("kept{number:03}").into_bytes();
        run(&engine, name, |scope| {
            (0..KEPT).try_for_each(|one| scope.put(&kept(one), Value::Bytes(b"1"), None))
        });
        let is_over = AtomicBool::new(false);
        thread::scope(|threads| {
            threads.spawn(|| {
                let mut step = 0;
                while !is_over.load(Ordering::SeqCst) {
                    step += 1;
                    let roll = mixed(step);
                    // Kept keys move between the homes, others come and go between them.
                    run(&engine, name, |scope| {
                        let deadline = lifetime(scope, roll >> 20);
                        scope.put(&kept(roll % KEPT), Value::Bytes(b"2"), deadline)?;
                        let other = format!("kept{:03}x", roll >> 40 & 255);
                        scope.delete(other.as_bytes())?;
                        let other = format!("kept{:03}x", roll >> 30 & 255);
                        scope.put(other.as_bytes(), Value::Bytes(b"3"), deadline)
                    });
                }
            });
            for scan in 0..6 {
                let range = first_page(b"kept", scan % 2 == 1, 1000);
                let page = run(&engine, name, |scope| scope.scan(&range));
                let found = keys(&page);
                let stayed = found.iter().filter(|key| key.len() == 7).count() as u64;
                assert_eq!(stayed, KEPT, "round {round}, scan {scan}");
                let is_sorted = found.windows(2).all(|two| (two[0] < two[1]) != range.reverse);
                assert!(is_sorted, "round {round}, scan {scan} is out of order");
                if scan % 3 == 2 {
                    engine.drain_all().unwrap();
                }
            }
            is_over.store(true, Ordering::SeqCst);
        });
    }
    engine.close().unwrap();
}
