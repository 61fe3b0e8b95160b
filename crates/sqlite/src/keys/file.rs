//! The connection that writes a `keys` file: opening, checkpoints, closing.
//!
//! It keeps what the last commit recorded, so that asking costs nothing.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::writing::Writing;
use crate::error::{Error, Result};
use crate::guard::Guard;
use crate::schema::{self, Identity, Totals};
use crate::{connect, place};

/// SQLite's write-ahead log begins with a header of this size (its file format, section 4).
const LOG_HEADER_BYTES: u64 = 32;
/// What stands before each page in it.
const FRAME_HEADER_BYTES: u64 = 24;

/// The one writing connection of a `keys` file.
#[derive(Debug)]
pub struct KeysFile {
    // The order matters: fields are dropped from the top, and the guard goes last.
    connection: Connection,
    path: PathBuf,
    totals: Totals,
    /// Why a commit failed; nothing is written after it, see `begin`.
    failure: Option<Error>,
    _guard: Guard,
}

impl KeysFile {
    /// Opens the file at `path` for writing, making it where there is none.
    ///
    /// A new file has mode 0600 whatever the umask, and appears under its name when it is
    /// complete. Its folder must exist.
    ///
    /// # Errors
    ///
    /// `Busy` while another writer or another process has the file; `Foreign` when it belongs to
    /// another namespace or lineage than `identity`; `TooNew`, `Corrupt`, `NotPlain` and
    /// `NetworkFilesystem` for what must not be written to; `Io`, `Full`.
    ///
    /// # Cost
    ///
    /// A few page reads; reading the whole write-ahead log where a process was killed; three
    /// syncs for a new file.
    pub fn open(path: &Path, identity: &Identity) -> Result<KeysFile> {
        let path = place::resolve(path)?;
        place::refuse_network(&path)?;
        if !place::exists(&path)? {
            schema::create(&path, identity)?;
        }
        let guard = Guard::lock(&path)?;
        let connection = connect::connect(&path)?;
        schema::verify(&connection, &path)?;
        require_identity(&schema::identity(&connection, &path)?, identity, &path)?;
        connect::prepare_writer(&connection).map_err(|error| Error::from_sqlite(&path, &error))?;
        let totals = schema::totals(&connection, &path)?;
        Ok(KeysFile { connection, path, totals, failure: None, _guard: guard })
    }

    /// The sequence up to which the log had been applied at the last commit.
    ///
    /// # Cost
    ///
    /// None: it is kept in memory.
    pub fn applied(&self) -> u64 {
        self.totals.applied
    }

    /// How many rows the file held at the last commit.
    ///
    /// # Cost
    ///
    /// None: it is kept in memory.
    pub fn rows(&self) -> u64 {
        self.totals.rows
    }

    /// Begins a transaction, which is rolled back unless it is committed.
    ///
    /// # Errors
    ///
    /// After a commit has failed, for another reason than a full disk, that failure again: what
    /// it left in the page cache may look durable and not be, so the file is to be closed and
    /// its transactions redone from the log. Otherwise `Busy` or `Io`.
    ///
    /// # Cost
    ///
    /// O(1); readers go on undisturbed.
    pub fn begin(&mut self) -> Result<Writing<'_>> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        Writing::begin(&self.connection, &self.path, &mut self.totals, &mut self.failure)
    }

    /// Moves committed pages from the write-ahead log into the file.
    ///
    /// Without `truncate` it waits for nobody: pages that a reader may still need stay for the
    /// next time. With `truncate`, meant for closing, it waits for readers up to two seconds and
    /// cuts the log to nothing.
    ///
    /// # Errors
    ///
    /// `Busy` only with `truncate`, when a reader outlasted the wait; the file is as sound as
    /// before. `Io`, `Full`.
    ///
    /// # Cost
    ///
    /// Writes each page once that has changed since the last checkpoint, and syncs twice.
    pub fn checkpoint(&mut self, truncate: bool) -> Result<()> {
        let pragma = if truncate {
            "PRAGMA wal_checkpoint(TRUNCATE)"
        } else {
            "PRAGMA wal_checkpoint(PASSIVE)"
        };
        let is_blocked = self
            .connection
            .query_row(pragma, [], |row| row.get::<_, bool>(0))
            .map_err(|error| self.refused(&error))?;
        if truncate && is_blocked { Err(Error::Busy) } else { Ok(()) }
    }

    /// Cuts off the write-ahead log what a transaction that did not fit has left behind its end;
    /// SQLite would keep it until the log begins anew, for which the room may be missing.
    ///
    /// # Errors
    ///
    /// `Io`.
    ///
    /// # Cost
    ///
    /// Three system calls.
    pub fn trim_log(&mut self) -> Result<()> {
        let frames = self
            .connection
            .query_row("PRAGMA wal_checkpoint(NOOP)", [], |row| row.get::<_, i64>(1))
            .map_err(|error| self.refused(&error))?;
        let end =
            LOG_HEADER_BYTES + frames.max(0) as u64 * (self.page_bytes()? + FRAME_HEADER_BYTES);
        let path = place::beside(&self.path, "-wal");
        let trim =
            |file: fs::File| if file.metadata()?.len() > end { file.set_len(end) } else { Ok(()) };
        fs::OpenOptions::new()
            .write(true)
            .open(&path)
            .and_then(trim)
            .map_err(|error| Error::from_io(&path, &error))
    }

    /// Looks for damage and for a wrong row count; says what it finds, a sentence each.
    ///
    /// # Errors
    ///
    /// `Corrupt` when the damage keeps even the check from running; `Io`.
    ///
    /// # Cost
    ///
    /// Reads the whole file.
    pub fn integrity(&self) -> Result<Vec<String>> {
        let mut findings = self.check().map_err(|error| self.refused(&error))?;
        findings.retain(|finding| finding != "ok");
        let counted = self
            .connection
            .query_row("SELECT count(*) FROM keys", [], |row| row.get::<_, i64>(0))
            .map_err(|error| self.refused(&error))?;
        if counted.cast_unsigned() != self.totals.rows {
            findings.push(format!("{} rows are recorded, counted: {counted}", self.totals.rows));
        }
        Ok(findings)
    }

    fn check(&self) -> rusqlite::Result<Vec<String>> {
        self.connection
            .prepare("PRAGMA integrity_check")?
            .query_map([], |row| row.get(0))?
            .collect()
    }

    /// Checkpoints and closes. A reader that is in the way costs nothing but the checkpoint:
    /// the write-ahead log then stays beside the file until the next time.
    ///
    /// # Errors
    ///
    /// `Io`, `Full`; what was committed is kept all the same.
    ///
    /// # Cost
    ///
    /// As `checkpoint`.
    pub fn close(mut self) -> Result<()> {
        let outcome = match self.checkpoint(true) {
            Err(Error::Busy) => Ok(()),
            outcome => outcome,
        };
        let KeysFile { connection, path, _guard, .. } = self;
        connection.close().map_err(|(_, error)| Error::from_sqlite(&path, &error))?;
        outcome
    }

    /// What rows can be written into before the file has to grow.
    ///
    /// # Errors
    ///
    /// `Io`, `Corrupt`.
    ///
    /// # Cost
    ///
    /// Two pragmas, which read no page.
    pub fn unused_bytes(&self) -> Result<u64> {
        Ok(self.number("PRAGMA freelist_count")?.saturating_mul(self.page_bytes()?))
    }

    fn page_bytes(&self) -> Result<u64> {
        self.number("PRAGMA page_size")
    }

    fn number(&self, pragma: &str) -> Result<u64> {
        self.connection
            .query_row(pragma, [], |row| row.get::<_, i64>(0))
            .map(i64::unsigned_abs)
            .map_err(|error| self.refused(&error))
    }

    /// The size of the file and its write-ahead log on disk.
    ///
    /// # Cost
    ///
    /// Two system calls.
    pub fn bytes(&self) -> u64 {
        place::size_bytes(&self.path) + place::size_bytes(&place::beside(&self.path, "-wal"))
    }

    /// Where the file lies, free of links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the file one of another history from now on: a clone or a restored instance.
    ///
    /// # Errors
    ///
    /// As a commit.
    ///
    /// # Cost
    ///
    /// One small transaction.
    pub fn adopt(&mut self, lineage: [u8; 16]) -> Result<()> {
        self.connection
            .execute("UPDATE meta SET value = ?1 WHERE name = 'lineage'", [&lineage[..]])
            .map_err(|error| self.refused(&error))?;
        Ok(())
    }

    /// Makes a full disk for tests: no more than `pages`.
    #[cfg(test)]
    pub(super) fn limit_pages(&self, pages: u64) {
        let pragma = format!("PRAGMA max_page_count = {pages}");
        self.connection.query_row(&pragma, [], |_| Ok(())).expect("the pragma takes any number");
    }

    fn refused(&self, error: &rusqlite::Error) -> Error {
        Error::from_sqlite(&self.path, error)
    }
}

fn require_identity(found: &Identity, expected: &Identity, path: &Path) -> Result<()> {
    let part = if found.namespace != expected.namespace {
        "namespace"
    } else if found.lineage != expected.lineage {
        "lineage"
    } else {
        return Ok(());
    };
    Err(Error::Foreign { path: path.to_owned(), part })
}
