//! Claims about appending, syncing and rolling.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use parking_lot::Mutex;

use super::*;
use crate::disk::{EIO, Operation, Verdict};

#[test]
fn records_read_back_in_order_over_several_segments() {
    let disk = SimulatedDisk::new(1);
    let log = open(&disk);
    for number in 0..100_u8 {
        append(&log, &[number; 100]).unwrap();
    }
    assert!(log.segments().len() > 3);
    let expected: Vec<_> = (0..100_u8).map(|number| vec![number; 100]).collect();
    assert_eq!(effects_of(&log), expected);
}

#[test]
fn reading_starts_at_the_record_that_was_asked_for() {
    let disk = SimulatedDisk::new(2);
    let log = open(&disk);
    let sequences: Vec<_> = (0..60_u8).map(|number| append(&log, &[number; 90]).unwrap()).collect();
    for (index, &sequence) in sequences.iter().enumerate() {
        let entries = drain(&mut log.records(sequence).unwrap()).unwrap();
        assert_eq!(entries.len(), 60 - index);
        assert_eq!(entries[0].0, sequence);
    }
}

#[test]
fn a_record_larger_than_a_segment_gets_one_of_its_own() {
    let disk = SimulatedDisk::new(3);
    let log = open(&disk);
    let large = vec![5; 100_000];
    append(&log, b"before").unwrap();
    append(&log, &large).unwrap();
    append(&log, b"after").unwrap();
    assert_eq!(effects_of(&log), [b"before".to_vec(), large, b"after".to_vec()]);
}

#[test]
fn a_clean_stop_is_seen_and_keeps_the_epoch() {
    let disk = SimulatedDisk::new(4);
    let log = open(&disk);
    append(&log, b"a").unwrap();
    log.close(Sequence::NONE, NOW_MS.unsigned_abs(), NOW_MS).unwrap();
    assert!(matches!(append(&log, b"late"), Err(LogError::Closed)));
    disk.crash();
    let (log, recovery) = try_open(&disk).unwrap();
    assert!(recovery.was_clean);
    assert_eq!(recovery.tail, None);
    assert_eq!(append(&log, b"b").unwrap().epoch(), 0);
    assert_eq!(effects_of(&log), [b"a", b"b"]);
}

#[test]
fn a_kill_loses_nothing_and_opens_the_next_epoch() {
    let disk = SimulatedDisk::new(5);
    let log = open(&disk);
    append(&log, b"a").unwrap();
    disk.kill();
    let (log, recovery) = try_open(&disk).unwrap();
    assert!(!recovery.was_clean);
    assert_eq!(recovery.last, Sequence::new(0, 1));
    assert_eq!(append(&log, b"b").unwrap(), Sequence::new(1, 1));
    assert_eq!(effects_of(&log), [b"a", b"b"]);
}

#[test]
fn a_clock_that_went_back_does_not_reorder_the_history() {
    // TTL-04: the raw clock is kept beside the time that never decreases.
    let disk = SimulatedDisk::new(6);
    append(&open(&disk), b"a").unwrap();
    disk.kill();
    let yesterday = LogOptions { now_ms: NOW_MS - 86_400_000, ..options() };
    let (log, recovery) = Log::open(shared(&disk), &directory(), &yesterday).unwrap();
    assert_eq!(recovery.time_ms, NOW_MS as u64 + 1);
    let mut records = log.records(Sequence::new(1, 0)).unwrap();
    let gap = records.next().unwrap().unwrap().head();
    assert_eq!(gap.flags, Flags::GAP);
    assert_eq!((gap.time_ms, gap.raw_ms), (NOW_MS as u64 + 1, NOW_MS - 86_400_000));
}

#[test]
fn a_buffer_that_does_not_come_next_is_refused() {
    let disk = SimulatedDisk::new(7);
    let log = open(&disk);
    let (buffer, entries) = records_after(Sequence::new(0, 5), &log, &[b"x"]);
    let refused = log.write(&buffer, entries[0].0);
    assert!(matches!(refused, Err(LogError::OutOfOrder { .. })));
    assert!(matches!(log.write(b"short", Sequence::new(0, 1)), Err(LogError::Malformed)));
    assert!(effects_of(&log).is_empty());
}

#[test]
fn a_record_passes_over_numbers_only_if_it_says_so() {
    let disk = SimulatedDisk::new(16);
    let log = open(&disk);
    append(&log, b"a").unwrap();
    let sequence = Sequence::new(0, 5);
    for (flags, is_taken) in [(Flags::BARRIER, false), (Flags::SKIPS, true)] {
        let head = RecordHead { sequence, time_ms: NOW_MS as u64 + 5, raw_ms: NOW_MS, flags };
        let mut buffer = Vec::new();
        RecordBuilder::begin(&mut buffer, &head, &[7]).end(&mut buffer).unwrap();
        seal(&mut buffer, log.salt()).unwrap();
        assert_eq!(log.write(&buffer, sequence).is_ok(), is_taken);
    }
    append(&log, b"b").unwrap();
    disk.kill();
    let numbers: Vec<_> = entries_of(&open(&disk)).iter().map(|entry| entry.0.counter()).collect();
    assert_eq!(numbers, [1, 5, 6]);
}

#[test]
fn one_sync_serves_all_who_wait() {
    let disk = SimulatedDisk::new(8);
    let log = open(&disk);
    let syncs = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&syncs);
    disk.on_step(move |step| {
        if step.operation == Operation::Sync {
            counted.fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(5));
        }
        Verdict::Go
    });
    let turn = Mutex::new(());
    std::thread::scope(|scope| {
        for thread in 0..8_u8 {
            let (log, turn) = (&log, &turn);
            scope.spawn(move || {
                for number in 0..10_u8 {
                    let sequence = {
                        let _turn = turn.lock();
                        append(log, &[thread, number]).unwrap()
                    };
                    assert!(log.sync(sequence).unwrap() >= sequence);
                }
            });
        }
    });
    assert_eq!(log.synced(), log.written());
    assert_eq!(effects_of(&log).len(), 80);
    assert!(syncs.load(Ordering::Relaxed) <= 40, "{syncs:?} syncs for 80 waits");
}

/// Holds the next sync until the sender is used, and says when it has begun.
fn hold_a_sync(disk: &SimulatedDisk) -> (mpsc::Receiver<()>, mpsc::Sender<()>) {
    let (begun, has_begun) = mpsc::channel();
    let (go_on, may_go_on) = mpsc::channel::<()>();
    let ends = Mutex::new(Some((begun, may_go_on)));
    disk.on_step(move |step| {
        if step.operation == Operation::Sync
            && let Some((begun, may_go_on)) = ends.lock().take()
        {
            begun.send(()).unwrap();
            may_go_on.recv().unwrap();
        }
        Verdict::Go
    });
    (has_begun, go_on)
}

#[test]
fn writing_and_removing_go_on_while_a_sync_is_held() {
    // LOG-03
    let disk = SimulatedDisk::new(9);
    let log = open(&disk);
    append(&log, b"first").unwrap();
    log.sync(Sequence::MAX).unwrap();
    append(&log, b"second").unwrap();
    let (has_begun, go_on) = hold_a_sync(&disk);
    std::thread::scope(|scope| {
        let syncing = scope.spawn(|| log.sync(Sequence::MAX));
        has_begun.recv().unwrap();
        log.roll().unwrap();
        append(&log, b"third").unwrap();
        assert_eq!(log.remove_before(Sequence::MAX).unwrap(), 0, "nothing of it is durable yet");
        disk.remove(&log.segments()[0].path).unwrap();
        go_on.send(()).unwrap();
        assert_eq!(syncing.join().unwrap().unwrap(), Sequence::new(0, 2));
    });
    assert!(!log.is_poisoned());
}

#[test]
fn a_failed_sync_ends_all_writing_and_is_never_taken_back() {
    // LOG-02
    let disk = SimulatedDisk::new(10);
    let log = open(&disk);
    append(&log, b"a").unwrap();
    disk.fail_nth(Operation::Sync, 1, EIO);
    assert!(matches!(log.sync(Sequence::MAX), Err(LogError::Poisoned)));
    disk.clear_hook();
    assert!(log.is_poisoned());
    assert!(matches!(log.sync(Sequence::MAX), Err(LogError::Poisoned)));
    assert!(matches!(append(&log, b"b"), Err(LogError::Poisoned)));
    assert!(matches!(log.roll(), Err(LogError::Poisoned)));
    assert!(log.close(Sequence::NONE, NOW_MS.unsigned_abs(), NOW_MS).is_err());
    assert_eq!(log.synced(), Sequence::NONE);
}

#[test]
fn a_failed_sync_of_the_directory_poisons_too() {
    let disk = SimulatedDisk::new(11);
    let log = open(&disk);
    append(&log, b"a").unwrap();
    log.roll().unwrap();
    append(&log, b"b").unwrap();
    disk.fail_nth(Operation::SyncDirectory, 1, EIO);
    assert!(matches!(log.sync(Sequence::MAX), Err(LogError::Poisoned)));
    assert!(log.is_poisoned());
}

#[test]
fn the_spare_becomes_the_next_segment() {
    let disk = SimulatedDisk::new(12);
    let log = open(&disk);
    assert!(!log.prepare_spare().unwrap(), "an empty log needs none");
    append(&log, &[1; 700]).unwrap();
    assert!(log.wants_spare() && log.prepare_spare().unwrap() && !log.wants_spare());
    log.roll().unwrap();
    append(&log, b"in the spare").unwrap();
    assert_eq!(disk.contents(&newest_segment(&log)).unwrap().len(), 8192);
    assert!(!disk.exists(&directory().join("spare")).unwrap());
    assert_eq!(effects_of(&log).len(), 2);
}

#[test]
fn removed_segments_are_gone_and_the_rest_reads_on() {
    let disk = SimulatedDisk::new(13);
    let log = open(&disk);
    let sequences: Vec<_> = (0..60_u8).map(|number| append(&log, &[number; 90]).unwrap()).collect();
    log.sync(Sequence::MAX).unwrap();
    let before = log.size_bytes();
    assert!(log.remove_before(sequences[40]).unwrap() > 0);
    assert!(log.size_bytes() < before);
    assert!(matches!(log.records(sequences[0]), Err(LogError::Gone { .. })));
    assert_eq!(drain(&mut log.records(sequences[40]).unwrap()).unwrap().len(), 20);
    disk.crash();
    let log = open(&disk);
    assert_eq!(drain(&mut log.records(sequences[40]).unwrap()).unwrap().len(), 20);
}

#[test]
fn rolling_an_empty_segment_does_nothing() {
    let disk = SimulatedDisk::new(14);
    let log = open(&disk);
    log.roll().unwrap();
    append(&log, b"a").unwrap();
    log.roll().unwrap();
    log.roll().unwrap();
    assert_eq!(log.segments().len(), 2);
    append(&log, &vec![1; 50_000]).unwrap();
    assert_eq!(log.segments().len(), 2, "the empty segment grows");
    assert_eq!(effects_of(&log).len(), 2);
}

#[test]
fn a_log_may_begin_after_a_base() {
    let disk = SimulatedDisk::new(15);
    let after = LogOptions { new_after: Sequence::new(4, 10), ..options() };
    let (log, recovery) = Log::open(shared(&disk), &directory(), &after).unwrap();
    assert!(recovery.was_clean);
    assert_eq!(append(&log, b"a").unwrap(), Sequence::new(4, 11));
    disk.kill();
    assert_eq!(append(&open(&disk), b"b").unwrap(), Sequence::new(5, 1));
}
