//! Claims about a disk that is full, or refuses a write.

use super::*;
use crate::disk::{EIO, ENOSPC, Operation};

/// Leaves little room and uses it up; gives the number of records that fitted.
fn fill(disk: &SimulatedDisk, log: &Log) -> usize {
    disk.set_capacity(Some(disk.used_bytes() + 3000));
    use_up(log)
}

fn use_up(log: &Log) -> usize {
    let mut count = 0;
    loop {
        match append(log, &[7; 200]) {
            Ok(_) => count += 1,
            Err(LogError::Full { .. }) => return count,
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn a_full_disk_refuses_and_the_log_stays_usable_when_space_is_back() {
    // LOG-04
    let disk = SimulatedDisk::new(40);
    let log = open(&disk);
    let count = fill(&disk, &log);
    assert!(count > 0 && !log.is_poisoned());
    assert_eq!(effects_of(&log).len(), count);
    disk.set_capacity(None);
    append(&log, b"again").unwrap();
    log.sync(Sequence::MAX).unwrap();
    assert_eq!(effects_of(&log).len(), count + 1);
    disk.crash();
    assert_eq!(effects_of(&open(&disk)).len(), count + 1);
}

#[test]
fn the_reserve_makes_room_for_deletions() {
    // LOG-04
    let disk = SimulatedDisk::new(41);
    let log = open(&disk);
    assert!(log.restore_reserve().unwrap());
    fill(&disk, &log);
    assert!(log.release_reserve().unwrap());
    assert!(!log.release_reserve().unwrap(), "it is there once");
    assert!(use_up(&log) > 0);
    assert!(matches!(log.restore_reserve(), Err(LogError::Full { .. })));
    assert!(!log.has_reserve().unwrap(), "no half of it is left");
    disk.set_capacity(None);
    assert!(log.restore_reserve().unwrap() && log.has_reserve().unwrap());
}

#[test]
fn nobody_else_takes_what_the_reserve_gives_to_the_log() {
    // LOG-04
    let disk = SimulatedDisk::new(45);
    let log = open(&disk);
    log.restore_reserve().unwrap();
    fill(&disk, &log);
    log.release_reserve().unwrap();
    disk.set_capacity(Some(disk.used_bytes()));
    for number in 0..3 {
        append(&log, &[number; 100]).unwrap();
    }
    disk.crash();
    disk.set_capacity(None);
    open(&disk);
}

#[test]
fn a_refused_batch_does_not_come_back_after_any_crash() {
    for errno in [EIO, ENOSPC] {
        for seed in 0..200 {
            let disk = SimulatedDisk::new(seed);
            let log = open(&disk);
            append(&log, b"kept").unwrap();
            let effects = [[1; 300].as_slice(), &[2; 300]];
            let (buffer, entries) = records_after(log.written(), &log, &effects);
            disk.fail_nth(Operation::Write, 1, errno);
            let refused = log.write(&buffer, entries[1].0);
            assert!(matches!(refused, Err(LogError::Io { .. } | LogError::Full { .. })));
            disk.crash();
            let survivors = effects_of(&open(&disk));
            assert!([b"kept".to_vec()].starts_with(&survivors), "seed {seed}");
        }
    }
}

#[test]
fn a_refused_write_leaves_no_trace_for_the_next() {
    for seed in 0..100 {
        let disk = SimulatedDisk::new(seed);
        let log = open(&disk);
        append(&log, b"kept").unwrap();
        disk.fail_nth(Operation::Write, 1, ENOSPC);
        append(&log, &[9; 500]).unwrap_err();
        disk.clear_hook();
        append(&log, b"next").unwrap();
        log.sync(Sequence::MAX).unwrap();
        disk.crash();
        assert_eq!(effects_of(&open(&disk)), [b"kept", b"next"], "seed {seed}");
    }
}

#[test]
fn a_refused_write_that_cannot_be_taken_back_poisons() {
    let disk = SimulatedDisk::new(42);
    let log = open(&disk);
    append(&log, b"kept").unwrap();
    disk.on_step(|step| match step.operation {
        Operation::Write | Operation::SetSize => crate::disk::Verdict::Fail(EIO),
        _ => crate::disk::Verdict::Go,
    });
    assert!(matches!(append(&log, b"x"), Err(LogError::Poisoned)));
    assert!(log.is_poisoned());
}

#[test]
fn a_full_disk_at_the_start_gives_up_the_reserve() {
    let disk = SimulatedDisk::new(43);
    let log = open(&disk);
    log.restore_reserve().unwrap();
    // The first segment is full to the brim.
    append(&log, &[7; 1024 - 40]).unwrap();
    assert_eq!(log.size_bytes(), options().segment_bytes_min);
    disk.kill();
    disk.set_capacity(Some(disk.used_bytes()));
    let (log, _) = try_open(&disk).unwrap();
    assert!(!log.has_reserve().unwrap());
    assert_eq!(effects_of(&log).len(), 1);
}

#[test]
fn every_failing_operation_is_an_error_and_never_a_wrong_history() {
    let total = {
        let disk = SimulatedDisk::new(44);
        run(&disk).unwrap();
        disk.steps()
    };
    for number in 1..=total {
        for errno in [EIO, ENOSPC] {
            let disk = SimulatedDisk::new(number);
            disk.on_step(move |step| {
                let fails = step.number == number;
                if fails { crate::disk::Verdict::Fail(errno) } else { crate::disk::Verdict::Go }
            });
            let _ = run(&disk);
            disk.crash();
            let survivors = effects_of(&open(&disk));
            for (index, effects) in survivors.iter().enumerate() {
                assert_eq!(*effects, vec![index as u8; 150], "step {number}");
            }
        }
    }
}

fn run(disk: &SimulatedDisk) -> Result<(), LogError> {
    let log = try_open(disk)?.0;
    for number in 0..30 {
        append(&log, &[number; 150])?;
        if number % 7 == 0 {
            log.sync(Sequence::MAX)?;
            log.mark();
            log.prepare_spare()?;
        }
    }
    log.close(Sequence::NONE, NOW_MS.unsigned_abs(), NOW_MS)
}
