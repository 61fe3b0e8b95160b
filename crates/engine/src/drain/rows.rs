//! Copying what a sweep writes out of the front: a few hundred keys at a time under the lock,
//! then into SQLite without it.

use std::ops::Range;
use std::sync::Arc;

use dwell_sqlite::{Below as BelowRow, RowRef, Writing};

use super::Sweep;
use crate::below::deadline_for_row;
use crate::engine::Engine;
use crate::error::Error;
use crate::front::{Below, Blob, Changes, Front, Handle, Header, State as EntryState, waits};
use crate::state::State;
use crate::value::Value;

/// Keys copied per holding of the lock.
const KEYS_PER_COPY: usize = 512;
/// The same when a transaction is bounded by its bytes.
const KEYS_PER_SMALL_COPY: usize = 8;

/// The keys of a sweep in one buffer, sorted, and what was written for each.
#[derive(Default)]
pub struct SweptKeys {
    bytes: Vec<u8>,
    spans: Vec<Span>,
}

struct Span {
    start: usize,
    length: u32,
    is_deletion: bool,
    /// The version that was written; 0 while nothing was.
    version: u64,
    wrote_row: bool,
}

impl SweptKeys {
    pub fn push(&mut self, key: &[u8], is_deletion: bool) {
        let (start, length) = (self.bytes.len(), key.len() as u32);
        self.bytes.extend_from_slice(key);
        self.spans.push(Span { start, length, is_deletion, version: 0, wrote_row: false });
    }

    pub fn sort(&mut self) {
        let bytes = &self.bytes;
        self.spans
            .sort_unstable_by_key(|span| &bytes[span.start..span.start + span.length as usize]);
    }

    /// Brings deletions to the front, without changing the order otherwise; tells how many.
    pub fn put_deletions_first(&mut self) -> usize {
        self.spans.sort_by_key(|span| !span.is_deletion);
        self.spans.partition_point(|span| span.is_deletion)
    }

    pub fn len(&self) -> usize {
        self.spans.len()
    }

    pub fn key(&self, at: usize) -> &[u8] {
        let span = &self.spans[at];
        &self.bytes[span.start..span.start + span.length as usize]
    }

    /// The version that was written for the key, and whether as a row.
    pub fn written(&self, at: usize) -> (u64, bool) {
        (self.spans[at].version, self.spans[at].wrote_row)
    }

    fn note(&mut self, at: usize, version: u64, wrote_row: bool) {
        self.spans[at].version = version;
        self.spans[at].wrote_row = wrote_row;
    }
}

/// What a transaction has written of its part of a sweep.
pub(super) struct Written {
    /// Where the next transaction goes on.
    pub end: usize,
    /// The newest version.
    pub newest: u64,
    pub bytes: u64,
}

/// What is written for one key.
enum Change {
    /// A row whose value is in the copy's buffer.
    Row { header: Header, value: Range<usize> },
    /// A row with its value held by itself.
    Shared { header: Header, value: Arc<[u8]> },
    /// A spread string: its length and the chunks that changed.
    Spread { header: Header, length: u64, changes: Changes },
    /// No row.
    Gone { below: Below },
    /// Nothing to do any more.
    Nothing,
}

impl Engine {
    /// Writes the keys of a part of the sweep, until it has written `bytes_max`.
    pub(super) fn write_rows(
        &self,
        sweep: &mut Sweep,
        part: Range<usize>,
        bytes_max: u64,
        writing: &mut Writing<'_>,
    ) -> Result<Written, Error> {
        let mut written = Written { end: part.start, newest: 0, bytes: 0 };
        let mut values = Vec::new();
        let mut changes = Vec::with_capacity(KEYS_PER_COPY);
        let keys_per_copy = if bytes_max < u64::MAX { KEYS_PER_SMALL_COPY } else { KEYS_PER_COPY };
        while written.end < part.end && written.bytes < bytes_max {
            let at = written.end;
            let end = (at + keys_per_copy).min(part.end);
            values.clear();
            changes.clear();
            self.copy_out(sweep, at..end, &mut values, &mut changes)?;
            for (offset, change) in changes.iter().enumerate() {
                written.newest = written.newest.max(sweep.keys.written(at + offset).0);
                let key = sweep.keys.key(at + offset);
                written.bytes += write_change(writing, key, change, &values)?;
            }
            written.end = end;
        }
        Ok(written)
    }

    fn copy_out(
        &self,
        sweep: &mut Sweep,
        part: Range<usize>,
        values: &mut Vec<u8>,
        changes: &mut Vec<Change>,
    ) -> Result<(), Error> {
        let mut turn = self.lock();
        let state = turn.state();
        let is_same = state.front.space(sweep.namespace).generation == sweep.generation;
        for at in part {
            let key = sweep.keys.key(at);
            let hash = state.front.hash(key);
            let found = state.front.find(sweep.namespace, hash, key).filter(|_| is_same);
            let Some(handle) = found else {
                changes.push(Change::Nothing);
                continue;
            };
            let header = state.front.entry(handle).header();
            let change = copy_entry(state, handle, header, values)?;
            let wrote_row = !matches!(change, Change::Gone { .. } | Change::Nothing);
            if !matches!(change, Change::Nothing) {
                sweep.keys.note(at, header.version, wrote_row);
            }
            changes.push(change);
        }
        Ok(())
    }
}

fn copy_entry(
    state: &mut State,
    handle: Handle,
    header: Header,
    values: &mut Vec<u8>,
) -> Result<Change, Error> {
    if !waits(&header) {
        return Ok(Change::Nothing);
    }
    if header.state != EntryState::Dirty {
        return Ok(Change::Gone { below: header.below });
    }
    let front: &mut Front = &mut state.front;
    if front.spread_at(handle).is_some() {
        let change = front.change_spread(handle, |spread| Change::Spread {
            header,
            length: spread.length,
            changes: spread.take_changes(),
        });
        return change.ok_or_else(|| Error::internal("a spread value is not where it was"));
    }
    if let Some(Blob::Whole(value)) = front.blob_at(handle) {
        return Ok(Change::Shared { header, value });
    }
    let start = values.len();
    let value: Value<'_> = front.value_at(handle)?;
    value.write_stored(values);
    Ok(Change::Row { header, value: start..values.len() })
}

fn write_change(
    writing: &mut Writing<'_>,
    key: &[u8],
    change: &Change,
    values: &[u8],
) -> Result<u64, Error> {
    let bytes = match change {
        Change::Nothing => return Ok(0),
        Change::Gone { below: Below::None } => 0,
        Change::Gone { .. } => {
            writing.delete(key)?;
            0
        }
        Change::Row { header, value } => {
            let value = &values[value.clone()];
            writing.put(&row(key, header, None, value), below(header))?;
            value.len()
        }
        Change::Shared { header, value } => {
            writing.put(&row(key, header, None, value), below(header))?;
            value.len()
        }
        Change::Spread { header, length, changes } => {
            writing.put(&row(key, header, Some(*length), b""), below(header))?;
            if let Some(first) = changes.cut_from {
                writing.delete_chunks(key, first)?;
            }
            for (number, data) in &changes.chunks {
                writing.put_chunk(key, *number, data)?;
            }
            changes.chunks.iter().map(|(_, data)| data.len()).sum()
        }
    };
    Ok((key.len() + bytes) as u64)
}

fn row<'a>(key: &'a [u8], header: &Header, length: Option<u64>, value: &'a [u8]) -> RowRef<'a> {
    RowRef {
        key,
        kind: header.kind.map_or(0, |kind| kind as u8),
        version: header.version,
        deadline: header.deadline.map(deadline_for_row),
        length,
        value,
    }
}

fn below(header: &Header) -> BelowRow {
    match header.below {
        Below::None => BelowRow::Absent,
        Below::Same | Below::Older => BelowRow::Present,
        Below::Unknown => BelowRow::Unknown,
    }
}
