//! One namespace of the front: its table, its ordered index if it was ever scanned, the queue of
//! what the drain has to write, and the counts from which DBSIZE follows.

use super::entry::{Below, Header, State};
use super::index::Index;
use super::lifetimes::Lifetimes;
use super::newcomers::Newcomers;
use super::slab::Handle;
use super::table::Table;

/// How far the ordered index has come.
pub enum Ordered {
    /// Nobody has scanned.
    No,
    /// Being built behind a scan: everything before this position of the table is in it.
    Building { index: Index, position: u64, newcomers: Newcomers },
    /// Complete.
    Yes(Index),
}

/// What lies below the namespace, as far as the front knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Floor {
    /// No file, or no row in it: what is not in the front does not exist.
    Empty,
    /// A file with rows.
    Rows,
}

/// One namespace in memory.
pub struct Space {
    pub table: Table,
    pub ordered: Ordered,
    pub floor: Floor,
    /// Handles of entries that the drain has to look at; stale ones are passed over.
    pub queue: Vec<Handle>,
    /// First sequence that the namespace's file has not applied; `None` when nothing waits.
    pub waiting_since: Option<u64>,
    /// The same of what a drain has taken and not committed yet.
    pub in_flight_since: Option<u64>,
    /// A FLUSH that the drain has not carried out: nothing below is visible until then.
    pub clear_pending: bool,
    /// Counts FLUSHes, so that what was begun before one is not finished after it.
    pub generation: u64,
    /// Counts the drains that have let entries go; a scan that read rows before must read again.
    pub drains: u64,
    /// A drain commits, or turns its entries clean; counts are not to be trusted meanwhile.
    pub is_settling: bool,
    /// How far the entries have come that wait again because a FLUSH was undone.
    pub reclaimed_to: Option<u64>,
    /// Rows in the file as of the last drain; `None` until someone has looked.
    pub rows: Option<u64>,
    /// Sequence of the last removal that left no entry behind; absent keys count as that new.
    pub removed_at: u64,
    /// Sequence of the last change: who counts the keys tells of all of them.
    pub changed_at: u64,
    /// Resident and dirty keys.
    pub live: u64,
    /// Of the entries that hide a row: those that certainly do.
    pub hiding: u64,
    /// Of the entries that may hide a row: those of which nobody knows.
    pub unknown: u64,
    /// What of these has a deadline, for INFO's `expires` and `avg_ttl`.
    pub lifetimes: Lifetimes,
    /// Bytes that wait for the drain.
    pub dirty_bytes: u64,
    /// Before this moment no row below can expire, or nobody has to look.
    pub next_row_deadline_ms: i64,
}

impl Space {
    /// An empty namespace.
    pub fn new(floor: Floor) -> Self {
        Self {
            table: Table::new(),
            ordered: Ordered::No,
            floor,
            queue: Vec::new(),
            waiting_since: None,
            in_flight_since: None,
            clear_pending: false,
            generation: 0,
            drains: 0,
            is_settling: false,
            reclaimed_to: None,
            rows: None,
            removed_at: 0,
            changed_at: 0,
            live: 0,
            hiding: 0,
            unknown: 0,
            lifetimes: Lifetimes::default(),
            dirty_bytes: 0,
            next_row_deadline_ms: 0,
        }
    }

    /// Begins the ordered index, unless that has happened; whether it has begun now.
    pub fn begin_order(&mut self) -> bool {
        let begins = matches!(self.ordered, Ordered::No);
        if begins {
            let (index, newcomers) = (Index::default(), Newcomers::default());
            self.ordered = Ordered::Building { index, position: 0, newcomers };
        }
        begins
    }

    /// Whether somebody walks over the keys for want of an index.
    pub fn is_walked(&self) -> bool {
        matches!(&self.ordered, Ordered::Building { newcomers, .. } if newcomers.is_wanted())
    }

    /// Whether a key that is not in the front may lie below.
    pub fn may_lie_below(&self) -> bool {
        self.floor == Floor::Rows && !self.clear_pending
    }

    /// Lets what a drain had taken wait again.
    pub fn give_back(&mut self) {
        let since = self.in_flight_since.take();
        self.waiting_since = match (self.waiting_since, since) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
    }

    /// How many drains there have been, as long as `rows` are those in the file; `None` while one
    /// may just have changed them.
    pub fn settled_drains(&self) -> Option<u64> {
        (!self.is_settling).then_some(self.drains)
    }

    /// Adds (`sign` 1) or takes away (-1) what an entry contributes to the counts.
    pub fn tally(&mut self, header: &Header, sign: i64) {
        let is_live = matches!(header.state, State::Resident | State::Dirty);
        let hides = is_live || header.state == State::Tombstone;
        let add = |count: &mut u64| *count = count.wrapping_add_signed(sign);
        if is_live {
            add(&mut self.live);
            if let Some(deadline) = header.deadline {
                self.lifetimes.tally(deadline, sign);
            }
        }
        match header.below {
            Below::Same | Below::Older if hides => add(&mut self.hiding),
            Below::Unknown if hides => add(&mut self.unknown),
            _ => {}
        }
    }

    /// Memory of table and index, in bytes.
    pub fn size_bytes(&self) -> usize {
        let index = match &self.ordered {
            Ordered::No => 0,
            Ordered::Building { index, newcomers, .. } => {
                index.size_bytes() + newcomers.size_bytes()
            }
            Ordered::Yes(index) => index.size_bytes(),
        };
        self.table.size_bytes() + index + self.queue.capacity() * size_of::<Handle>()
    }
}
