//! Editing strings in place: patch and append. A short result is written whole, a long one as
//! the bytes that changed, so that a bit of 512 MiB costs bytes in the log.

use super::read::Located;
use super::write::{check_key, check_length};
use super::{Scope, Stop};
use crate::clock::Deadline;
use crate::effect::{Effect, Home};
use crate::error::Error;
use crate::front::{Blob, Handle, NewValue, Spread, State as EntryState};
use crate::gather::Missing;
use crate::limits::CHUNK_BYTES;
use crate::value::Value;

/// Up to this length an edited string is logged whole: a patch would hardly be shorter.
const WHOLE_BYTES_MAX: usize = 256;

impl Scope<'_> {
    /// Overwrites the string from `offset` on, creating it and filling with zeros as needed; its
    /// new length. The deadline stays. Empty `data` changes nothing.
    ///
    /// # Errors
    /// `WrongType` for a collection; `Invalid` beyond 512 MiB; `Stop::Gather` if it lies below.
    pub fn patch(&mut self, key: &[u8], offset: u64, data: &[u8]) -> Result<u64, Stop> {
        check_key(key)?;
        check_length(offset.saturating_add(data.len() as u64))?;
        self.edit(key, Some(offset), data)
    }

    /// Appends to the string, creating it as needed; its new length. The deadline stays.
    ///
    /// # Errors
    /// As `patch`.
    pub fn append(&mut self, key: &[u8], data: &[u8]) -> Result<u64, Stop> {
        check_key(key)?;
        if data.is_empty() && self.locate(key)?.live.is_none() {
            self.put(key, Value::Bytes(b""), None)?;
            return Ok(0);
        }
        self.edit(key, None, data)
    }

    /// Overwrites from `offset` on, or at the end.
    fn edit(&mut self, key: &[u8], offset: Option<u64>, data: &[u8]) -> Result<u64, Stop> {
        if !data.is_empty() {
            // Before the key is looked up, since making room moves and removes entries.
            self.admit(key.len() as u64 + data.len() as u64)?;
        }
        let Located { hash, live } = self.locate(key)?;
        let length = self.text_length_of(live)?;
        if data.is_empty() {
            return Ok(length);
        }
        let offset = offset.unwrap_or(length);
        let end = offset + data.len() as u64;
        check_length(end)?;
        let new_length = length.max(end);
        let deadline = live.and_then(|handle| self.state.front.entry(handle).deadline());
        let is_spread = live.is_some_and(|handle| self.state.front.spread_at(handle).is_some());
        if is_spread || new_length > CHUNK_BYTES as u64 {
            self.patch_spread(hash, key, live, deadline, offset, data)?;
            return Ok(new_length);
        }
        let mut whole = match live {
            Some(handle) => self.state.front.value_at(handle)?.to_vec(),
            None => Vec::new(),
        };
        whole.resize(new_length as usize, 0);
        whole[offset as usize..end as usize].copy_from_slice(data);
        self.store_patched(hash, key, live, deadline, &whole, offset, data)?;
        Ok(new_length)
    }

    fn text_length_of(&self, live: Option<Handle>) -> Result<u64, Stop> {
        let Some(handle) = live else {
            return Ok(0);
        };
        let value = self.state.front.value_at(handle)?;
        if !value.kind().is_scalar() {
            return Err(Error::wrong_type().into());
        }
        Ok(value.text_length())
    }

    /// Writes a string that stays within one chunk.
    #[allow(clippy::too_many_arguments)]
    fn store_patched(
        &mut self,
        hash: u64,
        key: &[u8],
        live: Option<Handle>,
        deadline: Option<Deadline>,
        whole: &[u8],
        offset: u64,
        data: &[u8],
    ) -> Result<(), Stop> {
        let is_text_already = live.is_some_and(|handle| {
            self.state.front.entry(handle).kind() == Some(crate::value::Kind::String)
        });
        let home = self.placed(deadline, whole.len() as u64);
        let keeps_home =
            live.is_some_and(|handle| Self::home_of(self.state.front.entry(handle)) == home);
        let old = self.state.front.find(self.namespace, hash, key);
        if whole.len() <= WHOLE_BYTES_MAX || !is_text_already || !keeps_home {
            return self.store(hash, key, old, Value::Bytes(whole), deadline);
        }
        self.save(hash, key, old);
        let mut header = self.next_header(old, home, deadline);
        header.kind = Some(crate::value::Kind::String);
        if whole.len() > crate::limits::INLINE_BYTES_MAX {
            let blob = Blob::Whole(whole.into());
            self.set_entry(hash, key, old, header, NewValue::Outside(blob))?;
        } else {
            self.set_entry(hash, key, old, header, NewValue::Inside(whole))?;
        }
        self.log_for(home, &Effect::Patch { key, home, offset, data });
        Ok(())
    }

    /// Patches a string that is spread, or becomes so.
    fn patch_spread(
        &mut self,
        hash: u64,
        key: &[u8],
        live: Option<Handle>,
        deadline: Option<Deadline>,
        offset: u64,
        data: &[u8],
    ) -> Result<(), Stop> {
        // An absent key may still have an entry, which says that it is absent.
        let old = self.state.front.find(self.namespace, hash, key);
        let Some(handle) = live else {
            let mut spread = Spread::zeros(0);
            spread.patch(offset, data);
            return self.store_new_spread(hash, key, old, deadline, spread, None);
        };
        if self.state.front.spread_at(handle).is_none() {
            let whole = self.state.front.value_at(handle)?.to_vec();
            let mut spread = Spread::from_bytes(&whole);
            spread.patch(offset, data);
            let is_string =
                self.state.front.entry(handle).kind() == Some(crate::value::Kind::String);
            let patch = is_string.then_some((offset, data));
            return self.store_new_spread(hash, key, old, deadline, spread, patch);
        }
        let spread = self.state.front.spread_at(handle);
        let chunks = spread.map(|one| one.missing_around(offset, data.len() as u64));
        if let Some(chunks) = chunks.filter(|chunks| !chunks.is_empty()) {
            return Err(Missing::chunks(self.namespace, key, chunks).into());
        }
        self.save(hash, key, old);
        let home = Self::home_of(self.state.front.entry(handle));
        let mut header = self.next_header(old, home, deadline);
        header.kind = Some(crate::value::Kind::String);
        self.state.front.change_spread(handle, |spread| spread.patch(offset, data));
        if header.state == EntryState::Dirty {
            self.note_waiting();
        }
        self.state.front.remark(handle, header);
        self.log_for(home, &Effect::Patch { key, home, offset, data });
        Ok(())
    }

    /// Stores a string that has just become spread; `patch` is how the log tells it, else whole.
    fn store_new_spread(
        &mut self,
        hash: u64,
        key: &[u8],
        old: Option<Handle>,
        deadline: Option<Deadline>,
        spread: Spread,
        patch: Option<(u64, &[u8])>,
    ) -> Result<(), Stop> {
        let home = self.placed(deadline, spread.length);
        let old_home = old.map(|handle| Self::home_of(self.state.front.entry(handle)));
        self.save(hash, key, old);
        let mut header = self.next_header(old, home, deadline);
        header.kind = Some(crate::value::Kind::String);
        match patch.filter(|_| old_home == Some(home) && home == Home::Disk) {
            Some((offset, data)) => self.log_for(home, &Effect::Patch { key, home, offset, data }),
            None => self.log_spread(key, home, deadline, &spread),
        }
        let blob = Blob::Spread(Box::new(spread));
        self.set_entry(hash, key, old, header, NewValue::Outside(blob))
    }
}
