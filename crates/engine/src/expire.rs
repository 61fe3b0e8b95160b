//! Removing keys whose deadline has come without waiting to be asked for them, in slices of
//! bounded work (TRIC+ fault 8). Every removal is a batch like any other: logged, undoable.

use dwell_sqlite::Row;

use crate::clock::Now;
use crate::engine::Engine;
use crate::error::Error;
use crate::front::Floor;
use crate::gather::Gathered;
use crate::limits::{SLICE_KEYS, SLICE_REMOVALS};
use crate::namespace::NamespaceId;
use crate::scan::hides;
use crate::scope::{Scope, Stop};
use crate::turn::BatchOptions;

impl Engine {
    /// Removes up to a slice of expired keys from memory, a part of it at a time; whether there may
    /// be more.
    ///
    /// # Errors
    /// Those of a write that is refused.
    pub fn expire_some(&self) -> Result<bool, Error> {
        for _ in 0..SLICE_KEYS / SLICE_REMOVALS {
            if !self.expire_part()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn expire_part(&self) -> Result<bool, Error> {
        let mut turn = self.lock();
        if !turn.state().settings.active_expire || turn.state().refusing.is_some() {
            return Ok(false);
        }
        let now = turn.now();
        let mut due = Vec::new();
        turn.state().front.deadlines.due(now, SLICE_REMOVALS, &mut due);
        if due.is_empty() {
            return Ok(false);
        }
        let has_more = due.len() >= SLICE_REMOVALS;
        let mut gathered = Gathered::default();
        let options = BatchOptions::default();
        let result = turn.batch(NamespaceId::new(0), &options, &mut gathered, |scope| {
            for handle in due {
                scope.expire_handle(handle)?;
            }
            Ok(())
        });
        self.end_slice(turn, result.map(|()| has_more))
    }

    /// Removes up to a slice of expired rows from the files; whether there may be more. Each file
    /// is asked through the index of its deadlines.
    ///
    /// # Errors
    /// Those of reading a file, or of a write that is refused.
    pub fn expire_rows_some(&self) -> Result<bool, Error> {
        let Some(disk) = self.disk_tier() else {
            return Ok(false);
        };
        let (now, namespaces) = {
            let mut turn = self.lock();
            if !turn.state().settings.active_expire || turn.state().refusing.is_some() {
                return Ok(false);
            }
            let now = turn.now();
            let with_rows: Vec<NamespaceId> = turn
                .state()
                .front
                .spaces()
                .filter(|(_, space)| space.floor == Floor::Rows && !space.clear_pending)
                .filter(|(_, space)| space.next_row_deadline_ms <= now.engine_ms)
                .map(|(namespace, _)| namespace)
                .collect();
            (now, with_rows)
        };
        let mut has_more = false;
        for namespace in namespaces {
            let rows = disk
                .read(namespace, |reader| reader.expired(now.engine_ms, now.wall_ms, SLICE_KEYS))?;
            let mut rows = rows.unwrap_or_default();
            let is_cut = rows.len() >= SLICE_KEYS;
            has_more |= is_cut;
            {
                let mut turn = self.lock();
                let front = &turn.state().front;
                rows.retain(|row| !hides(front, namespace, &row.key));
            }
            if is_cut && rows.len() < SLICE_KEYS {
                // Rows whose deletion waits for the drain stand in front of those to come.
                self.shared().background.want_drain();
            }
            self.expire_rows(namespace, &rows, now)?;
        }
        Ok(has_more)
    }

    fn expire_rows(&self, namespace: NamespaceId, rows: &[Row], now: Now) -> Result<(), Error> {
        if rows.is_empty() {
            // Ask again in a while: a row's deadline may have been written since.
            self.lock().state().front.space_mut(namespace).next_row_deadline_ms =
                now.engine_ms + ROWS_PAUSE_MS;
            return Ok(());
        }
        self.run(namespace, &BatchOptions::default(), |scope| {
            scope.need(rows.iter().map(|row| row.key.as_slice()))?;
            for row in rows {
                // Looking an expired key up removes it.
                scope.facts(&row.key)?;
            }
            Ok(())
        })
    }
}

/// Pause between two looks at a file that had nothing to expire, in milliseconds.
const ROWS_PAUSE_MS: i64 = 500;

impl Scope<'_> {
    /// Removes the entry at a handle if its deadline has come.
    fn expire_handle(&mut self, handle: crate::front::Handle) -> Result<(), Stop> {
        let Some(entry) = self.state.front.entry_if_live(handle) else {
            return Ok(());
        };
        let namespace = entry.namespace();
        let key = entry.key().to_vec();
        let hash = self.state.front.hash(&key);
        if self.state.front.find(namespace, hash, &key) != Some(handle) {
            // It belongs to a namespace that was flushed: freeing it forgets the deadline.
            if let Some(deadline) = self.state.front.entry(handle).deadline() {
                self.state.front.deadlines.remove(deadline, handle);
            }
            return Ok(());
        }
        self.select(namespace);
        self.facts(&key).map(|_| ())
    }
}
