//! Looking keys up. A lookup that cannot be answered from memory stops the batch; one that finds
//! an expired key removes it, as a logged deletion, and answers that there is none.

use std::sync::Arc;

use super::{Scope, Stop};
use crate::clock::Deadline;
use crate::effect::Home;
use crate::error::Error;
use crate::front::{Handle, State as EntryState};
use crate::gather::Missing;
use crate::value::{Kind, Text, TextScratch, Value};

/// What is known of a key beside its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// The value's kind.
    pub kind: Kind,
    /// Length of its text in bytes.
    pub length: u64,
    /// When it ends.
    pub deadline: Option<Deadline>,
    /// The sequence of the batch that last changed it.
    pub version: u64,
    /// Where it lives.
    pub home: Home,
}

/// What a watcher keeps of a key: it differs once the key has changed, be it changed back since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watch {
    /// It was there, in this version.
    Present(u64),
    /// It was not there; the number is another one after it was.
    Absent(u64),
}

/// A key that is there.
#[derive(Clone, Copy)]
pub(super) struct Located {
    pub hash: u64,
    /// `None`: the key is not there.
    pub live: Option<Handle>,
}

impl Scope<'_> {
    /// What is known of `key`, without counting as an access; `None` if there is none.
    ///
    /// # Errors
    /// `Stop::Gather` if the answer lies below.
    pub fn facts(&mut self, key: &[u8]) -> Result<Option<Facts>, Stop> {
        let Some(handle) = self.locate(key)?.live else {
            return Ok(None);
        };
        let entry = self.state.front.entry(handle);
        let value = self.state.front.value_at(handle)?;
        Ok(Some(Facts {
            kind: value.kind(),
            length: value.text_length(),
            deadline: entry.deadline(),
            version: entry.version(),
            home: Self::home_of(entry),
        }))
    }

    /// The key's version; 0 if there is none.
    ///
    /// # Errors
    /// `Stop::Gather` if the answer lies below.
    pub fn version(&mut self, key: &[u8]) -> Result<u64, Stop> {
        let live = self.locate(key)?.live;
        Ok(live.map_or(0, |handle| self.state.front.entry(handle).version()))
    }

    /// What to keep of the key in order to learn later whether it has changed.
    ///
    /// # Errors
    /// `Stop::Gather` if the answer lies below.
    pub fn watch(&mut self, key: &[u8]) -> Result<Watch, Stop> {
        let Located { hash, live } = self.locate(key)?;
        Ok(match live {
            Some(handle) => Watch::Present(self.state.front.entry(handle).version()),
            None => Watch::Absent(self.state.arrivals.last(self.namespace, hash)),
        })
    }

    /// Counts as an access and nothing more; whether there is such a key.
    ///
    /// # Errors
    /// `Stop::Gather` if the answer lies below.
    pub fn touch(&mut self, key: &[u8]) -> Result<bool, Stop> {
        let Some(handle) = self.locate(key)?.live else {
            self.state.counters.misses += 1;
            return Ok(false);
        };
        self.state.counters.hits += 1;
        self.count_access(handle);
        Ok(true)
    }

    /// The value of `key`; `None` if there is none. Counts as an access.
    ///
    /// # Errors
    /// `Stop::Gather` if the value, or a chunk of it, lies below.
    pub fn read(&mut self, key: &[u8]) -> Result<Option<Value<'_>>, Stop> {
        let Some(handle) = self.locate(key)?.live else {
            self.state.counters.misses += 1;
            return Ok(None);
        };
        self.need_chunks(key, handle, 0, u64::MAX)?;
        self.note_access(handle);
        Ok(Some(self.state.front.value_at(handle)?))
    }

    /// Bytes `start..end` of the text of a scalar, cut to what there is; `None` without the key.
    ///
    /// # Errors
    /// `Stop::Gather` if a chunk of the range lies below.
    pub fn read_range(
        &mut self,
        key: &[u8],
        start: u64,
        end: u64,
    ) -> Result<Option<Vec<u8>>, Stop> {
        Ok(self.read_pieces(key, start, end)?.map(|pieces| pieces.concat()))
    }

    /// The same in pieces, which share what is long with the engine.
    ///
    /// # Errors
    /// As `read_range`.
    pub fn read_pieces(
        &mut self,
        key: &[u8],
        start: u64,
        end: u64,
    ) -> Result<Option<Vec<Arc<[u8]>>>, Stop> {
        let Some(handle) = self.locate(key)?.live else {
            self.state.counters.misses += 1;
            return Ok(None);
        };
        self.need_chunks(key, handle, start, end)?;
        self.note_access(handle);
        let value = self.state.front.value_at(handle)?;
        let cut = |length: u64| (start.min(length), end.min(length).max(start.min(length)));
        Ok(Some(match value.text(&mut TextScratch::default()) {
            Text::Bytes(bytes) => {
                let (start, end) = cut(bytes.len() as u64);
                vec![Arc::from(&bytes[start as usize..end as usize])]
            }
            Text::Pieces(view) => {
                let (start, end) = cut(view.length());
                view.part(start, end)
            }
        }))
    }

    /// Makes sure that all of `keys` can be looked up, stopping once for all of them rather than
    /// once for each.
    ///
    /// # Errors
    /// `Stop::Gather` if an answer lies below.
    pub fn need<'k>(&mut self, keys: impl Iterator<Item = &'k [u8]>) -> Result<(), Stop> {
        let mut missing: Option<Box<Missing>> = None;
        for key in keys {
            match self.locate(key) {
                Ok(_) => {}
                Err(Stop::Gather(one)) => match &mut missing {
                    Some(all) => all.join(*one),
                    None => missing = Some(one),
                },
                Err(other) => return Err(other),
            }
        }
        missing.map_or(Ok(()), |all| Err(Stop::Gather(all)))
    }

    /// Milliseconds since the last access, to the second, as OBJECT IDLETIME tells it.
    ///
    /// # Errors
    /// `Stop::Gather` if the answer lies below.
    pub fn idle_ms(&mut self, key: &[u8]) -> Result<Option<u64>, Stop> {
        let live = self.locate(key)?.live;
        Ok(live.map(|handle| {
            let accessed_s = i64::from(self.state.front.entry(handle).accessed_s());
            (self.now.engine_ms - accessed_s * 1000).max(0) as u64
        }))
    }

    /// The logarithmic access counter, as OBJECT FREQ tells it.
    ///
    /// # Errors
    /// `Stop::Gather` if the answer lies below.
    pub fn frequency(&mut self, key: &[u8]) -> Result<Option<u8>, Stop> {
        let live = self.locate(key)?.live;
        Ok(live.map(|handle| self.state.front.entry(handle).frequency()))
    }

    /// Finds a key that is there, expired ones aside.
    pub(super) fn locate(&mut self, key: &[u8]) -> Result<Located, Stop> {
        if self.state.is_closed {
            return Err(Error::closed().into());
        }
        let hash = self.state.front.hash(key);
        let Some(handle) = self.state.front.find(self.namespace, hash, key) else {
            let space = self.state.front.space(self.namespace);
            if space.may_lie_below() {
                return Err(Missing::key(self.namespace, key).into());
            }
            let removed_at = space.removed_at;
            self.see(removed_at);
            return Ok(Located { hash, live: None });
        };
        let entry = self.state.front.entry(handle);
        let (state, kind, version) = (entry.state(), entry.kind(), entry.version());
        if state == EntryState::Fetching {
            return Err(Missing::key(self.namespace, key).into());
        }
        if entry.deadline().is_some_and(|deadline| self.now.is_past(deadline)) {
            self.remove_expired(hash, key, handle)?;
            return Ok(Located { hash, live: None });
        }
        self.see(version);
        Ok(Located { hash, live: kind.map(|_| handle) })
    }

    /// Stops unless the chunks of `start..end` are in memory.
    pub(super) fn need_chunks(
        &mut self,
        key: &[u8],
        handle: Handle,
        start: u64,
        end: u64,
    ) -> Result<(), Stop> {
        let Some(spread) = self.state.front.spread_at(handle) else {
            return Ok(());
        };
        let chunks = spread.missing(start, end);
        if chunks.is_empty() {
            return Ok(());
        }
        Err(Missing::chunks(self.namespace, key, chunks).into())
    }

    /// Notes an access, which counts unless the batch leaves accesses as they are.
    fn note_access(&mut self, handle: Handle) {
        self.state.counters.hits += 1;
        if !self.leaves_accesses {
            self.count_access(handle);
        }
    }

    /// Lets an access count: for eviction, and for promotion of a copy.
    fn count_access(&mut self, handle: Handle) {
        let entry = self.state.front.entry(handle);
        let (frequency, accessed_s) = (entry.frequency(), entry.accessed_s());
        let now_s = (self.now.engine_ms / 1000) as u32;
        if entry.in_probation() && !self.gathered.is_fresh() {
            self.state.promote(handle, entry.header(), self.now);
        }
        let bumped = self.state.bumped_frequency(frequency, accessed_s, now_s);
        if bumped != frequency || now_s != accessed_s {
            self.state.front.set_access(handle, now_s, bumped);
        }
    }
}
