//! Making room: which copies are let go, which residents are evicted or moved to disk, and how
//! accesses are counted for it. All of it in bounded steps under the lock; a victim is found by
//! sampling, as Redis does, so that no order has to be kept for every key.

use crate::clock::Now;
use crate::effect::Home;
use crate::error::Error;
use crate::front::entry::FREQUENCY_AT_FIRST;
use crate::front::{Handle, Header, State as EntryState};
use crate::limits::{SLICE_KEYS, SLICE_REMOVALS};
use crate::namespace::NamespaceId;
use crate::scope::{Scope, Stop};
use crate::settings::Eviction;
use crate::state::State;

/// Growth of the logarithmic counter: a million hits reach 255 (Redis's `lfu-log-factor`).
const FREQUENCY_FACTOR: u32 = 10;

/// Seconds after which an unused counter loses one (Redis's `lfu-decay-time`).
const FREQUENCY_DECAY_S: u32 = 60;

/// Most keys that one write evicts by itself.
const EVICTIONS_PER_WRITE: usize = 128;

/// What an entry takes beside key and value at most: header, deadline, place, the rest of its slot.
const ENTRY_BYTES: u64 = 128;

/// Most residents that are moved to disk in one go, and the share of the bound that comes free.
const DEMOTIONS_MAX: usize = 1024;
const DEMOTED_SHARE: u64 = 16;

/// Most deadlines that are looked at for the nearest one of a resident.
const DEADLINES_PER_CHOICE: usize = 4096;

/// Most handles that one step takes from the queues of copies.
const COPIES_PER_STEP: usize = 256;

impl State {
    /// The access counter after another access.
    pub fn bumped_frequency(&mut self, frequency: u8, accessed_s: u32, now_s: u32) -> u8 {
        if !self.settings.eviction.is_frequency() {
            return frequency;
        }
        let idle = now_s.saturating_sub(accessed_s) / FREQUENCY_DECAY_S;
        let decayed = u32::from(frequency).saturating_sub(idle);
        let odds = decayed.saturating_sub(u32::from(FREQUENCY_AT_FIRST)) * FREQUENCY_FACTOR + 1;
        let grows = self.random.below(odds as usize) == 0;
        (decayed + u32::from(grows)).min(255) as u8
    }

    /// Makes a copy that was read a second time stay.
    pub fn promote(&mut self, handle: Handle, mut header: Header, now: Now) {
        header.probation = false;
        header.promoted = true;
        self.front.remark(handle, header);
        let until_ms = now.engine_ms.saturating_add(self.settings.promote_ms as i64);
        self.front.copies.promoted.push_back((until_ms, handle));
        self.counters.promoted += 1;
    }

    /// Lets copies go that have outstayed their time or exceed their bytes; bounded.
    pub fn trim_copies(&mut self, now: Now) {
        if self.front.copies.is_held() {
            return;
        }
        for _ in 0..COPIES_PER_STEP {
            if self.front.copies.probation_bytes <= self.settings.probation_bytes_max {
                break;
            }
            if !self.drop_oldest_probation() {
                break;
            }
        }
        for _ in 0..COPIES_PER_STEP {
            let Some(&(until_ms, handle)) = self.front.copies.promoted.front() else {
                break;
            };
            let is_over = self.front.copies.promoted_bytes > self.settings.promoted_bytes_max;
            if until_ms > now.engine_ms && !is_over {
                break;
            }
            self.front.copies.promoted.pop_front();
            if self.is_copy(handle, |header| header.promoted) {
                self.drop_copy(handle);
            }
        }
        if self.front.copies.is_littered() {
            self.front.copies.probation.begin_weeding();
            self.front.copies.promoted.begin_weeding();
        }
        self.weed_queues();
    }

    /// Drops the copy that was read once and longest ago; `false` when there is none.
    pub fn drop_oldest_probation(&mut self) -> bool {
        while let Some(handle) = self.front.copies.probation.pop_front() {
            if self.is_copy(handle, |header| header.probation) {
                self.drop_copy(handle);
                return true;
            }
        }
        false
    }

    /// Drops any copy to make room; `false` when there is none.
    pub(crate) fn drop_any_copy(&mut self) -> bool {
        if self.drop_oldest_probation() {
            return true;
        }
        while let Some((_, handle)) = self.front.copies.promoted.pop_front() {
            if self.is_copy(handle, |header| header.promoted) {
                self.drop_copy(handle);
                return true;
            }
        }
        false
    }

    fn is_copy(&self, handle: Handle, has_mark: impl Fn(&Header) -> bool) -> bool {
        self.front.entry_if_live(handle).is_some_and(|entry| {
            let header = entry.header();
            let is_copy = matches!(header.state, EntryState::Clean | EntryState::Fetching);
            // A flushed namespace's entries still have their slots until they are freed.
            is_copy
                && has_mark(&header)
                && self.front.find(header.namespace, self.front.hash(entry.key()), entry.key())
                    == Some(handle)
        })
    }

    fn drop_copy(&mut self, handle: Handle) {
        let hash = self.front.hash(self.front.entry(handle).key());
        self.front.remove(handle, hash);
    }

    /// Weeds stale handles out of the queues, a step of it.
    fn weed_queues(&mut self) {
        let mut probation = std::mem::take(&mut self.front.copies.probation);
        probation.weed_some(SLICE_KEYS, |&handle| self.is_copy(handle, |it| it.probation));
        self.front.copies.probation = probation;
        let mut promoted = std::mem::take(&mut self.front.copies.promoted);
        promoted.weed_some(SLICE_KEYS, |&(_, handle)| self.is_copy(handle, |it| it.promoted));
        self.front.copies.promoted = promoted;
    }

    /// The resident that ends first. Disk keys in memory have deadlines too, and so has, until
    /// it is freed, what was flushed.
    fn nearest_resident(&self, now: Now) -> Option<Handle> {
        self.front.deadlines.by_time_left(now).take(DEADLINES_PER_CHOICE).find(|&handle| {
            let entry = self.front.entry(handle);
            let hash = self.front.hash(entry.key());
            entry.state() == EntryState::Resident
                && self.front.find(entry.namespace(), hash, entry.key()) == Some(handle)
        })
    }

    /// The best victim among a few random residents.
    fn choose_victim(&mut self, now: Now) -> Option<Handle> {
        let policy = self.settings.eviction;
        if policy == Eviction::VolatileTtl {
            return self.nearest_resident(now);
        }
        let mut best: Option<(u64, Handle)> = None;
        let mut found = 0;
        // Most slots of a full store are residents; ten tries a sample are plenty.
        for _ in 0..self.settings.eviction_samples * 10 {
            let roll = self.random.next_u64();
            let Some(handle) = self.front.near(roll) else {
                continue;
            };
            let header = self.front.entry(handle).header();
            if !is_eligible(policy, &header) {
                continue;
            }
            let idle_s = (now.engine_ms / 1000) as u64 - u64::from(header.accessed_s);
            let score = match policy {
                Eviction::AllkeysLfu | Eviction::VolatileLfu => {
                    255 - u64::from(decayed(&header, now))
                }
                Eviction::AllkeysRandom | Eviction::VolatileRandom => roll,
                _ => idle_s,
            };
            if best.is_none_or(|(other, _)| score > other) {
                best = Some((score, handle));
            }
            found += 1;
            if found == self.settings.eviction_samples {
                break;
            }
        }
        best.map(|(_, handle)| handle).or_else(|| self.rare_victim(now))
    }

    /// A victim where samples have met none, because few keys are eligible.
    fn rare_victim(&mut self, now: Now) -> Option<Handle> {
        let policy = self.settings.eviction;
        if policy.is_volatile() {
            return self.nearest_resident(now);
        }
        let roll = self.random.next_u64();
        let front = &self.front;
        front
            .spaces()
            .filter(|(_, space)| space.live > 0)
            .flat_map(|(_, space)| {
                (0..16).filter_map(move |step| space.table.near(roll.wrapping_add(step)))
            })
            .find(|&handle| is_eligible(policy, &front.entry(handle).header()))
    }
}

/// Whether a policy may choose the entry.
fn is_eligible(policy: Eviction, header: &Header) -> bool {
    header.state == EntryState::Resident && (!policy.is_volatile() || header.deadline.is_some())
}

/// The access counter as it would be if the key were looked at now.
fn decayed(header: &Header, now: Now) -> u8 {
    let idle_s = ((now.engine_ms / 1000) as u32).saturating_sub(header.accessed_s);
    header.frequency.saturating_sub((idle_s / FREQUENCY_DECAY_S).min(255) as u8)
}

impl Scope<'_> {
    /// Frees memory for a write of `size` bytes: copies first; then residents by the policy; and
    /// without a policy, residents move to disk before anything is refused.
    ///
    /// A batch that has gathered leaves the copies alone, and may exceed the bound by them: to
    /// take away what it has gathered would only bring it back for that.
    pub(crate) fn make_room(&mut self, size: u64) -> Result<(), Stop> {
        let mut most = self.state.settings.memory_bytes_max;
        if !self.moves_residents() {
            // Where the bound was passed before, as after it was lowered, a write evicts its own
            // share, and the background the rest.
            most = most.max(self.state.front.used_bytes());
        }
        let had_changed = self.has_changed();
        let size = size + ENTRY_BYTES;
        let (mut has_freed, mut evicted) = (self.state.free_buried(), 0);
        for _ in 0..EVICTIONS_PER_WRITE {
            if self.state.front.used_bytes() + size <= most {
                return Ok(());
            }
            let has_dropped = !self.gathered.is_fresh() && self.state.drop_any_copy();
            if !has_dropped {
                if self.moves_residents() || !self.evict_one()? {
                    break;
                }
                evicted += 1;
            }
            has_freed = true;
        }
        if self.state.front.used_bytes() + size <= most {
            return Ok(());
        }
        let copies = &self.state.front.copies;
        if self.gathered.is_fresh() && copies.probation_bytes + copies.promoted_bytes > 0 {
            return Ok(());
        }
        let is_draining = self.state.has_disk && self.state.front.dirty_bytes > 0;
        if had_changed && (is_draining || has_freed || self.moves_residents()) {
            // A batch that has begun is let through: what waits for the drain will be room soon,
            // and the next write goes on freeing.
            return Ok(());
        }
        if evicted > 0 {
            // It takes too many small keys for one large value: they go in batches of their own,
            // and those of this one come back.
            self.state.counters.evicted -= evicted;
            self.state.wants_room = size;
        }
        if has_freed {
            return Err(Stop::Delay { ms: 1 });
        }
        // With nothing dirty, all that lives in memory are residents.
        let has_live = self.state.front.spaces().any(|(_, space)| space.live > 0);
        if is_draining || (self.moves_residents() && has_live) {
            self.state.wants_room = size;
            return Err(Stop::Delay { ms: 5 });
        }
        Err(Error::full().into())
    }

    /// Whether residents move to disk rather than being evicted.
    fn moves_residents(&self) -> bool {
        self.state.has_disk && self.state.settings.eviction == Eviction::None
    }

    /// Frees memory for a batch that has to wait until `size` bytes are free: evicts residents, or
    /// moves them to disk, and then some more, as what these wait for is a commit, which serves
    /// many as well as one.
    pub(crate) fn free_some(&mut self, size: u64) -> Result<(), Stop> {
        let most = self.state.settings.memory_bytes_max;
        if !self.moves_residents() {
            for _ in 0..SLICE_REMOVALS {
                if self.state.front.used_bytes() + size <= most || !self.evict_one()? {
                    break;
                }
            }
            return Ok(());
        }
        let size = size + most / DEMOTED_SHARE;
        for _ in 0..DEMOTIONS_MAX {
            let front = &self.state.front;
            let free_soon = most + front.dirty_bytes;
            if front.used_bytes() + size <= free_soon || !self.demote_one()? {
                break;
            }
        }
        Ok(())
    }

    /// Evicts one resident; `false` when there is none to choose.
    fn evict_one(&mut self) -> Result<bool, Stop> {
        if self.state.settings.eviction == Eviction::None {
            return Ok(false);
        }
        let Some((victim, namespace, key)) = self.victim() else {
            return Ok(false);
        };
        self.state.counters.evicted += 1;
        let hash = self.state.front.hash(&key);
        self.within(namespace, |scope| scope.bury(hash, &key, victim))
    }

    fn demote_one(&mut self) -> Result<bool, Stop> {
        let Some((victim, namespace, key)) = self.victim() else {
            return Ok(false);
        };
        self.state.counters.demoted += 1;
        let hash = self.state.front.hash(&key);
        let deadline = self.state.front.entry(victim).deadline();
        let value = self.state.front.value_at(victim)?.to_owned();
        self.within(namespace, |scope| {
            scope.store_at(hash, &key, Some(victim), value.view(), deadline, Home::Disk)
        })
    }

    fn victim(&mut self) -> Option<(Handle, NamespaceId, Vec<u8>)> {
        let victim = self.state.choose_victim(self.now())?;
        let entry = self.state.front.entry(victim);
        Some((victim, entry.namespace(), entry.key().to_vec()))
    }

    fn within(
        &mut self,
        namespace: NamespaceId,
        change: impl FnOnce(&mut Self) -> Result<(), Stop>,
    ) -> Result<bool, Stop> {
        let current = self.namespace();
        self.select(namespace);
        let result = change(self);
        self.select(current);
        result.map(|()| true)
    }
}

#[cfg(test)]
mod tests;
