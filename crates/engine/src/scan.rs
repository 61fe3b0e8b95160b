//! Ordered scans over both homes: the ordered index of the front merged with a range of rows. A
//! page reads the rows first, without the engine's lock; if a drain has let entries go since, the
//! rows are read again, so that a key that moves between the homes is missed by neither side.

use std::ops::Bound;
use std::sync::Arc;

use dwell_sqlite::Row;

use crate::clock::Now;
use crate::front::{Entry, Front, Handle, Index, Ordered, State as EntryState};
use crate::gather::Missing;
use crate::limits::{CHUNK_BYTES, PAGE_BYTES_MAX, PAGE_ROWS_MAX, SLICE_INSERTIONS, SLICE_KEYS};
use crate::namespace::NamespaceId;
use crate::scope::{Scope, Stop};
use crate::state::State;
use crate::value::{Kind, OwnedValue};

/// What to scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    /// Keys that start with this.
    pub prefix: Vec<u8>,
    /// Beyond this key, which is not returned: above it, or below it when `reverse`.
    pub after: Option<Vec<u8>>,
    /// From the greatest key downwards.
    pub reverse: bool,
    /// Most rows of a page; one may have fewer and still not be the last.
    pub limit: usize,
    /// Without the values.
    pub keys_only: bool,
}

/// One row of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct ScanRow {
    /// The key.
    pub key: Vec<u8>,
    /// The value's kind.
    pub kind: Kind,
    /// The value, unless only keys were asked for.
    pub value: Option<OwnedValue>,
}

impl ScanRow {
    /// What the row copies from where it lies; the chunks of a long value are shared.
    fn size_bytes(&self) -> usize {
        let value_bytes = match &self.value {
            Some(OwnedValue::Bytes(bytes)) => bytes.len(),
            Some(OwnedValue::Spread { .. }) => CHUNK_BYTES,
            _ => 0,
        };
        self.key.len() + value_bytes
    }
}

/// Part of a scan.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Page {
    /// In the order of the scan.
    pub rows: Vec<ScanRow>,
    /// Where the next page begins (`Range::after`); `None` at the end.
    pub next: Option<Vec<u8>>,
}

/// Rows of a range that a page needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RangeNeed {
    pub namespace: NamespaceId,
    pub range: Range,
    pub drains: u64,
}

/// Rows that were read for a page.
#[derive(Debug)]
pub(crate) struct RangeRows {
    pub need: RangeNeed,
    pub rows: Arc<[(Row, Option<OwnedValue>)]>,
    /// There may be more rows behind these.
    pub is_cut: bool,
}

impl Range {
    /// The least key that may match.
    fn lower(&self) -> Bound<Vec<u8>> {
        match &self.after {
            Some(after) if !self.reverse && *after >= self.prefix => Bound::Excluded(after.clone()),
            _ => Bound::Included(self.prefix.clone()),
        }
    }

    /// The bound above all keys that may match.
    fn upper(&self) -> Bound<Vec<u8>> {
        let end = end_of_prefix(&self.prefix);
        match &self.after {
            Some(after) if self.reverse && end.as_ref().is_none_or(|end| after < end) => {
                Bound::Excluded(after.clone())
            }
            _ => end.map_or(Bound::Unbounded, Bound::Excluded),
        }
    }

    /// The range as SQLite is asked for it.
    pub(crate) fn rows(&self) -> dwell_sqlite::Range {
        dwell_sqlite::Range { from: self.lower(), to: self.upper(), reverse: self.reverse }
    }

    fn contains(&self, key: &[u8]) -> bool {
        let beyond = self
            .after
            .as_deref()
            .is_none_or(|after| if self.reverse { key < after } else { key > after });
        beyond && key.starts_with(&self.prefix)
    }

    fn comes_first(&self, one: &[u8], other: &[u8]) -> bool {
        if self.reverse { one > other } else { one < other }
    }
}

/// The least key above every key with this prefix; `None` if there is none.
fn end_of_prefix(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|&byte| byte != 0xFF)?;
    let mut end = prefix[..=last].to_vec();
    end[last] += 1;
    Some(end)
}

impl Scope<'_> {
    /// A page of the keys of the current namespace in byte order, both homes merged. Scanning is
    /// no access: nothing is promoted or evicted by it.
    ///
    /// # Errors
    /// `Stop::Gather` for rows below, and while the ordered index is being built.
    ///
    /// # Cost
    /// O(log n) and the rows of the page; a page ends early where its values are large.
    pub fn scan(&mut self, range: &Range) -> Result<Page, Stop> {
        Self::check_limit(range.limit)?;
        let range = Range { limit: range.limit.min(PAGE_ROWS_MAX), ..range.clone() };
        if !self.is_ordered() && !self.state.order_some(self.namespace()) {
            return Err(Missing::index(self.namespace()).into());
        }
        let space = self.state.front.space(self.namespace());
        if !space.may_lie_below() {
            return self.merge(&range, &[], None);
        }
        let need = RangeNeed { namespace: self.namespace(), range, drains: space.drains };
        let Some(read) = self.gathered.range(&need) else {
            return Err(Missing::range(need).into());
        };
        // Shared, since another run of the batch may stop for something else yet.
        let rows = Arc::clone(&read.rows);
        let horizon = rows.last().filter(|_| read.is_cut).map(|(row, _)| row.key.as_slice());
        self.merge(&need.range, &rows, horizon)
    }

    /// Merges rows with the live entries of the front.
    fn merge(
        &mut self,
        range: &Range,
        below: &[(Row, Option<OwnedValue>)],
        horizon: Option<&[u8]>,
    ) -> Result<Page, Stop> {
        let (namespace, now) = (self.namespace(), self.now());
        let front = &self.state.front;
        let mut merge = Merge { front, namespace, now, range, page: Page::default(), newest: 0 };
        merge.run(below, horizon)?;
        let Merge { page, newest, .. } = merge;
        // That a key is not in the page tells of its removal.
        let newest = newest.max(front.space(namespace).removed_at);
        self.see(newest);
        Ok(page)
    }
}

/// A page in the making.
struct Merge<'f> {
    front: &'f Front,
    namespace: NamespaceId,
    now: Now,
    range: &'f Range,
    page: Page,
    /// The newest version in the page.
    newest: u64,
}

impl Merge<'_> {
    /// Fills the page with what comes first of either home, until it is full. Nothing beyond
    /// `horizon`, the last row of a cut read, may be in it: there may be rows in between.
    fn run(
        &mut self,
        below: &[(Row, Option<OwnedValue>)],
        horizon: Option<&[u8]>,
    ) -> Result<(), Stop> {
        let (front, range) = (self.front, self.range);
        let mut memory = live_handles(front, self.namespace, range).peekable();
        let mut rows = below.iter().peekable();
        // Keys that have expired are looked at as well.
        let mut looks_left = range.limit + SLICE_KEYS;
        let mut bytes_left = PAGE_BYTES_MAX;
        loop {
            let from_memory = memory.peek().map(|&handle| front.entry(handle).key());
            let from_below = rows.peek().map(|(row, _)| row.key.as_slice());
            let (takes_memory, key) = match (from_memory, from_below) {
                (Some(one), Some(other)) if range.comes_first(one, other) => (true, one),
                (Some(one), None) => (true, one),
                (_, Some(other)) => (false, other),
                (None, None) => break,
            };
            if takes_memory && horizon.is_some_and(|end| range.comes_first(end, key)) {
                break;
            }
            let held = self.page.rows.len();
            if takes_memory {
                memory.next().map_or(Ok(()), |handle| self.take_entry(handle))?;
            } else if let Some((row, value)) = rows.next() {
                self.take_row(row, value.as_ref());
            }
            looks_left -= 1;
            if let Some(row) = self.page.rows.get(held) {
                bytes_left = bytes_left.saturating_sub(row.size_bytes());
            }
            if self.page.rows.len() == range.limit || looks_left == 0 || bytes_left == 0 {
                self.page.next = Some(key.to_vec());
                return Ok(());
            }
        }
        self.page.next = horizon.map(<[u8]>::to_vec);
        Ok(())
    }

    fn take_entry(&mut self, handle: Handle) -> Result<(), Stop> {
        let entry = self.front.entry(handle);
        if entry.deadline().is_some_and(|deadline| self.now.is_past(deadline)) {
            return Ok(());
        }
        self.newest = self.newest.max(entry.version());
        self.page.rows.push(memory_row(self.front, handle, self.range.keys_only)?);
        Ok(())
    }

    fn take_row(&mut self, row: &Row, value: Option<&OwnedValue>) {
        let is_past =
            row.deadline.is_some_and(|at| self.now.is_past(crate::below::deadline_from_row(at)));
        if is_past || hides(self.front, self.namespace, &row.key) {
            return;
        }
        let kind = Kind::from_byte(row.kind).unwrap_or(Kind::Void);
        let (key, value) = (row.key.clone(), value.cloned());
        self.page.rows.push(ScanRow { key, kind, value });
    }
}

/// The live entries of a range, in its order.
fn live_handles<'f>(
    front: &'f Front,
    namespace: NamespaceId,
    range: &'f Range,
) -> Box<dyn Iterator<Item = Handle> + 'f> {
    let Ordered::Yes(index) = &front.space(namespace).ordered else {
        return Box::new(std::iter::empty());
    };
    let key_of = move |handle: Handle| front.entry(handle).key();
    let handles: Box<dyn Iterator<Item = Handle> + 'f> = if range.reverse {
        let end = match range.upper() {
            Bound::Excluded(key) => Some(key),
            _ => None,
        };
        Box::new(index.descending(end.as_deref(), key_of))
    } else {
        let from = range.after.as_deref().filter(|after| *after > range.prefix.as_slice());
        Box::new(index.ascending(from.unwrap_or(&range.prefix), key_of))
    };
    Box::new(
        handles
            .skip_while(move |&handle| range.after.as_deref() == Some(key_of(handle)))
            .take_while(move |&handle| range.contains(key_of(handle))),
    )
}

/// Whether the front has something newer to say about a key than its row.
pub(crate) fn hides(front: &Front, namespace: NamespaceId, key: &[u8]) -> bool {
    front.find(namespace, front.hash(key), key).is_some_and(|handle| {
        !matches!(front.entry(handle).state(), EntryState::Clean | EntryState::Fetching)
    })
}

fn memory_row(front: &Front, handle: Handle, keys_only: bool) -> Result<ScanRow, Stop> {
    let entry: Entry<'_> = front.entry(handle);
    let value = front.value_at(handle)?;
    let spread = front.spread_at(handle).filter(|_| !keys_only);
    let chunks = spread.map(|one| one.missing(0, u64::MAX)).unwrap_or_default();
    if !chunks.is_empty() {
        return Err(Missing::chunks(entry.namespace(), entry.key(), chunks).into());
    }
    Ok(ScanRow {
        key: entry.key().to_vec(),
        kind: value.kind(),
        value: (!keys_only).then(|| value.to_owned()),
    })
}

impl State {
    /// Takes the ordered index of a namespace a slice further; whether it is complete.
    pub(crate) fn order_some(&mut self, namespace: NamespaceId) -> bool {
        let space = self.front.space_mut(namespace);
        if matches!(space.ordered, Ordered::No) {
            space.ordered = Ordered::Building { index: Index::default(), position: 0 };
        }
        let mut indexed = 0;
        while indexed < SLICE_INSERTIONS / 2 {
            match self.front.order_part(namespace, SLICE_INSERTIONS) {
                Some(count) => indexed += count.max(1),
                None => break,
            }
        }
        matches!(self.front.space(namespace).ordered, Ordered::Yes(_))
    }
}
