//! Reading ahead in a recovery: records and the entries of bases come in chunks, so that whoever
//! applies them can look up all their keys at once before.
//!
//! Without a thread that reads and verifies meanwhile: measured, what it takes off is lost again
//! on the way of the bytes from one processor's cache to the other's.

use std::ops::ControlFlow;

use crate::error::Error;
use crate::log::{BaseReader, LogError, RecordRef, Records};

/// About this much makes a chunk: some hundred keys, whose tables and entries fit into the
/// processor's second cache.
const CHUNK_BYTES: usize = 64 << 10;

/// What gives one piece after the other, each verified.
pub trait Pieces {
    /// The next piece, or `None` at the end.
    fn next_piece(&mut self) -> Result<Option<&[u8]>, LogError>;
}

impl Pieces for Records {
    fn next_piece(&mut self) -> Result<Option<&[u8]>, LogError> {
        Ok(self.next()?.map(|record: RecordRef<'_>| record.bytes()))
    }
}

impl Pieces for BaseReader {
    fn next_piece(&mut self) -> Result<Option<&[u8]>, LogError> {
        self.next()
    }
}

/// Some pieces, one behind the other.
#[derive(Default)]
pub struct Chunk {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Chunk {
    /// The pieces in their order.
    pub fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.bytes[start..end])
    }

    /// Takes pieces up until it is full; false at the end of them. After an error it holds those
    /// before.
    fn fill(&mut self, pieces: &mut impl Pieces) -> Result<bool, LogError> {
        self.bytes.clear();
        self.ends.clear();
        while self.bytes.len() < CHUNK_BYTES {
            let Some(piece) = pieces.next_piece()? else { return Ok(false) };
            self.bytes.extend_from_slice(piece);
            self.ends.push(self.bytes.len());
        }
        Ok(true)
    }
}

/// Gives every chunk of `pieces` to `apply`, until that breaks off.
///
/// # Errors
/// Those of reading, after all before has been applied; those of `apply`.
pub fn read_ahead(
    mut pieces: impl Pieces,
    mut apply: impl FnMut(&Chunk) -> Result<ControlFlow<()>, Error>,
) -> Result<(), Error> {
    let mut chunk = Chunk::default();
    loop {
        let filled = chunk.fill(&mut pieces);
        if apply(&chunk)?.is_break() || !filled? {
            return Ok(());
        }
    }
}
