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
use crate::history::{Origin, base_of};
use crate::log::{
    BaseReader, Flags, Lineage, Log, LogOptions, Records, Recovery, Sequence, bases,
    remove_incomplete_bases,
};
use crate::registry::Registry;
use crate::state::State;
use crate::store::{BASES, LOG};
use replay::Replay;

/// The first record that a log ever has.
const FIRST: Sequence = Sequence::new(0, 1);

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
    /// Restore from there instead of going on here.
    pub origin: Option<&'a Origin>,
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
    if let Some(origin) = around.origin {
        return restore_from(state, around, registry, origin);
    }
    let mut options = LogOptions::new(Lineage(around.new_lineage), around.wall_ms);
    options.segment_bytes_max = state.settings.segment_bytes;
    options.new_after = newest.as_ref().map_or(Sequence::NONE, |base| base.sequence);
    let (log, recovery) =
        Log::open(Arc::clone(&around.disk), &around.directory.join(LOG), &options)?;
    let tier = open_tier(state, around.directory, log.lineage().0, &registry);
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
    let replayed = replay_log(&mut replay, log.records(start)?, i64::MAX)?;
    let oldest = log.segments().first().map_or(FIRST, |segment| segment.first);
    if base_sequence == 0 && oldest > FIRST {
        let message = "the log does not reach back to its beginning, and there is no base";
        return Err(Error::new(ErrorKind::Corrupt, message).with_hint("restore from a backup"));
    }
    let records = replayed.count;
    state.sequence = log.written().as_u64();
    state.logged_sequence = state.sequence;
    state.final_sequence = state.sequence;
    Ok(Found { log, tier, registry, recovery, base_sequence, records })
}

/// Fills `state` from another instance's point and its log up to a time; the log here begins
/// after it, as another history.
fn restore_from(
    state: &mut State,
    around: &Surroundings<'_>,
    registry: Registry,
    origin: &Origin,
) -> Result<Found, Error> {
    let tier = open_tier(state, around.directory, around.new_lineage, &registry);
    for (namespace, _) in registry.names() {
        if tier.path(namespace).exists() {
            tier.adopt(namespace)?;
        }
    }
    let mut replay = Replay::new(state, &tier);
    let mut start = Sequence::NONE;
    if let Some(path) = base_of(&around.disk, origin)? {
        let mut reader = BaseReader::open(around.disk.as_ref(), &path)?;
        start = load_base(&mut replay, &mut reader)?;
    }
    let records = Records::open(Arc::clone(&around.disk), &origin.directory.join(LOG), start)?;
    let replayed = replay_log(&mut replay, records, origin.until_ms)?;
    if origin.point.is_none() && replayed.begins_late {
        let message = format!("no restore point reaches back to {}", origin.until_ms);
        return Err(
            Error::invalid(message).with_hint("choose a later time, or keep a longer history")
        );
    }
    let mut options = LogOptions::new(Lineage(around.new_lineage), replayed.raw_ms);
    options.new_after = replayed.last;
    let (log, recovery) =
        Log::open(Arc::clone(&around.disk), &around.directory.join(LOG), &options)?;
    state.sequence = log.written().as_u64().max(replayed.last.as_u64());
    state.logged_sequence = log.written().as_u64();
    state.final_sequence = state.sequence;
    Ok(Found { log, tier, registry, recovery, base_sequence: 0, records: replayed.count })
}

fn open_tier(
    state: &mut State,
    directory: &Path,
    lineage: [u8; 16],
    registry: &Registry,
) -> DiskTier {
    let main_file = state.settings.main_file.clone();
    let tier = DiskTier::new(directory, lineage, main_file, state.settings.open_files_max);
    for (namespace, name) in registry.names() {
        tier.add_name(namespace, name);
        let has_file = tier.path(namespace).exists();
        state.front.add_space(namespace, if has_file { Floor::Rows } else { Floor::Empty });
    }
    tier
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

/// What a replay went through.
struct Replayed {
    count: u64,
    /// Records are missing before the first one.
    begins_late: bool,
    last: Sequence,
    raw_ms: i64,
}

/// Applies the records up to a time; they are in its order, and it never decreases.
fn replay_log(
    replay: &mut Replay<'_>,
    mut records: Records,
    until_ms: i64,
) -> Result<Replayed, Error> {
    let mut replayed = Replayed { count: 0, begins_late: false, last: Sequence::NONE, raw_ms: 0 };
    let mut is_first = true;
    while let Some(record) = records.next()? {
        let head = record.head();
        if is_first {
            // A later epoch begins with a gap, and some numbers are passed over.
            let is_next = head.sequence == FIRST || head.flags.contains(Flags::SKIPS);
            replayed.begins_late = !is_next && head.sequence.epoch() == FIRST.epoch();
            is_first = false;
        }
        if i64::try_from(head.time_ms).unwrap_or(i64::MAX) > until_ms {
            break;
        }
        replayed.count += 1;
        replayed.last = head.sequence;
        replayed.raw_ms = head.raw_ms;
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
    Ok(replayed)
}
