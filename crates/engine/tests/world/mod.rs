//! What the engine's integration tests share: an instance on a simulated disk whose clock moves
//! by hand, a seeded generator, and batches that drain by themselves when told to wait.

#![allow(dead_code)]

pub mod model;
pub mod power;

use std::sync::Arc;

use dwell_engine::disk::{Disk, SimulatedDisk};
use dwell_engine::{
    BatchOptions, Engine, Error, Gathered, ManualClock, NamespaceId, Place, Range, Scope, Settings,
    Sources, Stop, Ticket,
};

/// Where every test's wall clock starts.
pub const NOW_MS: i64 = 1_800_000_000_000;

/// The scan that finds everything that a test writes.
pub fn everything() -> Range {
    Range { prefix: Vec::new(), after: None, reverse: false, limit: 10_000, keys_only: false }
}

/// A generator of our own (splitmix64), so that a failure can be repeated from its seed.
pub struct Chance(pub u64);

impl Chance {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub fn one_in(&mut self, bound: u64) -> bool {
        self.below(bound) == 0
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }
}

/// An instance and the world around it. Files of SQLite are real, the log is simulated.
pub struct World {
    pub directory: tempfile::TempDir,
    pub clock: Arc<ManualClock>,
    pub disk: SimulatedDisk,
    pub settings: Settings,
    pub seed: u64,
}

impl World {
    pub fn new(seed: u64, settings: Settings) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let disk = SimulatedDisk::new(seed);
        disk.create_directory(&directory.path().join("instance")).unwrap();
        let clock = Arc::new(ManualClock::at(NOW_MS));
        Self { directory, clock, disk, settings, seed }
    }

    pub fn try_open(&self) -> Result<Engine, Error> {
        let place = Place::Directory(self.directory.path().join("instance"));
        self.open_at(place)
    }

    pub fn open(&self) -> Engine {
        self.try_open().unwrap()
    }

    pub fn open_at(&self, place: Place) -> Result<Engine, Error> {
        let sources = Sources {
            clock: self.clock.clone(),
            disk: Arc::new(self.disk.clone()),
            seed: self.seed,
        };
        Engine::open(place, self.settings.clone(), sources)
    }
}

/// The settings that tests start from: no thread does anything behind their back.
pub fn by_hand() -> Settings {
    Settings { background: false, ..Settings::default() }
}

/// Runs a batch like `Engine::run`, but leaves settling to the caller and drains by hand when
/// the batch is told to wait.
pub fn run_unsettled<T>(
    engine: &Engine,
    namespace: NamespaceId,
    batch: impl FnMut(&mut Scope<'_>) -> Result<T, Stop>,
) -> Result<(T, Ticket), Error> {
    let drain = || engine.drain_once().map(|_| true);
    let result = run_waiting(engine, namespace, batch, drain)?;
    Ok(result.expect("a drain was tried"))
}

/// The same where nothing can be drained, as inside a drain; `None` when the batch has to wait.
pub fn run_undrained<T>(
    engine: &Engine,
    namespace: NamespaceId,
    batch: impl FnMut(&mut Scope<'_>) -> Result<T, Stop>,
) -> Option<Result<(T, Ticket), Error>> {
    run_waiting(engine, namespace, batch, || Ok(false)).transpose()
}

fn run_waiting<T>(
    engine: &Engine,
    namespace: NamespaceId,
    mut batch: impl FnMut(&mut Scope<'_>) -> Result<T, Stop>,
    mut wait: impl FnMut() -> Result<bool, Error>,
) -> Result<Option<(T, Ticket)>, Error> {
    let mut gathered = Gathered::default();
    let mut needs = String::new();
    for _ in 0..200 {
        let (result, ticket) = {
            let mut turn = engine.lock();
            let options = BatchOptions::default();
            let result = turn.batch(namespace, &options, &mut gathered, &mut batch);
            (result, turn.take_ticket())
        };
        match result {
            Ok(value) => return Ok(Some((value, ticket))),
            Err(Stop::Fail(error)) => return Err(error),
            Err(Stop::Gather(missing)) => {
                needs = format!("{missing:?}");
                engine.gather(&missing, &mut gathered)?;
            }
            Err(Stop::Delay { .. }) if wait()? => {}
            Err(Stop::Delay { .. }) => return Ok(None),
        }
    }
    Err(Error::internal(format!("a batch never came to an end, its last needs: {needs:.300}")))
}

/// Runs a batch and waits until its reply may leave.
pub fn run<T>(
    engine: &Engine,
    namespace: NamespaceId,
    batch: impl FnMut(&mut Scope<'_>) -> Result<T, Stop>,
) -> Result<T, Error> {
    let (value, ticket) = run_unsettled(engine, namespace, batch)?;
    engine.settle(&ticket)?;
    Ok(value)
}
