//! Claims about the log, most of them on the simulated disk. Here: what the claims share.

#![allow(clippy::unwrap_used, missing_docs)]

mod append;
mod base;
mod crash;
mod damage;
mod full;
mod real;
mod record;
mod survey;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{
    ClosedLog, Flags, Lineage, Log, LogError, LogOptions, RecordBuilder, RecordHead, Records,
    Recovery, Sequence, seal,
};
use crate::disk::{Disk, SimulatedDisk};

const LINEAGE: Lineage = Lineage(*b"a test's lineage");
const NOW_MS: i64 = 1_700_000_000_000;

/// A record as a test remembers it.
type Entry = (Sequence, Vec<u8>);

fn directory() -> PathBuf {
    PathBuf::from("/instance/log")
}

/// Small files, so that a few records roll over several segments.
fn options() -> LogOptions {
    LogOptions {
        segment_bytes_min: 4096 + 1024,
        segment_bytes_max: 4096 + 4096,
        reserve_bytes: 8192,
        ..LogOptions::new(LINEAGE, NOW_MS)
    }
}

fn shared(disk: &SimulatedDisk) -> Arc<dyn Disk> {
    Arc::new(disk.clone())
}

fn try_open(disk: &SimulatedDisk) -> Result<(Log, Recovery), LogError> {
    Log::open(shared(disk), &directory(), &options())
}

fn open(disk: &SimulatedDisk) -> Log {
    try_open(disk).unwrap().0
}

/// Sealed records with these effects, after `last`; and the last one's sequence.
fn records_after(last: Sequence, log: &Log, effects: &[&[u8]]) -> (Vec<u8>, Vec<Entry>) {
    let mut buffer = Vec::new();
    let mut entries = Vec::new();
    let mut sequence = last;
    for effects in effects {
        sequence = sequence.next();
        let time_ms = NOW_MS as u64 + u64::from(sequence.epoch()) * 10_000 + sequence.counter();
        let flags = Flags::NONE;
        let head = RecordHead { sequence, time_ms, raw_ms: NOW_MS, flags };
        let record = RecordBuilder::begin(&mut buffer, &head, &[7]);
        buffer.extend_from_slice(effects);
        record.end(&mut buffer).unwrap();
        entries.push((sequence, effects.to_vec()));
    }
    seal(&mut buffer, log.salt()).unwrap();
    (buffer, entries)
}

fn append(log: &Log, effects: &[u8]) -> Result<Sequence, LogError> {
    let (buffer, entries) = records_after(log.written(), log, &[effects]);
    log.write(&buffer, entries[0].0)?;
    Ok(entries[0].0)
}

/// The records of the history that are not the log's own.
fn drain(records: &mut Records) -> Result<Vec<Entry>, LogError> {
    let mut entries = Vec::new();
    while let Some(record) = records.next()? {
        if !record.head().flags.intersects(Flags::CONTROL) {
            assert_eq!(record.namespaces().collect::<Vec<_>>(), [7]);
            entries.push((record.sequence(), record.effects().to_vec()));
        }
    }
    Ok(entries)
}

fn entries_of(log: &Log) -> Vec<Entry> {
    drain(&mut log.records(Sequence::NONE).unwrap()).unwrap()
}

fn effects_of(log: &Log) -> Vec<Vec<u8>> {
    entries_of(log).into_iter().map(|(_, effects)| effects).collect()
}

fn newest_segment(log: &Log) -> PathBuf {
    log.segments().last().unwrap().path.clone()
}

/// Where the record with this sequence stands.
fn find(disk: &SimulatedDisk, sequence: Sequence) -> (PathBuf, usize, usize) {
    let mut records = Records::open(shared(disk), &directory(), sequence).unwrap();
    let size_bytes = records.next().unwrap().unwrap().size_bytes();
    let position = records.position().unwrap();
    (position.file, position.offset as usize, size_bytes)
}

fn flip(disk: &SimulatedDisk, path: &Path, offset: usize) {
    let mut contents = disk.contents(path).unwrap();
    contents[offset] ^= 0x41;
    disk.put(path, contents);
}
