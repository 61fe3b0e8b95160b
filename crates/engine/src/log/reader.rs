//! The records of a log in order, over all its segments, each verified.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::LogError;
use super::record::{Flags, RecordRef};
use super::recovery::{Break, Tail};
use super::scan::{Found, Located, Scanner};
use super::segment::{self, Lineage, Order, SegmentFile};
use super::sequence::Sequence;
use crate::disk::Disk;

/// Where a record stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordPosition {
    /// The segment.
    pub file: PathBuf,
    /// Where the record begins in it.
    pub offset: u64,
}

/// Reads records in order. Marks are passed over; gap, opened and closed records are given.
pub struct Records {
    disk: Arc<dyn Disk>,
    segments: Vec<SegmentFile>,
    index: usize,
    scanner: Option<Scanner>,
    pub(super) lineage: Option<Lineage>,
    pub(super) order: Order,
    pub(super) last_flags: Flags,
    position: u64,
    from: Sequence,
    /// Up to here all is whole, so that anything else is damage; without it the end may be torn.
    until: Option<Sequence>,
    tail: Option<Tail>,
    is_done: bool,
}

impl Records {
    /// The records from `from` on of a log that is open here or elsewhere, or not at all; reads
    /// only. What a live log appends meanwhile may be seen in part: it ends with a [`Tail`] then.
    ///
    /// # Errors
    /// [`LogError::Gone`] when records from `from` on have been removed.
    pub fn open(disk: Arc<dyn Disk>, directory: &Path, from: Sequence) -> Result<Self, LogError> {
        let segments = segment::list(disk.as_ref(), directory)?;
        Self::new(disk, segments, from, None)
    }

    pub(super) fn new(
        disk: Arc<dyn Disk>,
        segments: Vec<SegmentFile>,
        from: Sequence,
        until: Option<Sequence>,
    ) -> Result<Self, LogError> {
        let index = segments.iter().rposition(|segment| segment.first <= from).unwrap_or(0);
        let mut records = Self {
            disk,
            segments,
            index,
            scanner: None,
            lineage: None,
            order: Order::default(),
            last_flags: Flags::NONE,
            position: 0,
            from,
            until,
            tail: None,
            is_done: false,
        };
        records.start()?;
        Ok(records)
    }

    /// The next record, or `None` at the end of the log.
    ///
    /// # Errors
    /// [`LogError::Damaged`] with file and offset; what the disk says. The end is then reached.
    #[expect(clippy::should_implement_trait, reason = "the record borrows from the reader")]
    pub fn next(&mut self) -> Result<Option<RecordRef<'_>>, LogError> {
        let found = if self.is_done { Ok(None) } else { self.find() };
        let Some(located) = found.inspect_err(|_| self.is_done = true)? else {
            self.is_done = true;
            return Ok(None);
        };
        self.position = located.offset;
        Ok(self.scanner.as_ref().and_then(|scanner| scanner.record(located)))
    }

    /// Where the record last given stands.
    pub fn position(&self) -> Option<RecordPosition> {
        let file = self.segments.get(self.index)?.path.clone();
        Some(RecordPosition { file, offset: self.position })
    }

    /// The torn end of the log, once it has been reached.
    pub fn tail(&self) -> Option<&Tail> {
        self.tail.as_ref()
    }

    /// The last segment that could be read, and where in it the next record begins.
    pub(super) fn end(&self) -> Option<(usize, &Scanner)> {
        Some((self.index, self.scanner.as_ref()?))
    }

    pub(super) fn segment_files(&self) -> &[SegmentFile] {
        &self.segments
    }

    /// Enters the first segment and takes the order from its header.
    fn start(&mut self) -> Result<(), LogError> {
        if self.segments.is_empty() || !self.enter(self.index)? {
            self.is_done = true;
            return Ok(());
        }
        let Some(scanner) = &self.scanner else { return Ok(()) };
        self.order = scanner.header.order();
        if self.from != Sequence::NONE && self.order.last >= self.from {
            let first = self.segments[self.index].path.clone();
            return Err(LogError::Gone { wanted: self.from, first });
        }
        Ok(())
    }

    fn find(&mut self) -> Result<Option<Located>, LogError> {
        loop {
            // Asked first: beyond this record a live log may be writing just now.
            if self.until.is_some_and(|until| self.order.last >= until) {
                return Ok(None);
            }
            let Some(scanner) = &mut self.scanner else { return Ok(None) };
            let start = scanner.offset();
            let found = scanner.advance().map_err(|error| self.io(error))?;
            let located = match found {
                Found::Record(located) if located.head.flags.contains(Flags::MARK) => continue,
                Found::Record(located) => located,
                Found::End if self.index + 1 < self.segments.len() => {
                    if self.enter(self.index + 1)? {
                        continue;
                    }
                    return Ok(None);
                }
                Found::End => return self.reach_end().map(|()| None),
                Found::Broken(reason) => {
                    return self.break_off(self.index, start, reason).map(|()| None);
                }
            };
            if let Err(reason) = self.order.accept(&located.head) {
                return self.break_off(self.index, start, reason).map(|()| None);
            }
            self.last_flags = located.head.flags;
            if located.head.sequence >= self.from {
                return Ok(Some(located));
            }
        }
    }

    /// Goes on to a segment; false if the log breaks off before it or at its header.
    fn enter(&mut self, index: usize) -> Result<bool, LogError> {
        let segment = &self.segments[index];
        let scanner = match Scanner::open(self.disk.as_ref(), &segment.path)? {
            Ok(scanner) => scanner,
            Err(reason) => return self.break_off(index, 0, reason).map(|()| false),
        };
        if scanner.header.first != segment.first {
            let reason = "the header has another sequence than the name";
            return Err(LogError::damaged(&segment.path, 0, reason));
        }
        let lineage = *self.lineage.get_or_insert(scanner.header.lineage);
        if scanner.header.lineage != lineage {
            return Err(LogError::damaged(&segment.path, 0, "the segment is of another lineage"));
        }
        if let Some(before) = &self.scanner
            && scanner.header.previous != self.order.last
        {
            let offset = before.offset();
            return self.break_off(self.index, offset, "a record is missing").map(|()| false);
        }
        self.scanner = Some(scanner);
        self.index = index;
        Ok(true)
    }

    /// At the zeros that end the last segment: they must go on to the end of the file.
    fn reach_end(&mut self) -> Result<(), LogError> {
        if self.until.is_some() {
            return Ok(());
        }
        let Some(scanner) = &mut self.scanner else { return Ok(()) };
        let offset = scanner.offset();
        match scanner.end_of_data().map_err(|error| self.io(error))? {
            Some(_) => self.break_off(self.index, offset, "a record is missing"),
            None => Ok(()),
        }
    }

    /// Ends the reading before what is broken: as a torn tail, or as damage.
    fn break_off(
        &mut self,
        index: usize,
        offset: u64,
        reason: &'static str,
    ) -> Result<(), LogError> {
        // A broken header is cut off together with what follows the last record before it.
        let (end_index, end_offset) = match &self.scanner {
            Some(scanner) if index != self.index => (self.index, scanner.offset()),
            _ => (index, offset),
        };
        if self.until.is_none() {
            let at = Break {
                segments: &self.segments,
                index: end_index,
                offset: end_offset,
                last: self.order.last,
                salt: self.lineage.map(Lineage::salt),
                reason,
            };
            self.tail = at.judge(self.disk.as_ref())?;
        }
        if self.tail.is_some() {
            return Ok(());
        }
        Err(LogError::damaged(&self.segments[index].path, offset, reason))
    }

    fn io(&self, error: std::io::Error) -> LogError {
        LogError::io("read", &self.segments[self.index].path, error)
    }
}
