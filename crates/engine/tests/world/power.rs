//! Power loss for all files at once: the log's on the simulated disk, and those of SQLite, which
//! are real, by a copy of the moment whose unsynced end is torn.

use std::fs;
use std::path::{Path, PathBuf};

use dwell_engine::disk::Verdict;

use super::{Chance, World};

const WAL_HEADER_BYTES: usize = 32;
const FRAME_HEADER_BYTES: usize = 24;
const SECTOR_BYTES: usize = 512;

impl World {
    /// Turns the power off at a step of the log's disk.
    pub fn power_off_at(&self, number: u64) {
        let (instance, moment) = self.places();
        self.disk.on_step(move |step| {
            if step.number < number {
                return Verdict::Go;
            }
            keep_moment(&instance, &moment);
            Verdict::PowerOff
        });
    }

    /// Turns the power off now, if it is still on.
    pub fn power_off(&self) {
        let (instance, moment) = self.places();
        keep_moment(&instance, &moment);
    }

    /// What is left once the power is on again; the engine must have been dropped. Gives the bytes
    /// of SQLite that were written and not synced.
    pub fn crash(&self) -> usize {
        let (instance, moment) = self.places();
        let mut chance = Chance(self.seed ^ self.disk.steps());
        let mut unsynced_bytes = 0;
        if moment.exists() {
            for path in files_of_sqlite(&instance) {
                fs::remove_file(path).unwrap();
            }
            for path in files_of_sqlite(&moment) {
                let mut bytes = fs::read(&path).unwrap();
                if path.to_string_lossy().ends_with("-wal") {
                    unsynced_bytes += tear(&mut bytes, &mut chance);
                }
                fs::write(instance.join(path.file_name().unwrap()), bytes).unwrap();
            }
            fs::remove_dir_all(&moment).unwrap();
        }
        self.disk.crash();
        unsynced_bytes
    }

    fn places(&self) -> (PathBuf, PathBuf) {
        let directory = self.directory.path();
        (directory.join("instance"), directory.join("moment"))
    }
}

fn files_of_sqlite(directory: &Path) -> Vec<PathBuf> {
    let all = fs::read_dir(directory).into_iter().flatten().flatten().map(|one| one.path());
    all.filter(|path| path.to_string_lossy().contains(".keys")).collect()
}

/// Copies what SQLite has handed to the system, unless the power is off already.
fn keep_moment(instance: &Path, moment: &Path) {
    if moment.exists() {
        return;
    }
    fs::create_dir(moment).unwrap();
    for path in files_of_sqlite(instance) {
        // The index of the write-ahead log is built anew from it.
        if !path.to_string_lossy().ends_with("-shm") {
            fs::copy(&path, moment.join(path.file_name().unwrap())).unwrap();
        }
    }
}

/// Cuts or blots what follows the last commit, which was synced; gives how much that is.
fn tear(wal: &mut Vec<u8>, chance: &mut Chance) -> usize {
    let end = end_of_commits(wal);
    let unsynced_bytes = wal.len() - end;
    match chance.below(3) {
        0 => wal.truncate(end + chance.below(unsynced_bytes as u64 + 1) as usize),
        1 => {
            for sector in wal[end..].chunks_mut(SECTOR_BYTES) {
                if chance.one_in(2) {
                    sector.fill(0);
                }
            }
        }
        _ => {}
    }
    unsynced_bytes
}

/// Where the last frame ends that commits a transaction; frames of an older round have other
/// salts. Source: <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>
fn end_of_commits(wal: &[u8]) -> usize {
    let Some(header) = wal.get(..WAL_HEADER_BYTES) else {
        return 0;
    };
    let page_bytes = u32::from_be_bytes(header[8..12].try_into().unwrap()) as usize;
    let salts = &header[16..24];
    let frames = wal[WAL_HEADER_BYTES..].chunks_exact(FRAME_HEADER_BYTES + page_bytes);
    let current = frames.take_while(|frame| frame[8..16] == *salts).enumerate();
    let commits = current.filter(|(_, frame)| frame[4..8] != [0; 4]);
    let count = commits.last().map_or(0, |(at, _)| at + 1);
    WAL_HEADER_BYTES + count * (FRAME_HEADER_BYTES + page_bytes)
}
