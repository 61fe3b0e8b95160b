//! The reads behind a gathering, without the engine's lock: rows, chunks, ranges, counts, and the
//! slices in which an ordered index is built.

use dwell_sqlite::{KeysReader, Row};

use crate::below::DiskTier;
use crate::engine::Engine;
use crate::error::Error;
use crate::front::{Below, State as EntryState};
use crate::gather::{Brought, FoundChunks, FoundRow, Gathered, Missing, RangeFound, Rows};
use crate::limits::{CHUNK_BYTES, PAGE_BYTES_MAX};
use crate::namespace::NamespaceId;
use crate::range::RangeNeed;
use crate::select::Least;
use crate::value::{Kind, OwnedValue, Value};

/// Rows that are read together; of a long value only that it is one.
const ROWS_PER_READ: usize = 64;

impl Engine {
    /// Reads what a stopped batch is missing. Waits for the disk; the lock is taken for slices
    /// only. Give `gathered` to the next run of the same batch.
    ///
    /// # Errors
    /// What the disk says. The batch has not happened then and may be tried again.
    pub fn gather(&self, missing: &Missing, gathered: &mut Gathered) -> Result<(), Error> {
        let result = self.read_missing(missing, gathered.brought());
        if result.is_err() {
            self.lock().state().unmark_fetching(missing);
        }
        result
    }

    fn read_missing(&self, missing: &Missing, brought: &mut Brought) -> Result<(), Error> {
        for &namespace in &missing.indexes {
            self.in_slices(|state| !state.order_some(namespace));
            brought.ordered.push(namespace);
        }
        let disk = self.disk_tier();
        for need in &missing.ranges {
            let least = if need.selects { self.select(need) } else { None };
            let disk = disk.filter(|_| need.is_below);
            let below = disk.map_or(Ok(Rows::default()), |disk| read_range(disk, need))?;
            brought.add_range(RangeFound { need: need.clone(), below, least });
        }
        let Some(disk) = disk else {
            return Ok(());
        };
        for need in missing.keys.iter().filter(|need| need.fetch != 0) {
            let row = disk.read(need.namespace, |reader| reader.get(&need.key))?.flatten();
            let (namespace, key, fetch) = (need.namespace, need.key.clone(), need.fetch);
            brought.rows.push(FoundRow { namespace, key, fetch, row });
        }
        for need in &missing.chunks {
            let mut data = Vec::with_capacity(need.chunks.len());
            for &number in &need.chunks {
                let chunk = disk.read(need.namespace, |reader| reader.chunk(&need.key, number))?;
                data.push(chunk.flatten());
            }
            brought.chunks.push(FoundChunks { need: need.clone(), data });
        }
        for &namespace in &missing.rows {
            self.read_rows(disk, namespace)?;
        }
        for &namespace in &missing.unknown {
            if self.resolve_unknown(disk, namespace)? {
                brought.resolved.push(namespace);
            }
        }
        for &(namespace, seed) in &missing.random {
            let row = disk.read(namespace, |reader| reader.any(seed))?.flatten();
            brought.random.push((namespace, row.map(|row| row.key)));
        }
        Ok(())
    }

    /// Walks over a namespace for the first keys of a range; `None` if its index is complete by
    /// now, or it is another namespace.
    fn select(&self, need: &RangeNeed) -> Option<Least> {
        let walk = self.lock().state().front.begin_walk(need.namespace)?;
        let mut least = Least::new(walk);
        let mut position = Some(0);
        self.in_slices(|state| {
            position = position.and_then(|at| {
                let offer = |key: &[u8]| least.offer(&need.range, key);
                state.front.walk_keys(need.namespace, at, offer)
            });
            position.is_some()
        });
        Some(least)
    }

    /// Looks how many rows a file has, unless a drain has changed that meanwhile.
    fn read_rows(&self, disk: &DiskTier, namespace: NamespaceId) -> Result<(), Error> {
        let drains = self.lock().state().front.space(namespace).settled_drains();
        let rows = disk.read(namespace, KeysReader::rows)?;
        let mut turn = self.lock();
        let space = turn.state().front.space_mut(namespace);
        if drains.is_some() && space.settled_drains() == drains {
            space.rows = Some(rows.unwrap_or(0));
        }
        Ok(())
    }

    /// Finds out for every entry that may hide a row whether it does; whether no drain has come
    /// in between. What a drain is about to write still counts as new afterwards.
    fn resolve_unknown(&self, disk: &DiskTier, namespace: NamespaceId) -> Result<bool, Error> {
        let mut position = Some(0);
        let mut is_certain = true;
        while let Some(at) = position {
            let mut candidates = Vec::new();
            let drains = {
                let mut turn = self.lock();
                let front = &turn.state().front;
                let mut handles = Vec::new();
                position = front.space(namespace).table.walk(at, &mut handles);
                for handle in handles {
                    let entry = front.entry(handle);
                    if entry.below() == Below::Unknown && entry.state() != EntryState::Clean {
                        candidates.push((entry.key().to_vec(), entry.version()));
                    }
                }
                front.space(namespace).settled_drains()
            };
            let mut found = Vec::with_capacity(candidates.len());
            disk.read(namespace, |reader| {
                for (key, _) in &candidates {
                    found.push(reader.head(key)?.is_some());
                }
                Ok(())
            })?;
            // Without a file there is no row.
            found.resize(candidates.len(), false);
            let mut turn = self.lock();
            let front = &mut turn.state().front;
            let space = front.space(namespace);
            if drains.is_none() || space.settled_drains() != drains {
                is_certain = false;
                continue;
            }
            // A drain that has taken a key may be about to write its row.
            let is_at_rest = space.in_flight_since.is_none();
            for ((key, version), is_there) in candidates.iter().zip(found) {
                let hash = front.hash(key);
                let Some(handle) = front.find(namespace, hash, key) else {
                    continue;
                };
                let mut header = front.entry(handle).header();
                let is_same = header.version == *version && header.below == Below::Unknown;
                if is_same && (is_there || is_at_rest) {
                    header.below = if is_there { Below::Older } else { Below::None };
                    front.remark(handle, header);
                }
            }
        }
        Ok(is_certain)
    }
}

/// Reads the rows of a page, as far as its bytes may go. A drain between two of the reads is
/// noticed like one after them: its settling comes later, and the page is then read again.
fn read_range(disk: &DiskTier, need: &RangeNeed) -> Result<Rows, Error> {
    let mut range = need.range.clone();
    let step = if range.keys_only { range.limit } else { ROWS_PER_READ };
    let read = disk.read(need.namespace, |reader| {
        let mut found: Vec<(Row, Option<OwnedValue>)> = Vec::new();
        let mut bytes = 0;
        loop {
            let limit = step.min(range.limit - found.len());
            let rows = reader.range(&range.rows(), range.keys_only, limit)?;
            let is_cut = rows.len() >= limit;
            for row in rows {
                if bytes >= PAGE_BYTES_MAX {
                    // Before a value is read that the page has no room for.
                    return Ok(Rows { rows: found, is_cut: true });
                }
                let value = if range.keys_only { None } else { Some(owned_value(reader, &row)?) };
                let value_bytes = row.length.map_or(row.value.len(), |length| length as usize);
                bytes += row.key.len() + if range.keys_only { 0 } else { value_bytes };
                found.push((row, value));
            }
            if !is_cut || found.len() >= range.limit || bytes >= PAGE_BYTES_MAX {
                return Ok(Rows { rows: found, is_cut });
            }
            range.after = found.last().map(|(row, _)| row.key.clone());
        }
    })?;
    Ok(read.unwrap_or_default())
}

/// The value of a row, with all its chunks if it is spread.
fn owned_value(reader: &mut KeysReader, row: &Row) -> Result<OwnedValue, dwell_sqlite::Error> {
    let Some(length) = row.length else {
        let kind = Kind::from_byte(row.kind).unwrap_or(Kind::Void);
        let value = Value::from_stored(kind, &row.value).unwrap_or(Value::Bytes(&row.value));
        return Ok(value.to_owned());
    };
    let count = length.div_ceil(CHUNK_BYTES as u64) as u32;
    let mut chunks = Vec::with_capacity(count as usize);
    for number in 0..count {
        chunks.push(reader.chunk(&row.key, number)?.map(std::sync::Arc::from));
    }
    Ok(OwnedValue::Spread { length, chunks })
}
