//! Claims about torn tails and damage, and what tells them apart.

use super::*;

/// Three records, of which the first two are durable, after a kill.
fn three_records(seed: u64) -> (SimulatedDisk, Vec<Sequence>) {
    let disk = SimulatedDisk::new(seed);
    let log = open(&disk);
    let mut sequences = Vec::new();
    for effects in [b"one", b"two"] {
        sequences.push(append(&log, effects).unwrap());
        log.sync(Sequence::MAX).unwrap();
        log.mark();
    }
    sequences.push(append(&log, b"six").unwrap());
    disk.kill();
    (disk, sequences)
}

#[test]
fn a_cut_last_record_is_lost_alone() {
    // LOG-01
    let (disk, sequences) = three_records(20);
    let (path, offset, size_bytes) = find(&disk, sequences[2]);
    let mut contents = disk.contents(&path).unwrap();
    contents.truncate(offset + size_bytes - 5);
    disk.put(&path, contents);
    let (log, recovery) = try_open(&disk).unwrap();
    let tail = recovery.tail.unwrap();
    assert_eq!((tail.file, tail.offset), (path, offset as u64));
    assert_eq!(effects_of(&log), [b"one", b"two"]);
    append(&log, b"new").unwrap();
    assert_eq!(effects_of(&log), [b"one", b"two", b"new"]);
}

#[test]
fn a_tail_torn_at_any_byte_is_cut_off_and_reported() {
    let (disk, sequences) = three_records(21);
    let (path, offset, size_bytes) = find(&disk, sequences[2]);
    let whole = disk.contents(&path).unwrap();
    for kept in 0..size_bytes {
        let (disk, _) = three_records(21);
        let mut torn = whole.clone();
        torn[offset + kept..].fill(0);
        // The last bytes of a record may be zeros themselves, and are then not missing.
        let is_whole = torn == whole;
        disk.put(&path, torn);
        let (log, recovery) = try_open(&disk).unwrap();
        if is_whole {
            continue;
        }
        assert_eq!(effects_of(&log), [b"one", b"two"], "cut after {kept}");
        assert_eq!(recovery.tail.is_some(), kept > 0, "cut after {kept}");
        assert_eq!(append(&log, b"new").unwrap(), Sequence::new(1, 1));
        assert_eq!(effects_of(&log), [b"one", b"two", b"new"]);
    }
}

#[test]
fn damage_at_any_byte_of_an_earlier_record_is_refused_with_file_and_offset() {
    let (disk, sequences) = three_records(22);
    for &sequence in &sequences[..2] {
        let (path, offset, size_bytes) = find(&disk, sequence);
        for byte in offset..offset + size_bytes {
            let (disk, _) = three_records(22);
            flip(&disk, &path, byte);
            let Err(LogError::Damaged { file, offset: found, .. }) = try_open(&disk).map(|_| ())
            else {
                panic!("byte {byte} of {sequence} was not noticed");
            };
            assert_eq!((file, found), (path.clone(), offset as u64));
        }
    }
}

#[test]
fn damage_in_a_segment_before_the_last_is_refused_by_whoever_reads_it() {
    let disk = SimulatedDisk::new(23);
    let log = open(&disk);
    let sequences: Vec<_> = (0..60_u8).map(|number| append(&log, &[number; 90]).unwrap()).collect();
    log.sync(Sequence::MAX).unwrap();
    let (path, offset, _) = find(&disk, sequences[2]);
    flip(&disk, &path, offset + 50);
    let found = drain(&mut log.records(Sequence::NONE).unwrap());
    assert!(matches!(found, Err(LogError::Damaged { file, offset: found, .. })
        if file == path && found == offset as u64));
}

#[test]
fn a_missing_segment_is_refused() {
    let disk = SimulatedDisk::new(24);
    let log = open(&disk);
    for number in 0..60_u8 {
        append(&log, &[number; 90]).unwrap();
        log.sync(Sequence::MAX).unwrap();
    }
    let segments = log.segments();
    disk.remove(&segments[1].path).unwrap();
    let mut records = Records::open(shared(&disk), &directory(), Sequence::NONE).unwrap();
    let found = drain(&mut records);
    assert!(matches!(found, Err(LogError::Damaged { file, .. }) if file == segments[0].path));
}

#[test]
fn a_log_that_ends_before_what_was_drained_is_refused() {
    let (disk, sequences) = three_records(25);
    let found = ClosedLog::find(shared(&disk), &directory(), &options()).unwrap();
    let (path, offset, size_bytes) = find(&disk, sequences[2]);
    let refused = found.require(sequences[2].next());
    let end = (offset + size_bytes) as u64;
    assert!(matches!(refused, Err(LogError::Damaged { file, offset, .. })
        if file == path && offset == end));
    found.require(sequences[2]).unwrap();
    found.open().unwrap();
}

#[test]
fn a_value_that_looks_like_a_log_proves_nothing() {
    let disk = SimulatedDisk::new(26);
    let other = SimulatedDisk::new(27);
    let elsewhere = LogOptions { new_lineage: Lineage([3; 16]), ..options() };
    let (forged, _) = Log::open(shared(&other), &directory(), &elsewhere).unwrap();
    for _ in 0..3 {
        append(&forged, b"forged").unwrap();
        forged.sync(Sequence::MAX).unwrap();
    }
    let forgery = other.contents(&newest_segment(&forged)).unwrap()[4096..].to_vec();
    let log = open(&disk);
    let sequence = append(&log, &forgery).unwrap();
    let (path, offset, _) = find(&disk, sequence);
    flip(&disk, &path, offset);
    disk.kill();
    let (log, recovery) = try_open(&disk).unwrap();
    assert!(recovery.tail.is_some());
    assert!(effects_of(&log).is_empty());
}

#[test]
fn a_newer_format_is_refused_by_name() {
    let (disk, sequences) = three_records(28);
    let (path, _, _) = find(&disk, sequences[0]);
    let mut contents = disk.contents(&path).unwrap();
    contents[8] = 2;
    disk.put(&path, contents);
    let refused = try_open(&disk).map(|_| ());
    assert!(matches!(refused, Err(LogError::NewerFormat { found: 2, supported: 1, .. })));
}

#[test]
fn a_segment_of_another_lineage_is_refused() {
    let disk = SimulatedDisk::new(29);
    let log = open(&disk);
    append(&log, b"a").unwrap();
    log.sync(Sequence::MAX).unwrap();
    log.roll().unwrap();
    let other = SimulatedDisk::new(29);
    let elsewhere = LogOptions { new_lineage: Lineage([3; 16]), ..options() };
    let (foreign, _) = Log::open(shared(&other), &directory(), &elsewhere).unwrap();
    append(&foreign, b"a").unwrap();
    foreign.roll().unwrap();
    let path = newest_segment(&log);
    disk.put(&path, other.contents(&path).unwrap());
    disk.kill();
    let refused = try_open(&disk).map(|_| ());
    assert!(matches!(refused, Err(LogError::Damaged { offset: 0, .. })));
}

#[test]
fn any_bytes_at_all_are_answered_and_never_stop_the_process() {
    // INV-05
    let (disk, sequences) = three_records(30);
    let (path, start, _) = find(&disk, sequences[0]);
    let whole = disk.contents(&path).unwrap();
    for seed in 0..300_usize {
        let (disk, _) = three_records(30);
        let mut contents = whole.clone();
        for index in 0..=seed % 40 {
            let at = (seed * 131 + index * 7919) % (start + 400);
            contents[at] = (seed * 37 + index * 101) as u8;
        }
        contents.truncate(contents.len() - (seed * 61) % 900);
        disk.put(&path, contents);
        let _ = try_open(&disk);
    }
}
