//! A moving window over a file, so that reading a log of any size takes little memory: what is
//! asked for in order is read once, in large pieces.

use std::io;
use std::sync::Arc;

use crate::disk::File;

/// Read ahead this much; below it the calls cost more than the copying.
const PIECE_BYTES: usize = 256 << 10;

pub(super) struct Window {
    file: Arc<dyn File>,
    size_bytes: u64,
    start: u64,
    buffer: Vec<u8>,
}

impl Window {
    pub(super) fn new(file: Arc<dyn File>) -> io::Result<Self> {
        let size_bytes = file.size()?;
        Ok(Self { file, size_bytes, start: 0, buffer: Vec::new() })
    }

    /// The size of the file when it was opened. What a live log appends later is not seen.
    pub(super) fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Up to `length` bytes at `offset`: fewer only at the end of the file.
    pub(super) fn bytes(&mut self, offset: u64, length: usize) -> io::Result<&[u8]> {
        if self.cached(offset, length).is_none() {
            self.fill(offset, length)?;
        }
        let skipped = (offset - self.start).min(self.buffer.len() as u64) as usize;
        let end = self.buffer.len().min(skipped.saturating_add(length));
        Ok(&self.buffer[skipped..end])
    }

    /// The same bytes, if the last call left them in memory.
    pub(super) fn cached(&self, offset: u64, length: usize) -> Option<&[u8]> {
        let skipped = usize::try_from(offset.checked_sub(self.start)?).ok()?;
        self.buffer.get(skipped..skipped.checked_add(length)?)
    }

    fn fill(&mut self, offset: u64, length: usize) -> io::Result<()> {
        let left = usize::try_from(self.size_bytes.saturating_sub(offset)).unwrap_or(usize::MAX);
        self.start = offset;
        self.buffer.resize(length.max(PIECE_BYTES).min(left), 0);
        let filled = self.file.read_at(&mut self.buffer, offset)?;
        self.buffer.truncate(filled);
        Ok(())
    }

    /// The end of the last byte that is not zero, at or after `offset`; `None` if all are zero.
    pub(super) fn end_of_data(&mut self, offset: u64) -> io::Result<Option<u64>> {
        let mut end = None;
        let mut at = offset;
        loop {
            let piece = self.bytes(at, PIECE_BYTES)?;
            if piece.is_empty() {
                return Ok(end);
            }
            if let Some(last) = piece.iter().rposition(|&byte| byte != 0) {
                end = Some(at + last as u64 + 1);
            }
            at += piece.len() as u64;
        }
    }
}
