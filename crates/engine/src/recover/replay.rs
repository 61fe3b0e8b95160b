//! Applying one effect to a state that is being rebuilt. Each is applied at most once in what it
//! amounts to: entries and rows bear the version of their last change, files the sequence that
//! they have applied.

use crate::below::{DiskTier, deadline_from_row};
use crate::clock::Deadline;
use crate::effect::{Effect, Effects, Home};
use crate::error::{Error, ErrorKind};
use crate::front::{
    Below, Blob, Floor, Handle, Header, NewValue, Space, Spread, State as EntryState, waits,
};
use crate::limits::{CHUNK_BYTES, INLINE_BYTES_MAX};
use crate::namespace::NamespaceId;
use crate::state::State;
use crate::value::{Kind, Value};

/// A spread string whose chunks are still coming.
struct Growing {
    key: Vec<u8>,
    home: Home,
    deadline: Option<Deadline>,
    spread: Spread,
}

/// A replay under way.
pub struct Replay<'a> {
    state: &'a mut State,
    tier: &'a DiskTier,
    /// What each file has applied, as far as it was asked.
    applied: Vec<Option<u64>>,
    namespace: NamespaceId,
    version: u64,
    is_base: bool,
    growing: Option<Growing>,
}

impl<'a> Replay<'a> {
    pub fn new(state: &'a mut State, tier: &'a DiskTier) -> Self {
        let namespace = NamespaceId::new(0);
        let applied = vec![None; state.front.spaces().count()];
        Self { state, tier, applied, namespace, version: 0, is_base: false, growing: None }
    }

    /// Notes which keys effects that will be applied soon are about.
    pub fn expect(&mut self, first: Option<NamespaceId>, effects: &[u8]) {
        let mut namespace = first;
        for effect in Effects(effects).flatten() {
            if let Effect::Space(next) = effect {
                namespace = Some(next);
            }
            // A number that is not registered is refused when the effect is applied.
            let known = namespace.filter(|&one| self.state.front.has_space(one));
            if let (Some(namespace), Some(key)) = (known, effect.key()) {
                self.state.front.expect(namespace, key);
            }
        }
    }

    /// Looks all of them up at once.
    pub fn prefetch_expected(&mut self) {
        self.state.front.prefetch_expected();
    }

    /// Begins a record, or the entry of a base.
    pub fn begin(&mut self, version: u64, is_base: bool) {
        self.version = version;
        self.is_base = is_base;
    }

    /// Ends it.
    pub fn end(&mut self) -> Result<(), Error> {
        let Some(growing) = self.growing.take() else {
            return Ok(());
        };
        let blob = NewValue::Outside(Blob::Spread(Box::new(growing.spread)));
        self.put(&growing.key, growing.home, Kind::String, growing.deadline, blob)
    }

    /// Names the namespace of the effects that follow.
    pub fn select(&mut self, namespace: NamespaceId) -> Result<(), Error> {
        if !self.state.front.has_space(namespace) {
            let number = namespace.number();
            let message = format!("the log names a namespace that is not registered: {number}");
            return Err(Error::new(ErrorKind::Corrupt, message));
        }
        self.namespace = namespace;
        Ok(())
    }

    /// Applies one effect.
    pub fn apply(&mut self, effect: &Effect<'_>) -> Result<(), Error> {
        if !matches!(effect, Effect::Chunk { .. }) {
            self.end()?;
        }
        match *effect {
            Effect::Space(namespace) => self.select(namespace),
            Effect::Put { key, home, kind, deadline, stored } => {
                let value = if stored.len() > INLINE_BYTES_MAX {
                    NewValue::Outside(Blob::Whole(stored.into()))
                } else {
                    NewValue::Inside(stored)
                };
                self.put(key, home, kind, deadline, value)
            }
            Effect::Delete { key } => self.delete(key),
            Effect::Deadline { key, home, deadline } => self.set_deadline(key, home, deadline),
            Effect::Patch { key, home, offset, data } => self.patch(key, home, offset, data),
            Effect::Spread { key, home, deadline, length } => {
                let spread = Spread::zeros(length);
                self.growing = Some(Growing { key: key.to_vec(), home, deadline, spread });
                Ok(())
            }
            Effect::Chunk { number, data } => {
                if let Some(growing) = &mut self.growing {
                    growing.spread.patch(u64::from(number) * CHUNK_BYTES as u64, data);
                }
                Ok(())
            }
            Effect::Clear => self.clear(),
            Effect::Forget => {
                self.forget();
                Ok(())
            }
        }
    }

    /// What the namespace's file has applied; 0 if there is no file.
    fn applied(&mut self) -> Result<u64, Error> {
        if let Some(applied) = self.applied[self.namespace.index()] {
            return Ok(applied);
        }
        let applied = match self.state.front.space(self.namespace).floor {
            Floor::Empty => 0,
            Floor::Rows => self.tier.applied(self.namespace)?,
        };
        self.applied[self.namespace.index()] = Some(applied);
        Ok(applied)
    }

    /// Whether the file already has what this record did to its rows.
    fn is_drained(&mut self) -> Result<bool, Error> {
        Ok(self.is_base || self.version <= self.applied()?)
    }

    /// The entry of a key, unless it is newer than the record.
    fn older(&mut self, key: &[u8]) -> Result<Option<(u64, Option<Handle>)>, Error> {
        let hash = self.state.front.hash(key);
        let found = self.state.front.find(self.namespace, hash, key);
        let Some(handle) = found else {
            return Ok(Some((hash, None)));
        };
        let header = self.state.front.entry(handle).header();
        // The record's own earlier effects are no newer; and what a base has of it already, all of
        // its effects in their order amount to again.
        if header.version <= self.version {
            return Ok(Some((hash, found)));
        }
        // A resident of the base whose move away from the disk has not been drained: its row
        // must be deleted yet, and hidden until then.
        let may_have_row = header.state == EntryState::Resident
            && header.below == Below::None
            && self.state.front.space(self.namespace).floor == Floor::Rows;
        if may_have_row && !self.is_drained()? {
            self.state.front.remark(handle, Header { below: Below::Unknown, ..header });
            self.note_waiting();
        }
        Ok(None)
    }

    fn put(
        &mut self,
        key: &[u8],
        home: Home,
        kind: Kind,
        deadline: Option<Deadline>,
        value: NewValue<'_>,
    ) -> Result<(), Error> {
        let Some((hash, old)) = self.older(key)? else {
            return Ok(());
        };
        let is_drained = self.is_drained()?;
        if home == Home::Disk && is_drained {
            // The file has it; a resident of before has moved there.
            if let Some(handle) = old {
                self.state.front.remove(handle, hash);
            }
            return Ok(());
        }
        let header = self.header(old, home, Some(kind), deadline, is_drained);
        self.set(hash, key, old, header, value)
    }

    fn delete(&mut self, key: &[u8]) -> Result<(), Error> {
        let Some((hash, old)) = self.older(key)? else {
            return Ok(());
        };
        let is_drained = self.is_drained()?;
        let mut header = self.header(old, Home::Disk, None, None, is_drained);
        header.state = EntryState::Tombstone;
        if header.below == Below::None {
            if let Some(handle) = old {
                self.state.front.remove(handle, hash);
            }
            return Ok(());
        }
        self.set(hash, key, old, header, NewValue::Inside(&[]))
    }

    fn set_deadline(
        &mut self,
        key: &[u8],
        home: Home,
        deadline: Option<Deadline>,
    ) -> Result<(), Error> {
        let Some((hash, old)) = self.present(key, home)? else {
            return Ok(());
        };
        let Some(handle) = old else {
            // Deleted later on, and that has been applied already.
            return Ok(());
        };
        let is_drained = self.is_drained()?;
        let kind = self.state.front.entry(handle).kind();
        let header = self.header(old, home, kind, deadline, is_drained);
        let blob = self.state.front.blob_at(handle);
        match blob {
            Some(blob) => self.set(hash, key, old, header, NewValue::Outside(blob)),
            None => {
                let mut stored = Vec::new();
                self.state.front.value_at(handle)?.write_stored(&mut stored);
                self.set(hash, key, old, header, NewValue::Inside(&stored))
            }
        }
    }

    fn patch(&mut self, key: &[u8], home: Home, offset: u64, data: &[u8]) -> Result<(), Error> {
        let Some((hash, old)) = self.present(key, home)? else {
            return Ok(());
        };
        let deadline = old.and_then(|handle| self.state.front.entry(handle).deadline());
        let is_drained = self.is_drained()?;
        let header = self.header(old, home, Some(Kind::String), deadline, is_drained);
        let mut spread = match old {
            Some(handle) => match self.state.front.spread_at(handle) {
                Some(spread) => spread.clone(),
                None => Spread::from_bytes(&self.state.front.value_at(handle)?.to_vec()),
            },
            None => Spread::zeros(0),
        };
        self.fetch_edges(key, &mut spread, offset, data.len() as u64)?;
        spread.patch(offset, data);
        if spread.length > CHUNK_BYTES as u64 {
            let blob = Blob::Spread(Box::new(spread));
            return self.set(hash, key, old, header, NewValue::Outside(blob));
        }
        let whole = Value::Spread(spread.view()).to_vec();
        if whole.len() > INLINE_BYTES_MAX {
            let blob = Blob::Whole(whole.as_slice().into());
            return self.set(hash, key, old, header, NewValue::Outside(blob));
        }
        self.set(hash, key, old, header, NewValue::Inside(&whole))
    }

    /// Reads the chunks that a patch overwrites only in part.
    fn fetch_edges(
        &self,
        key: &[u8],
        spread: &mut Spread,
        offset: u64,
        length: u64,
    ) -> Result<(), Error> {
        for number in spread.missing_around(offset, length) {
            let data = self.tier.read(self.namespace, |reader| reader.chunk(key, number))?;
            spread.install(number, data.flatten().as_deref().unwrap_or_default());
        }
        Ok(())
    }

    /// The entry that a change of a part applies to, read from below if need be; `None` if the
    /// change is contained in what is there.
    #[allow(clippy::type_complexity)]
    fn present(&mut self, key: &[u8], home: Home) -> Result<Option<(u64, Option<Handle>)>, Error> {
        let Some((hash, old)) = self.older(key)? else {
            return Ok(None);
        };
        if home == Home::Memory {
            return Ok(Some((hash, old)));
        }
        if self.is_drained()? {
            if let Some(handle) = old {
                self.state.front.remove(handle, hash);
            }
            return Ok(None);
        }
        if old.is_some() || !self.state.front.space(self.namespace).may_lie_below() {
            return Ok(Some((hash, old)));
        }
        let row = self.tier.read(self.namespace, |reader| reader.get(key))?.flatten();
        let Some(row) = row else {
            return Ok(Some((hash, None)));
        };
        if row.version >= self.version {
            return Ok(None);
        }
        let kind = Kind::from_byte(row.kind);
        let deadline = row.deadline.map(deadline_from_row);
        let mut header = self.header(None, Home::Disk, kind, deadline, false);
        header.below = Below::Older;
        header.version = row.version;
        let value = match row.length {
            Some(length) => NewValue::Outside(Blob::Spread(Box::new(Spread::below(length)))),
            None if row.value.len() > INLINE_BYTES_MAX => {
                NewValue::Outside(Blob::Whole(row.value.as_slice().into()))
            }
            None => NewValue::Inside(&row.value),
        };
        let handle = self.state.front.set(None, hash, key, header, value)?;
        self.note_waiting();
        Ok(Some((hash, Some(handle))))
    }

    fn clear(&mut self) -> Result<(), Error> {
        let is_drained = self.is_drained()?;
        let (namespace, version) = (self.namespace, self.version);
        self.remove_older(namespace, version, |_| true);
        let space = self.state.front.space_mut(namespace);
        if !is_drained && space.floor == Floor::Rows {
            space.clear_pending = true;
            self.note_waiting();
        }
        Ok(())
    }

    fn forget(&mut self) {
        let all: Vec<NamespaceId> = self.state.front.spaces().map(|(id, _)| id).collect();
        for namespace in all {
            let version = self.version;
            self.hide_rows_of_residents(namespace);
            self.remove_older(namespace, version, |state| state == EntryState::Resident);
        }
    }

    /// Leaves a deletion in the place of each resident that an older row lies below of.
    fn hide_rows_of_residents(&mut self, namespace: NamespaceId) {
        for handle in self.handles_of(namespace) {
            let header = self.state.front.entry(handle).header();
            let is_forgotten =
                header.state == EntryState::Resident && header.version <= self.version;
            if is_forgotten && waits(&header) {
                let tombstone = Header { state: EntryState::Tombstone, kind: None, ..header };
                self.state.front.remark(handle, tombstone);
            }
        }
    }

    fn handles_of(&self, namespace: NamespaceId) -> Vec<Handle> {
        let mut handles = Vec::new();
        let mut position = Some(0);
        while let Some(at) = position {
            position = self.state.front.space(namespace).table.walk(at, &mut handles);
        }
        handles
    }

    fn remove_older(
        &mut self,
        namespace: NamespaceId,
        version: u64,
        applies: impl Fn(EntryState) -> bool,
    ) {
        for handle in self.handles_of(namespace) {
            let entry = self.state.front.entry(handle);
            if entry.version() <= version && applies(entry.state()) {
                let hash = self.state.front.hash(entry.key());
                self.state.front.remove(handle, hash);
            }
        }
    }

    fn header(
        &self,
        old: Option<Handle>,
        home: Home,
        kind: Option<Kind>,
        deadline: Option<Deadline>,
        is_drained: bool,
    ) -> Header {
        let before = old.map(|handle| self.state.front.entry(handle).header());
        let space: &Space = self.state.front.space(self.namespace);
        let below = match before {
            _ if is_drained => Below::None,
            None if space.may_lie_below() => Below::Unknown,
            None => Below::None,
            Some(header) if header.below == Below::Same => Below::Older,
            Some(header) if header.below == Below::None && space.may_lie_below() => Below::Unknown,
            Some(header) => header.below,
        };
        let header = Header::new(self.namespace, home.state(), self.version);
        Header { kind, below, deadline, ..header }
    }

    fn set(
        &mut self,
        hash: u64,
        key: &[u8],
        old: Option<Handle>,
        header: Header,
        value: NewValue<'_>,
    ) -> Result<(), Error> {
        if waits(&header) {
            self.note_waiting();
        }
        self.state.front.set(old, hash, key, header, value)?;
        Ok(())
    }

    fn note_waiting(&mut self) {
        let version = self.version;
        self.state.front.space_mut(self.namespace).waiting_since.get_or_insert(version);
    }
}
