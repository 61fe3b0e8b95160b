//! How fast the log is replayed into memory, without the start of a process around it.
//!
//! `cargo run --release -p dwell-engine --example replay -- DIRECTORY [KEYS]` fills the directory
//! if it is empty, leaves it as a kill would, and opens it a few times.

#![allow(clippy::print_stdout, missing_docs)]

use std::path::Path;
use std::time::Instant;

use dwell_engine::{
    BatchOptions, Durability, Engine, Error, Gathered, Place, Settings, Sources, Stop, Value,
};

const KEYS: u64 = 3_000_000;
const ROUNDS: u32 = 5;
const LIFETIME_MS: i64 = 1_000_000_000;
/// Batches under one lock, as from a client with a pipeline.
const TURN_KEYS: u64 = 1000;

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let Some(directory) = arguments.next().map(std::path::PathBuf::from) else {
        return Err(Error::invalid("name an empty directory to measure in"));
    };
    let keys = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(KEYS);
    if !directory.exists() {
        fill(&open(&directory)?, keys)?;
    }
    for _ in 0..ROUNDS {
        let began = Instant::now();
        let engine = open(&directory)?;
        let seconds = began.elapsed().as_secs_f64();
        let live = engine.stats().spaces.iter().map(|space| space.live).sum::<u64>();
        println!("{live} keys in {seconds:.3} s: {:.0} effects/s", live as f64 / seconds);
    }
    Ok(())
}

/// Without a base, so that all is in the log; dropped and not closed, as after a kill.
fn open(directory: &Path) -> Result<Engine, Error> {
    let settings = Settings { background: false, ..Settings::default() };
    Engine::open(Place::Directory(directory.to_owned()), settings, Sources::default())
}

fn fill(engine: &Engine, keys: u64) -> Result<(), Error> {
    let main = engine.namespace(b"0")?;
    let options = BatchOptions { durability: Some(Durability::None) };
    for start in (0..keys).step_by(TURN_KEYS as usize) {
        let mut turn = engine.lock();
        for number in start..keys.min(start + TURN_KEYS) {
            let key = format!("key:{number:012}");
            let result = turn.batch(main, &options, &mut Gathered::default(), |scope| {
                let deadline = scope.now().after_ms(LIFETIME_MS);
                scope.put(key.as_bytes(), Value::Bytes(b"xxxxxxxxxxxxxxxx"), deadline)
            });
            if let Err(Stop::Fail(error)) = result {
                return Err(error);
            }
        }
        drop(turn);
        engine.sync()?;
    }
    Ok(())
}
