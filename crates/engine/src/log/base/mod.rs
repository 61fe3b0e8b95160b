//! Base files: an image of something at one sequence, as a row of entries that are opaque here.
//!
//! A base is written under another name and gets its own once it is whole and durable, so a file
//! that bears the name of a base is one; what a crash interrupts is removed at the next start.

mod reader;
mod writer;

use std::path::{Path, PathBuf};

use super::error::LogError;
use super::segment::{FORMAT_VERSION, Fields, Lineage, sequence_of_name};
use super::sequence::Sequence;
use crate::disk::Disk;

pub use reader::BaseReader;
pub use writer::BaseWriter;

const MAGIC: [u8; 8] = *b"DWELLBAS";
const SUFFIX: &str = ".base";
const PARTIAL_SUFFIX: &str = ".partial";
const HEADER_BYTES: usize = 128;
const HEADER_CHECKSUM_AT: usize = 124;
const BLOCK_HEADER_BYTES: usize = 8;
const FOOTER_BYTES: usize = 32;
const ENTRY_LENGTH_BYTES: usize = 4;
/// A block is checked whole before any of its entries is given, so it is kept small.
const BLOCK_BYTES: usize = 64 << 10;
const BLOCK_BYTES_MAX: usize = 2 << 30;

/// A base of a base directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseFile {
    /// All records up to this one are in it.
    pub sequence: Sequence,
    /// Where it is.
    pub path: PathBuf,
}

/// The bases of a directory, newest first; none if there is no such directory.
///
/// # Errors
/// [`LogError::Io`].
pub fn bases(disk: &dyn Disk, directory: &Path) -> Result<Vec<BaseFile>, LogError> {
    let mut bases: Vec<_> = names(disk, directory)?
        .iter()
        .filter_map(|name| {
            let sequence = sequence_of_name(name, SUFFIX)?;
            Some(BaseFile { sequence, path: directory.join(name) })
        })
        .collect();
    bases.sort_by_key(|base| std::cmp::Reverse(base.sequence));
    Ok(bases)
}

/// Removes what a crash left of bases that were being written; gives their number.
///
/// # Errors
/// [`LogError::Io`].
pub fn remove_incomplete_bases(disk: &dyn Disk, directory: &Path) -> Result<usize, LogError> {
    let names = names(disk, directory)?;
    let partial = names.iter().filter(|name| name.ends_with(PARTIAL_SUFFIX));
    let mut removed = 0;
    for path in partial.map(|name| directory.join(name)) {
        disk.remove(&path).map_err(|error| LogError::io("remove", &path, error))?;
        removed += 1;
    }
    Ok(removed)
}

fn names(disk: &dyn Disk, directory: &Path) -> Result<Vec<String>, LogError> {
    match disk.list(directory) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        listed => listed.map_err(|error| LogError::io("list", directory, error)),
    }
}

fn encode_header(lineage: Lineage, sequence: Sequence, time_ms: u64) -> Vec<u8> {
    let mut header = Vec::with_capacity(HEADER_BYTES);
    header.extend_from_slice(&MAGIC);
    header.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
    header.extend_from_slice(&(HEADER_BYTES as u32).to_le_bytes());
    header.extend_from_slice(&lineage.0);
    header.extend_from_slice(&sequence.as_u64().to_le_bytes());
    header.extend_from_slice(&time_ms.to_le_bytes());
    // Key id and nonce prefix follow, and stay zero: this version does not encrypt.
    header.resize(HEADER_CHECKSUM_AT, 0);
    let checksum = crc32c::crc32c(&header);
    header.extend_from_slice(&checksum.to_le_bytes());
    header
}

fn decode_header(header: &[u8], path: &Path) -> Result<(Lineage, Sequence, u64), LogError> {
    let mut fields = Fields(header);
    if fields.take() != Some(MAGIC) {
        return Err(LogError::damaged(path, 0, "not a base"));
    }
    let version = u32::from_le_bytes(fields.take().unwrap_or_default());
    // Asked before the checksum, whose place a newer format may have moved.
    if version > FORMAT_VERSION {
        let (file, supported) = (path.to_path_buf(), FORMAT_VERSION);
        return Err(LogError::NewerFormat { file, found: version, supported });
    }
    let checksum = header.get(..HEADER_CHECKSUM_AT).map(crc32c::crc32c);
    let stored = header.get(HEADER_CHECKSUM_AT..).and_then(|bytes| bytes.first_chunk());
    if checksum.is_none() || checksum != stored.map(|bytes| u32::from_le_bytes(*bytes)) {
        return Err(LogError::damaged(path, 0, "the header's checksum does not match"));
    }
    let _header_bytes: [u8; 4] = fields.take().unwrap_or_default();
    let lineage = Lineage(fields.take().unwrap_or_default());
    let sequence = Sequence::from_u64(fields.number());
    let time_ms = fields.number();
    let key_id = u32::from_le_bytes(fields.take().unwrap_or_default());
    if key_id != 0 {
        return Err(LogError::Encrypted { file: path.to_path_buf(), key_id });
    }
    Ok((lineage, sequence, time_ms))
}
