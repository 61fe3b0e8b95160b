//! Writing a base: blocks of entries, then a footer, then the name.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::error::LogError;
use super::super::segment::{Lineage, name_of_sequence};
use super::super::sequence::Sequence;
use super::{
    BLOCK_BYTES, BLOCK_BYTES_MAX, BLOCK_HEADER_BYTES, BaseFile, ENTRY_LENGTH_BYTES, FOOTER_BYTES,
    PARTIAL_SUFFIX, SUFFIX, encode_header,
};
use crate::disk::{Disk, File};

/// Writes one base, entry by entry. Dropped before [`BaseWriter::finish`], it leaves nothing.
pub struct BaseWriter {
    disk: Arc<dyn Disk>,
    file: Arc<dyn File>,
    partial: PathBuf,
    path: PathBuf,
    sequence: Sequence,
    block: Vec<u8>,
    offset: u64,
    entry_count: u64,
    total: u32,
    is_finished: bool,
}

impl BaseWriter {
    /// Begins a base at `sequence`, in a directory that is made if need be.
    ///
    /// # Errors
    /// [`LogError::Full`], [`LogError::Io`].
    pub fn create(
        disk: Arc<dyn Disk>,
        directory: &Path,
        lineage: Lineage,
        sequence: Sequence,
        time_ms: u64,
    ) -> Result<Self, LogError> {
        let path = directory.join(name_of_sequence(sequence, SUFFIX));
        let partial = directory.join(name_of_sequence(sequence, SUFFIX) + PARTIAL_SUFFIX);
        let created = disk.create_directory(directory).and_then(|()| {
            if disk.exists(&partial)? {
                disk.remove(&partial)?;
            }
            disk.create_new(&partial)
        });
        let file = created.map_err(|error| LogError::io("create", &partial, error))?;
        let mut writer = Self {
            disk,
            file,
            partial,
            path,
            sequence,
            block: vec![0; BLOCK_HEADER_BYTES],
            offset: 0,
            entry_count: 0,
            total: 0,
            is_finished: false,
        };
        writer.write(&encode_header(lineage, sequence, time_ms))?;
        Ok(writer)
    }

    /// Appends an entry.
    ///
    /// # Errors
    /// [`LogError::TooLarge`], [`LogError::Full`], [`LogError::Io`]; the base is then to be
    /// dropped.
    pub fn push(&mut self, entry: &[u8]) -> Result<(), LogError> {
        if entry.len() > BLOCK_BYTES_MAX - ENTRY_LENGTH_BYTES {
            let (size_bytes, limit_bytes) = (entry.len() as u64, BLOCK_BYTES_MAX as u64);
            return Err(LogError::TooLarge { size_bytes, limit_bytes });
        }
        let size_bytes = self.block.len() + ENTRY_LENGTH_BYTES + entry.len();
        if size_bytes > BLOCK_HEADER_BYTES + BLOCK_BYTES {
            self.write_block()?;
        }
        self.block.extend_from_slice(&(entry.len() as u32).to_le_bytes());
        self.block.extend_from_slice(entry);
        self.entry_count += 1;
        Ok(())
    }

    /// Completes the base: when this returns it is durable and has its name.
    ///
    /// # Errors
    /// [`LogError::Full`], [`LogError::Io`].
    pub fn finish(mut self) -> Result<BaseFile, LogError> {
        self.write_block()?;
        let mut footer = Vec::with_capacity(FOOTER_BYTES);
        footer.extend_from_slice(&[0; BLOCK_HEADER_BYTES]);
        footer.extend_from_slice(&self.entry_count.to_le_bytes());
        footer.extend_from_slice(&self.offset.to_le_bytes());
        footer.extend_from_slice(&self.total.to_le_bytes());
        let checksum = crc32c::crc32c(&footer).to_le_bytes();
        footer.extend_from_slice(&checksum);
        self.write(&footer)?;
        let directory = self.path.parent().unwrap_or(Path::new("."));
        self.file
            .sync()
            .and_then(|()| self.disk.rename(&self.partial, &self.path))
            .and_then(|()| self.disk.sync_directory(directory))
            .map_err(|error| LogError::io("complete", &self.path, error))?;
        self.is_finished = true;
        Ok(BaseFile { sequence: self.sequence, path: self.path.clone() })
    }

    fn write_block(&mut self) -> Result<(), LogError> {
        let mut block = std::mem::take(&mut self.block);
        let (header, payload) = block.split_at_mut(BLOCK_HEADER_BYTES);
        if !payload.is_empty() {
            let checksum = crc32c::crc32c(payload);
            header[..4].copy_from_slice(&(payload.len() as u32).to_le_bytes());
            header[4..].copy_from_slice(&checksum.to_le_bytes());
            self.total = crc32c::crc32c_append(self.total, &checksum.to_le_bytes());
            self.write(&block)?;
        }
        block.truncate(BLOCK_HEADER_BYTES);
        self.block = block;
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), LogError> {
        self.file
            .write_at(bytes, self.offset)
            .map_err(|error| LogError::io("write", &self.partial, error))?;
        self.offset += bytes.len() as u64;
        Ok(())
    }
}

impl Drop for BaseWriter {
    fn drop(&mut self) {
        if !self.is_finished {
            // What remains of it is removed at the next start, if not now.
            let _ = self.disk.remove(&self.partial);
        }
    }
}
