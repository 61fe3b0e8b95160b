//! Reading a base: each block is verified before any of its entries is given.

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::super::error::LogError;
use super::super::segment::{Fields, Lineage};
use super::super::sequence::Sequence;
use super::super::window::Window;
use super::{
    BLOCK_BYTES_MAX, BLOCK_HEADER_BYTES, ENTRY_LENGTH_BYTES, FOOTER_BYTES, HEADER_BYTES,
    decode_header,
};
use crate::disk::{Access, Disk};

/// Reads one base, entry by entry.
pub struct BaseReader {
    path: PathBuf,
    window: Window,
    lineage: Lineage,
    sequence: Sequence,
    time_ms: u64,
    offset: u64,
    /// What is left of the block that was read last.
    block: Range<u64>,
    entry_count: u64,
    total: u32,
    is_done: bool,
}

impl BaseReader {
    /// Opens a base and verifies its header.
    ///
    /// # Errors
    /// [`LogError::Damaged`], [`LogError::NewerFormat`], [`LogError::Encrypted`],
    /// [`LogError::Io`].
    pub fn open(disk: &dyn Disk, path: &Path) -> Result<Self, LogError> {
        let mut window = disk
            .open(path, Access::Read)
            .and_then(Window::new)
            .map_err(|error| LogError::io("open", path, error))?;
        let header =
            window.bytes(0, HEADER_BYTES).map_err(|error| LogError::io("read", path, error))?;
        let (lineage, sequence, time_ms) = decode_header(header, path)?;
        let offset = HEADER_BYTES as u64;
        Ok(Self {
            path: path.to_path_buf(),
            window,
            lineage,
            sequence,
            time_ms,
            offset,
            block: offset..offset,
            entry_count: 0,
            total: 0,
            is_done: false,
        })
    }

    /// The history that it belongs to.
    pub fn lineage(&self) -> Lineage {
        self.lineage
    }

    /// All records up to this one are in it.
    pub fn sequence(&self) -> Sequence {
        self.sequence
    }

    /// The engine's time at its sequence.
    pub fn time_ms(&self) -> u64 {
        self.time_ms
    }

    /// The next entry, or `None` at the end, where the footer has been verified.
    ///
    /// # Errors
    /// [`LogError::Damaged`] with file and offset; [`LogError::Io`].
    #[expect(clippy::should_implement_trait, reason = "the entry borrows from the reader")]
    pub fn next(&mut self) -> Result<Option<&[u8]>, LogError> {
        if self.is_done {
            return Ok(None);
        }
        if self.block.is_empty() && !self.read_block()? {
            self.is_done = true;
            return Ok(None);
        }
        let start = self.block.start + ENTRY_LENGTH_BYTES as u64;
        let length = u32::from_le_bytes(self.exact(self.block.start)?);
        let end = start + u64::from(length);
        if end > self.block.end {
            return Err(self.damaged("an entry does not fit into its block"));
        }
        self.block.start = end;
        self.entry_count += 1;
        self.read(start, length as usize).map(Some)
    }

    /// Verifies the next block; false at the footer, which is verified too.
    fn read_block(&mut self) -> Result<bool, LogError> {
        let length = u32::from_le_bytes(self.exact(self.offset)?);
        if length == 0 {
            return self.verify_footer().map(|()| false);
        }
        let stored = u32::from_le_bytes(self.exact(self.offset + 4)?);
        let start = self.offset + BLOCK_HEADER_BYTES as u64;
        let end = start + u64::from(length);
        if end > self.window.size_bytes() || length as usize > BLOCK_BYTES_MAX {
            return Err(self.damaged("the length of a block is impossible"));
        }
        let checksum = crc32c::crc32c(self.read(start, length as usize)?);
        if checksum != stored {
            return Err(self.damaged("the checksum of a block does not match"));
        }
        self.total = crc32c::crc32c_append(self.total, &checksum.to_le_bytes());
        self.block = start..end;
        self.offset = end;
        Ok(true)
    }

    fn verify_footer(&mut self) -> Result<(), LogError> {
        let expected_end = self.offset + FOOTER_BYTES as u64;
        let footer: [u8; FOOTER_BYTES] = self.exact(self.offset)?;
        let (body, stored) = footer.split_at(FOOTER_BYTES - 4);
        let mut fields = Fields(&body[BLOCK_HEADER_BYTES..]);
        let counts = (fields.number(), fields.number());
        let total = u32::from_le_bytes(fields.take().unwrap_or_default());
        let is_whole = crc32c::crc32c(body).to_le_bytes() == stored
            && counts == (self.entry_count, self.offset)
            && total == self.total
            && expected_end == self.window.size_bytes();
        if is_whole { Ok(()) } else { Err(self.damaged("the footer does not match")) }
    }

    fn exact<const WIDTH: usize>(&mut self, offset: u64) -> Result<[u8; WIDTH], LogError> {
        let bytes = self.read(offset, WIDTH)?.first_chunk().copied();
        bytes.ok_or_else(|| self.damaged("the file is cut off"))
    }

    fn read(&mut self, offset: u64, length: usize) -> Result<&[u8], LogError> {
        let path = &self.path;
        self.window.bytes(offset, length).map_err(|error| LogError::io("read", path, error))
    }

    fn damaged(&self, reason: &'static str) -> LogError {
        LogError::damaged(&self.path, self.offset, reason)
    }
}
