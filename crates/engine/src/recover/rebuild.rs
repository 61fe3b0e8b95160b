//! The residents and what waits for the drain, from what is on disk: the newest base that is
//! whole, then every record that it or a file has not got. INV-04.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use super::ahead::{Chunk, read_ahead};
use super::replay::Replay;
use crate::base::START_BYTES;
use crate::below::DiskTier;
use crate::disk::Disk;
use crate::effect::Effects;
use crate::error::{Error, ErrorKind};
use crate::log::{BaseReader, Flags, Lineage, Log, LogError, RecordRef, Records, Sequence, bases};
use crate::namespace::NamespaceId;
use crate::state::State;

/// The first record that a log ever has.
const FIRST: Sequence = Sequence::new(0, 1);

const HINT: &str = "restore from a backup";

/// Where a state is built from.
pub struct Sources<'a> {
    pub log: &'a Log,
    pub tier: &'a DiskTier,
    pub disk: &'a Arc<dyn Disk>,
    /// The directory of the bases.
    pub bases: &'a Path,
}

/// What it was built from.
pub struct Rebuilt {
    pub base_sequence: u64,
    /// Records that were replayed.
    pub records: u64,
    /// Why a newer base was passed over.
    pub damaged_base: Option<Error>,
}

/// Fills `state`, whose namespaces are known and empty.
///
/// # Errors
/// `Corrupt` for a damaged log; and for a damaged base, unless the log reaches back to an older
/// one or to its own beginning.
pub fn rebuild(state: &mut State, from: &Sources<'_>) -> Result<Rebuilt, Error> {
    state.front.put_off_deadlines();
    let (base_sequence, start, damaged_base) = load_newest_base(state, from)?;
    let records = match (from.log.records(start), &damaged_base) {
        (Err(LogError::Gone { .. }), Some(damage)) => return Err(damage.clone().with_hint(HINT)),
        (records, _) => records?,
    };
    let records = replay_log(&mut Replay::new(state, from.tier), records, i64::MAX)?.count;
    state.front.order_deadlines();
    Ok(Rebuilt { base_sequence, records, damaged_base })
}

/// Loads the newest base that is whole. Gives its sequence, the first record to replay onto it,
/// and what is wrong with a newer one.
fn load_newest_base(
    state: &mut State,
    from: &Sources<'_>,
) -> Result<(u64, Sequence, Option<Error>), Error> {
    let mut damaged_base = None;
    for base in bases(from.disk.as_ref(), from.bases)? {
        let mut replay = Replay::new(state, from.tier);
        match load_base(&mut replay, from.disk.as_ref(), &base.path, Some(from.log.lineage())) {
            Ok(start) => return Ok((base.sequence.as_u64(), start, damaged_base)),
            Err(error) if error.kind == ErrorKind::Corrupt => {
                damaged_base.get_or_insert(error);
                state.front = state.front.emptied();
                state.front.put_off_deadlines();
            }
            Err(error) => return Err(error),
        }
    }
    if from.log.segments().first().is_some_and(|oldest| oldest.first > FIRST) {
        let message = "the log does not reach back to its beginning, and there is no base";
        let error = damaged_base.unwrap_or_else(|| Error::new(ErrorKind::Corrupt, message));
        return Err(error.with_hint(HINT));
    }
    Ok((0, Sequence::NONE, damaged_base))
}

/// Loads one base, of a history that is known or not; gives the first record to replay onto it.
///
/// # Errors
/// `Corrupt` for damage, with file and offset.
pub fn load_base(
    replay: &mut Replay<'_>,
    disk: &dyn Disk,
    path: &Path,
    lineage: Option<Lineage>,
) -> Result<Sequence, Error> {
    let reader = BaseReader::open(disk, path)?;
    if lineage.is_some_and(|lineage| lineage != reader.lineage()) {
        let message = format!("a base belongs to another history: {}", path.display());
        return Err(Error::new(ErrorKind::Corrupt, message));
    }
    let damaged = || {
        let message = format!("a base holds an entry that is none: {}", path.display());
        Error::new(ErrorKind::Corrupt, message)
    };
    let mut start = None;
    read_ahead(reader, |chunk| {
        let mut entries = chunk.pieces();
        if start.is_none()
            && let Some(first) = entries.next()
        {
            let bytes: [u8; START_BYTES] = first.try_into().map_err(|_| damaged())?;
            start = Some(Sequence::from_u64(u64::from_le_bytes(bytes)));
        }
        load_entries(replay, entries, &damaged).map(ControlFlow::Continue)
    })?;
    start.ok_or_else(damaged)
}

fn load_entries<'c>(
    replay: &mut Replay<'_>,
    entries: impl Iterator<Item = &'c [u8]>,
    damaged: &impl Fn() -> Error,
) -> Result<(), Error> {
    let entries: Option<Vec<_>> = entries.map(<[u8]>::split_first_chunk::<8>).collect();
    let entries = entries.ok_or_else(damaged)?;
    for (_, effects) in &entries {
        replay.expect(None, effects);
    }
    replay.prefetch_expected();
    for (version, effects) in entries {
        replay.begin(u64::from_le_bytes(*version), true);
        for effect in Effects(effects) {
            replay.apply(&effect.ok_or_else(damaged)?)?;
        }
        replay.end()?;
    }
    Ok(())
}

/// What a replay went through.
pub struct Replayed {
    pub count: u64,
    /// Records are missing before the first one.
    pub begins_late: bool,
    pub last: Sequence,
    pub raw_ms: i64,
}

/// Applies the records up to a time; they are in its order, and it never decreases.
///
/// # Errors
/// `Corrupt` for damage; what the disk says.
pub fn replay_log(
    replay: &mut Replay<'_>,
    records: Records,
    until_ms: i64,
) -> Result<Replayed, Error> {
    let mut replayed = Replayed { count: 0, begins_late: false, last: Sequence::NONE, raw_ms: 0 };
    read_ahead(records, |chunk| replayed.apply_some(replay, chunk, until_ms))?;
    Ok(replayed)
}

impl Replayed {
    fn apply_some(
        &mut self,
        replay: &mut Replay<'_>,
        chunk: &Chunk,
        until_ms: i64,
    ) -> Result<ControlFlow<()>, Error> {
        let records = || chunk.pieces().filter_map(RecordRef::of_read);
        for record in records() {
            replay.expect(first_namespace(&record), record.effects());
        }
        replay.prefetch_expected();
        for record in records() {
            let head = record.head();
            if self.last == Sequence::NONE {
                // A later epoch begins with a gap, and some numbers are passed over.
                let is_next = head.sequence == FIRST || head.flags.contains(Flags::SKIPS);
                self.begins_late = !is_next && head.sequence.epoch() == FIRST.epoch();
            }
            if i64::try_from(head.time_ms).unwrap_or(i64::MAX) > until_ms {
                return Ok(ControlFlow::Break(()));
            }
            self.count += 1;
            self.last = head.sequence;
            self.raw_ms = head.raw_ms;
            apply_record(replay, &record)?;
        }
        Ok(ControlFlow::Continue(()))
    }
}

fn first_namespace(record: &RecordRef<'_>) -> Option<NamespaceId> {
    record.namespaces().next().map(NamespaceId::new)
}

fn apply_record(replay: &mut Replay<'_>, record: &RecordRef<'_>) -> Result<(), Error> {
    let sequence = record.sequence().as_u64();
    replay.begin(sequence, false);
    if let Some(first) = first_namespace(record) {
        replay.select(first)?;
    }
    for effect in Effects(record.effects()) {
        let effect = effect.ok_or_else(|| {
            let message = format!("record {sequence} of the log holds an effect that is none");
            Error::new(ErrorKind::Corrupt, message)
                .with_hint("restore from a backup, or open it with the version that wrote it")
        })?;
        replay.apply(&effect)?;
    }
    replay.end()
}
