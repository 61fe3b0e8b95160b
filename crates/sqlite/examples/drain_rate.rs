//! How fast the drain can write a `keys` file, and how fast rows are read back.
//!
//! `cargo run --release -p dwell-sqlite --example drain_rate -- [rows] [rows per transaction]`
//! writes and deletes a file in the temporary folder. It is a measurement and no test: it asserts
//! nothing about speed.

#![allow(clippy::print_stdout)]

use std::path::Path;
use std::time::Instant;

use dwell_sqlite::{Below, Identity, KeysFile, KeysReader, Range, Result, RowRef};

const VALUE_BYTES_MAX: usize = 128;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse().unwrap_or(1_000_000));
    let rows: u64 = arguments.next().unwrap_or(1_000_000);
    let batch: u64 = arguments.next().unwrap_or(100_000).min(rows);
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("drain.keys");
    let identity = Identity { namespace: b"drain".to_vec(), lineage: [0; 16] };
    let mut file = KeysFile::open(&path, &identity)?;
    println!("SQLite {}, {rows} rows, {batch} a transaction", dwell_sqlite::sqlite_version());
    load(&mut file, rows, batch)?;
    upsert(&mut file, rows, batch, Below::Unknown)?;
    upsert(&mut file, rows, batch, Below::Present)?;
    read(&path, rows)?;
    clear(&mut file)?;
    file.close()
}

/// Ascending keys into an empty table.
fn load(file: &mut KeysFile, rows: u64, batch: u64) -> Result<()> {
    let started = Instant::now();
    for first in (0..rows).step_by(usize::try_from(batch).unwrap_or(usize::MAX)) {
        let numbers = first..rows.min(first + batch);
        write(file, numbers, Below::Absent)?;
    }
    report("sorted inserts of 16+64 bytes, with checkpoints", rows, started);
    println!("    file and log: {} MiB", file.bytes() >> 20);
    Ok(())
}

/// Random keys of the loaded ones, sorted within each transaction.
fn upsert(file: &mut KeysFile, rows: u64, batch: u64, below: Below) -> Result<()> {
    let mut random = Random(batch);
    let rounds = (400_000 / batch).max(1);
    let mut committing = 0.0;
    let started = Instant::now();
    for _ in 0..rounds {
        let mut numbers: Vec<u64> = (0..batch).map(|_| random.next() % rows).collect();
        numbers.sort_unstable();
        let begun = Instant::now();
        write_without_checkpoint(file, numbers.into_iter(), below)?;
        committing += begun.elapsed().as_secs_f64();
        file.checkpoint(false)?;
    }
    let count = rounds * batch;
    println!("random upserts, {below:?}: {:.0} rows/s", count as f64 / committing);
    report("    with checkpoints", count, started);
    Ok(())
}

fn write(file: &mut KeysFile, numbers: impl Iterator<Item = u64>, below: Below) -> Result<()> {
    write_without_checkpoint(file, numbers, below)?;
    file.checkpoint(false)
}

fn write_without_checkpoint(
    file: &mut KeysFile,
    numbers: impl Iterator<Item = u64>,
    below: Below,
) -> Result<()> {
    let value = [7; VALUE_BYTES_MAX];
    let applied = file.applied() + 1;
    let mut writing = file.begin()?;
    for number in numbers {
        let length = 64 + usize::try_from(number % 64).unwrap_or(0);
        let value = if below == Below::Absent { &value[..64] } else { &value[..length] };
        let key = key(number);
        let row =
            RowRef { key: &key, kind: 4, version: applied, deadline: None, length: None, value };
        writing.put(&row, below)?;
    }
    writing.commit(applied)
}

fn read(path: &Path, rows: u64) -> Result<()> {
    let reader = KeysReader::open(path)?;
    let mut reader = reader.expect("the file is open for writing");
    let mut random = Random(1);
    let count = 200_000;
    let started = Instant::now();
    for _ in 0..count {
        reader.get(&key(random.next() % rows))?;
    }
    report("random lookups", count, started);
    let started = Instant::now();
    reader.snapshot(|reader| {
        for _ in 0..count {
            reader.get(&key(random.next() % rows))?;
        }
        Ok(())
    })?;
    report("random lookups in one snapshot", count, started);
    let started = Instant::now();
    let found = reader.range(&Range::prefix(b""), false, 200_000)?.len() as u64;
    report("rows of one range", found, started);
    let started = Instant::now();
    for seed in 0..10_000 {
        reader.any(seed)?;
    }
    report("draws", 10_000, started);
    Ok(())
}

fn clear(file: &mut KeysFile) -> Result<()> {
    let started = Instant::now();
    let rows = file.rows();
    let mut writing = file.begin()?;
    writing.clear()?;
    writing.commit(u64::MAX)?;
    report("rows cleared", rows, started);
    Ok(())
}

fn report(what: &str, count: u64, started: Instant) {
    let elapsed = started.elapsed();
    println!("{what}: {:.0}/s ({count} in {elapsed:.2?})", count as f64 / elapsed.as_secs_f64());
}

fn key(number: u64) -> [u8; 16] {
    let mut key = *b"key:000000000000";
    for (place, digit) in key[4..].iter_mut().zip(format!("{number:012}").bytes()) {
        *place = digit;
    }
    key
}

/// `SplitMix64`, so that two runs write the same keys.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
