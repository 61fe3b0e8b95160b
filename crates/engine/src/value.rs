//! The value model (DESIGN.md 4): kinds, a borrowed view of a value, an owned one, and the text
//! that Redis clients see of a scalar. Collections join as further kinds; nothing here knows
//! where a value is kept.

use std::sync::{Arc, LazyLock};

use crate::limits::CHUNK_BYTES;

/// What a key holds. The numbers are part of the on-disk format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
#[non_exhaustive]
pub enum Kind {
    /// Nothing.
    Void = 0,
    /// True, false or null.
    Flag = 1,
    /// A 64-bit integer.
    Integer = 2,
    /// A 64-bit float.
    Decimal = 3,
    /// Bytes.
    String = 4,
    /// Three coordinates.
    Point = 5,
    /// Ordered scalars.
    List = 6,
    /// Fields and scalars.
    Map = 7,
    /// Distinct members.
    Set = 8,
    /// Members by score.
    SortedSet = 9,
    /// Entries by time.
    Stream = 10,
}

impl Kind {
    /// The kind that `byte` stands for on disk and in the log.
    pub const fn from_byte(byte: u8) -> Option<Self> {
        Some(match byte {
            0 => Self::Void,
            1 => Self::Flag,
            2 => Self::Integer,
            3 => Self::Decimal,
            4 => Self::String,
            5 => Self::Point,
            6 => Self::List,
            7 => Self::Map,
            8 => Self::Set,
            9 => Self::SortedSet,
            10 => Self::Stream,
            _ => return None,
        })
    }

    /// Whether the kind is a scalar, which Redis clients see as a string.
    pub const fn is_scalar(self) -> bool {
        matches!(
            self,
            Self::Void | Self::Flag | Self::Integer | Self::Decimal | Self::String | Self::Point
        )
    }

    /// The name that `TYPE` answers.
    pub const fn redis_name(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Map => "hash",
            Self::Set => "set",
            Self::SortedSet => "zset",
            Self::Stream => "stream",
            _ => "string",
        }
    }
}

/// A value of kind flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flag {
    /// Text `false`.
    False,
    /// Text `true`.
    True,
    /// Text `null`.
    Null,
}

impl Flag {
    /// The flag that `byte` stands for.
    pub const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Self::False),
            1 => Some(Self::True),
            2 => Some(Self::Null),
            _ => None,
        }
    }

    const fn text(self) -> &'static str {
        match self {
            Self::False => "false",
            Self::True => "true",
            Self::Null => "null",
        }
    }
}

/// The chunks of a spread string, shared and not copied.
#[derive(Debug, Clone, Copy)]
pub struct SpreadView<'a> {
    pub(crate) length: u64,
    pub(crate) chunks: &'a [Option<Arc<[u8]>>],
}

impl SpreadView<'_> {
    /// Length in bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The bytes in order, in shared pieces of at most 64 KiB. A chunk that was never written
    /// reads as zeros.
    pub fn pieces(&self) -> impl Iterator<Item = Arc<[u8]>> + '_ {
        self.pieces_from(0)
    }

    /// The pieces from chunk `first` on.
    pub(crate) fn pieces_from(&self, first: u32) -> impl Iterator<Item = Arc<[u8]>> + '_ {
        (first..self.count()).map(|number| {
            self.piece(number).unwrap_or_else(|| zeros(chunk_size(self.length, number)))
        })
    }

    /// The pieces that hold bytes `start..end`, cut to these; `end` is at most the length.
    pub(crate) fn part(&self, start: u64, end: u64) -> Vec<Arc<[u8]>> {
        let mut at = start - start % CHUNK_BYTES as u64;
        let mut pieces = Vec::new();
        for piece in self.pieces_from((start / CHUNK_BYTES as u64) as u32) {
            if at >= end {
                break;
            }
            let from = start.saturating_sub(at) as usize;
            let to = piece.len().min((end - at) as usize);
            let is_whole = from == 0 && to == piece.len();
            at += piece.len() as u64;
            pieces.push(if is_whole { piece } else { Arc::from(&piece[from..to]) });
        }
        pieces
    }

    /// All chunks, shared; those of zeros stay as little as they are.
    pub(crate) fn shared(&self) -> Vec<Option<Arc<[u8]>>> {
        (0..self.count()).map(|number| self.piece(number)).collect()
    }

    fn count(&self) -> u32 {
        self.length.div_ceil(CHUNK_BYTES as u64) as u32
    }

    /// One chunk; `None` for one that was never written.
    fn piece(&self, number: u32) -> Option<Arc<[u8]>> {
        let size = chunk_size(self.length, number);
        let data = self.chunks.get(number as usize)?.as_ref()?;
        Some(if data.len() == size { Arc::clone(data) } else { resized(data, size) })
    }
}

/// So many zeros; a whole chunk of them is the same for all.
fn zeros(size: usize) -> Arc<[u8]> {
    static CHUNK: LazyLock<Arc<[u8]>> = LazyLock::new(|| Arc::from(vec![0; CHUNK_BYTES]));
    if size == CHUNK_BYTES { Arc::clone(&CHUNK) } else { Arc::from(vec![0; size]) }
}

/// Bytes that chunk `number` of a string of `length` holds.
pub(crate) fn chunk_size(length: u64, number: u32) -> usize {
    let start = u64::from(number) * CHUNK_BYTES as u64;
    length.saturating_sub(start).min(CHUNK_BYTES as u64) as usize
}

/// `data` cut or filled with zeros to `size`.
pub(crate) fn resized(data: &[u8], size: usize) -> Arc<[u8]> {
    let mut whole = data[..data.len().min(size)].to_vec();
    whole.resize(size, 0);
    Arc::from(whole)
}

/// A value as seen in place.
#[derive(Debug, Clone, Copy)]
pub enum Value<'a> {
    /// Nothing.
    Void,
    /// True, false or null.
    Flag(Flag),
    /// An integer.
    Integer(i64),
    /// A float.
    Decimal(f64),
    /// x, y, z.
    Point([f64; 3]),
    /// A string of at most one chunk.
    Bytes(&'a [u8]),
    /// A longer string.
    Spread(SpreadView<'a>),
}

/// Room for the text of a scalar that is not a string.
#[derive(Default)]
pub struct TextScratch(Vec<u8>);

/// The text of a value.
pub enum Text<'a> {
    /// In one piece.
    Bytes(&'a [u8]),
    /// In shared pieces.
    Pieces(SpreadView<'a>),
}

impl<'a> Value<'a> {
    /// The value's kind.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Void => Kind::Void,
            Self::Flag(_) => Kind::Flag,
            Self::Integer(_) => Kind::Integer,
            Self::Decimal(_) => Kind::Decimal,
            Self::Point(_) => Kind::Point,
            Self::Bytes(_) | Self::Spread(_) => Kind::String,
        }
    }

    /// The text that a Redis client sees.
    pub fn text<'s>(&'s self, scratch: &'s mut TextScratch) -> Text<'s> {
        let room = &mut scratch.0;
        room.clear();
        match self {
            Self::Bytes(bytes) => return Text::Bytes(bytes),
            Self::Spread(view) => return Text::Pieces(*view),
            Self::Void => {}
            Self::Flag(flag) => room.extend_from_slice(flag.text().as_bytes()),
            Self::Integer(number) => {
                room.extend_from_slice(itoa::Buffer::new().format(*number).as_bytes());
            }
            Self::Decimal(number) => {
                room.extend_from_slice(&crate::number::format_decimal(*number));
            }
            Self::Point(axes) => {
                for (position, axis) in axes.iter().enumerate() {
                    if position > 0 {
                        room.push(b',');
                    }
                    room.extend_from_slice(&crate::number::format_decimal(*axis));
                }
            }
        }
        Text::Bytes(room)
    }

    /// Length of the text in bytes.
    pub fn text_length(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Spread(view) => view.length,
            other => match other.text(&mut TextScratch::default()) {
                Text::Bytes(bytes) => bytes.len() as u64,
                Text::Pieces(view) => view.length,
            },
        }
    }

    /// The text in one owned piece.
    pub fn to_vec(&self) -> Vec<u8> {
        match self.text(&mut TextScratch::default()) {
            Text::Bytes(bytes) => bytes.to_vec(),
            Text::Pieces(view) => {
                let mut whole = Vec::with_capacity(view.length as usize);
                for piece in view.pieces() {
                    whole.extend_from_slice(&piece);
                }
                whole
            }
        }
    }

    /// A copy that outlives the turn; chunks are shared.
    pub fn to_owned(&self) -> OwnedValue {
        match self {
            Self::Void => OwnedValue::Void,
            Self::Flag(flag) => OwnedValue::Flag(*flag),
            Self::Integer(number) => OwnedValue::Integer(*number),
            Self::Decimal(number) => OwnedValue::Decimal(*number),
            Self::Point(axes) => OwnedValue::Point(*axes),
            Self::Bytes(bytes) => OwnedValue::Bytes(bytes.to_vec()),
            Self::Spread(view) => OwnedValue::Spread { length: view.length, chunks: view.shared() },
        }
    }

    /// The stored form of a scalar that is not spread.
    pub(crate) fn write_stored(&self, out: &mut Vec<u8>) {
        match self {
            Self::Void | Self::Spread(_) => {}
            Self::Flag(flag) => out.push(*flag as u8),
            Self::Integer(number) => out.extend_from_slice(&number.to_le_bytes()),
            Self::Decimal(number) => out.extend_from_slice(&number.to_le_bytes()),
            Self::Point(axes) => axes.iter().for_each(|axis| out.extend(axis.to_le_bytes())),
            Self::Bytes(bytes) => out.extend_from_slice(bytes),
        }
    }

    /// Reads the stored form back; `None` for bytes that no `write_stored` made.
    pub(crate) fn from_stored(kind: Kind, stored: &'a [u8]) -> Option<Self> {
        Some(match kind {
            Kind::Void if stored.is_empty() => Self::Void,
            Kind::Flag if stored.len() == 1 => Self::Flag(Flag::from_byte(stored[0])?),
            Kind::Integer => Self::Integer(i64::from_le_bytes(stored.try_into().ok()?)),
            Kind::Decimal => Self::Decimal(f64::from_le_bytes(stored.try_into().ok()?)),
            Kind::String => Self::Bytes(stored),
            Kind::Point if stored.len() == 24 => {
                let mut axes = [0.0; 3];
                for (axis, bytes) in axes.iter_mut().zip(stored.chunks_exact(8)) {
                    *axis = f64::from_le_bytes(bytes.try_into().ok()?);
                }
                Self::Point(axes)
            }
            _ => return None,
        })
    }
}

/// A value that is nobody's but its holder's.
#[derive(Debug, Clone, PartialEq)]
pub enum OwnedValue {
    /// Nothing.
    Void,
    /// True, false or null.
    Flag(Flag),
    /// An integer.
    Integer(i64),
    /// A float.
    Decimal(f64),
    /// x, y, z.
    Point([f64; 3]),
    /// A string of at most one chunk.
    Bytes(Vec<u8>),
    /// A longer string.
    Spread {
        /// Length in bytes.
        length: u64,
        /// Chunks of 64 KiB; `None` is one of zeros.
        chunks: Vec<Option<Arc<[u8]>>>,
    },
}

impl OwnedValue {
    /// The value as seen in place.
    pub fn view(&self) -> Value<'_> {
        match self {
            Self::Void => Value::Void,
            Self::Flag(flag) => Value::Flag(*flag),
            Self::Integer(number) => Value::Integer(*number),
            Self::Decimal(number) => Value::Decimal(*number),
            Self::Point(axes) => Value::Point(*axes),
            Self::Bytes(bytes) => Value::Bytes(bytes),
            Self::Spread { length, chunks } => {
                Value::Spread(SpreadView { length: *length, chunks })
            }
        }
    }

    /// A string value of any length, cut into chunks where it is long.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        if bytes.len() <= CHUNK_BYTES {
            return Self::Bytes(bytes.to_vec());
        }
        Self::Spread {
            length: bytes.len() as u64,
            chunks: bytes.chunks(CHUNK_BYTES).map(|chunk| Some(Arc::from(chunk))).collect(),
        }
    }
}
