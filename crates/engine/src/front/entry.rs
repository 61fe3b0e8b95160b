//! One entry of the front, byte by byte: a header of 24 bytes, the deadline if there is one, the
//! key, and the value or the number of the allocation that holds it. Reading and writing these
//! bytes happens here and nowhere else; what a state means for the keyspace is decided above.
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0 | 1 | kind (low 4 bits), below (2 bits), home is memory (1 bit); 0xFF is a free slot |
//! | 1 | 1 | state (low 3 bits), has deadline, deadline is absolute, value outside, two marks |
//! | 2 | 3 | length of the key |
//! | 5 | 1 | access frequency (logarithmic) |
//! | 6 | 1 | queued for the drain |
//! | 7 | 1 | namespace, upper 8 bits |
//! | 8 | 8 | version |
//! | 16 | 2 | length of the value inside |
//! | 18 | 2 | namespace, lower 16 bits |
//! | 20 | 4 | time of the last access, in seconds of engine time |

use crate::clock::Deadline;
use crate::namespace::NamespaceId;
use crate::value::Kind;

/// What an entry stands for (DESIGN.md 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum State {
    /// Home is memory.
    Resident = 0,
    /// A copy of a disk key, or the knowledge that there is none (`kind` is then `None`).
    Clean = 1,
    /// Home is disk, logged, not yet drained.
    Dirty = 2,
    /// Deleted, and the deletion not yet drained.
    Tombstone = 3,
    /// Being read from below; any write supersedes it. The version is the fetch's number.
    Fetching = 4,
}

/// What lies in SQLite under an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Below {
    /// No row.
    None = 0,
    /// A row with the same content.
    Same = 1,
    /// A row with older content.
    Older = 2,
    /// Nobody has looked.
    Unknown = 3,
}

impl Below {
    /// The same after a drain of which nobody knows whether it has written the row.
    pub fn after_a_drain(self) -> Self {
        if self == Self::None { Self::Unknown } else { self }
    }
}

/// Everything about an entry but key and value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    pub namespace: NamespaceId,
    /// `None` marks an absence (tombstone, fetching, or clean and known to be absent).
    pub kind: Option<Kind>,
    pub state: State,
    pub below: Below,
    pub version: u64,
    pub deadline: Option<Deadline>,
    pub queued: bool,
    pub probation: bool,
    pub promoted: bool,
    pub accessed_s: u32,
    pub frequency: u8,
}

/// The access counter of a new key; a key that starts at zero would be evicted at once.
pub const FREQUENCY_AT_FIRST: u8 = 5;

impl Header {
    /// The header of a new entry over nothing: no value, no deadline, and in no queue yet.
    pub fn new(namespace: NamespaceId, state: State, version: u64) -> Self {
        Self {
            namespace,
            kind: None,
            state,
            below: Below::None,
            version,
            deadline: None,
            queued: false,
            probation: false,
            promoted: false,
            accessed_s: 0,
            frequency: FREQUENCY_AT_FIRST,
        }
    }
}

const HEADER_BYTES: usize = 24;
const DEADLINE_BYTES: usize = 8;
const KIND_NONE: u8 = 0x0F;
const HAS_DEADLINE: u8 = 1 << 3;
const IS_ABSOLUTE: u8 = 1 << 4;
const IS_OUTSIDE: u8 = 1 << 5;
const IN_PROBATION: u8 = 1 << 6;
const IS_PROMOTED: u8 = 1 << 7;

/// Where the value of an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored<'a> {
    /// In the entry.
    Inside(&'a [u8]),
    /// In the allocation of this number.
    Outside(u32),
}

/// An entry, read in place.
#[derive(Clone, Copy)]
pub struct Entry<'a>(pub &'a [u8]);

impl<'a> Entry<'a> {
    /// Bytes that an entry needs.
    pub fn size(key: &[u8], has_deadline: bool, value: Stored<'_>) -> usize {
        let value_bytes = match value {
            Stored::Inside(bytes) => bytes.len(),
            Stored::Outside(_) => 4,
        };
        HEADER_BYTES + if has_deadline { DEADLINE_BYTES } else { 0 } + key.len() + value_bytes
    }

    #[inline]
    pub fn state(self) -> State {
        match self.0[1] & 7 {
            0 => State::Resident,
            1 => State::Clean,
            2 => State::Dirty,
            3 => State::Tombstone,
            _ => State::Fetching,
        }
    }

    #[inline]
    pub fn below(self) -> Below {
        match (self.0[0] >> 4) & 3 {
            0 => Below::None,
            1 => Below::Same,
            2 => Below::Older,
            _ => Below::Unknown,
        }
    }

    #[inline]
    pub fn kind(self) -> Option<Kind> {
        Kind::from_byte(self.0[0] & 0x0F)
    }

    #[inline]
    pub fn version(self) -> u64 {
        u64::from_le_bytes(array(&self.0[8..16]))
    }

    pub fn namespace(self) -> NamespaceId {
        let low = u16::from_le_bytes([self.0[18], self.0[19]]);
        NamespaceId::new((u32::from(self.0[7]) << 16) | u32::from(low))
    }

    pub fn is_queued(self) -> bool {
        self.0[6] & 1 != 0
    }

    pub fn in_probation(self) -> bool {
        self.0[1] & IN_PROBATION != 0
    }

    pub fn is_promoted(self) -> bool {
        self.0[1] & IS_PROMOTED != 0
    }

    pub fn accessed_s(self) -> u32 {
        u32::from_le_bytes(array(&self.0[20..24]))
    }

    pub fn frequency(self) -> u8 {
        self.0[5]
    }

    #[inline]
    pub fn deadline(self) -> Option<Deadline> {
        if self.0[1] & HAS_DEADLINE == 0 {
            return None;
        }
        let at_ms = i64::from_le_bytes(array(&self.0[HEADER_BYTES..HEADER_BYTES + 8]));
        Some(Deadline { at_ms, absolute: self.0[1] & IS_ABSOLUTE != 0 })
    }

    #[inline]
    pub fn key(self) -> &'a [u8] {
        let start = self.key_start();
        &self.0[start..start + self.key_length()]
    }

    #[inline]
    pub fn is_inside(self) -> bool {
        self.0[1] & IS_OUTSIDE == 0
    }

    #[inline]
    pub fn stored(self) -> Stored<'a> {
        let start = self.key_start() + self.key_length();
        if !self.is_inside() {
            return Stored::Outside(u32::from_le_bytes(array(&self.0[start..start + 4])));
        }
        let length = u16::from_le_bytes([self.0[16], self.0[17]]) as usize;
        Stored::Inside(&self.0[start..start + length])
    }

    #[inline]
    pub fn header(self) -> Header {
        Header {
            namespace: self.namespace(),
            kind: self.kind(),
            state: self.state(),
            below: self.below(),
            version: self.version(),
            deadline: self.deadline(),
            queued: self.is_queued(),
            probation: self.in_probation(),
            promoted: self.is_promoted(),
            accessed_s: self.accessed_s(),
            frequency: self.frequency(),
        }
    }

    /// The bytes in use; the slot behind them is longer.
    pub fn image(self) -> &'a [u8] {
        let value_bytes = match self.stored() {
            Stored::Inside(bytes) => bytes.len(),
            Stored::Outside(_) => 4,
        };
        &self.0[..self.key_start() + self.key_length() + value_bytes]
    }

    #[inline]
    fn key_start(self) -> usize {
        HEADER_BYTES + if self.0[1] & HAS_DEADLINE == 0 { 0 } else { DEADLINE_BYTES }
    }

    #[inline]
    fn key_length(self) -> usize {
        u32::from_le_bytes([self.0[2], self.0[3], self.0[4], 0]) as usize
    }
}

/// Writes a whole entry into its slot.
pub fn write(slot: &mut [u8], header: &Header, key: &[u8], value: Stored<'_>) {
    let space = header.namespace.number();
    write_marks(slot, header);
    slot[2..5].copy_from_slice(&(key.len() as u32).to_le_bytes()[..3]);
    slot[7] = (space >> 16) as u8;
    slot[18..20].copy_from_slice(&(space as u16).to_le_bytes());
    let mut at = HEADER_BYTES;
    if let Some(deadline) = header.deadline {
        slot[1] |= HAS_DEADLINE | if deadline.absolute { IS_ABSOLUTE } else { 0 };
        slot[at..at + DEADLINE_BYTES].copy_from_slice(&deadline.at_ms.to_le_bytes());
        at += DEADLINE_BYTES;
    }
    slot[at..at + key.len()].copy_from_slice(key);
    at += key.len();
    match value {
        Stored::Inside(bytes) => {
            slot[16..18].copy_from_slice(&(bytes.len() as u16).to_le_bytes());
            slot[at..at + bytes.len()].copy_from_slice(bytes);
        }
        Stored::Outside(number) => {
            slot[1] |= IS_OUTSIDE;
            slot[16..18].fill(0);
            slot[at..at + 4].copy_from_slice(&number.to_le_bytes());
        }
    }
}

/// Writes the parts of the header that may change without the entry changing its size. The
/// bits about deadline and value are cleared: `write` sets them, `remark` keeps them.
fn write_marks(slot: &mut [u8], header: &Header) {
    let kind = header.kind.map_or(KIND_NONE, |kind| kind as u8);
    let home = if header.state == State::Resident { 1 << 6 } else { 0 };
    slot[0] = kind | ((header.below as u8) << 4) | home;
    slot[1] = header.state as u8
        | if header.probation { IN_PROBATION } else { 0 }
        | if header.promoted { IS_PROMOTED } else { 0 };
    slot[5] = header.frequency;
    slot[6] = u8::from(header.queued);
    slot[8..16].copy_from_slice(&header.version.to_le_bytes());
    slot[20..24].copy_from_slice(&header.accessed_s.to_le_bytes());
}

/// Changes state, marks, version and access of an entry in place; deadline and value stay.
pub fn remark(slot: &mut [u8], header: &Header) {
    let kept = slot[1] & (HAS_DEADLINE | IS_ABSOLUTE | IS_OUTSIDE);
    write_marks(slot, header);
    slot[1] |= kept;
}

/// Notes whether the entry stands in the queue of the drain.
pub fn set_queued(slot: &mut [u8], queued: bool) {
    slot[6] = u8::from(queued);
}

/// Notes an access.
pub fn set_access(slot: &mut [u8], accessed_s: u32, frequency: u8) {
    slot[5] = frequency;
    slot[20..24].copy_from_slice(&accessed_s.to_le_bytes());
}

#[inline]
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut out = [0; N];
    out.copy_from_slice(bytes);
    out
}

#[cfg(test)]
mod tests;
