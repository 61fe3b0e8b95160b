//! From a directory to a state: the newest base, then every record that it or a file has not got
//! (DESIGN.md 6). Versions decide: an entry that is newer than a record keeps its value, a file
//! that has applied a record is not asked again. INV-02, INV-03, INV-04.

mod replay;

use std::path::Path;
use std::sync::Arc;

use crate::base::START_BYTES;
use crate::below::DiskTier;
use crate::disk::Disk;
use crate::effect::Effects;
use crate::error::{Error, ErrorKind};
use crate::front::Floor;
use crate::log::{
    BaseReader, Lineage, Log, LogOptions, Recovery, Sequence, bases, remove_incomplete_bases,
};
use crate::registry::Registry;
use crate::state::State;
use crate::store::{BASES, LOG};
use replay::Replay;

/// What opening an instance found.
pub struct Found {
    pub log: Log,
    pub tier: DiskTier,
    pub registry: Registry,
    pub recovery: Recovery,
    pub base_sequence: u64,
    /// Records that were replayed.
    pub records: u64,
}

/// What recovery needs to know of its surroundings.
pub struct Surroundings<'a> {
    pub directory: &'a Path,
    pub disk: Arc<dyn Disk>,
    pub wall_ms: i64,
    pub new_lineage: [u8; 16],
}

/// Fills `state` from what is on disk.
///
/// # Errors
/// `Corrupt` with file and offset for damage that is no torn tail; what the disk says.
pub fn recover(state: &mut State, around: &Surroundings<'_>) -> Result<Found, Error> {
    let registry = Registry::open(around.disk.as_ref(), around.directory)?;
    let base_directory = around.directory.join(BASES);
    remove_incomplete_bases(around.disk.as_ref(), &base_directory)?;
    let newest = bases(around.disk.as_ref(), &base_directory)?.into_iter().next();
    let mut options = LogOptions::new(Lineage(around.new_lineage), around.wall_ms);
    options.segment_bytes_max = state.settings.segment_bytes;
    options.new_after = newest.as_ref().map_or(Sequence::NONE, |base| base.sequence);
    let (log, recovery) =
        Log::open(Arc::clone(&around.disk), &around.directory.join(LOG), &options)?;
    let tier = DiskTier::new(
        around.directory,
        log.lineage().0,
        state.settings.main_file.clone(),
        state.settings.open_files_max,
    );
    for (namespace, name) in registry.names() {
        tier.add_name(namespace, name);
        let has_file = tier.path(namespace).exists();
        state.front.add_space(namespace, if has_file { Floor::Rows } else { Floor::Empty });
    }
    let mut replay = Replay::new(state, &tier);
    let mut start = Sequence::NONE;
    let base_sequence = newest.as_ref().map_or(0, |base| base.sequence.as_u64());
    if let Some(base) = newest {
        let mut reader = BaseReader::open(around.disk.as_ref(), &base.path)?;
        if reader.lineage() != log.lineage() {
            let path = base.path.display();
            let message = format!("a base belongs to another history: {path}");
            return Err(Error::new(ErrorKind::Corrupt, message));
        }
        start = load_base(&mut replay, &mut reader)?;
    }
    let records = replay_log(&mut replay, &log, start)?;
    state.sequence = log.written().as_u64();
    state.logged_sequence = state.sequence;
    Ok(Found { log, tier, registry, recovery, base_sequence, records })
}

fn load_base(replay: &mut Replay<'_>, reader: &mut BaseReader) -> Result<Sequence, Error> {
    let damaged = || Error::new(ErrorKind::Corrupt, "a base holds an entry that is none");
    let mut start = Sequence::NONE;
    let mut is_first = true;
    while let Some(entry) = reader.next()? {
        if is_first {
            let bytes: [u8; START_BYTES] = entry.try_into().map_err(|_| damaged())?;
            start = Sequence::from_u64(u64::from_le_bytes(bytes));
            is_first = false;
            continue;
        }
        let (version, effects) = entry.split_first_chunk::<8>().ok_or_else(damaged)?;
        replay.begin(u64::from_le_bytes(*version), true);
        for effect in Effects(effects) {
            replay.apply(&effect.ok_or_else(damaged)?)?;
        }
        replay.end()?;
    }
    Ok(start)
}

fn replay_log(replay: &mut Replay<'_>, log: &Log, start: Sequence) -> Result<u64, Error> {
    let mut records = log.records(start)?;
    let mut count = 0;
    while let Some(record) = records.next()? {
        count += 1;
        let sequence = record.sequence().as_u64();
        replay.begin(sequence, false);
        if let Some(first) = record.namespaces().next() {
            replay.select(crate::namespace::NamespaceId::new(first))?;
        }
        for effect in Effects(record.effects()) {
            let effect = effect.ok_or_else(|| {
                let message = format!("record {sequence} of the log holds an effect that is none");
                Error::new(ErrorKind::Corrupt, message)
                    .with_hint("restore from a backup, or open it with the version that wrote it")
            })?;
            replay.apply(&effect)?;
        }
        replay.end()?;
    }
    Ok(count)
}
