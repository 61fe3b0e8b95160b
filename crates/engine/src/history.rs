//! Restore points and restoring: with history kept, a base is joined by clones of the files, and
//! log and points stay as long as a restore may reach back. Restoring to a time makes a new
//! instance from the newest point before it and the records up to it: an exact prefix (INV-04).

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::directory::make_private;
use crate::disk::Disk;
use crate::engine::Engine;
use crate::error::{Error, ErrorKind};
use crate::front::Floor;
use crate::log::{Sequence, bases};
use crate::settings::{Place, Settings, Sources};
use crate::store::{BASES, Store};

/// Directory of the clones, one directory per point.
const POINTS: &str = "history";
/// What a point's directory holds beside the clones; written last, so that a point is whole.
const POINT_FILE: &str = "point";
const POINT_BYTES: usize = 36;

/// A moment from which a restore can start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point {
    /// The base that belongs to it.
    pub sequence: u64,
    /// The first record to replay onto it.
    pub start: u64,
    /// It may hold changes up to this record, so a restore must reach at least here.
    pub complete: u64,
    /// Engine time of that record, in milliseconds.
    pub complete_ms: i64,
    directory: PathBuf,
}

/// Where the state of a restore comes from.
pub(crate) struct Origin {
    pub directory: PathBuf,
    pub point: Option<Point>,
    pub until_ms: i64,
}

impl Engine {
    /// Clones the files beside the base of `sequence`, so that a restore can start there.
    pub(crate) fn make_point(&self, sequence: u64, start: u64) -> Result<(), Error> {
        let Some(store) = self.store() else {
            return Ok(());
        };
        let directory = store.directory.join(POINTS).join(format!("{sequence:016x}"));
        let path = directory.join(POINT_FILE);
        if path.exists() {
            return Ok(());
        }
        make_private(&directory)?;
        {
            // While the drain waits, nobody writes or checkpoints a file: file and WAL fit.
            let _still = store.drainer.lock();
            let with_rows: Vec<_> = {
                let mut turn = self.lock();
                let spaces = turn.state().front.spaces();
                let with_rows = spaces.filter(|(_, space)| space.floor == Floor::Rows);
                with_rows.map(|(namespace, _)| namespace).collect()
            };
            for namespace in with_rows {
                clone_file(&store.tier.path(namespace), &directory)?;
            }
            copy_if_there(&store.directory.join("namespaces"), &directory)?;
        }
        let (complete, complete_ms) = {
            let mut turn = self.lock();
            let now_ms = turn.now().engine_ms;
            (turn.state().sequence, now_ms)
        };
        self.sync()?;
        let mut bytes = Vec::with_capacity(POINT_BYTES);
        for number in [sequence, start, complete, complete_ms.cast_unsigned()] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&crc32c::crc32c(&bytes).to_le_bytes());
        // Last, and after all of it is durable: a point that can be read is whole.
        let disk = &store.disk;
        let written = disk
            .sync_directory(&directory)
            .and_then(|()| disk.create_new(&path))
            .and_then(|file| file.write_at(&bytes, 0).and_then(|()| file.sync()))
            .and_then(|()| disk.sync_directory(&directory));
        written.map_err(|cause| Error::of_file("write", &path, &cause))
    }
}

impl Store {
    /// Lets go of points, bases and segments that no restore within `keep_from_ms` needs.
    pub(crate) fn forget_history(&self, keep_from_ms: i64) -> Result<(), Error> {
        let all = points(&self.directory)?;
        let Some(oldest) = all.iter().rfind(|point| point.complete_ms <= keep_from_ms) else {
            return Ok(());
        };
        for point in all.iter().filter(|point| point.sequence < oldest.sequence) {
            fs::remove_dir_all(&point.directory)
                .map_err(|cause| Error::of_file("remove", &point.directory, &cause))?;
        }
        for base in bases(self.disk.as_ref(), &self.directory.join(BASES))? {
            if base.sequence.as_u64() < oldest.sequence {
                self.disk
                    .remove(&base.path)
                    .map_err(|cause| Error::of_file("remove", &base.path, &cause))?;
            }
        }
        self.log.remove_before(Sequence::from_u64(oldest.start))?;
        Ok(())
    }
}

/// Makes a new instance in `target` that is what `source` was at `until_ms` of engine time; gives
/// how many records of the log that took.
///
/// # Errors
/// `Invalid` for a time before the oldest point, or a target that is not empty; `Corrupt` for
/// damage; what the file system says. `source` is only read, and `target` is left empty then.
///
/// # Cost
/// Copies the files of a point and replays the log after it.
pub fn restore(
    source: &Path,
    target: &Path,
    until_ms: i64,
    settings: Settings,
    sources: Sources,
) -> Result<u64, Error> {
    let is_free =
        !target.exists() || fs::read_dir(target).is_ok_and(|mut all| all.next().is_none());
    if !is_free {
        let message = format!("the target of a restore must be empty: {}", target.display());
        return Err(Error::invalid(message).with_hint("name a directory that does not exist yet"));
    }
    let was_there = target.exists();
    let restored = restore_into(source, target, until_ms, settings, sources);
    if restored.is_err() {
        // The error that led here is the one that counts.
        let _ = fs::remove_dir_all(target);
        if was_there {
            let _ = make_private(target);
        }
    }
    restored
}

fn restore_into(
    source: &Path,
    target: &Path,
    until_ms: i64,
    settings: Settings,
    sources: Sources,
) -> Result<u64, Error> {
    let all = points(source)?;
    let point = all.into_iter().rfind(|point| point.complete_ms <= until_ms);
    make_private(target)?;
    match &point {
        Some(point) => copy_directory(&point.directory, target)?,
        None => copy_if_there(&source.join("namespaces"), target)?,
    }
    let settings = Settings { background: false, history_ms: 0, ..settings };
    let origin = Origin { directory: source.to_owned(), point, until_ms };
    let place = Place::Directory(target.to_owned());
    let engine = Engine::open_from(&place, settings, sources, Some(&origin))?;
    engine.close()?;
    Ok(engine.opening().records)
}

/// The points of an instance, oldest first.
///
/// # Errors
/// What the file system says.
pub fn points(directory: &Path) -> Result<Vec<Point>, Error> {
    let place = directory.join(POINTS);
    let entries = match fs::read_dir(&place) {
        Ok(entries) => entries,
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(cause) => return Err(Error::of_file("list", &place, &cause)),
    };
    // A directory without its file is a point that was never finished.
    let mut all: Vec<Point> = entries.flatten().filter_map(|one| point_in(&one.path())).collect();
    all.sort_by_key(|point| point.sequence);
    Ok(all)
}

/// The base file of a point, which may have come from another disk than the clones.
pub(crate) fn base_of(disk: &Arc<dyn Disk>, origin: &Origin) -> Result<Option<PathBuf>, Error> {
    let Some(point) = &origin.point else {
        return Ok(None);
    };
    let all = bases(disk.as_ref(), &origin.directory.join(BASES))?;
    match all.into_iter().find(|base| base.sequence.as_u64() == point.sequence) {
        Some(base) => Ok(Some(base.path)),
        None => {
            let message = format!("the base of a restore point is missing: {}", point.sequence);
            Err(Error::new(ErrorKind::Corrupt, message))
        }
    }
}

fn point_in(directory: &Path) -> Option<Point> {
    let bytes = fs::read(directory.join(POINT_FILE)).ok()?;
    let bytes: &[u8; POINT_BYTES] = bytes.as_slice().try_into().ok()?;
    let (numbers, checksum) = bytes.split_last_chunk::<4>()?;
    if crc32c::crc32c(numbers) != u32::from_le_bytes(*checksum) {
        return None;
    }
    let mut fields = numbers.chunks_exact(8).map(|field| {
        let mut number = [0; 8];
        number.copy_from_slice(field);
        u64::from_le_bytes(number)
    });
    Some(Point {
        sequence: fields.next()?,
        start: fields.next()?,
        complete: fields.next()?,
        complete_ms: fields.next()?.cast_signed(),
        directory: directory.to_owned(),
    })
}

/// Copies a file and then its write-ahead log, sharing blocks where the file system can.
fn clone_file(path: &Path, directory: &Path) -> Result<(), Error> {
    copy_if_there(path, directory)?;
    let mut beside = path.as_os_str().to_owned();
    beside.push("-wal");
    copy_if_there(Path::new(&beside), directory)
}

fn copy_if_there(path: &Path, directory: &Path) -> Result<(), Error> {
    let Some(name) = path.file_name() else {
        return Ok(());
    };
    let copy = directory.join(name);
    let copied = fs::copy(path, &copy).and_then(|_| fs::File::open(&copy)?.sync_all());
    match copied {
        Ok(()) => Ok(()),
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(cause) => Err(Error::of_file("copy", path, &cause)),
    }
}

fn copy_directory(from: &Path, to: &Path) -> Result<(), Error> {
    let entries = fs::read_dir(from).map_err(|cause| Error::of_file("list", from, &cause))?;
    for entry in entries.flatten() {
        if entry.file_name() != POINT_FILE {
            copy_if_there(&entry.path(), to)?;
        }
    }
    Ok(())
}
