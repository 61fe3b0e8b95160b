//! Thousands of random steps, compared with a plain map after each: batches of every operation,
//! the steps of the background in between and in the middle of one another, clocks that step,
//! writes that fail, stops and kills. INV-01 to INV-04.

#![allow(clippy::unwrap_used, clippy::redundant_closure_for_method_calls, missing_docs)]

mod world;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

use dwell_engine::disk::{EIO, ENOSPC, Operation, Verdict};
use dwell_engine::{Engine, Home, NamespaceId, Placement, Range, Scope, Settings};
use parking_lot::Mutex;

use world::model::{Answer, Batch, Held, Maker, Model, SPACES, agrees, key_of, perform, wanted};
use world::{Chance, World, by_hand, run, run_unsettled};

/// What the steps of one run change.
struct Inner {
    model: Model,
    chance: Chance,
    maker: Maker,
    about: String,
    trace: Vec<String>,
    /// A write may fail, and its batch is then undone.
    may_fail: bool,
}

/// One run of random steps.
struct Run {
    world: World,
    engine: Option<Engine>,
    names: Vec<NamespaceId>,
    inner: Arc<Mutex<Inner>>,
    /// So many syncs of the log are interrupted by batches.
    nested: Arc<AtomicU64>,
    /// The next write to the log fails with this `errno`, if any.
    failing: Arc<AtomicI32>,
    /// Engine time as it should be.
    engine_ms: i64,
    is_demoting: bool,
}

impl Run {
    fn new(seed: u64, settings: Settings, keys: u64, length_max: usize) -> Self {
        let about = format!("seed {seed}, {settings:?}");
        let is_demoting = settings.memory_bytes_max != 0;
        let world = World::new(seed, settings);
        let inner = Inner {
            model: Model::default(),
            chance: Chance(seed),
            maker: Maker { keys, length_max },
            about,
            trace: Vec::new(),
            may_fail: false,
        };
        let mut run = Self {
            world,
            engine: None,
            names: Vec::new(),
            inner: Arc::new(Mutex::new(inner)),
            nested: Arc::default(),
            failing: Arc::default(),
            engine_ms: world::NOW_MS,
            is_demoting,
        };
        run.open();
        run
    }

    fn engine(&self) -> &Engine {
        self.engine.as_ref().unwrap()
    }

    fn open(&mut self) {
        let engine = self.world.try_open().unwrap_or_else(|error| self.fail(&error.to_string()));
        self.names =
            (0..SPACES).map(|at| engine.namespace(at.to_string().as_bytes()).unwrap()).collect();
        let (inner, nested) = (Arc::clone(&self.inner), Arc::clone(&self.nested));
        let (failing, names) = (Arc::clone(&self.failing), self.names.clone());
        let within = engine.clone();
        self.world.disk.on_step(move |step| {
            let is_log = step.path.to_string_lossy().contains("/log/");
            if step.operation == Operation::Write && is_log {
                let errno = failing.swap(0, Ordering::SeqCst);
                if errno != 0 {
                    // What the failure does to the log must not be interrupted.
                    nested.store(0, Ordering::SeqCst);
                    return Verdict::Fail(errno);
                }
            }
            let wants = step.operation == Operation::Sync && nested.load(Ordering::SeqCst) > 0;
            if let Some(mut inner) = inner.try_lock().filter(|_| wants) {
                nested.fetch_sub(1, Ordering::SeqCst);
                for _ in 0..4 {
                    inner.one_batch(&within, &names, false);
                }
            }
            Verdict::Go
        });
        assert_eq!(engine.lock().now().engine_ms, self.engine_ms, "{}", self.inner.lock().about);
        self.engine = Some(engine);
    }

    fn fail(&self, why: &str) -> ! {
        self.inner.lock().fail(why)
    }

    fn step(&mut self) {
        let choice = self.inner.lock().chance.below(100);
        match choice {
            0..=59 => self.inner.lock().one_batch(self.engine(), &self.names, true),
            60..=63 => {
                if self.several() {
                    // A full disk lets nothing in before it is mended; another start does that.
                    self.kill();
                }
            }
            64..=73 => self.interrupted("drain", Engine::drain_once),
            74..=75 => self.interrupted("drain all", Engine::drain_all),
            76..=81 => self.interrupted("tidy", Engine::tidy_some),
            82..=84 => self.interrupted("base", Engine::make_base),
            85..=87 => self.interrupted("keep", Engine::keep_some),
            88..=92 => {
                let ms = self.inner.lock().chance.below(4000) as i64;
                self.note(format!("advance {ms}"));
                self.world.clock.advance(ms);
                self.engine_ms += ms;
            }
            93 => self.step_wall(),
            94..=95 => self.stop(),
            96..=97 => self.kill(),
            _ => self.check(),
        }
    }

    fn note(&self, what: String) {
        self.inner.lock().trace.push(what);
    }

    /// A step of the background, in whose syncs batches come in between.
    fn interrupted<T>(
        &self,
        what: &str,
        step: impl FnOnce(&Engine) -> Result<T, dwell_engine::Error>,
    ) {
        let nested = self.inner.lock().chance.below(4);
        self.note(format!("{what}, interrupted {nested} times"));
        self.nested.store(nested, Ordering::SeqCst);
        let fails = self.inner.lock().chance.one_in(8);
        if fails {
            self.note("which a failed write ends".to_owned());
            self.failing.store(EIO, Ordering::SeqCst);
        }
        self.inner.lock().may_fail = fails;
        let result = step(self.engine());
        self.inner.lock().may_fail = false;
        self.nested.store(0, Ordering::SeqCst);
        let has_failed = fails && self.failing.swap(0, Ordering::SeqCst) == 0;
        if let (Err(error), false) = (result, has_failed) {
            self.fail(&error.to_string());
        }
    }

    /// Several batches before any of them is handed over, which may fail; whether the disk is
    /// then full.
    fn several(&self) -> bool {
        let mut inner = self.inner.lock();
        let engine = self.engine().clone();
        let before = inner.model.clone();
        let mut runs = Vec::new();
        for _ in 0..2 + inner.chance.below(5) {
            let Some(ticket) = inner.unsettled(&engine, &self.names, true) else {
                continue;
            };
            runs.push((ticket, inner.model.clone()));
        }
        let errno = *inner.chance.pick(&[0, EIO, ENOSPC]);
        self.failing.store(errno, Ordering::SeqCst);
        inner.trace.push(format!("settle all of these, failing with {errno}"));
        let mut kept = before;
        let mut has_failed = false;
        for (ticket, model) in runs {
            match engine.settle(&ticket) {
                Ok(()) if !has_failed => kept = model,
                // It changed nothing, or saw nothing that was undone.
                Ok(()) => {}
                Err(_) => has_failed = true,
            }
        }
        self.failing.store(0, Ordering::SeqCst);
        if has_failed {
            inner.trace.push("they were undone".to_owned());
            inner.model = kept;
        }
        has_failed && errno == ENOSPC
    }

    fn step_wall(&self) {
        // Keys that end and then do not are the engine's to choose: none may be left.
        self.check();
        let mut inner = self.inner.lock();
        let ms = *inner.chance.pick(&[3_600_000, -3_600_000, 31_536_000_000, -5000]);
        inner.trace.push(format!("step the wall clock by {ms}"));
        self.world.clock.step_wall(ms);
        // A record that knows both clocks, so that a kill does not take the step for time.
        let engine = self.engine().clone();
        run(&engine, self.names[0], |scope| {
            scope.put(b"clock", dwell_engine::Value::Integer(ms), None)?;
            scope.delete(b"clock").map(drop)
        })
        .unwrap();
    }

    fn stop(&mut self) {
        self.note("stop".to_owned());
        let result = self.engine().close();
        result.unwrap_or_else(|error| self.fail(&error.to_string()));
        self.reopen();
        if !self.engine().opening().was_clean {
            self.fail("the stop was no clean one");
        }
        self.check();
    }

    fn kill(&mut self) {
        self.note("kill".to_owned());
        if !self.world.settings.log_resident {
            self.forget_residents();
        }
        self.world.disk.kill();
        self.reopen();
        if let Some(tail) = &self.engine().opening().torn_tail {
            self.fail(&format!("a kill tore the log: {tail}"));
        }
        self.check();
    }

    fn reopen(&mut self) {
        self.world.disk.clear_hook();
        self.engine = None;
        let ms = self.inner.lock().chance.below(3) as i64 * 700;
        self.world.clock.advance(ms);
        self.engine_ms += ms;
        self.open();
    }

    fn forget_residents(&self) {
        for (space, &name) in self.names.iter().enumerate() {
            let keys: Vec<_> = self.inner.lock().model.spaces[space].keys().cloned().collect();
            for key in keys {
                let facts = run(self.engine(), name, |scope| scope.facts(&key)).unwrap();
                if facts.is_none_or(|facts| facts.home == Home::Memory) {
                    self.inner.lock().model.spaces[space].remove(&key);
                }
            }
        }
    }

    /// Compares everything there is.
    fn check(&self) {
        let mut inner = self.inner.lock();
        inner.trace.push("check".to_owned());
        let engine = self.engine();
        let now = engine.lock().now();
        if now.engine_ms != self.engine_ms {
            inner.fail(&format!("engine time {} for {}", now.engine_ms, self.engine_ms));
        }
        for (space, &name) in self.names.iter().enumerate() {
            inner.model.spaces[space]
                .retain(|_, held| held.deadline.is_none_or(|deadline| !now.is_past(deadline)));
            let expected = inner.model.spaces[space].clone();
            self.check_keys(&mut inner, space, name, &expected);
            self.check_scans(&inner, space, name, &expected);
            let count = run(engine, name, |scope| scope.count()).unwrap();
            if count != expected.len() as u64 {
                let spaces = engine.stats().spaces;
                inner.fail(&format!("{space}: counted {count} for {}; {spaces:?}", expected.len()));
            }
        }
    }

    /// Every key reads as the model has it.
    fn check_keys(
        &self,
        inner: &mut Inner,
        space: usize,
        name: NamespaceId,
        expected: &BTreeMap<Vec<u8>, Held>,
    ) {
        let engine = self.engine();
        for key in (0..inner.maker.keys).map(key_of) {
            let found = run(engine, name, |scope| {
                let facts = scope.facts(&key)?;
                let text = scope.read(&key)?.map(|value| value.to_vec());
                Ok(facts.zip(text))
            });
            let found = found.unwrap_or_else(|error| inner.fail(&error.to_string()));
            let expected = expected.get(&key);
            let same = match (&found, expected) {
                (None, None) => true,
                (Some((facts, text)), Some(held)) => {
                    facts.kind == held.kind
                        && text[..] == held.text[..]
                        && facts.deadline == held.deadline
                        && (self.is_demoting || facts.home == self.home_of(held))
                }
                _ => false,
            };
            if !same {
                let differs = found.as_ref().zip(expected).and_then(|((_, text), held)| {
                    text.iter().zip(held.text.iter()).position(|(one, other)| one != other)
                });
                let from = differs.unwrap_or(0);
                let found = found.map(|(facts, text)| (facts, text.len(), first(&text[from..])));
                let expected = expected.map(|held| {
                    (held.kind, held.deadline, held.text.len(), first(&held.text[from..]))
                });
                let key = String::from_utf8_lossy(&key[..key.len().min(8)]).into_owned();
                inner.trace.retain(|line| !line.starts_with("in ") || line.contains(&key));
                inner.fail(&format!(
                    "{space} {key}: {found:?} for {expected:?}, from {differs:?} on"
                ));
            }
        }
    }

    /// Both ways through the keys give the model's rows.
    fn check_scans(
        &self,
        inner: &Inner,
        space: usize,
        name: NamespaceId,
        expected: &BTreeMap<Vec<u8>, Held>,
    ) {
        for reverse in [false, true] {
            let found = self.scan(name, reverse, inner);
            let mut wanted: Vec<_> =
                expected.iter().map(|(key, held)| (key.clone(), held.text.to_vec())).collect();
            if reverse {
                wanted.reverse();
            }
            if found != wanted {
                let odd = found.iter().find(|row| !wanted.contains(row));
                let lost = wanted.iter().find(|row| !found.contains(row));
                let odd = odd.map(|(key, text)| (first(key), text.len()));
                let lost = lost.map(|(key, text)| (first(key), text.len()));
                inner.fail(&format!(
                    "{space}: scanned {} rows for {}, reverse {reverse}, {odd:?}, not {lost:?}",
                    found.len(),
                    wanted.len()
                ));
            }
        }
    }

    fn scan(&self, name: NamespaceId, reverse: bool, inner: &Inner) -> Vec<(Vec<u8>, Vec<u8>)> {
        let mut range =
            Range { prefix: Vec::new(), after: None, reverse, limit: 7, keys_only: false };
        let mut rows = Vec::new();
        loop {
            let page = run(self.engine(), name, |scope| scope.scan(&range));
            let page = page.unwrap_or_else(|error| inner.fail(&error.to_string()));
            rows.extend(
                page.rows.into_iter().map(|row| (row.key, row.value.unwrap().view().to_vec())),
            );
            match page.next {
                Some(next) => range.after = Some(next),
                None => return rows,
            }
        }
    }

    fn home_of(&self, held: &world::model::Held) -> Home {
        if held.text.len() > 64 * 1024 {
            return Home::Disk;
        }
        match self.world.settings.placement {
            Placement::Memory => Home::Memory,
            Placement::Lifetime if held.deadline.is_some() => Home::Memory,
            Placement::Lifetime | Placement::Disk => Home::Disk,
        }
    }
}

fn first(text: &[u8]) -> String {
    String::from_utf8_lossy(&text[..text.len().min(12)]).into_owned()
}

impl Inner {
    fn fail(&self, why: &str) -> ! {
        let from = self.trace.len().saturating_sub(40);
        panic!("{}\n{}\n{why}", self.about, self.trace[from..].join("\n"));
    }

    fn one_batch(&mut self, engine: &Engine, names: &[NamespaceId], may_drain: bool) {
        let before = self.model.clone();
        let ticket = self.unsettled(engine, names, may_drain);
        match ticket.map_or(Ok(()), |ticket| engine.settle(&ticket)) {
            Ok(()) => {}
            Err(_) if self.may_fail => {
                self.trace.push("that failed".to_owned());
                self.model = before;
            }
            Err(error) => self.fail(&error.to_string()),
        }
    }

    /// Runs a batch on both sides; its ticket unless it failed as it was meant to.
    fn unsettled(
        &mut self,
        engine: &Engine,
        names: &[NamespaceId],
        may_drain: bool,
    ) -> Option<dwell_engine::Ticket> {
        let batch = self.maker.batch(&mut self.chance);
        self.trace.push(brief(&batch));
        let now = engine.lock().now();
        let live: usize = (0..SPACES).map(|at| self.model.live_keys(at, now).len()).sum();
        let all: usize = self.model.spaces.iter().map(BTreeMap::len).sum();
        let ended = (all - live) as u64;
        let mut after = self.model.clone();
        let expected = after.run(&batch, now);
        let work = |scope: &mut Scope<'_>| perform(scope, names, &batch);
        let result = if may_drain {
            run_unsettled(engine, names[batch.space], work)
        } else {
            world::run_undrained(engine, names[batch.space], work)?
        };
        match (result, expected) {
            (Ok((found, ticket)), Some(expected)) => {
                for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
                    // Inside a drain, a key may be counted as entry and as row.
                    let inexact = if may_drain { 0 } else { all as u64 };
                    if !agrees(found, expected, ended + inexact + batch.ops.len() as u64) {
                        self.fail(&format!("op {at}: {} for {}", short(found), short(expected)));
                    }
                }
                self.model = after;
                Some(ticket)
            }
            (Err(error), None) if error == wanted() => None,
            (Err(error), _) => self.fail(&error.to_string()),
            (Ok(_), None) => self.fail("a batch that was to fail did not"),
        }
    }
}

fn short(answer: &Answer) -> String {
    let text = format!("{answer:?}");
    text.chars().take(300).collect()
}

fn brief(batch: &Batch) -> String {
    let ops: Vec<String> = batch
        .ops
        .iter()
        .map(|op| {
            let text = format!("{op:?}");
            let value = abridged(&text);
            value.chars().take(160).collect()
        })
        .collect();
    format!("in {} fails {}: {}", batch.space, batch.fails, ops.join(" | "))
}

/// Shows byte lists by their beginning, so that a trace can be read.
fn abridged(text: &str) -> String {
    let mut out = String::new();
    for part in text.split('[') {
        let (inside, rest) = part.split_once(']').unwrap_or(("", part));
        let bytes: Vec<u8> = inside.split(", ").filter_map(|number| number.parse().ok()).collect();
        let shown: String = String::from_utf8_lossy(&bytes).chars().take(8).collect();
        let _ = write!(out, "{shown:?}*{}", bytes.len());
        out.push_str(rest);
    }
    out
}

fn go(seeds: std::ops::Range<u64>, steps: usize, settings: impl Fn(u64) -> Settings) {
    for seed in seeds {
        let settings = settings(seed);
        let length_max = if seed.is_multiple_of(3) { 600 } else { 300_000 };
        let keys = if settings.memory_bytes_max == 0 { 60 } else { 120 };
        let mut run = Run::new(seed, settings, keys, length_max);
        for _ in 0..steps {
            run.step();
        }
        run.check();
        run.world.disk.clear_hook();
    }
}

fn placed(placement: Placement, seed: u64) -> Settings {
    Settings {
        placement,
        segment_bytes: 300_000,
        probation_bytes_max: if seed.is_multiple_of(2) { 2000 } else { 64 << 20 },
        promoted_bytes_max: if seed.is_multiple_of(4) { 1000 } else { 1 << 20 },
        ..by_hand()
    }
}

#[test]
fn under_lifetime_placement_the_engine_is_the_map() {
    go(0..8, 200, |seed| placed(Placement::Lifetime, seed));
}

#[test]
fn under_memory_placement_the_engine_is_the_map() {
    go(100..104, 200, |seed| placed(Placement::Memory, seed));
}

#[test]
fn under_disk_placement_the_engine_is_the_map() {
    go(200..204, 200, |seed| placed(Placement::Disk, seed));
}

#[test]
fn residents_that_are_not_logged_vanish_at_a_kill_and_nothing_else_does() {
    go(300..308, 200, |seed| Settings { log_resident: false, ..placed(Placement::Lifetime, seed) });
}

#[test]
fn under_memory_pressure_the_engine_is_the_map() {
    go(1400..1406, 200, |seed| Settings {
        memory_bytes_max: 400_000,
        probation_bytes_max: 10_000,
        ..placed(Placement::Lifetime, seed)
    });
}
