//! From a directory to an open log: what is there, what a crash left, and the record that keeps
//! any sequence from being given twice.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use parking_lot::{Condvar, Mutex};

use super::error::LogError;
use super::reader::Records;
use super::record::Flags;
use super::recovery::{self, Tail};
use super::scan::Scanner;
use super::segment::{
    self, Lineage, Order, SEGMENT_HEADER_BYTES, SegmentFile, SegmentHeader, write_zeros,
};
use super::sequence::Sequence;
use super::spare::SPARE_NAME;
use super::sync::Group;
use super::writer::{Limits, Log, ROLLING_NAME, Segment, Writer};
use crate::disk::{Access, Disk, File};

/// How a log is opened.
#[derive(Clone, Copy, Debug)]
pub struct LogOptions {
    /// The lineage of a log that does not exist yet: 16 random bytes.
    pub new_lineage: Lineage,
    /// The last sequence before a log that does not exist yet: that of the base it follows.
    pub new_after: Sequence,
    /// The wall clock, in milliseconds since 1970.
    pub now_ms: i64,
    /// Size of the first segment; each next one is twice as large.
    pub segment_bytes_min: u64,
    /// Size of the largest segment, unless one record needs more.
    pub segment_bytes_max: u64,
    /// Size of the reserve; none if zero.
    pub reserve_bytes: u64,
}

impl LogOptions {
    /// The usual sizes for a log of this lineage if it is new, at this time.
    pub fn new(new_lineage: Lineage, now_ms: i64) -> Self {
        Self {
            new_lineage,
            new_after: Sequence::NONE,
            now_ms,
            segment_bytes_min: 256 << 10,
            segment_bytes_max: 64 << 20,
            reserve_bytes: 4 << 20,
        }
    }
}

/// What was found when a log was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovery {
    /// The last record that was there before.
    pub last: Sequence,
    /// Its time, below which the engine's clock must not start.
    pub time_ms: u64,
    /// What the wall clock said then.
    pub raw_ms: i64,
    /// Whether the log is new or had been closed cleanly.
    pub was_clean: bool,
    /// The torn tail that was cut off.
    pub tail: Option<Tail>,
}

/// A log whose end has been found, and nothing changed yet.
pub struct ClosedLog {
    disk: Arc<dyn Disk>,
    directory: PathBuf,
    options: LogOptions,
    names: Vec<SegmentFile>,
    /// The first segment that may hold what was not durable.
    start: usize,
    /// None if there is no log yet.
    lineage: Option<Lineage>,
    order: Order,
    /// Where the next record belongs in the last segment.
    position: u64,
    was_closed: bool,
    tail: Option<Tail>,
}

/// The end of the log, found and mended.
struct End {
    lineage: Lineage,
    order: Order,
    segments: Vec<Segment>,
    file: Arc<dyn File>,
    position: u64,
}

impl Log {
    /// Opens the log of a directory, or begins one. The caller holds the instance's lock.
    ///
    /// An unclean stop opens the next epoch with a gap record, a clean one is followed by a record
    /// that takes the mark of the clean stop back; either is durable before this returns, so that
    /// no sequence given from now on can have been given before.
    ///
    /// # Errors
    /// [`LogError::Damaged`], [`LogError::NewerFormat`], [`LogError::Encrypted`],
    /// [`LogError::Full`], [`LogError::Io`], [`LogError::EpochsExhausted`].
    ///
    /// # Cost
    /// Reads what may not have been durable: seldom more than the last two segments. A few syncs.
    pub fn open(
        disk: Arc<dyn Disk>,
        directory: &Path,
        options: &LogOptions,
    ) -> Result<(Self, Recovery), LogError> {
        ClosedLog::find(disk, directory, options)?.open()
    }

    fn at(disk: Arc<dyn Disk>, directory: &Path, options: &LogOptions, end: End) -> Self {
        let size_bytes = end.segments.last().map_or(0, |segment| segment.size_bytes);
        let last = end.order.last;
        let writer = Writer {
            segments: end.segments,
            file: end.file,
            position: end.position,
            capacity_bytes: size_bytes.max(options.segment_bytes_min),
            order: end.order,
            marked: Sequence::NONE,
            unsynced: Vec::new(),
            is_directory_unsynced: false,
            spare: None,
            is_closed: false,
        };
        Self {
            disk,
            directory: directory.to_path_buf(),
            lineage: end.lineage,
            limits: Limits {
                segment_bytes_min: options.segment_bytes_min,
                segment_bytes_max: options.segment_bytes_max.max(options.segment_bytes_min),
                reserve_bytes: options.reserve_bytes,
            },
            writer: Mutex::new(writer),
            maintenance: Mutex::new(()),
            group: Mutex::new(Group::default()),
            group_done: Condvar::new(),
            written: AtomicU64::new(last.as_u64()),
            synced: AtomicU64::new(last.as_u64()),
            is_poisoned: AtomicBool::new(false),
        }
    }
}

/// The record that a log is opened with, after the last one that is there.
fn first_record(last: Sequence, was_clean: bool) -> Result<(Sequence, Flags), LogError> {
    if was_clean {
        return Ok((last.next(), Flags::OPENED));
    }
    let gap = last.next_epoch().ok_or(LogError::EpochsExhausted)?;
    Ok((gap, Flags::GAP))
}

/// Removes what a crash left of files that had no place in the log yet.
fn remove_leftovers(disk: &dyn Disk, directory: &Path) -> Result<(), LogError> {
    for name in [SPARE_NAME, ROLLING_NAME] {
        let path = directory.join(name);
        match disk.remove(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(LogError::io("remove", &path, error));
            }
            _ => {}
        }
    }
    Ok(())
}

impl ClosedLog {
    /// Finds the end of the log of a directory, if there is one.
    ///
    /// # Errors
    /// [`LogError::Damaged`], [`LogError::NewerFormat`], [`LogError::Encrypted`],
    /// [`LogError::Io`].
    ///
    /// # Cost
    /// Reads what may not have been durable: seldom more than the last two segments.
    pub fn find(
        disk: Arc<dyn Disk>,
        directory: &Path,
        options: &LogOptions,
    ) -> Result<Self, LogError> {
        disk.create_directory(directory)
            .map_err(|error| LogError::io("create", directory, error))?;
        let names = segment::list(disk.as_ref(), directory)?;
        let start = first_to_read(disk.as_ref(), &names)?;
        let from = names.get(start).map_or(Sequence::NONE, |name| name.first);
        let mut records = Records::new(Arc::clone(&disk), names.clone(), from, None)?;
        while records.next()?.is_some() {}
        let tail = records.tail().cloned();
        let end = records.end().map(|(_, scanner)| scanner.offset());
        let is_new = end.is_none();
        let new_order = Order { last: options.new_after, ..Order::default() };
        Ok(Self {
            directory: directory.to_path_buf(),
            options: *options,
            names,
            start,
            lineage: records.lineage.filter(|_| !is_new),
            order: if is_new { new_order } else { records.order },
            position: tail.as_ref().map_or(end.unwrap_or(0), |tail| tail.offset),
            was_closed: tail.is_none() && records.last_flags.contains(Flags::CLOSED),
            tail,
            disk,
        })
    }

    /// The history that it belongs to, unless there is no log yet.
    pub fn lineage(&self) -> Option<Lineage> {
        self.lineage
    }

    /// Whether it ends with a clean stop, so that nothing of it can be missing.
    pub fn was_closed(&self) -> bool {
        self.was_closed
    }

    /// Requires that it reaches a record that is known from elsewhere to have been durable.
    ///
    /// # Errors
    /// [`LogError::Damaged`] with the place where it ends.
    pub fn require(&self, durable: Sequence) -> Result<(), LogError> {
        if self.order.last >= durable {
            return Ok(());
        }
        let file = self.names.last().map_or(&*self.directory, |name| &name.path);
        Err(LogError::damaged(file, self.position, "the log ends before what was durable"))
    }

    /// Opens it, or begins it, as [`Log::open`] does.
    ///
    /// # Errors
    /// Those of [`Log::open`].
    pub fn open(mut self) -> Result<(Log, Recovery), LogError> {
        remove_leftovers(self.disk.as_ref(), &self.directory)?;
        let end = self.mend()?;
        let control = match end {
            Some(_) => Some(first_record(self.order.last, self.was_closed)?),
            None => None,
        };
        let end = match end {
            Some(end) => end,
            None => begin(self.disk.as_ref(), &self.directory, &self.options)?,
        };
        let Order { last, time_ms, raw_ms } = self.order;
        let was_clean = self.was_closed || control.is_none();
        let recovery = Recovery { last, time_ms, raw_ms, was_clean, tail: self.tail };
        let log = Log::at(self.disk, &self.directory, &self.options, end);
        if let Some((sequence, flags)) = control {
            let now_ms = self.options.now_ms;
            let mut result = log.write_opening(sequence, flags, now_ms);
            if matches!(result, Err(LogError::Full { .. })) && log.release_reserve()? {
                result = log.write_opening(sequence, flags, now_ms);
            }
            result?;
        }
        Ok((log, recovery))
    }

    /// Cuts a torn tail off and makes the rest durable; no end if there is no log yet.
    fn mend(&mut self) -> Result<Option<End>, LogError> {
        let disk = self.disk.as_ref();
        let mut names = std::mem::take(&mut self.names);
        if let Some(tail) = &self.tail {
            recovery::cut(disk, &mut names, tail)?;
        }
        // After a clean stop too: a start that was interrupted may have begun a segment since.
        make_durable(disk, &self.directory, &names[self.start.min(names.len())..])?;
        let Some(lineage) = self.lineage else { return Ok(None) };
        let (segments, file) = open_all(disk, names)?;
        let (order, position) = (self.order, self.position);
        Ok(Some(End { lineage, order, segments, file, position }))
    }
}

/// The index of the first segment that may hold what was not durable.
fn first_to_read(disk: &dyn Disk, names: &[SegmentFile]) -> Result<usize, LogError> {
    for name in names.iter().rev() {
        if let Ok(scanner) = Scanner::open(disk, &name.path)? {
            let durable = scanner.header.synced;
            return Ok(names.iter().rposition(|name| name.first <= durable).unwrap_or(0));
        }
    }
    Ok(0)
}

/// What was read from the system's memory may not have reached the medium yet, and the record that
/// the log is opened with says that it has.
fn make_durable(disk: &dyn Disk, directory: &Path, names: &[SegmentFile]) -> Result<(), LogError> {
    for SegmentFile { path, .. } in names {
        disk.open(path, Access::Write)
            .and_then(|file| file.sync())
            .map_err(|error| LogError::io("sync", path, error))?;
    }
    disk.sync_directory(directory).map_err(|error| LogError::io("sync", directory, error))
}

/// The sizes of all segments and a handle to write the last.
fn open_all(
    disk: &dyn Disk,
    names: Vec<SegmentFile>,
) -> Result<(Vec<Segment>, Arc<dyn File>), LogError> {
    let mut segments = Vec::with_capacity(names.len());
    let mut last = None;
    for name in names {
        let opened = disk.open(&name.path, Access::Write).and_then(|file| Ok((file.size()?, file)));
        let (size_bytes, file) = opened.map_err(|error| LogError::io("open", &name.path, error))?;
        segments.push(Segment { name, size_bytes });
        last = Some(file);
    }
    Ok((segments, last.expect("a log that has an end has a segment")))
}

/// Makes the first segment of a new log, durable before any record is written to it.
fn begin(disk: &dyn Disk, directory: &Path, options: &LogOptions) -> Result<End, LogError> {
    let order = Order { last: options.new_after, ..Order::default() };
    let first = order.last.next();
    let header = SegmentHeader {
        lineage: options.new_lineage,
        first,
        previous: order.last,
        synced: order.last,
        time_ms: 0,
        raw_ms: 0,
    };
    let path = segment::path_of(directory, first);
    let partial = directory.join(ROLLING_NAME);
    let size_bytes = options.segment_bytes_min.max(SEGMENT_HEADER_BYTES);
    let make = || {
        let file = disk.create_new(&partial)?;
        write_zeros(file.as_ref(), SEGMENT_HEADER_BYTES, size_bytes)?;
        file.write_at(&header.encode(), 0)?;
        file.sync()?;
        disk.rename(&partial, &path)?;
        disk.sync_directory(directory)?;
        Ok(file)
    };
    let file = make().map_err(|error| LogError::io("begin", &path, error))?;
    Ok(End {
        lineage: options.new_lineage,
        order,
        segments: vec![Segment { name: SegmentFile { first, path }, size_bytes }],
        file,
        position: SEGMENT_HEADER_BYTES,
    })
}
