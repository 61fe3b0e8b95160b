//! Numbers for INFO, `dwell status` and `Database.stats()`, read at one moment.

use std::sync::atomic::Ordering;

use crate::clock::Now;
use crate::engine::Engine;
use crate::error::Error;
use crate::front::Floor;
use crate::namespace::NamespaceId;
use crate::state::Counters;

/// One namespace in numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpaceStats {
    /// Its number.
    pub namespace: NamespaceId,
    /// Its name.
    pub name: Vec<u8>,
    /// Keys of either home; what is not yet known to hide a row counts as new.
    pub keys: u64,
    /// Keys that live in memory or are on their way to disk.
    pub live: u64,
    /// Of these, keys with a deadline.
    pub expiring: u64,
    /// How long these have left on average, in milliseconds.
    pub average_left_ms: u64,
    /// Rows in its file; `None` before anyone has looked.
    pub rows: Option<u64>,
    /// Bytes that wait for the drain.
    pub dirty_bytes: u64,
}

/// The engine in numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stats {
    /// The clocks.
    pub now: Now,
    /// Whether the monotonic clock stands still, so that lifetimes follow the wall clock.
    pub clock_stands_still: bool,
    /// Memory of entries, values, deadlines and tables, in bytes.
    pub used_bytes: u64,
    /// Of these, tables and ordered indexes.
    pub table_bytes: u64,
    /// Of these, copies that were read once, and twice.
    pub probation_bytes: u64,
    /// See `probation_bytes`.
    pub promoted_bytes: u64,
    /// Bytes that wait for the drain.
    pub dirty_bytes: u64,
    /// Sequence of the last batch that changed something.
    pub sequence: u64,
    /// Last record handed to the operating system.
    pub written_sequence: u64,
    /// Last record known to be durable.
    pub synced_sequence: u64,
    /// Everything before it has been drained.
    pub applied_sequence: u64,
    /// Sequence of the last base.
    pub base_sequence: u64,
    /// Size of the log, in bytes, as of the last write or base.
    pub log_bytes: u64,
    /// How long the oldest dirty key has waited, in milliseconds.
    pub drain_lag_ms: u64,
    /// Why the drain is not getting on, if it is not.
    pub drain_error: Option<Error>,
    /// Why writes are refused, if they are.
    pub refusing: Option<Error>,
    /// What has been counted since the start.
    pub counters: Counters,
    /// The namespaces that hold anything.
    pub spaces: Vec<SpaceStats>,
}

impl Engine {
    /// Everything there is to tell, at one moment.
    ///
    /// # Cost
    /// O(namespaces), under the lock.
    pub fn stats(&self) -> Stats {
        let names = self.namespaces();
        let background = &self.shared().background;
        let drain_error = background.drain_error.lock().clone();
        let dirty_since_ms = background.dirty_since_ms.load(Ordering::Relaxed);
        let state = self.shared().state.lock();
        let now = state.now(self.clock());
        let spaces = state
            .front
            .spaces()
            .zip(&names)
            .filter(|((_, space), _)| space.live > 0 || space.floor == Floor::Rows)
            .map(|((namespace, space), (_, name))| {
                let rows = if space.may_lie_below() { space.rows.unwrap_or(0) } else { 0 };
                SpaceStats {
                    namespace,
                    name: name.clone(),
                    keys: (rows + space.live).saturating_sub(space.hiding),
                    live: space.live,
                    expiring: space.lifetimes.count(),
                    average_left_ms: space.lifetimes.average_left_ms(now),
                    rows: if space.may_lie_below() { space.rows } else { Some(0) },
                    dirty_bytes: space.dirty_bytes,
                }
            })
            .collect();
        let sequence = state.sequence;
        let store = self.store();
        Stats {
            now,
            clock_stands_still: self.clock().stands_still(),
            used_bytes: state.front.used_bytes(),
            table_bytes: state.front.table_bytes(),
            probation_bytes: state.front.copies.probation_bytes,
            promoted_bytes: state.front.copies.promoted_bytes,
            dirty_bytes: state.front.dirty_bytes,
            sequence,
            written_sequence: store.map_or(0, |one| one.log.written().as_u64()),
            synced_sequence: store.map_or(0, |one| one.log.synced().as_u64()),
            applied_sequence: state.first_needed(sequence + 1) - 1,
            base_sequence: store.map_or(0, crate::store::Store::base_sequence),
            log_bytes: store.map_or(0, crate::store::Store::log_bytes),
            drain_lag_ms: match dirty_since_ms {
                0 => 0,
                since_ms => (now.engine_ms.max(0) as u64).saturating_sub(since_ms),
            },
            drain_error,
            refusing: state.refusing.clone().or_else(|| state.disk_full.clone()),
            counters: state.counters,
            spaces,
        }
    }
}
