//! How fast the engine itself is, without any door: reads and writes a second by one thread.
//!
//! `cargo run --release -p dwell-engine --example rates -- EMPTY-DIRECTORY`

#![allow(clippy::print_stdout, missing_docs)]

use std::time::Instant;

use dwell_engine::{
    BatchOptions, Engine, Error, Gathered, NamespaceId, Place, Settings, Sources, Stop, Value,
};

const KEYS: u32 = 100_000;
const ROUNDS: u32 = 10;

fn main() -> Result<(), Error> {
    let Some(scratch) = std::env::args().nth(1).map(std::path::PathBuf::from) else {
        return Err(Error::invalid("name an empty directory to measure in"));
    };
    for (name, place, ttl_ms) in [
        ("memory, resident", Place::Memory, Some(900_000)),
        ("directory, resident", Place::Directory(scratch.join("a")), Some(900_000)),
        ("directory, disk home", Place::Directory(scratch.join("b")), None),
    ] {
        let engine = Engine::open(place, Settings::default(), Sources::default())?;
        let main = engine.namespace(b"0")?;
        let keys: Vec<String> = (0..KEYS).map(|number| format!("key:{number:012}")).collect();
        let value = [7u8; 128];
        rate(name, "put, one a call", || {
            for key in &keys {
                engine.run(main, &BatchOptions::default(), |scope| {
                    let deadline = ttl_ms.and_then(|ms| scope.now().after_ms(ms));
                    scope.put(key.as_bytes(), Value::Bytes(&value), deadline)
                })?;
            }
            Ok(())
        })?;
        rate(name, "put, 64 a turn", || turns(&engine, main, &keys, ttl_ms, &value))?;
        rate(name, "get, one a call", || {
            for key in &keys {
                engine.run(main, &BatchOptions::default(), |scope| {
                    Ok(scope.read(key.as_bytes())?.map(|value| value.text_length()))
                })?;
            }
            Ok(())
        })?;
        engine.close()?;
    }
    Ok(())
}

fn turns(
    engine: &Engine,
    main: NamespaceId,
    keys: &[String],
    ttl_ms: Option<i64>,
    value: &[u8],
) -> Result<(), Error> {
    for batch in keys.chunks(64) {
        let mut turn = engine.lock();
        for key in batch {
            let mut gathered = Gathered::default();
            let result = turn.batch(main, &BatchOptions::default(), &mut gathered, |scope| {
                let deadline = ttl_ms.and_then(|ms| scope.now().after_ms(ms));
                scope.put(key.as_bytes(), Value::Bytes(value), deadline)
            });
            if let Err(Stop::Fail(error)) = result {
                return Err(error);
            }
        }
        let ticket = turn.take_ticket();
        drop(turn);
        engine.settle(&ticket)?;
    }
    Ok(())
}

fn rate(name: &str, what: &str, mut run: impl FnMut() -> Result<(), Error>) -> Result<(), Error> {
    run()?;
    let began = Instant::now();
    for _ in 0..ROUNDS {
        run()?;
    }
    let rate = f64::from(KEYS * ROUNDS) / began.elapsed().as_secs_f64();
    println!("{name:24} {what:20} {rate:>12.0}/s");
    Ok(())
}
