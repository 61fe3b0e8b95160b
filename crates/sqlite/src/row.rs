//! The row of one key, as it is read and as it is written.
//!
//! It knows how a row lies in the columns of `keys`, and nothing of what kinds and values mean.

use rusqlite::types::Type;

/// A SELECT of all that `Row::from_columns` reads, to be followed by `WHERE` and so on. It is a
/// macro because a statement for every lookup is best a literal.
macro_rules! whole {
    ($rest:literal) => {
        concat!("SELECT key, kind, version, deadline, absolute, length, value FROM keys ", $rest)
    };
}

/// The same without the value, whose pages SQLite then leaves alone.
macro_rules! head {
    ($rest:literal) => {
        concat!("SELECT key, kind, version, deadline, absolute, length, x'' FROM keys ", $rest)
    };
}

pub(crate) use {head, whole};

/// The moment at which a key expires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline {
    /// Milliseconds on the clock that `absolute` names.
    pub at_ms: i64,
    /// The deadline follows the wall clock, and moves with it; otherwise the engine's clock.
    pub absolute: bool,
}

/// A row that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The key: any bytes.
    pub key: Vec<u8>,
    /// The kind of the value, by the number that the engine gives it.
    pub kind: u8,
    /// The sequence of the batch that last changed the key.
    pub version: u64,
    /// When the key expires, if ever.
    pub deadline: Option<Deadline>,
    /// For a spread value its total size in bytes; its content lies in chunks.
    pub length: Option<u64>,
    /// The value, or empty where only the head was asked for.
    pub value: Vec<u8>,
}

/// A row to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowRef<'a> {
    /// The key: any bytes.
    pub key: &'a [u8],
    /// The kind of the value.
    pub kind: u8,
    /// The sequence of the batch that changed the key.
    pub version: u64,
    /// When the key expires, if ever.
    pub deadline: Option<Deadline>,
    /// For a spread value its total size in bytes.
    pub length: Option<u64>,
    /// The value, or what is kept beside the chunks.
    pub value: &'a [u8],
}

/// What the writer of a row knows of the row below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Below {
    /// The file holds no row for this key.
    Absent,
    /// The file holds a row for this key.
    Present,
    /// Either may be so.
    Unknown,
}

impl Row {
    /// The row as it would be written.
    pub fn as_ref(&self) -> RowRef<'_> {
        RowRef {
            key: &self.key,
            kind: self.kind,
            version: self.version,
            deadline: self.deadline,
            length: self.length,
            value: &self.value,
        }
    }

    /// Reads the seven columns of `whole!` or `head!`.
    pub(crate) fn from_columns(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
        let at_ms: Option<i64> = row.get(3)?;
        let absolute: bool = row.get(4)?;
        let length: Option<i64> = row.get(5)?;
        Ok(Row {
            key: row.get_ref(0)?.as_blob()?.to_vec(),
            kind: row.get(1)?,
            version: row.get::<_, i64>(2)?.cast_unsigned(),
            deadline: at_ms.map(|at_ms| Deadline { at_ms, absolute }),
            length: length.map(|length| as_length(length, 5)).transpose()?,
            value: row.get_ref(6)?.as_blob()?.to_vec(),
        })
    }
}

fn as_length(stored: i64, column: usize) -> rusqlite::Result<u64> {
    u64::try_from(stored).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Integer, Box::new(error))
    })
}
