//! What concerns a namespace as a whole, or a key's whereabouts: FLUSH, DBSIZE, RANDOMKEY,
//! ordered scans over both homes, and the answer to "where is it, and why".

use super::{Scope, Stop};
use crate::clock::Deadline;
use crate::effect::{Effect, Home};
use crate::error::Error;
use crate::front::{Floor, Handle, Space, State as EntryState};
use crate::gather::Missing;
use crate::limits::{CHUNK_BYTES, SLICE_KEYS};
use crate::namespace::NamespaceId;
use crate::range::Range;
use crate::settings::Placement;

/// Where a key lives, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Whereabouts {
    /// Its home.
    pub home: Home,
    /// What a read is answered from: `memory` or `disk`.
    pub tier: &'static str,
    /// The state of its entry in the front.
    pub state: &'static str,
    /// The rule that put it there.
    pub reason: &'static str,
    /// When it ends.
    pub deadline: Option<Deadline>,
    /// Length of its text in bytes.
    pub length: u64,
    /// The sequence of the batch that last changed it.
    pub version: u64,
}

impl Scope<'_> {
    /// Empties the current namespace. The time it takes does not depend on how much was there.
    ///
    /// # Errors
    /// Those of a write that is refused.
    pub fn clear(&mut self) -> Result<(), Stop> {
        self.check_writable()?;
        let before = self.state.front.space(self.namespace);
        let mut empty = Space::new(before.floor);
        empty.generation = before.generation + 1;
        empty.drains = before.drains + 1;
        empty.waiting_since = before.waiting_since;
        empty.removed_at = self.sequence;
        empty.changed_at = self.sequence;
        if before.floor == Floor::Rows {
            empty.clear_pending = true;
            empty.waiting_since.get_or_insert(self.sequence);
        }
        let old = self.state.front.exchange(self.namespace, empty);
        self.state.undo.save_space(self.namespace, old);
        self.has_changed = true;
        self.log(&Effect::Clear);
        Ok(())
    }

    /// Empties every namespace.
    ///
    /// # Errors
    /// Those of a write that is refused.
    pub fn clear_all(&mut self) -> Result<(), Stop> {
        let current = self.namespace;
        let all: Vec<NamespaceId> = self.state.front.spaces().map(|(id, _)| id).collect();
        for namespace in all {
            self.select(namespace);
            let space = self.state.front.space(namespace);
            if space.table.len() > 0 || space.may_lie_below() {
                self.clear()?;
            }
        }
        self.select(current);
        Ok(())
    }

    /// How many keys the namespace holds. Keys that have expired unnoticed count, as in Redis.
    ///
    /// # Errors
    /// `Stop::Gather` while nobody knows which new keys hide a row below; `Stop::Delay` while a
    /// drain is settling.
    pub fn count(&mut self) -> Result<u64, Stop> {
        self.see(self.state.front.space(self.namespace).changed_at);
        let space = self.state.front.space(self.namespace);
        if space.clear_pending || space.floor == Floor::Empty {
            return Ok(space.live);
        }
        if space.is_settling {
            return Err(Stop::Delay { ms: 2 });
        }
        let Some(rows) = space.rows else {
            return Err(Missing::rows(self.namespace).into());
        };
        if rows > 0 && space.unknown > 0 && !self.gathered.has_resolved(self.namespace) {
            return Err(Missing::unknown(self.namespace).into());
        }
        Ok((rows + space.live).saturating_sub(space.hiding))
    }

    /// Some key of the namespace, every key with a fair chance; `None` if there is none.
    ///
    /// # Errors
    /// `Stop::Gather` if it is to be one from below; `Stop::Delay` after a slice of expired keys.
    pub fn random_key(&mut self) -> Result<Option<Vec<u8>>, Stop> {
        if let Some(row) = self.gathered.take_random(self.namespace) {
            // Only a row that the front does not hide is a key.
            if self.facts(&row)?.is_some() {
                return Ok(Some(row));
            }
        }
        let space = self.state.front.space(self.namespace);
        let rows = if space.may_lie_below() { space.rows.unwrap_or(1) } else { 0 };
        let live = space.live;
        if rows > 0 && !self.gathered.has_tried_random(self.namespace) {
            let pick = self.state.random.below((rows + live) as usize) as u64;
            if pick >= live {
                return Err(Missing::random(self.namespace, self.state.random.next_u64()).into());
            }
        }
        // A few tries meet a live key unless hardly any is left; then the table is walked.
        for _ in 0..64 {
            let roll = self.state.random.next_u64();
            let Some(handle) = self.state.front.space(self.namespace).table.near(roll) else {
                break;
            };
            if let Some(key) = self.live_key(handle) {
                return Ok(Some(key));
            }
        }
        match self.next_live_key()? {
            Some(key) => Ok(Some(key)),
            // The row that was drawn has been deleted, and nothing else is in memory.
            None => self.first_key(),
        }
    }

    /// The key at a handle, if it is there and has not expired.
    fn live_key(&mut self, handle: Handle) -> Option<Vec<u8>> {
        let entry = self.state.front.entry(handle);
        let is_past = entry.deadline().is_some_and(|deadline| self.now.is_past(deadline));
        if entry.kind().is_none() || is_past {
            return None;
        }
        let (key, version) = (entry.key().to_vec(), entry.version());
        self.see(version);
        Some(key)
    }

    /// The first live key in memory. Looks at a slice of them, and goes on when it is run again:
    /// a million may have expired of which nobody has taken notice.
    fn next_live_key(&mut self) -> Result<Option<Vec<u8>>, Stop> {
        let mut position = Some(self.gathered.walked);
        let mut handles = Vec::new();
        let mut looks = 0;
        while let Some(at) = position {
            if looks >= SLICE_KEYS {
                self.gathered.walked = at;
                return Err(Stop::Delay { ms: 1 });
            }
            handles.clear();
            position = self.state.front.space(self.namespace).table.walk(at, &mut handles);
            looks += handles.len();
            if let Some(key) = handles.iter().find_map(|&handle| self.live_key(handle)) {
                return Ok(Some(key));
            }
        }
        Ok(None)
    }

    /// The first key of either home.
    fn first_key(&mut self) -> Result<Option<Vec<u8>>, Stop> {
        let (prefix, limit) = (Vec::new(), SLICE_KEYS);
        let mut range = Range { prefix, after: None, reverse: false, limit, keys_only: true };
        loop {
            let page = self.scan(&range)?;
            if let Some(row) = page.rows.into_iter().next() {
                return Ok(Some(row.key));
            }
            let Some(next) = page.next else {
                return Ok(None);
            };
            range.after = Some(next);
        }
    }

    /// Where the key lives and why; `None` if there is none. Not an access: nothing is promoted.
    ///
    /// # Errors
    /// `Stop::Gather` if the answer lies below.
    pub fn where_is(&mut self, key: &[u8]) -> Result<Option<Whereabouts>, Stop> {
        let Some(handle) = self.locate(key)?.live else {
            return Ok(None);
        };
        let entry = self.state.front.entry(handle);
        let (state, deadline) = (entry.state(), entry.deadline());
        // Copies that were read once may have been brought for this very question.
        let is_brought = self.gathered.is_fresh() && entry.header().probation;
        let was_in_front = state != EntryState::Clean || !is_brought;
        let (version, home) = (entry.version(), Self::home_of(entry));
        let length = self.state.front.value_at(handle)?.text_length();
        Ok(Some(Whereabouts {
            home,
            tier: if was_in_front { "memory" } else { "disk" },
            state: match state {
                EntryState::Resident => "resident",
                EntryState::Dirty => "dirty",
                _ if was_in_front => "clean",
                _ => "below",
            },
            reason: self.reason(home, deadline, length),
            deadline,
            length,
            version,
        }))
    }

    fn reason(&self, home: Home, deadline: Option<Deadline>, length: u64) -> &'static str {
        if !self.state.has_disk {
            return "the instance has no directory";
        }
        match (self.state.settings.placement, home) {
            (_, Home::Disk) if length > CHUNK_BYTES as u64 => "values above 64 KiB live on disk",
            (Placement::Lifetime, Home::Memory) if deadline.is_some() => "it has a lifetime",
            (Placement::Lifetime, Home::Disk) if deadline.is_none() => "it has no lifetime",
            (Placement::Memory, Home::Memory) => "the instance places everything in memory",
            (Placement::Disk, Home::Disk) => "the instance places everything on disk",
            (_, Home::Disk) => "memory was full, or it was written under another placement",
            (_, Home::Memory) => "it was written under another placement",
        }
    }

    /// Notes that the log is not to bring back any resident of before.
    pub(crate) fn forget_residents(&mut self) {
        self.has_changed = true;
        self.log(&Effect::Forget);
    }

    /// Logs a record that says nothing, if numbers were given that the log has not seen.
    pub(crate) fn log_nothing(&mut self) {
        if self.sequence > self.state.logged_sequence + 1 {
            self.has_changed = true;
            self.log(&Effect::Space(self.namespace));
        }
    }

    /// Refuses a page that makes no sense.
    pub(crate) fn check_limit(limit: usize) -> Result<(), Stop> {
        if limit == 0 {
            return Err(Error::invalid("a scan needs a limit of at least 1").into());
        }
        Ok(())
    }
}
