//! Claims about the survey that `dwell log` prints.

use super::super::{TailState, survey};
use super::*;

#[test]
fn a_survey_counts_segments_records_gaps_and_times() {
    let disk = SimulatedDisk::new(50);
    let log = open(&disk);
    for number in 0..30_u8 {
        append(&log, &[number; 90]).unwrap();
    }
    disk.kill();
    let log = open(&disk);
    append(&log, b"after the gap").unwrap();
    let live = survey(&shared(&disk), &directory()).unwrap();
    assert_eq!(live.tail, TailState::Open);
    assert!(live.damage.is_none());
    assert_eq!(live.lineage, Some(LINEAGE));
    assert_eq!(live.segments.len(), log.segments().len());
    assert_eq!(live.segments.iter().map(|segment| segment.record_count).sum::<u64>(), 32);
    assert_eq!(live.segments.iter().map(|segment| segment.gap_count).sum::<u64>(), 1);
    let first_ms = live.segments[0].time_range_ms.unwrap().0;
    assert_eq!(first_ms, NOW_MS as u64 + 1);
    log.close(Sequence::NONE, NOW_MS.unsigned_abs(), NOW_MS).unwrap();
    assert_eq!(survey(&shared(&disk), &directory()).unwrap().tail, TailState::Closed);
}

#[test]
fn a_survey_changes_nothing_and_names_tail_and_damage() {
    let disk = SimulatedDisk::new(51);
    let log = open(&disk);
    let first = append(&log, b"a").unwrap();
    log.sync(Sequence::MAX).unwrap();
    log.mark();
    let last = append(&log, b"b").unwrap();
    let (path, offset, _) = find(&disk, last);
    let steps = disk.steps();
    flip(&disk, &path, offset + 20);
    let torn = survey(&shared(&disk), &directory()).unwrap();
    assert!(matches!(torn.tail, TailState::Torn(tail) if tail.offset == offset as u64));
    let (path, offset, _) = find(&disk, first);
    flip(&disk, &path, offset + 20);
    let damaged = survey(&shared(&disk), &directory()).unwrap();
    assert!(matches!(damaged.damage, Some(LogError::Damaged { .. })));
    assert_eq!(disk.steps(), steps);
}

#[test]
fn a_survey_of_nothing_is_empty() {
    let disk = SimulatedDisk::new(52);
    disk.create_directory(&directory()).unwrap();
    let nothing = survey(&shared(&disk), &directory()).unwrap();
    assert_eq!((nothing.segments.len(), nothing.lineage), (0, None));
}
