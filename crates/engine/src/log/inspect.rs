//! A survey of a log directory for `dwell log inspect | stats | verify`: reads every record,
//! changes nothing, and works on a log that is open elsewhere.

use std::path::Path;
use std::sync::Arc;

use super::error::LogError;
use super::reader::Records;
use super::record::{Flags, RecordHead};
use super::recovery::Tail;
use super::segment::{Lineage, SegmentFile};
use super::sequence::Sequence;
use crate::disk::Disk;

/// What a segment holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentSummary {
    /// The file.
    pub file: SegmentFile,
    /// Size of the file.
    pub size_bytes: u64,
    /// Number of records, those of the log itself included.
    pub record_count: u64,
    /// Bytes of these records.
    pub record_bytes: u64,
    /// Number of unclean stops: gap records.
    pub gap_count: u64,
    /// The last record; [`Sequence::NONE`] if there is none.
    pub last: Sequence,
    /// Times of the first and of the last record.
    pub time_range_ms: Option<(u64, u64)>,
}

/// How a log ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TailState {
    /// With the mark of a clean stop.
    Closed,
    /// With a whole record: it is in use, or the process was killed.
    Open,
    /// With something that was never durable, which the next start cuts off. A log that is being
    /// written just now may look like this for a moment.
    Torn(Tail),
}

/// What a log directory holds.
#[derive(Debug)]
pub struct Survey {
    /// The history, if there is a segment.
    pub lineage: Option<Lineage>,
    /// The segments, oldest first.
    pub segments: Vec<SegmentSummary>,
    /// How it ends.
    pub tail: TailState,
    /// The damage at which reading stopped; what follows there is not in the summaries.
    pub damage: Option<LogError>,
}

/// Reads and verifies a whole log.
///
/// # Errors
/// [`LogError::Io`] and the like. Damage is no error here but part of the answer.
pub fn survey(disk: &Arc<dyn Disk>, directory: &Path) -> Result<Survey, LogError> {
    let mut records = match Records::open(Arc::clone(disk), directory, Sequence::NONE) {
        Ok(records) => records,
        Err(damage @ LogError::Damaged { .. }) => {
            let tail = TailState::Open;
            return Ok(Survey { lineage: None, segments: Vec::new(), tail, damage: Some(damage) });
        }
        Err(error) => return Err(error),
    };
    let mut segments: Vec<SegmentSummary> = Vec::new();
    let damage = loop {
        match read_one(&mut records) {
            Ok(Some((index, head, size_bytes))) => {
                describe_up_to(&mut segments, &records, index);
                if let Some(summary) = segments.get_mut(index) {
                    summary.add(head, size_bytes);
                }
            }
            Ok(None) => break None,
            Err(damage @ LogError::Damaged { .. }) => break Some(damage),
            Err(error) => return Err(error),
        }
    };
    if let Some((index, _)) = records.end() {
        describe_up_to(&mut segments, &records, index);
    }
    let tail = match records.tail() {
        Some(tail) => TailState::Torn(tail.clone()),
        None if records.last_flags.contains(Flags::CLOSED) => TailState::Closed,
        None => TailState::Open,
    };
    Ok(Survey { lineage: records.lineage, segments, tail, damage })
}

fn read_one(records: &mut Records) -> Result<Option<(usize, RecordHead, usize)>, LogError> {
    let found = records.next()?.map(|record| (record.head(), record.size_bytes()));
    let index = records.end().map_or(0, |(index, _)| index);
    Ok(found.map(|(head, size_bytes)| (index, head, size_bytes)))
}

/// Adds empty summaries so that there is one for each segment up to `index`.
fn describe_up_to(segments: &mut Vec<SegmentSummary>, records: &Records, index: usize) {
    for file in records.segment_files().iter().take(index + 1).skip(segments.len()) {
        segments.push(SegmentSummary {
            file: file.clone(),
            size_bytes: 0,
            record_count: 0,
            record_bytes: 0,
            gap_count: 0,
            last: Sequence::NONE,
            time_range_ms: None,
        });
    }
    if let (Some(summary), Some((_, scanner))) = (segments.get_mut(index), records.end()) {
        summary.size_bytes = scanner.size_bytes();
    }
}

impl SegmentSummary {
    fn add(&mut self, head: RecordHead, size_bytes: usize) {
        self.record_count += 1;
        self.record_bytes += size_bytes as u64;
        self.gap_count += u64::from(head.flags.contains(Flags::GAP));
        self.last = head.sequence;
        let first_ms = self.time_range_ms.map_or(head.time_ms, |(first_ms, _)| first_ms);
        self.time_range_ms = Some((first_ms, head.time_ms));
    }
}
