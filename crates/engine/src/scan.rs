//! Ordered scans over both homes: the ordered index of the front merged with a range of rows. A
//! page reads the rows first, without the engine's lock; if a drain has let entries go since, the
//! rows are read again, so that a key that moves between the homes is missed by neither side.

use std::ops::Bound;

use dwell_sqlite::Row;

use crate::front::{Entry, Front, Handle, Index, Ordered, State as EntryState};
use crate::gather::Missing;
use crate::limits::{PAGE_ROWS_MAX, SLICE_KEYS};
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
    /// Most rows of a page; with values at most 10,000 are given.
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
    pub rows: Vec<(Row, Option<OwnedValue>)>,
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
    /// O(log n) and the rows of the page.
    pub fn scan(&mut self, range: &Range) -> Result<Page, Stop> {
        Self::check_limit(range.limit)?;
        // Keys alone are small, and a page of all of them is one read rather than many.
        let rows_max = if range.keys_only { usize::MAX } else { PAGE_ROWS_MAX };
        let range = Range { limit: range.limit.min(rows_max), ..range.clone() };
        if !self.is_ordered() && !self.state.order_some(self.namespace(), SLICE_KEYS) {
            return Err(Missing::index(self.namespace()).into());
        }
        let space = self.state.front.space(self.namespace());
        if !space.may_lie_below() {
            return self.merge(&range, &[], None);
        }
        let need = RangeNeed { namespace: self.namespace(), range, drains: space.drains };
        let Some(read) = self.gathered.ranges.iter().find(|one| one.need == need) else {
            return Err(Missing::range(need).into());
        };
        // Kept for another run of the batch, which may stop for something else yet.
        let horizon = read.rows.last().filter(|_| read.is_cut).map(|(row, _)| row.key.as_slice());
        self.merge(&read.need.range, &read.rows, horizon)
    }

    /// Merges rows with the live entries of the front. Nothing beyond `horizon`, the last row
    /// of a cut read, may be returned: there may be rows in between.
    fn merge(
        &self,
        range: &Range,
        below: &[(Row, Option<OwnedValue>)],
        horizon: Option<&[u8]>,
    ) -> Result<Page, Stop> {
        let front = &self.state.front;
        let namespace = self.namespace();
        let now = self.now();
        let mut memory = live_handles(front, namespace, range)
            .filter(|&handle| {
                front.entry(handle).deadline().is_none_or(|deadline| !now.is_past(deadline))
            })
            .peekable();
        let mut rows = below
            .iter()
            .filter(|(row, _)| {
                let is_past =
                    row.deadline.is_some_and(|at| now.is_past(crate::below::deadline_from_row(at)));
                !is_past && !hides(front, namespace, &row.key)
            })
            .peekable();
        let mut page = Page::default();
        loop {
            if page.rows.len() == range.limit {
                page.next = page.rows.last().map(|row| row.key.clone());
                return Ok(page);
            }
            let from_memory = memory.peek().map(|&handle| front.entry(handle).key());
            let from_below = rows.peek().map(|(row, _)| row.key.as_slice());
            let takes_memory = match (from_memory, from_below) {
                (Some(one), Some(other)) => range.comes_first(one, other),
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (None, None) => break,
            };
            if takes_memory {
                let key = from_memory.unwrap_or_default();
                if horizon.is_some_and(|end| range.comes_first(end, key)) {
                    break;
                }
                if let Some(handle) = memory.next() {
                    page.rows.push(memory_row(front, handle, range.keys_only)?);
                }
            } else if let Some((row, value)) = rows.next() {
                let kind = Kind::from_byte(row.kind).unwrap_or(Kind::Void);
                let (key, value) = (row.key.clone(), value.clone());
                page.rows.push(ScanRow { key, kind, value });
            }
        }
        page.next = horizon.map(<[u8]>::to_vec);
        Ok(page)
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
    pub(crate) fn order_some(&mut self, namespace: NamespaceId, keys_max: usize) -> bool {
        let space = self.front.space_mut(namespace);
        if matches!(space.ordered, Ordered::No) {
            space.ordered = Ordered::Building { index: Index::default(), position: 0 };
        }
        let mut indexed = 0;
        while indexed < keys_max {
            match self.front.order_segment(namespace) {
                Some(count) => indexed += count.max(1),
                None => return true,
            }
        }
        matches!(self.front.space(namespace).ordered, Ordered::Yes(_))
    }
}
