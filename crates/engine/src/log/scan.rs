//! Walks the records of one segment, telling a record from the end and both from anything else.

use std::path::Path;

use super::error::LogError;
use super::record::{self, Flags, RECORD_HEADER_BYTES, RecordHead, RecordRef, Salt};
use super::segment::{SEGMENT_HEADER_BYTES, SegmentHeader};
use super::window::Window;
use crate::disk::{Access, Disk};

/// What stands at the scanner's place.
pub(super) enum Found {
    /// A whole record, over which the scanner has stepped.
    Record(Located),
    /// Zeros, or the end of the file.
    End,
    /// Bytes that are no record; the scanner stays before them.
    Broken(&'static str),
}

/// A verified record and where it stands.
#[derive(Clone, Copy)]
pub(super) struct Located {
    pub(super) head: RecordHead,
    pub(super) offset: u64,
    size_bytes: usize,
}

pub(super) struct Scanner {
    pub(super) header: SegmentHeader,
    window: Window,
    salt: Salt,
    offset: u64,
}

impl Scanner {
    /// Opens a segment; the inner error is what is wrong with its header.
    pub(super) fn open(
        disk: &dyn Disk,
        path: &Path,
    ) -> Result<Result<Self, &'static str>, LogError> {
        let mut window = open_window(disk, path)?;
        let block = window
            .bytes(0, SEGMENT_HEADER_BYTES as usize)
            .map_err(|error| LogError::io("read", path, error))?;
        let header = SegmentHeader::decode(block, path)?;
        Ok(header.map(|header| Self {
            header,
            window,
            salt: header.lineage.salt(),
            offset: SEGMENT_HEADER_BYTES,
        }))
    }

    /// Where the next record begins.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    pub(super) fn size_bytes(&self) -> u64 {
        self.window.size_bytes()
    }

    pub(super) fn advance(&mut self) -> std::io::Result<Found> {
        let start = self.window.bytes(self.offset, RECORD_HEADER_BYTES)?;
        let stored_length = start.first_chunk().copied().map(u32::from_le_bytes);
        // Fewer than four bytes can hold no record: a segment that is full to the brim.
        let Some(1..) = stored_length else { return Ok(Found::End) };
        let Some(size_bytes) = record::peek_length(start) else {
            return Ok(Found::Broken("the length is impossible"));
        };
        if size_bytes as u64 > self.window.size_bytes().saturating_sub(self.offset) {
            return Ok(Found::Broken("the record is cut off"));
        }
        let bytes = self.window.bytes(self.offset, size_bytes)?;
        Ok(match record::verify(bytes, self.salt) {
            Ok(head) => {
                let located = Located { head, offset: self.offset, size_bytes };
                self.offset += size_bytes as u64;
                Found::Record(located)
            }
            Err(reason) => Found::Broken(reason),
        })
    }

    /// The record that `advance` has just found.
    pub(super) fn record(&self, located: Located) -> Option<RecordRef<'_>> {
        let bytes = self.window.cached(located.offset, located.size_bytes)?;
        RecordRef::of_verified(located.head, bytes)
    }

    /// The end of what is not zero from the scanner's place on.
    pub(super) fn end_of_data(&mut self) -> std::io::Result<Option<u64>> {
        self.window.end_of_data(self.offset)
    }
}

pub(super) fn open_window(disk: &dyn Disk, path: &Path) -> Result<Window, LogError> {
    disk.open(path, Access::Read)
        .and_then(Window::new)
        .map_err(|error| LogError::io("open", path, error))
}

/// Looks for a control record at any offset from `start` on, and gives the first that `proves`.
///
/// Only control records are looked for: they have one size and no content of a client's, so the
/// search is linear and nothing that a client wrote can lead it astray.
pub(super) fn find_control_record(
    window: &mut Window,
    start: u64,
    salt: Salt,
    proves: impl Fn(&RecordHead) -> bool,
) -> std::io::Result<Option<u64>> {
    const STRIDE_BYTES: usize = 64 << 10;
    let length = (RECORD_HEADER_BYTES as u32).to_le_bytes();
    let mut base = start;
    loop {
        let piece = window.bytes(base, STRIDE_BYTES + RECORD_HEADER_BYTES)?;
        for (index, candidate) in piece.windows(RECORD_HEADER_BYTES).enumerate() {
            if candidate[..4] != length {
                continue;
            }
            let head = record::verify(candidate, salt);
            if head.is_ok_and(|head| head.flags.intersects(Flags::CONTROL) && proves(&head)) {
                return Ok(Some(base + index as u64));
            }
        }
        if piece.len() < STRIDE_BYTES + RECORD_HEADER_BYTES {
            return Ok(None);
        }
        base += STRIDE_BYTES as u64;
    }
}
