//! The effects of a batch as they stand in a record of the log: resulting parts with absolute
//! coordinates, never requests, so that replaying one twice changes nothing. Pure bytes; the
//! layout is described in `docs/format.md`.

use crate::clock::Deadline;
use crate::front::State;
use crate::namespace::NamespaceId;
use crate::value::Kind;

/// One change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Effect<'a> {
    /// The effects that follow are about this namespace.
    Space(NamespaceId),
    /// The key holds this value, of at most one chunk.
    Put { key: &'a [u8], home: Home, kind: Kind, deadline: Option<Deadline>, stored: &'a [u8] },
    /// The key is gone, from both homes.
    Delete { key: &'a [u8] },
    /// The key's deadline is this; its value and home stay.
    Deadline { key: &'a [u8], home: Home, deadline: Option<Deadline> },
    /// These bytes of the string are these; it grows with zeros as needed.
    Patch { key: &'a [u8], home: Home, offset: u64, data: &'a [u8] },
    /// The key holds a string of this length, of which the chunks follow.
    Spread { key: &'a [u8], home: Home, deadline: Option<Deadline>, length: u64 },
    /// One chunk of the string that was announced last.
    Chunk { number: u32, data: &'a [u8] },
    /// The namespace is empty.
    Clear,
    /// Nothing is resident any more, in no namespace.
    Forget,
}

/// Where the key lives from then on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    /// In memory; the log and its bases carry it.
    Memory,
    /// In the namespace's file.
    Disk,
}

impl Home {
    /// The state of an entry that was written to this home.
    pub(crate) fn state(self) -> State {
        match self {
            Self::Memory => State::Resident,
            Self::Disk => State::Dirty,
        }
    }
}

const SPACE: u8 = 1;
const PUT: u8 = 2;
const DELETE: u8 = 3;
const DEADLINE: u8 = 4;
const PATCH: u8 = 5;
const SPREAD: u8 = 6;
const CHUNK: u8 = 7;
const CLEAR: u8 = 8;
const FORGET: u8 = 9;

const IN_MEMORY: u8 = 1;
const HAS_DEADLINE: u8 = 2;
const IS_ABSOLUTE: u8 = 4;

impl<'a> Effect<'a> {
    /// The key that it is about, if it is about one by name.
    pub fn key(&self) -> Option<&'a [u8]> {
        match *self {
            Effect::Put { key, .. }
            | Effect::Delete { key }
            | Effect::Deadline { key, .. }
            | Effect::Patch { key, .. }
            | Effect::Spread { key, .. } => Some(key),
            Effect::Space(_) | Effect::Chunk { .. } | Effect::Clear | Effect::Forget => None,
        }
    }

    /// Appends the effect to a record.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match *self {
            Effect::Space(namespace) => {
                out.push(SPACE);
                out.extend_from_slice(&namespace.number().to_le_bytes());
            }
            Effect::Put { key, home, kind, deadline, stored } => {
                out.extend_from_slice(&[PUT, marks(home, deadline), kind as u8]);
                push_bytes(out, key);
                push_deadline(out, deadline);
                push_bytes(out, stored);
            }
            Effect::Delete { key } => {
                out.push(DELETE);
                push_bytes(out, key);
            }
            Effect::Deadline { key, home, deadline } => {
                out.extend_from_slice(&[DEADLINE, marks(home, deadline)]);
                push_bytes(out, key);
                push_deadline(out, deadline);
            }
            Effect::Patch { key, home, offset, data } => {
                out.extend_from_slice(&[PATCH, marks(home, None)]);
                push_bytes(out, key);
                push_number(out, offset);
                push_bytes(out, data);
            }
            Effect::Spread { key, home, deadline, length } => {
                out.extend_from_slice(&[SPREAD, marks(home, deadline)]);
                push_bytes(out, key);
                push_deadline(out, deadline);
                push_number(out, length);
            }
            Effect::Chunk { number, data } => {
                out.push(CHUNK);
                push_number(out, u64::from(number));
                push_bytes(out, data);
            }
            Effect::Clear => out.push(CLEAR),
            Effect::Forget => out.push(FORGET),
        }
    }
}

/// The effects of a record, one after the other.
pub struct Effects<'a>(pub &'a [u8]);

impl<'a> Iterator for Effects<'a> {
    /// `None` inside stands for bytes that are no effect; the iteration ends with it.
    type Item = Option<Effect<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let effect = self.decode();
        if effect.is_none() {
            self.0 = &[];
        }
        Some(effect)
    }
}

impl<'a> Effects<'a> {
    fn decode(&mut self) -> Option<Effect<'a>> {
        Some(match self.byte()? {
            SPACE => {
                let (number, rest) = self.0.split_first_chunk::<4>()?;
                self.0 = rest;
                Effect::Space(NamespaceId::new(u32::from_le_bytes(*number)))
            }
            PUT => {
                let marks = self.byte()?;
                let kind = Kind::from_byte(self.byte()?)?;
                let key = self.bytes()?;
                let deadline = self.deadline(marks)?;
                Effect::Put { key, home: home(marks), kind, deadline, stored: self.bytes()? }
            }
            DELETE => Effect::Delete { key: self.bytes()? },
            DEADLINE => {
                let marks = self.byte()?;
                let key = self.bytes()?;
                Effect::Deadline { key, home: home(marks), deadline: self.deadline(marks)? }
            }
            PATCH => {
                let marks = self.byte()?;
                let key = self.bytes()?;
                let offset = self.number()?;
                Effect::Patch { key, home: home(marks), offset, data: self.bytes()? }
            }
            SPREAD => {
                let marks = self.byte()?;
                let key = self.bytes()?;
                let deadline = self.deadline(marks)?;
                Effect::Spread { key, home: home(marks), deadline, length: self.number()? }
            }
            CHUNK => {
                let number = u32::try_from(self.number()?).ok()?;
                Effect::Chunk { number, data: self.bytes()? }
            }
            CLEAR => Effect::Clear,
            FORGET => Effect::Forget,
            _ => return None,
        })
    }

    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    /// A length or offset: seven bits a byte, least significant first, at most 63 bits.
    fn number(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    /// `None` is an error; `Some(None)` is no deadline.
    #[allow(clippy::option_option)]
    fn deadline(&mut self, marks: u8) -> Option<Option<Deadline>> {
        if marks & HAS_DEADLINE == 0 {
            return Some(None);
        }
        let (at_ms, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        let at_ms = i64::from_le_bytes(*at_ms);
        Some(Some(Deadline { at_ms, absolute: marks & IS_ABSOLUTE != 0 }))
    }
}

fn marks(home: Home, deadline: Option<Deadline>) -> u8 {
    let home = if home == Home::Memory { IN_MEMORY } else { 0 };
    home | match deadline {
        None => 0,
        Some(Deadline { absolute: false, .. }) => HAS_DEADLINE,
        Some(Deadline { absolute: true, .. }) => HAS_DEADLINE | IS_ABSOLUTE,
    }
}

fn home(marks: u8) -> Home {
    if marks & IN_MEMORY == 0 { Home::Disk } else { Home::Memory }
}

fn push_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn push_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    push_number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn push_deadline(out: &mut Vec<u8>, deadline: Option<Deadline>) {
    if let Some(deadline) = deadline {
        out.extend_from_slice(&deadline.at_ms.to_le_bytes());
    }
}

#[cfg(test)]
mod tests;
