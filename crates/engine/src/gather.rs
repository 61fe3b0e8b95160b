//! Bringing what lies below into memory for a batch that stopped (DESIGN.md 3). A stop names what
//! is missing; each missing key gets a *fetching* entry with a number; the reads happen without
//! the engine's lock; and what they found counts only where the entry with that number is still
//! there, because any write, or a drain that let the entry go, supersedes it.

use std::sync::Arc;

use dwell_sqlite::Row;

use crate::clock::Now;
use crate::error::Error;
use crate::front::{Below, Blob, Copies, Header, Hold, NewValue, Spread, State as EntryState};
use crate::limits::INLINE_BYTES_MAX;
use crate::namespace::NamespaceId;
use crate::range::RangeNeed;
use crate::scope::Stop;
use crate::select::Least;
use crate::state::State;
use crate::value::{Kind, OwnedValue};

/// Stops of a batch after which the copies stay until it is over.
const STOPS_UNHELD_MAX: u32 = 8;

/// A key whose row is needed.
#[derive(Debug)]
pub(crate) struct KeyNeed {
    pub namespace: NamespaceId,
    pub key: Vec<u8>,
    /// The number of its fetching entry; 0 until one was made.
    pub fetch: u64,
}

/// Chunks of a spread string that are needed.
#[derive(Debug, Clone)]
pub(crate) struct ChunkNeed {
    pub namespace: NamespaceId,
    pub key: Vec<u8>,
    pub chunks: Vec<u32>,
    /// The namespace's drains when they were found missing.
    pub drains: u64,
}

/// What a batch needs before it can run.
#[derive(Debug, Default)]
pub struct Missing {
    pub(crate) keys: Vec<KeyNeed>,
    pub(crate) chunks: Vec<ChunkNeed>,
    pub(crate) ranges: Vec<RangeNeed>,
    pub(crate) indexes: Vec<NamespaceId>,
    pub(crate) rows: Vec<NamespaceId>,
    pub(crate) unknown: Vec<NamespaceId>,
    pub(crate) random: Vec<(NamespaceId, u64)>,
}

impl Missing {
    pub(crate) fn key(namespace: NamespaceId, key: &[u8]) -> Box<Self> {
        let need = KeyNeed { namespace, key: key.to_vec(), fetch: 0 };
        Box::new(Self { keys: vec![need], ..Self::default() })
    }

    pub(crate) fn chunks(namespace: NamespaceId, key: &[u8], chunks: Vec<u32>) -> Box<Self> {
        let need = ChunkNeed { namespace, key: key.to_vec(), chunks, drains: 0 };
        Box::new(Self { chunks: vec![need], ..Self::default() })
    }

    pub(crate) fn range(need: RangeNeed) -> Box<Self> {
        Box::new(Self { ranges: vec![need], ..Self::default() })
    }

    pub(crate) fn index(namespace: NamespaceId) -> Box<Self> {
        Box::new(Self { indexes: vec![namespace], ..Self::default() })
    }

    pub(crate) fn rows(namespace: NamespaceId) -> Box<Self> {
        Box::new(Self { rows: vec![namespace], ..Self::default() })
    }

    pub(crate) fn unknown(namespace: NamespaceId) -> Box<Self> {
        Box::new(Self { unknown: vec![namespace], ..Self::default() })
    }

    pub(crate) fn random(namespace: NamespaceId, seed: u64) -> Box<Self> {
        Box::new(Self { random: vec![(namespace, seed)], ..Self::default() })
    }

    /// Adds the keys that another lookup of the same batch is missing.
    pub(crate) fn join(&mut self, other: Self) {
        self.keys.extend(other.keys);
        self.chunks.extend(other.chunks);
    }
}

impl From<Box<Missing>> for Stop {
    fn from(missing: Box<Missing>) -> Self {
        Self::Gather(missing)
    }
}

/// A row that was read, or its absence.
#[derive(Debug)]
pub(crate) struct FoundRow {
    pub namespace: NamespaceId,
    pub key: Vec<u8>,
    pub fetch: u64,
    pub row: Option<Row>,
}

/// Chunks that were read; `None` is one that was never written.
#[derive(Debug)]
pub(crate) struct FoundChunks {
    pub need: ChunkNeed,
    pub data: Vec<Option<Vec<u8>>>,
}

/// Rows of a range.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    pub rows: Vec<(Row, Option<OwnedValue>)>,
    /// There may be more rows behind these.
    pub is_cut: bool,
}

/// What was brought for a page.
#[derive(Debug)]
pub(crate) struct RangeFound {
    pub need: RangeNeed,
    pub below: Rows,
    pub least: Option<Least>,
}

impl RangeFound {
    /// How far the page may reach: there may be keys of which nobody knows behind this one.
    pub fn horizon(&self) -> Option<&[u8]> {
        let range = &self.need.range;
        let last_row = self.below.rows.last().filter(|_| self.below.is_cut);
        let last_row = last_row.map(|(row, _)| row.key.as_slice());
        let last_key = self.least.as_ref().and_then(|least| least.horizon(range));
        match (last_row, last_key) {
            (Some(row), Some(key)) if range.is_before(key, row) => Some(key),
            (row, key) => row.or(key),
        }
    }
}

/// What was read from below for one batch, until the batch has happened. Nearly every batch needs
/// nothing, and then this is a few words.
#[derive(Debug, Default)]
pub struct Gathered {
    brought: Option<Box<Brought>>,
    /// How far a walk through memory has come that did not end in one slice.
    pub(crate) walked: u64,
    /// Engine time at which the batch was first told to wait for the drain.
    delayed_since_ms: Option<i64>,
}

/// What there is, once something was read.
#[derive(Debug, Default)]
pub(crate) struct Brought {
    pub rows: Vec<FoundRow>,
    pub chunks: Vec<FoundChunks>,
    pub ranges: Vec<Arc<RangeFound>>,
    pub random: Vec<(NamespaceId, Option<Vec<u8>>)>,
    /// How often the batch has stopped for want of something.
    stops: u32,
    hold: Option<Hold>,
    /// Namespaces whose ordered index was waited for.
    pub ordered: Vec<NamespaceId>,
    pub resolved: Vec<NamespaceId>,
    /// Namespaces whose random row was hidden by the front: do not ask again.
    tried_random: Vec<NamespaceId>,
}

impl Gathered {
    /// Whether this run of the batch follows a gathering, whose reads it repeats.
    pub(crate) fn is_fresh(&self) -> bool {
        self.brought.is_some()
    }

    /// Notes that the batch is told to wait at `now_ms`; for how long it has been waiting.
    pub(crate) fn note_delay(&mut self, now_ms: i64) -> i64 {
        now_ms - *self.delayed_since_ms.get_or_insert(now_ms)
    }

    /// Where what is read for the batch goes; from now on it has been gathered for.
    pub(crate) fn brought(&mut self) -> &mut Brought {
        self.brought.get_or_insert_default()
    }

    /// Notes that the batch stops for want of something. One that stops often needs more than
    /// the copies may usually take, and would find each time that others have gone.
    pub(crate) fn note_stop(&mut self, copies: &mut Copies) {
        let brought = self.brought();
        brought.stops += 1;
        if brought.stops > STOPS_UNHELD_MAX {
            brought.hold.get_or_insert_with(|| copies.hold());
        }
    }

    /// What was brought of a range, if it is what is needed now.
    pub(crate) fn range(&self, need: &RangeNeed) -> Option<&Arc<RangeFound>> {
        self.brought.as_ref()?.ranges.iter().find(|one| one.need == *need)
    }

    /// Whether somebody has walked for this range before, in vain.
    pub(crate) fn has_walked(&self, need: &RangeNeed) -> bool {
        let ranges = self.brought.as_ref().map_or(&[][..], |brought| &brought.ranges);
        ranges.iter().any(|one| one.need.selects && one.need.is_same_range(need))
    }

    pub(crate) fn has_ordered(&self, namespace: NamespaceId) -> bool {
        self.brought.as_ref().is_some_and(|brought| brought.ordered.contains(&namespace))
    }

    pub(crate) fn has_resolved(&self, namespace: NamespaceId) -> bool {
        self.brought.as_ref().is_some_and(|brought| brought.resolved.contains(&namespace))
    }

    pub(crate) fn has_tried_random(&self, namespace: NamespaceId) -> bool {
        self.brought.as_ref().is_some_and(|brought| brought.tried_random.contains(&namespace))
    }

    pub(crate) fn take_random(&mut self, namespace: NamespaceId) -> Option<Vec<u8>> {
        let brought = self.brought.as_mut()?;
        let at = brought.random.iter().position(|(one, _)| *one == namespace)?;
        let (_, row) = brought.random.swap_remove(at);
        brought.tried_random.push(namespace);
        row
    }
}

impl Brought {
    /// Keeps what was found of a range, in the place of what was found before.
    pub fn add_range(&mut self, found: RangeFound) {
        self.ranges.retain(|one| !one.need.is_same_range(&found.need));
        self.ranges.push(Arc::new(found));
    }
}

impl State {
    /// Makes the fetching entries of a stop.
    pub(crate) fn mark_fetching(&mut self, missing: &mut Missing, now: Now) -> Result<(), Error> {
        for need in &mut missing.keys {
            let hash = self.front.hash(&need.key);
            if let Some(handle) = self.front.find(need.namespace, hash, &need.key) {
                let entry = self.front.entry(handle);
                if entry.state() == EntryState::Fetching {
                    need.fetch = entry.version();
                }
                continue;
            }
            self.fetches += 1;
            need.fetch = self.fetches;
            let mut header = fetched_header(need.namespace, need.fetch, now);
            header.state = EntryState::Fetching;
            let handle = self.front.set(None, hash, &need.key, header, NewValue::Inside(&[]))?;
            self.front.copies.probation.push_back(handle);
        }
        for need in &mut missing.chunks {
            need.drains = self.front.space(need.namespace).drains;
        }
        for need in &mut missing.ranges {
            need.drains = self.front.space(need.namespace).drains;
        }
        Ok(())
    }

    /// Takes back the fetching entries of a gathering that failed.
    pub(crate) fn unmark_fetching(&mut self, missing: &Missing) {
        for need in &missing.keys {
            let hash = self.front.hash(&need.key);
            if let Some(handle) = self.front.find(need.namespace, hash, &need.key) {
                let entry = self.front.entry(handle);
                if entry.state() == EntryState::Fetching && entry.version() == need.fetch {
                    self.front.remove(handle, hash);
                }
            }
        }
    }

    /// Puts what was read in the place of the fetching entries that are still waiting for it.
    pub(crate) fn install(&mut self, gathered: &mut Gathered, now: Now) -> Result<(), Error> {
        let Some(brought) = &mut gathered.brought else {
            return Ok(());
        };
        for found in brought.rows.drain(..) {
            let hash = self.front.hash(&found.key);
            let Some(handle) = self.front.find(found.namespace, hash, &found.key) else {
                continue;
            };
            let entry = self.front.entry(handle);
            if entry.state() != EntryState::Fetching || entry.version() != found.fetch {
                continue;
            }
            self.counters.gathered += 1;
            let header = fetched_header(found.namespace, 0, now);
            let handle = match found.row {
                None => {
                    self.front.set(Some(handle), hash, &found.key, header, NewValue::Inside(&[]))?
                }
                Some(row) => {
                    let (header, value) = clean_entry(&row, header)?;
                    self.front.set(Some(handle), hash, &found.key, header, value.into_new())?
                }
            };
            self.front.copies.probation.push_back(handle);
        }
        for found in brought.chunks.drain(..) {
            let need = found.need;
            if self.front.space(need.namespace).drains != need.drains {
                continue;
            }
            let hash = self.front.hash(&need.key);
            let Some(handle) = self.front.find(need.namespace, hash, &need.key) else {
                continue;
            };
            self.front.change_spread(handle, |spread| {
                for (number, data) in need.chunks.iter().zip(&found.data) {
                    if spread.missing(0, u64::MAX).contains(number) {
                        spread.install(*number, data.as_deref().unwrap_or_default());
                    }
                }
            });
        }
        Ok(())
    }
}

/// The header of a copy: nothing is known of it yet but that it is one.
fn fetched_header(namespace: NamespaceId, version: u64, now: Now) -> Header {
    let accessed_s = (now.engine_ms / 1000) as u32;
    let header = Header::new(namespace, EntryState::Clean, version);
    Header { probation: true, accessed_s, ..header }
}

/// A value on its way from a row into an entry.
pub(crate) enum RowValue<'r> {
    Inside(&'r [u8]),
    Outside(Blob),
}

impl<'r> RowValue<'r> {
    pub(crate) fn into_new(self) -> NewValue<'r> {
        match self {
            Self::Inside(bytes) => NewValue::Inside(bytes),
            Self::Outside(blob) => NewValue::Outside(blob),
        }
    }
}

/// The entry that a row makes.
fn clean_entry(row: &Row, mut header: Header) -> Result<(Header, RowValue<'_>), Error> {
    let kind = Kind::from_byte(row.kind).ok_or_else(|| unknown_kind(row.kind))?;
    header.kind = Some(kind);
    header.below = Below::Same;
    header.version = row.version;
    header.deadline = row.deadline.map(crate::below::deadline_from_row);
    let value = match row.length {
        Some(length) => RowValue::Outside(Blob::Spread(Box::new(Spread::below(length)))),
        None if row.value.len() > INLINE_BYTES_MAX => {
            RowValue::Outside(Blob::Whole(row.value.as_slice().into()))
        }
        None => RowValue::Inside(&row.value),
    };
    Ok((header, value))
}

fn unknown_kind(byte: u8) -> Error {
    Error::new(
        crate::error::ErrorKind::Corrupt,
        format!("a row holds a kind of value that this version does not know: {byte}"),
    )
}
