//! Claims about power loss at any step: what was synced survives, the survivors are an exact
//! prefix of what was written, and no sequence is ever given twice (INV-02, INV-03).

use super::*;

/// A small generator of its own, so that the disk's whims and the work are independent.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) % bound
    }
}

/// What the world outside of the disk knows.
#[derive(Default)]
struct Outside {
    /// All that was handed to the log in its order, acknowledged or not.
    history: Vec<Entry>,
    /// So many of them were acknowledged as durable.
    durable_count: usize,
    /// So many of them, the oldest, may have been removed with their segments.
    removable_count: usize,
    /// The greatest sequence that was ever used.
    greatest: Sequence,
}

impl Outside {
    /// Works until an error; the power is then off.
    fn work(&mut self, log: &Log, chance: &mut Chance, turns: usize) -> Result<(), LogError> {
        for _ in 0..turns {
            match chance.below(12) {
                0..=5 => self.write(log, chance)?,
                6..=8 => self.sync(log)?,
                9 => drop(log.prepare_spare()?),
                10 => log.roll()?,
                _ => self.remove(log, chance)?,
            }
        }
        Ok(())
    }

    fn write(&mut self, log: &Log, chance: &mut Chance) -> Result<(), LogError> {
        let count = 1 + chance.below(3) as usize;
        let size_bytes = [10, 100, 700, 6000][chance.below(4) as usize];
        let fill = (self.history.len() % 255) as u8 + 1;
        let effects = vec![vec![fill; size_bytes]; count];
        let effects: Vec<_> = effects.iter().map(Vec::as_slice).collect();
        let (buffer, entries) = records_after(log.written(), log, &effects);
        assert!(entries[0].0 > self.greatest, "a sequence is used again");
        let last = entries[count - 1].0;
        self.greatest = last;
        self.history.extend(entries);
        log.write(&buffer, last)
    }

    fn sync(&mut self, log: &Log) -> Result<(), LogError> {
        log.sync(Sequence::MAX)?;
        log.mark();
        self.durable_count = self.history.len();
        Ok(())
    }

    /// Removes what is older than the last few durable records, or than all of them.
    fn remove(&mut self, log: &Log, chance: &mut Chance) -> Result<(), LogError> {
        let kept_count = 4 * chance.below(2) as usize;
        let oldest_kept = self.durable_count.saturating_sub(kept_count);
        self.removable_count = self.removable_count.max(oldest_kept);
        let sequence = self.history.get(oldest_kept).map_or(Sequence::MAX, |entry| entry.0);
        log.remove_before(sequence).map(|_| ())
    }

    /// Compares the log after a crash with what is known, and goes on from what survived.
    fn check(&mut self, log: &Log, about: &str) -> Result<(), LogError> {
        let read = log.records(Sequence::NONE).and_then(|mut records| drain(&mut records));
        let survivors = match read {
            Ok(survivors) => survivors,
            // The power went off while a mark was written.
            Err(error @ LogError::Io { .. }) => return Err(error),
            Err(error) => panic!("{about}: {error}"),
        };
        let removed = survivors
            .first()
            .and_then(|first| self.history.iter().position(|entry| entry == first))
            .unwrap_or(self.durable_count.min(self.removable_count));
        assert!(removed <= self.removable_count, "{about}: too much was removed");
        let end = removed + survivors.len();
        let durable = self.durable_count;
        assert!(end >= durable, "{about}: of {durable} durable records {end} are left");
        assert!(self.history[removed..].starts_with(&survivors), "{about}: no exact prefix");
        self.history.truncate(end);
        self.durable_count = end;
        assert!(log.written() > self.greatest || self.greatest == Sequence::NONE, "{about}");
        Ok(())
    }
}

/// One life of a disk: work, crash, recovery (which may crash too), several times over.
fn live(seed: u64, rounds: usize, first_power_off: Option<u64>) -> u64 {
    let disk = SimulatedDisk::new(seed);
    let mut chance = Chance(seed ^ 0x5eed);
    let mut outside = Outside::default();
    let mut power_off = first_power_off;
    for round in 0..rounds {
        if let Some(number) = power_off {
            disk.power_off_at(disk.steps() + number);
        }
        if let Ok((log, _)) = try_open(&disk) {
            let about = format!("seed {seed}, {first_power_off:?}, round {round}");
            let checked = outside.check(&log, &about);
            let result = checked.and_then(|()| outside.work(&log, &mut chance, 25));
            if result.is_ok()
                && chance.below(3) == 0
                && log.close(Sequence::NONE, 0, NOW_MS).is_ok()
            {
                outside.durable_count = outside.history.len();
            }
        }
        // A kill loses nothing now, but what it leaves unsynced may be lost by a later crash.
        match chance.below(4) {
            0 => disk.kill(),
            _ => disk.crash(),
        }
        power_off = Some(1 + chance.below(90));
    }
    let (log, _) =
        try_open(&disk).unwrap_or_else(|error| panic!("seed {seed}, {first_power_off:?}: {error}"));
    outside.check(&log, &format!("seed {seed}, {first_power_off:?}, at the end")).unwrap();
    disk.steps()
}

#[test]
fn a_crash_at_every_step_loses_nothing_durable_and_keeps_an_exact_prefix() {
    for seed in 0..3 {
        let steps = live(seed, 1, None);
        for step in 1..=steps {
            live(seed, 2, Some(step));
        }
    }
}

#[test]
fn many_crashes_in_a_row_lose_nothing_durable_and_use_no_sequence_twice() {
    for seed in 1_000..1_200 {
        live(seed, 12, Some(1 + seed % 60));
    }
}

#[test]
fn a_kill_at_every_step_loses_nothing_that_was_written() {
    for step in 1..120 {
        let disk = SimulatedDisk::new(step);
        let mut chance = Chance(step);
        let mut outside = Outside::default();
        let log = open(&disk);
        outside.work(&log, &mut chance, step as usize % 30).unwrap();
        outside.durable_count = outside.history.len();
        disk.kill();
        outside.check(&open(&disk), &format!("step {step}")).unwrap();
    }
}
