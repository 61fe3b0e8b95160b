//! Bases: images of the residents, so that the log need not be kept for ever. The residents are
//! walked without a pause, a slice at a time, while writes go on; an entry may therefore be newer
//! than the base, and replay skips what its version already has (DESIGN.md 6).

use std::path::Path;

use crate::effect::{Effect, Home};
use crate::engine::Engine;
use crate::error::Error;
use crate::front::State as EntryState;
use crate::log::{BaseWriter, Sequence, bases};
use crate::namespace::NamespaceId;
use crate::state::State;
use crate::value::Value;

/// The first entry of a base: the sequence from which replay has to start.
pub const START_BYTES: usize = 8;

impl Engine {
    /// Writes a base and removes the segments that nothing needs any more.
    ///
    /// # Errors
    /// What the disk says; the old base stays then.
    ///
    /// # Cost
    /// Reads every resident, a slice at a time; writes them once.
    pub fn make_base(&self) -> Result<(), Error> {
        // Where residents are not logged, later changes of what a base holds would be missing.
        self.make_base_with(self.settings().log_resident)
    }

    /// The same with the residents in any case: nothing changes them any more, or until whoever
    /// asks has read them again.
    pub(crate) fn make_whole_base(&self) -> Result<(), Error> {
        self.make_base_with(true)
    }

    fn make_base_with(&self, holds_residents: bool) -> Result<(), Error> {
        let Some(store) = self.store() else {
            return Ok(());
        };
        let _alone = store.base_lock.lock();
        store.lock.check()?;
        let (sequence, time_ms, start, namespaces, failures) = {
            let mut turn = self.lock();
            let now = turn.now();
            let state = turn.state();
            let spaces: Vec<NamespaceId> = state.front.spaces().map(|(id, _)| id).collect();
            let start = state.first_needed(state.sequence + 1);
            (state.sequence, state.record_time_ms(now), start, spaces, state.failure_count)
        };
        let directory = store.directory.join(crate::store::BASES);
        let mut writer = BaseWriter::create(
            store.disk.clone(),
            &directory,
            store.log.lineage(),
            Sequence::from_u64(sequence),
            time_ms,
        )?;
        writer.push(&start.to_le_bytes())?;
        let mut newest = sequence;
        for namespace in namespaces.into_iter().filter(|_| holds_residents) {
            newest = newest.max(self.write_residents(namespace, &mut writer)?);
        }
        self.secure(newest, failures)?;
        writer.finish()?;
        store.note_base(sequence);
        self.remove_garbage(&directory, sequence, start)
    }

    /// Writes the residents of a namespace; gives the newest version among them.
    fn write_residents(
        &self,
        namespace: NamespaceId,
        writer: &mut BaseWriter,
    ) -> Result<u64, Error> {
        let mut newest = 0;
        let mut position = Some(0);
        let mut entries: Vec<Vec<u8>> = Vec::new();
        while let Some(at) = position {
            entries.clear();
            {
                let mut turn = self.lock();
                let state = turn.state();
                let mut handles = Vec::new();
                position = state.front.space(namespace).table.walk(at, &mut handles);
                for handle in handles {
                    newest = newest.max(state.encode_resident(handle, &mut entries)?);
                }
                turn.give_way();
            }
            for entry in &entries {
                writer.push(entry)?;
            }
        }
        Ok(newest)
    }

    /// Removes older bases and the segments before what the newest one needs.
    fn remove_garbage(&self, directory: &Path, sequence: u64, start: u64) -> Result<(), Error> {
        let Some(store) = self.store() else {
            return Ok(());
        };
        let keep_from_ms = {
            let mut turn = self.lock();
            let history_ms = turn.state().settings.history_ms as i64;
            (history_ms > 0).then(|| turn.now().engine_ms - history_ms)
        };
        if let Some(keep_from_ms) = keep_from_ms {
            self.make_point(sequence, start)?;
            return store.forget_history(keep_from_ms);
        }
        for base in bases(store.disk.as_ref(), directory)? {
            if base.sequence.as_u64() < sequence {
                store
                    .disk
                    .remove(&base.path)
                    .map_err(|cause| Error::of_file("remove", &base.path, &cause))?;
            }
        }
        store.log.remove_before(Sequence::from_u64(start))?;
        Ok(())
    }
}

impl State {
    /// The first sequence that recovery still needs, beside residents from a base at `start`.
    pub(crate) fn first_needed(&self, start: u64) -> u64 {
        self.front
            .spaces()
            .flat_map(|(_, space)| [space.waiting_since, space.in_flight_since])
            .flatten()
            .fold(start, u64::min)
    }

    /// Appends a resident as the entry of a base; gives its version, 0 if it is no resident.
    fn encode_resident(
        &self,
        handle: crate::front::Handle,
        entries: &mut Vec<Vec<u8>>,
    ) -> Result<u64, Error> {
        let entry = self.front.entry(handle);
        if entry.state() != EntryState::Resident {
            return Ok(0);
        }
        let value = self.front.value_at(handle)?;
        let mut out = Vec::with_capacity(entry.0.len() + 32);
        out.extend_from_slice(&entry.version().to_le_bytes());
        Effect::Space(entry.namespace()).encode(&mut out);
        let (key, home, deadline) = (entry.key(), Home::Memory, entry.deadline());
        if let Value::Spread(view) = value {
            Effect::Spread { key, home, deadline, length: view.length() }.encode(&mut out);
            for (number, data) in view.pieces().enumerate() {
                Effect::Chunk { number: number as u32, data: &data }.encode(&mut out);
            }
        } else {
            let mut stored = Vec::new();
            value.write_stored(&mut stored);
            let kind = value.kind();
            Effect::Put { key, home, kind, deadline, stored: &stored }.encode(&mut out);
        }
        entries.push(out);
        Ok(entry.version())
    }
}
