//! One record, which is one batch, as bytes and back. Pure: no file is touched here.
//!
//! A record is built in three steps, so that the costly one stays outside of the engine's lock:
//! `begin` and `end` lay out the bytes with the checksum left zero, `seal` fills in the checksums
//! of a whole buffer afterwards. Reading never panics, whatever the bytes.

use std::ops::BitOr;

use super::error::LogError;
use super::sequence::Sequence;

/// Size of the fixed part of a record; a control record has no other.
pub const RECORD_HEADER_BYTES: usize = 36;
/// Largest record: a batch may set a few strings of 512 MiB.
pub const RECORD_BYTES_MAX: usize = 2 << 30;

const CHECKSUM_AT: usize = 4;
const SEQUENCE_AT: usize = 8;
const TIME_AT: usize = 16;
const RAW_AT: usize = 24;
const FLAGS_AT: usize = 32;
const NAMESPACES_AT: usize = 34;
const NAMESPACE_BYTES: usize = 4;

/// What a record is beside its effects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u16);

impl Flags {
    /// An ordinary batch.
    pub const NONE: Self = Self(0);
    /// The batch is committed to its files at once and not by the drain.
    pub const IMMEDIATE: Self = Self(1);
    /// Coalescing must not cross this record.
    pub const BARRIER: Self = Self(2);
    /// Opens an epoch after an unclean stop; sequences before it may be missing.
    pub const GAP: Self = Self(4);
    /// Written when a log that was closed cleanly is opened again.
    pub const OPENED: Self = Self(8);
    /// The last record of a clean stop.
    pub const CLOSED: Self = Self(16);
    /// Not a record of the history: a note that all up to its sequence had been synced.
    pub const MARK: Self = Self(32);

    /// The sequences between the record before and this one belong to batches that logged nothing
    /// or were undone; they stand in no record.
    pub const SKIPS: Self = Self(64);

    const ALL: u16 = 127;
    /// The flags of records that the log itself writes, always without effects.
    pub(super) const CONTROL: Self = Self(4 | 8 | 16 | 32);

    /// Whether all of `flags` are set.
    pub const fn contains(self, flags: Self) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// Whether any of `flags` is set.
    pub const fn intersects(self, flags: Self) -> bool {
        self.0 & flags.0 != 0
    }
}

impl BitOr for Flags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The fixed part of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordHead {
    /// The record's number.
    pub sequence: Sequence,
    /// The engine's time in milliseconds since 1970, which never decreases from record to record.
    pub time_ms: u64,
    /// What the wall clock said, in milliseconds since 1970, however it jumps.
    pub raw_ms: i64,
    /// What the record is.
    pub flags: Flags,
}

/// What the checksums of a log start from. It follows from the lineage, so that no record of
/// another log and no value that looks like a record is ever taken for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Salt(u32);

impl Salt {
    pub(super) fn new(lineage: &[u8]) -> Self {
        Self(crc32c::crc32c(lineage))
    }

    fn checksum(self, record: &[u8]) -> u32 {
        let length = crc32c::crc32c_append(self.0, &record[..CHECKSUM_AT]);
        crc32c::crc32c_append(length, &record[SEQUENCE_AT..])
    }
}

/// A record that has been begun at the end of a buffer and not yet ended.
#[derive(Debug)]
#[must_use = "a record that is begun must be ended or abandoned"]
pub struct RecordBuilder {
    start: usize,
}

impl RecordBuilder {
    /// Begins a record; the caller then appends the effects to the buffer.
    ///
    /// # Panics
    /// For more than 65,535 namespaces, which one instance does not have in one batch.
    pub fn begin(buffer: &mut Vec<u8>, head: &RecordHead, namespaces: &[u32]) -> Self {
        let start = buffer.len();
        let count = u16::try_from(namespaces.len()).expect("a batch touches few namespaces");
        buffer.extend_from_slice(&[0; SEQUENCE_AT]);
        buffer.extend_from_slice(&head.sequence.as_u64().to_le_bytes());
        buffer.extend_from_slice(&head.time_ms.to_le_bytes());
        buffer.extend_from_slice(&head.raw_ms.to_le_bytes());
        buffer.extend_from_slice(&head.flags.0.to_le_bytes());
        buffer.extend_from_slice(&count.to_le_bytes());
        for namespace in namespaces {
            buffer.extend_from_slice(&namespace.to_le_bytes());
        }
        Self { start }
    }

    /// Ends the record: sets its length and leaves the checksum to [`seal`]. Returns its size.
    ///
    /// # Errors
    /// [`LogError::TooLarge`]; the buffer is then as it was before `begin`.
    pub fn end(self, buffer: &mut Vec<u8>) -> Result<usize, LogError> {
        let size = buffer.len() - self.start;
        if size > RECORD_BYTES_MAX {
            self.abandon(buffer);
            let (size_bytes, limit_bytes) = (size as u64, RECORD_BYTES_MAX as u64);
            return Err(LogError::TooLarge { size_bytes, limit_bytes });
        }
        let length = (size as u32).to_le_bytes();
        buffer[self.start..self.start + CHECKSUM_AT].copy_from_slice(&length);
        Ok(size)
    }

    /// Takes the record back, with its effects.
    pub fn abandon(self, buffer: &mut Vec<u8>) {
        buffer.truncate(self.start);
    }
}

/// Fills in the checksum of each record of a buffer.
///
/// # Errors
/// [`LogError::Malformed`] when the buffer is not a row of ended records.
pub fn seal(buffer: &mut [u8], salt: Salt) -> Result<(), LogError> {
    let mut rest = buffer;
    while !rest.is_empty() {
        let length = peek_length(rest).ok_or(LogError::Malformed)?;
        let (record, after) = rest.split_at_mut_checked(length).ok_or(LogError::Malformed)?;
        let checksum = salt.checksum(record).to_le_bytes();
        record[CHECKSUM_AT..SEQUENCE_AT].copy_from_slice(&checksum);
        rest = after;
    }
    Ok(())
}

/// A control record, sealed.
pub(super) fn control_record(head: &RecordHead, salt: Salt) -> [u8; RECORD_HEADER_BYTES] {
    let mut buffer = Vec::with_capacity(RECORD_HEADER_BYTES);
    let record = RecordBuilder::begin(&mut buffer, head, &[]);
    record.end(&mut buffer).expect("a record without effects is small");
    seal(&mut buffer, salt).expect("the buffer holds one whole record");
    buffer.try_into().expect("a control record is its fixed part")
}

/// The length of the record that begins here, if it could be one.
pub(super) fn peek_length(bytes: &[u8]) -> Option<usize> {
    let length = u32::from_le_bytes(*bytes.first_chunk()?) as usize;
    (RECORD_HEADER_BYTES..=RECORD_BYTES_MAX).contains(&length).then_some(length)
}

/// The fixed part of the record that begins here, unverified.
pub(super) fn peek_head(bytes: &[u8]) -> Option<RecordHead> {
    let fixed: &[u8; RECORD_HEADER_BYTES] = bytes.first_chunk()?;
    Some(RecordHead {
        sequence: Sequence::from_u64(read_u64(fixed, SEQUENCE_AT)),
        time_ms: read_u64(fixed, TIME_AT),
        raw_ms: read_u64(fixed, RAW_AT) as i64,
        flags: Flags(u16::from_le_bytes([fixed[FLAGS_AT], fixed[FLAGS_AT + 1]])),
    })
}

fn read_u64(fixed: &[u8; RECORD_HEADER_BYTES], at: usize) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(&fixed[at..at + 8]);
    u64::from_le_bytes(number)
}

/// Verifies that `bytes` are exactly one record, or says what is wrong with them.
pub(super) fn verify(bytes: &[u8], salt: Salt) -> Result<RecordHead, &'static str> {
    let length = peek_length(bytes).ok_or("the length is impossible")?;
    if bytes.len() != length {
        return Err("the record is cut off");
    }
    let mut stored = [0; 4];
    stored.copy_from_slice(&bytes[CHECKSUM_AT..SEQUENCE_AT]);
    if u32::from_le_bytes(stored) != salt.checksum(bytes) {
        return Err("the checksum does not match");
    }
    let head = peek_head(bytes).ok_or("the record is cut off")?;
    if head.flags.0 & !Flags::ALL != 0 {
        return Err("a flag is unknown");
    }
    if RecordRef::of_verified(head, bytes).is_none() {
        return Err("the namespaces do not fit");
    }
    Ok(head)
}

/// A record in a buffer.
#[derive(Clone, Copy, Debug)]
pub struct RecordRef<'a> {
    head: RecordHead,
    namespaces: &'a [u8],
    effects: &'a [u8],
    bytes: &'a [u8],
}

impl<'a> RecordRef<'a> {
    /// The record that `bytes` are, which were verified when they were read.
    pub fn of_read(bytes: &'a [u8]) -> Option<Self> {
        Self::of_verified(peek_head(bytes)?, bytes)
    }

    /// Splits the bytes of a record whose head is known.
    pub(super) fn of_verified(head: RecordHead, bytes: &'a [u8]) -> Option<Self> {
        let fixed: &[u8; RECORD_HEADER_BYTES] = bytes.first_chunk()?;
        let count = u16::from_le_bytes([fixed[NAMESPACES_AT], fixed[NAMESPACES_AT + 1]]);
        let body = &bytes[RECORD_HEADER_BYTES..];
        let (namespaces, effects) = body.split_at_checked(usize::from(count) * NAMESPACE_BYTES)?;
        Some(Self { head, namespaces, effects, bytes })
    }

    /// The fixed part.
    pub fn head(&self) -> RecordHead {
        self.head
    }

    /// The record's number.
    pub fn sequence(&self) -> Sequence {
        self.head.sequence
    }

    /// The ids of the namespaces that the batch touches.
    pub fn namespaces(&self) -> Namespaces<'a> {
        Namespaces(self.namespaces)
    }

    /// The effects, as the engine encoded them.
    pub fn effects(&self) -> &'a [u8] {
        self.effects
    }

    /// The whole record.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The size of the whole record in the log.
    pub fn size_bytes(&self) -> usize {
        self.bytes.len()
    }
}

/// The namespaces of a record, in the order in which they were written.
#[derive(Clone, Debug)]
pub struct Namespaces<'a>(&'a [u8]);

impl Iterator for Namespaces<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let (id, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*id))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.0.len() / NAMESPACE_BYTES;
        (count, Some(count))
    }
}

impl ExactSizeIterator for Namespaces<'_> {}
