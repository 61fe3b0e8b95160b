//! One file of the log: its name, its header block, and what a directory of them looks like.

use std::path::{Path, PathBuf};

use super::error::LogError;
use super::record::{self, RecordHead, Salt};
use super::sequence::Sequence;
use crate::disk::{Disk, File};

/// The version of all files of this module.
pub const FORMAT_VERSION: u32 = 1;
/// The header has a block of its own, so that no write of a record ever touches its page.
pub const SEGMENT_HEADER_BYTES: u64 = 4096;

const MAGIC: [u8; 8] = *b"DWELLLOG";
const SUFFIX: &str = ".log";
const NAME_DIGITS: usize = 16;
const CHECKSUM_AT: usize = 4092;

/// Which history a log belongs to: 16 random bytes, new for each instance and each clone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lineage(pub [u8; 16]);

impl Lineage {
    /// What the checksums of this history start from.
    pub fn salt(self) -> Salt {
        Salt::new(&self.0)
    }
}

/// A file of the log, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentFile {
    /// The sequence of its first record.
    pub first: Sequence,
    /// Where it is.
    pub path: PathBuf,
}

/// The segments of a log directory, oldest first.
pub(super) fn list(disk: &dyn Disk, directory: &Path) -> Result<Vec<SegmentFile>, LogError> {
    let names = disk.list(directory).map_err(|error| LogError::io("list", directory, error))?;
    let mut segments: Vec<_> = names
        .iter()
        .filter_map(|name| {
            let first = sequence_of_name(name, SUFFIX)?;
            Some(SegmentFile { first, path: directory.join(name) })
        })
        .collect();
    segments.sort_by_key(|segment| segment.first);
    Ok(segments)
}

pub(super) fn path_of(directory: &Path, first: Sequence) -> PathBuf {
    directory.join(name_of_sequence(first, SUFFIX))
}

pub(super) fn name_of_sequence(sequence: Sequence, suffix: &str) -> String {
    format!("{:0NAME_DIGITS$x}{suffix}", sequence.as_u64())
}

pub(super) fn sequence_of_name(name: &str, suffix: &str) -> Option<Sequence> {
    let digits = name.strip_suffix(suffix)?;
    let plain = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if digits.len() != NAME_DIGITS || !plain {
        return None;
    }
    u64::from_str_radix(digits, 16).ok().map(Sequence::from_u64)
}

/// The content of a header block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SegmentHeader {
    pub(super) lineage: Lineage,
    pub(super) first: Sequence,
    /// The last record before this segment.
    pub(super) previous: Sequence,
    /// All up to here was durable when this segment was begun.
    pub(super) synced: Sequence,
    /// The time of the last record before this segment.
    pub(super) time_ms: u64,
    /// What the wall clock said at that record.
    pub(super) raw_ms: i64,
}

impl SegmentHeader {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut block = Vec::with_capacity(SEGMENT_HEADER_BYTES as usize);
        block.extend_from_slice(&MAGIC);
        block.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
        block.extend_from_slice(&(SEGMENT_HEADER_BYTES as u32).to_le_bytes());
        block.extend_from_slice(&self.lineage.0);
        block.extend_from_slice(&u64::from(self.first.epoch()).to_le_bytes());
        block.extend_from_slice(&self.first.as_u64().to_le_bytes());
        block.extend_from_slice(&self.previous.as_u64().to_le_bytes());
        block.extend_from_slice(&self.synced.as_u64().to_le_bytes());
        block.extend_from_slice(&self.time_ms.to_le_bytes());
        block.extend_from_slice(&self.raw_ms.to_le_bytes());
        // Key id and nonce prefix follow, and stay zero: this version does not encrypt.
        block.resize(CHECKSUM_AT, 0);
        let checksum = crc32c::crc32c(&block);
        block.extend_from_slice(&checksum.to_le_bytes());
        block
    }

    /// Reads a header block. The inner error is what is wrong with the bytes, which may be no
    /// more than a header that never became durable.
    pub(super) fn decode(
        block: &[u8],
        path: &Path,
    ) -> Result<Result<Self, &'static str>, LogError> {
        let mut fields = Fields(block);
        if fields.take() != Some(MAGIC) {
            return Ok(Err("not a segment"));
        }
        let version = u32::from_le_bytes(fields.take().unwrap_or_default());
        // Asked before the checksum, whose place a newer format may have moved.
        if version > FORMAT_VERSION {
            let (file, supported) = (path.to_path_buf(), FORMAT_VERSION);
            return Err(LogError::NewerFormat { file, found: version, supported });
        }
        let checksum = block.get(..CHECKSUM_AT).map(crc32c::crc32c);
        let stored = block.get(CHECKSUM_AT..).and_then(|bytes| bytes.first_chunk());
        if checksum.is_none() || checksum != stored.map(|bytes| u32::from_le_bytes(*bytes)) {
            return Ok(Err("the header's checksum does not match"));
        }
        let _header_bytes: [u8; 4] = fields.take().unwrap_or_default();
        let lineage = Lineage(fields.take().unwrap_or_default());
        let _epoch = fields.number();
        let header = Self {
            lineage,
            first: Sequence::from_u64(fields.number()),
            previous: Sequence::from_u64(fields.number()),
            synced: Sequence::from_u64(fields.number()),
            time_ms: fields.number(),
            raw_ms: fields.number() as i64,
        };
        let key_id = u32::from_le_bytes(fields.take().unwrap_or_default());
        if key_id != 0 {
            return Err(LogError::Encrypted { file: path.to_path_buf(), key_id });
        }
        Ok(Ok(header))
    }

    /// What the first record of the segment has to follow.
    pub(super) fn order(&self) -> Order {
        Order { last: self.previous, time_ms: self.time_ms, raw_ms: self.raw_ms }
    }
}

/// Takes fields of fixed width from the front of a block.
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl Fields<'_> {
    pub(super) fn take<const WIDTH: usize>(&mut self) -> Option<[u8; WIDTH]> {
        let (field, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*field)
    }

    /// A number of eight bytes; zero beyond the end of the block.
    pub(super) fn number(&mut self) -> u64 {
        u64::from_le_bytes(self.take().unwrap_or_default())
    }
}

/// Where a row of records stands, and so what may come next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Order {
    pub(super) last: Sequence,
    pub(super) time_ms: u64,
    pub(super) raw_ms: i64,
}

impl Order {
    /// Steps on to a record, or says why it cannot come next.
    pub(super) fn accept(&mut self, head: &RecordHead) -> Result<(), &'static str> {
        let opens_epoch = head.flags.contains(super::Flags::GAP)
            && head.sequence.epoch() > self.last.epoch()
            && head.sequence.counter() == 0;
        let skips = head.flags.contains(super::Flags::SKIPS)
            && head.sequence.epoch() == self.last.epoch()
            && head.sequence > self.last;
        if !opens_epoch && !skips && head.sequence != self.last.next() {
            return Err("a record is missing");
        }
        if head.time_ms < self.time_ms {
            return Err("the time runs backwards");
        }
        *self = Self { last: head.sequence, time_ms: head.time_ms, raw_ms: head.raw_ms };
        Ok(())
    }

    /// Where the row stands after a buffer of records, and the first of them.
    pub(super) fn after(mut self, buffer: &[u8]) -> Result<(Sequence, Self), LogError> {
        let mut first = None;
        let mut rest = buffer;
        while !rest.is_empty() {
            let length = record::peek_length(rest).ok_or(LogError::Malformed)?;
            let head = record::peek_head(rest).ok_or(LogError::Malformed)?;
            self.accept(&head).map_err(|_| self.refusal(&head))?;
            first.get_or_insert(head.sequence);
            rest = rest.get(length..).ok_or(LogError::Malformed)?;
        }
        Ok((first.ok_or(LogError::Malformed)?, self))
    }

    /// What to tell a caller who brings a record that cannot come next.
    fn refusal(&self, head: &RecordHead) -> LogError {
        let (expected, found) = (self.last.next(), head.sequence);
        if expected != found {
            return LogError::OutOfOrder { expected, found };
        }
        LogError::TimeBackwards { last_ms: self.time_ms, found_ms: head.time_ms }
    }
}

/// Writes zeros over a range of a file.
pub(super) fn write_zeros(file: &dyn File, mut start: u64, end: u64) -> std::io::Result<()> {
    let zeros = vec![0; usize::try_from(end.saturating_sub(start)).unwrap_or(0).min(1 << 20)];
    while start < end {
        let count = usize::try_from(end - start).unwrap_or(zeros.len()).min(zeros.len());
        file.write_at(&zeros[..count], start)?;
        start += count as u64;
    }
    Ok(())
}
