//! Ordered scans over both homes: the ordered index of the front merged with a range of rows. A
//! page reads the rows first, without the engine's lock; if a drain has let entries go since, the
//! rows are read again, so that a key that moves between the homes is missed by neither side.
//! Where the index is not complete yet, the first page does without it (`select.rs`).

use std::ops::Bound;
use std::sync::Arc;

use dwell_sqlite::Row;

use crate::clock::Now;
use crate::front::{Entry, Front, Handle, Ordered, State as EntryState};
use crate::gather::{Missing, RangeFound};
use crate::limits::{CHUNK_BYTES, PAGE_BYTES_MAX, PAGE_ROWS_MAX, SLICE_INSERTIONS, SLICE_KEYS};
use crate::namespace::NamespaceId;
use crate::range::{Range, RangeNeed};
use crate::scope::{Scope, Stop};
use crate::state::State;
use crate::value::{Kind, OwnedValue};

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

impl Scope<'_> {
    /// A page of the keys of the current namespace in byte order, both homes merged. Scanning is
    /// no access: nothing is promoted or evicted by it.
    ///
    /// # Errors
    /// `Stop::Gather` for rows below, and while the ordered index is not complete.
    ///
    /// # Cost
    /// O(log n) and the rows of the page; a page ends early where its values are large. Without
    /// the index, a first page walks over all keys in memory, and a later one waits for it.
    pub fn scan(&mut self, range: &Range) -> Result<Page, Stop> {
        Self::check_limit(range.limit)?;
        let range = Range { limit: range.limit.min(PAGE_ROWS_MAX), ..range.clone() };
        let namespace = self.namespace();
        let selects = !self.has_order();
        let space = self.state.front.space(namespace);
        let is_below = space.may_lie_below();
        let need = RangeNeed { namespace, range, drains: space.drains, is_below, selects };
        if !selects && !is_below {
            return self.merge(&need, None);
        }
        let Some(found) = self.gathered.range(&need) else {
            // Walks again and again, for each page or after each drain, cost more than the index.
            let waits = selects && (need.range.after.is_some() || self.gathered.has_walked(&need));
            let missing = if waits { Missing::index(namespace) } else { Missing::range(need) };
            return Err(missing.into());
        };
        // Shared, since another run of the batch may stop for something else yet.
        let found = Arc::clone(found);
        self.merge(&need, Some(&found))
    }

    /// Whether the namespace has its ordered index; takes it a slice further if not.
    fn has_order(&mut self) -> bool {
        let namespace = self.namespace();
        // After the wait for it there is an index but where the batch itself has flushed the
        // namespace: what it has written since stands only here.
        let has_waited = self.gathered.has_ordered(namespace);
        loop {
            let is_complete = self.state.order_some(namespace);
            if is_complete || !has_waited {
                return is_complete;
            }
        }
    }

    /// Merges what was found with the live entries of the front.
    fn merge(&mut self, need: &RangeNeed, found: Option<&RangeFound>) -> Result<Page, Stop> {
        let (namespace, now, range) = (need.namespace, self.now(), &need.range);
        let front = &self.state.front;
        let memory: Handles<'_> = if need.selects {
            let least = found.and_then(|found| found.least.as_ref());
            let selected = least.and_then(|least| least.handles(front, namespace, range));
            Box::new(selected.ok_or_else(|| Missing::index(namespace))?.into_iter())
        } else {
            live_handles(front, namespace, range)
        };
        let mut merge = Merge { front, namespace, now, range, page: Page::default(), newest: 0 };
        let below = found.map_or(&[][..], |found| &found.below.rows);
        merge.run(memory, below, found.and_then(RangeFound::horizon))?;
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
    /// `horizon` may be in it: there may be keys in between.
    fn run(
        &mut self,
        memory: impl Iterator<Item = Handle>,
        below: &[(Row, Option<OwnedValue>)],
        horizon: Option<&[u8]>,
    ) -> Result<(), Stop> {
        let (front, range) = (self.front, self.range);
        let mut memory = memory.peekable();
        let mut rows = below.iter().peekable();
        // Keys that have expired are looked at as well.
        let mut looks_left = range.limit + SLICE_KEYS;
        let mut bytes_left = PAGE_BYTES_MAX;
        loop {
            let from_memory = memory.peek().map(|&handle| front.entry(handle).key());
            let from_below = rows.peek().map(|(row, _)| row.key.as_slice());
            let (takes_memory, key) = match (from_memory, from_below) {
                (Some(one), Some(other)) if range.is_before(one, other) => (true, one),
                (Some(one), None) => (true, one),
                (_, Some(other)) => (false, other),
                (None, None) => break,
            };
            if horizon.is_some_and(|end| range.is_before(end, key)) {
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

type Handles<'f> = Box<dyn Iterator<Item = Handle> + 'f>;

/// The live entries of a range, in its order.
fn live_handles<'f>(front: &'f Front, namespace: NamespaceId, range: &'f Range) -> Handles<'f> {
    let Ordered::Yes(index) = &front.space(namespace).ordered else {
        return Box::new(std::iter::empty());
    };
    let key_of = move |handle: Handle| front.entry(handle).key();
    let handles: Handles<'f> = if range.reverse {
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
        if self.front.space_mut(namespace).begin_order() {
            self.ordering.push(namespace);
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

    /// Takes the ordered indexes that scans have begun a slice further; whether to go on at once.
    pub(crate) fn order_behind(&mut self) -> bool {
        let Some(&namespace) = self.ordering.last() else {
            return false;
        };
        // A FLUSH takes the index with it.
        let is_building = matches!(self.front.space(namespace).ordered, Ordered::Building { .. });
        if !is_building || self.order_some(namespace) {
            self.ordering.retain(|&one| one != namespace);
        }
        // Who walks is waited for, and would wait for each slice.
        !self.ordering.is_empty() && !self.front.space(namespace).is_walked()
    }
}
