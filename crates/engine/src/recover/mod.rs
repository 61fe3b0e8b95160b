//! From a directory to a state: the newest base, then every record that it or a file has not got
//! (DESIGN.md 6). Versions decide: an entry that is newer than a record keeps its value, a file
//! that has applied a record is not asked again. INV-02, INV-03, INV-04.

mod ahead;
mod rebuild;
mod replay;

use std::path::Path;
use std::sync::Arc;

use crate::below::DiskTier;
use crate::disk::Disk;
use crate::error::Error;
use crate::front::Floor;
use crate::history::{Origin, base_of};
use crate::log::{
    ClosedLog, Lineage, Log, LogOptions, Records, Recovery, Sequence, bases,
    remove_incomplete_bases,
};
use crate::registry::Registry;
use crate::state::State;
use crate::store::{BASES, LOG};
use rebuild::{Rebuilt, load_base, replay_log};
pub use rebuild::{Sources, rebuild};
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
    /// Why a newer base was passed over.
    pub damaged_base: Option<Error>,
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
    let disk = Arc::clone(&around.disk);
    let found = ClosedLog::find(disk, &around.directory.join(LOG), &options)?;
    let lineage = found.lineage().unwrap_or(options.new_lineage);
    let tier = open_tier(state, around.directory, lineage.0, &registry);
    if !found.was_closed() {
        found.require(applied_by_files(state, &tier)?)?;
    }
    let (log, recovery) = found.open()?;
    let from = Sources { log: &log, tier: &tier, disk: &around.disk, bases: &base_directory };
    let Rebuilt { base_sequence, records, damaged_base } = rebuild(state, &from)?;
    state.sequence = log.written().as_u64();
    state.logged_sequence = state.sequence;
    state.final_sequence = state.sequence;
    Ok(Found { log, tier, registry, recovery, base_sequence, records, damaged_base })
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
    state.front.put_off_deadlines();
    let mut replay = Replay::new(state, &tier);
    let mut start = Sequence::NONE;
    if let Some(path) = base_of(&around.disk, origin)? {
        start = load_base(&mut replay, around.disk.as_ref(), &path, None)?;
    }
    let records = Records::open(Arc::clone(&around.disk), &origin.directory.join(LOG), start)?;
    let replayed = replay_log(&mut replay, records, origin.until_ms)?;
    state.front.order_deadlines();
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
    let (base_sequence, records, damaged_base) = (0, replayed.count, None);
    Ok(Found { log, tier, registry, recovery, base_sequence, records, damaged_base })
}

/// The newest record that a file has applied: it was durable in the log before.
fn applied_by_files(state: &State, tier: &DiskTier) -> Result<Sequence, Error> {
    let mut newest = 0;
    for (namespace, _) in state.front.spaces().filter(|(_, space)| space.floor == Floor::Rows) {
        newest = newest.max(tier.applied(namespace)?);
    }
    Ok(Sequence::from_u64(newest))
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
