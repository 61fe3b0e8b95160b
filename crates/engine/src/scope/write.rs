//! Changing whole keys: put, delete, deadline, rename. Each finds the new home by the placement
//! rule, keeps the mark of what lies below, and logs the result (DESIGN.md 5 and 6).

use std::sync::Arc;

use super::read::Located;
use super::{Scope, Stop};
use crate::clock::Deadline;
use crate::effect::{Effect, Home};
use crate::error::{Error, ErrorKind};
use crate::front::{
    Below, Blob, Handle, Header, NewValue, Spread, State as EntryState, Stored, waits,
};
use crate::limits::{CHUNK_BYTES, INLINE_BYTES_MAX, KEY_BYTES_MAX, VALUE_BYTES_MAX};
use crate::namespace::NamespaceId;
use crate::pace::Verdict;
use crate::settings::Placement;
use crate::value::Value;

impl Scope<'_> {
    /// Sets the key to `value`, with `deadline` or without; a deadline that is past removes it.
    ///
    /// # Errors
    /// `Invalid` for a key or value that is too long; `Full` when memory is; `Stop::Delay` while
    /// the drain is behind. The key need not be in memory: what lies below is not asked for.
    pub fn put(
        &mut self,
        key: &[u8],
        value: Value<'_>,
        deadline: Option<Deadline>,
    ) -> Result<(), Stop> {
        check_key(key)?;
        let length = value.text_length();
        check_length(length)?;
        if deadline.is_some_and(|deadline| self.now.is_past(deadline)) {
            self.delete(key)?;
            return Ok(());
        }
        let size = key.len() as u64 + length;
        self.admit(size)?;
        let hash = self.state.front.hash(key);
        let old = self.state.front.find(self.namespace, hash, key);
        self.store(hash, key, old, value, deadline)
    }

    /// Removes the key; whether it was there.
    ///
    /// # Errors
    /// `Stop::Gather` if only the disk knows whether it is there.
    pub fn delete(&mut self, key: &[u8]) -> Result<bool, Stop> {
        let Located { hash, live } = self.locate(key)?;
        let Some(handle) = live else {
            return Ok(false);
        };
        self.check_writable()?;
        self.bury(hash, key, handle)?;
        Ok(true)
    }

    /// Gives the key a deadline or takes it away; `false` if there is no such key. The key moves
    /// to the home that the placement rule then gives it. A deadline that is past removes it.
    ///
    /// # Errors
    /// `Stop::Gather` if the key lies below.
    pub fn set_deadline(&mut self, key: &[u8], deadline: Option<Deadline>) -> Result<bool, Stop> {
        let Located { hash, live } = self.locate(key)?;
        let Some(handle) = live else {
            return Ok(false);
        };
        self.check_writable()?;
        if deadline.is_some_and(|deadline| self.now.is_past(deadline)) {
            self.bury(hash, key, handle)?;
            return Ok(true);
        }
        let entry = self.state.front.entry(handle);
        let old_home = Self::home_of(entry);
        if entry.deadline() == deadline {
            return Ok(true);
        }
        let home = self.placed(deadline, self.state.front.value_at(handle)?.text_length());
        if home != old_home {
            let value = self.state.front.value_at(handle)?.to_owned();
            self.admit(key.len() as u64)?;
            // Making room may have moved the entry, or let a copy of it go.
            let old = self.state.front.find(self.namespace, hash, key);
            self.store(hash, key, old, value.view(), deadline)?;
            return Ok(true);
        }
        self.save(hash, key, Some(handle));
        let mut header = self.next_header(Some(handle), home, deadline);
        header.kind = self.state.front.entry(handle).kind();
        match self.state.front.entry(handle).stored() {
            Stored::Inside(bytes) => {
                let bytes = bytes.to_vec();
                self.set_entry(hash, key, Some(handle), header, NewValue::Inside(&bytes))?;
            }
            Stored::Outside(number) => {
                self.set_entry(hash, key, Some(handle), header, NewValue::Kept(number))?;
            }
        }
        self.log_for(home, &Effect::Deadline { key, home, deadline });
        Ok(true)
    }

    /// Gives the value and deadline of `from` to `to` in `to_namespace`, replacing what is there,
    /// and removes `from` unless `keep_source`; `false` if there is no `from`.
    ///
    /// # Errors
    /// `Stop::Gather` if the key, or a chunk of it, lies below.
    pub fn rename(
        &mut self,
        from: &[u8],
        to: &[u8],
        to_namespace: NamespaceId,
        keep_source: bool,
    ) -> Result<bool, Stop> {
        check_key(to)?;
        let Some(handle) = self.locate(from)?.live else {
            return Ok(false);
        };
        self.need_chunks(from, handle, 0, u64::MAX)?;
        if from == to && to_namespace == self.namespace {
            return Ok(true);
        }
        let deadline = self.state.front.entry(handle).deadline();
        let value = self.state.front.value_at(handle)?.to_owned();
        if !keep_source {
            self.delete(from)?;
        }
        let home_namespace = self.namespace;
        self.select(to_namespace);
        let result = self.put(to, value.view(), deadline);
        self.select(home_namespace);
        result.map(|()| true)
    }

    /// Refuses writes while the log cannot take them.
    pub(super) fn check_writable(&self) -> Result<(), Stop> {
        if self.state.is_closed {
            return Err(Error::closed().into());
        }
        match &self.state.refusing {
            Some(error) => Err(error.clone().into()),
            None => Ok(()),
        }
    }

    /// Lets a write of `size` bytes in, or delays or refuses it.
    pub(super) fn admit(&mut self, size: u64) -> Result<(), Stop> {
        self.check_writable()?;
        if let Some(error) = &self.state.disk_full {
            return Err(error.clone().into());
        }
        let bound = self.state.settings.dirty_bytes_max;
        let dirty = self.state.front.dirty_bytes;
        if dirty >= bound / 2 && self.state.has_disk && !self.has_changed {
            match self.state.pace.admit(size, dirty, bound, self.now.engine_ms) {
                Verdict::Go => {}
                Verdict::Wait { ms } => return Err(Stop::Delay { ms: ms.max(1) }),
                Verdict::Full => return Err(Stop::Delay { ms: 5 }),
            }
        }
        let most = self.state.settings.memory_bytes_max;
        if most != 0 && self.state.front.used_bytes() + size > most {
            self.make_room(size)?;
        }
        Ok(())
    }

    /// Where the placement rule puts a key.
    pub(super) fn placed(&self, deadline: Option<Deadline>, length: u64) -> Home {
        if !self.state.has_disk {
            return Home::Memory;
        }
        if length > CHUNK_BYTES as u64 {
            return Home::Disk;
        }
        match self.state.settings.placement {
            Placement::Memory => Home::Memory,
            Placement::Lifetime if deadline.is_some() => Home::Memory,
            Placement::Lifetime | Placement::Disk => Home::Disk,
        }
    }

    /// Writes a value to its place and into the log.
    pub(super) fn store(
        &mut self,
        hash: u64,
        key: &[u8],
        old: Option<Handle>,
        value: Value<'_>,
        deadline: Option<Deadline>,
    ) -> Result<(), Stop> {
        let home = self.placed(deadline, value.text_length());
        self.store_at(hash, key, old, value, deadline, home)
    }

    /// Writes a value to the home that is named: eviction moves keys against the rule.
    pub(crate) fn store_at(
        &mut self,
        hash: u64,
        key: &[u8],
        old: Option<Handle>,
        value: Value<'_>,
        deadline: Option<Deadline>,
        home: Home,
    ) -> Result<(), Stop> {
        self.save(hash, key, old);
        let mut header = self.next_header(old, home, deadline);
        header.kind = Some(value.kind());
        // A disk value that only the log has yet would come back from there.
        let was_on_disk = header.below != Below::None
            || old.is_some_and(|one| self.state.front.entry(one).state() == EntryState::Dirty);
        let kind = value.kind();
        match value {
            Value::Bytes(bytes) if bytes.len() > CHUNK_BYTES => {
                self.store_spread(hash, key, old, header, Spread::from_bytes(bytes))?;
            }
            Value::Spread(view) => {
                self.store_spread(hash, key, old, header, Spread::from_view(view))?;
            }
            Value::Bytes(bytes) if bytes.len() > INLINE_BYTES_MAX => {
                let blob = Blob::Whole(Arc::from(bytes));
                self.set_entry(hash, key, old, header, NewValue::Outside(blob))?;
                self.log_for(home, &Effect::Put { key, home, kind, deadline, stored: bytes });
            }
            Value::Bytes(bytes) => {
                self.set_entry(hash, key, old, header, NewValue::Inside(bytes))?;
                self.log_for(home, &Effect::Put { key, home, kind, deadline, stored: bytes });
            }
            other => {
                let mut stored = Vec::with_capacity(24);
                other.write_stored(&mut stored);
                self.set_entry(hash, key, old, header, NewValue::Inside(&stored))?;
                self.log_for(home, &Effect::Put { key, home, kind, deadline, stored: &stored });
            }
        }
        if home == Home::Memory && was_on_disk && !self.state.settings.log_resident {
            // The value itself stays out of the log, but the row below must not come back.
            self.log(&Effect::Delete { key });
        }
        Ok(())
    }

    fn store_spread(
        &mut self,
        hash: u64,
        key: &[u8],
        old: Option<Handle>,
        header: Header,
        spread: Spread,
    ) -> Result<(), Stop> {
        let home = if header.state == EntryState::Resident { Home::Memory } else { Home::Disk };
        self.log_spread(key, home, header.deadline, &spread);
        let blob = Blob::Spread(Box::new(spread));
        self.set_entry(hash, key, old, header, NewValue::Outside(blob))
    }

    /// Logs a spread string whole: its length, and the chunks that are not zeros.
    pub(super) fn log_spread(
        &mut self,
        key: &[u8],
        home: Home,
        deadline: Option<Deadline>,
        spread: &Spread,
    ) {
        let length = spread.length;
        self.log_for(home, &Effect::Spread { key, home, deadline, length });
        for (number, chunk) in spread.chunks.iter().enumerate() {
            if let Some(data) = chunk {
                self.log_for(home, &Effect::Chunk { number: number as u32, data });
            }
        }
    }

    /// Writes an entry, and notes what the drain has to do for it.
    pub(super) fn set_entry(
        &mut self,
        hash: u64,
        key: &[u8],
        old: Option<Handle>,
        header: Header,
        value: NewValue<'_>,
    ) -> Result<(), Stop> {
        if waits(&header) {
            self.note_waiting();
        }
        if header.kind.is_some() {
            self.state.arrivals.note(self.namespace, hash);
        }
        self.state.front.set(old, hash, key, header, value)?;
        Ok(())
    }

    /// The header of an entry after a write: state from the home, the mark of what lies below
    /// carried on, access counters kept.
    pub(super) fn next_header(
        &self,
        old: Option<Handle>,
        home: Home,
        deadline: Option<Deadline>,
    ) -> Header {
        let before = old.map(|handle| self.state.front.entry(handle).header());
        let may_lie_below = self.state.front.space(self.namespace).may_lie_below();
        let header = Header::new(self.namespace, home.state(), self.sequence);
        Header {
            below: below_after(before.as_ref(), may_lie_below),
            deadline,
            accessed_s: (self.now.engine_ms / 1000) as u32,
            frequency: before.map_or(header.frequency, |before| before.frequency),
            ..header
        }
    }

    /// Removes a key that is there: without a trace if nothing can lie below, else leaving the
    /// knowledge that it is absent, or a tombstone that hides the row until the drain has deleted
    /// it.
    pub(crate) fn bury(&mut self, hash: u64, key: &[u8], handle: Handle) -> Result<(), Stop> {
        let before = self.state.front.entry(handle).header();
        let home = Self::home_of(self.state.front.entry(handle));
        self.save(hash, key, Some(handle));
        let mut header = self.next_header(Some(handle), Home::Disk, None);
        header.state = EntryState::Tombstone;
        let may_lie_below = self.state.front.space(self.namespace).may_lie_below();
        if header.below == Below::None && may_lie_below {
            // Without an entry the batch would be sent below for what it has itself removed.
            header.state = EntryState::Clean;
            header.probation = true;
            let absent = NewValue::Inside(&[]);
            let handle = self.state.front.set(Some(handle), hash, key, header, absent)?;
            self.state.front.copies.probation.push_back(handle);
        } else if header.below == Below::None {
            self.state.front.remove(handle, hash);
        } else {
            self.set_entry(hash, key, Some(handle), header, NewValue::Inside(&[]))?;
        }
        self.state.front.space_mut(self.namespace).removed_at = self.sequence;
        let is_on_disk = home == Home::Disk || before.below != Below::None;
        self.log_for(if is_on_disk { Home::Disk } else { Home::Memory }, &Effect::Delete { key });
        Ok(())
    }

    /// Removes a key whose deadline has come. While the log takes no writes it is only passed
    /// over: reads must go on.
    pub(super) fn remove_expired(
        &mut self,
        hash: u64,
        key: &[u8],
        handle: Handle,
    ) -> Result<(), Stop> {
        if self.state.refusing.is_some() {
            return Ok(());
        }
        self.bury(hash, key, handle)?;
        self.state.counters.expired += 1;
        Ok(())
    }
}

/// What lies below an entry after it was written, from what was there before.
fn below_after(before: Option<&Header>, may_lie_below: bool) -> Below {
    let Some(before) = before else {
        return if may_lie_below { Below::Unknown } else { Below::None };
    };
    match before.state {
        EntryState::Fetching => Below::Unknown,
        EntryState::Clean if before.kind.is_none() => Below::None,
        EntryState::Clean => Below::Older,
        // Taken by a drain that has not committed yet: its row may appear at any moment.
        _ if waits(before) && !before.queued && before.below == Below::None => Below::Unknown,
        _ if before.below == Below::Same => Below::Older,
        _ => before.below,
    }
}

/// Refuses a key that is too long.
pub(super) fn check_key(key: &[u8]) -> Result<(), Stop> {
    if key.len() <= KEY_BYTES_MAX {
        return Ok(());
    }
    Err(Error::invalid(format!("a key has at most {KEY_BYTES_MAX} bytes: {}", key.len())).into())
}

/// Refuses a value that is too long.
pub(super) fn check_length(length: u64) -> Result<(), Stop> {
    if length <= VALUE_BYTES_MAX {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Invalid, "string exceeds maximum allowed size (512MB)").into())
}
