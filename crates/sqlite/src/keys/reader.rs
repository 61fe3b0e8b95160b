//! A connection that reads a `keys` file, each time as the last commit left it.

use std::path::{Path, PathBuf};

use rusqlite::{CachedStatement, Connection, OptionalExtension, Params, params};

use super::range::{self, Range};
use super::sample;
use crate::error::{Error, Result};
use crate::row::{Row, head, whole};
use crate::schema::{self, Identity};
use crate::{connect, place};

/// Each clock has its stretch of the index, and SQLite merges the two as they are read.
pub(super) const EXPIRED: &str = concat!(
    head!("INDEXED BY deadlines WHERE absolute = 0 AND deadline <= ?1"),
    " UNION ALL ",
    head!("INDEXED BY deadlines WHERE absolute = 1 AND deadline <= ?2"),
    " ORDER BY deadline LIMIT ?3"
);

const EXPIRED_COUNT: &str = "SELECT
    (SELECT count(*) FROM keys INDEXED BY deadlines WHERE absolute = 0 AND deadline <= ?1) +
    (SELECT count(*) FROM keys INDEXED BY deadlines WHERE absolute = 1 AND deadline <= ?2)";

/// One reading connection of a `keys` file. It can move between threads; each thread that reads
/// at the same time has its own.
#[derive(Debug)]
pub struct KeysReader {
    connection: Connection,
    path: PathBuf,
}

impl KeysReader {
    /// Opens the file at `path` for reading; `None` when there is none.
    ///
    /// # Errors
    ///
    /// `Busy` while another process has the file; `TooNew`, `Corrupt`, `NotPlain`,
    /// `NetworkFilesystem`; `Io`.
    ///
    /// # Cost
    ///
    /// A few page reads.
    pub fn open(path: &Path) -> Result<Option<KeysReader>> {
        let path = place::resolve(path)?;
        place::refuse_network(&path)?;
        if !place::exists(&path)? {
            return Ok(None);
        }
        let connection = connect::connect(&path)?;
        schema::verify(&connection, &path)?;
        connect::prepare_reader(&connection).map_err(|error| Error::from_sqlite(&path, &error))?;
        Ok(Some(KeysReader { connection, path }))
    }

    /// Whose file it is.
    ///
    /// # Errors
    ///
    /// `Io`, `Corrupt`.
    ///
    /// # Cost
    ///
    /// O(1).
    pub fn identity(&mut self) -> Result<Identity> {
        schema::identity(&self.connection, &self.path)
    }

    /// The sequence up to which the log has been applied.
    ///
    /// # Errors
    ///
    /// `Io`, `Corrupt`.
    ///
    /// # Cost
    ///
    /// O(1).
    pub fn applied(&mut self) -> Result<u64> {
        schema::totals(&self.connection, &self.path).map(|totals| totals.applied)
    }

    /// How many rows the file holds.
    ///
    /// # Errors
    ///
    /// `Io`, `Corrupt`.
    ///
    /// # Cost
    ///
    /// O(1).
    pub fn rows(&mut self) -> Result<u64> {
        schema::totals(&self.connection, &self.path).map(|totals| totals.rows)
    }

    /// Reads a row; of a spread value what is kept beside its chunks.
    ///
    /// # Errors
    ///
    /// `Io`, `Corrupt`.
    ///
    /// # Cost
    ///
    /// O(log n), and the pages of the value.
    pub fn get(&mut self, key: &[u8]) -> Result<Option<Row>> {
        self.row(whole!("WHERE key = ?1"), [key])
    }

    /// Reads a row without its value.
    ///
    /// # Errors
    ///
    /// `Io`, `Corrupt`.
    ///
    /// # Cost
    ///
    /// O(log n), however large the value.
    pub fn head(&mut self, key: &[u8]) -> Result<Option<Row>> {
        self.row(head!("WHERE key = ?1"), [key])
    }

    /// Reads one chunk of a spread value.
    ///
    /// # Errors
    ///
    /// `Io`, `Corrupt`.
    ///
    /// # Cost
    ///
    /// O(log n), and the pages of the chunk.
    pub fn chunk(&mut self, key: &[u8], number: u32) -> Result<Option<Vec<u8>>> {
        self.statement("SELECT data FROM chunks WHERE key = ?1 AND number = ?2")?
            .query_row(params![key, number], |row| row.get(0))
            .optional()
            .map_err(|error| self.refused(&error))
    }

    /// Reads up to `limit` rows of a range, without their values where `keys_only`.
    ///
    /// # Errors
    ///
    /// `Io`, `Corrupt`.
    ///
    /// # Cost
    ///
    /// O(log n + rows returned), and the pages of their values.
    pub fn range(&mut self, range: &Range, keys_only: bool, limit: usize) -> Result<Vec<Row>> {
        let bounds = params![range::value(&range.from), range::value(&range.to), clamped(limit)];
        self.rows_of(&range.statement(keys_only), bounds)
    }

    /// The heads of rows whose deadline has come, on either clock, the earliest first.
    ///
    /// # Errors
    ///
    /// `Io`, `Corrupt`.
    ///
    /// # Cost
    ///
    /// O(log n) for each row returned; rows that live on are not touched.
    pub fn expired(
        &mut self,
        now_engine_ms: i64,
        now_wall_ms: i64,
        limit: usize,
    ) -> Result<Vec<Row>> {
        self.rows_of(EXPIRED, params![now_engine_ms, now_wall_ms, clamped(limit)])
    }

    /// How many rows have a deadline that has come.
    ///
    /// # Errors
    ///
    /// `Io`, `Corrupt`.
    ///
    /// # Cost
    ///
    /// Linear in what it counts.
    pub fn expired_count(&mut self, now_engine_ms: i64, now_wall_ms: i64) -> Result<u64> {
        self.statement(EXPIRED_COUNT)?
            .query_row([now_engine_ms, now_wall_ms], |row| row.get::<_, i64>(0))
            .map(i64::cast_unsigned)
            .map_err(|error| self.refused(&error))
    }

    /// A row drawn by `seed`, or `None` from an empty file.
    ///
    /// Every key can be drawn, but not each as likely as the next: the draw walks down the
    /// distinct bytes of the keys, and a key with few relatives is drawn more often.
    ///
    /// # Errors
    ///
    /// `Io`, `Corrupt`.
    ///
    /// # Cost
    ///
    /// Three searches of O(log n) for each place where the keys around the drawn one part.
    pub fn any(&mut self, seed: u64) -> Result<Option<Row>> {
        self.snapshot(|reader| match sample::draw(reader, seed)? {
            Some(key) => reader.get(&key),
            None => Ok(None),
        })
    }

    /// Runs `reads` against one state of the file, whatever is committed meanwhile.
    ///
    /// It should be short: what it holds on to, no checkpoint can move.
    ///
    /// # Errors
    ///
    /// Those of `reads`, `Io`.
    ///
    /// # Cost
    ///
    /// O(1), and each read within is a little cheaper than alone.
    pub fn snapshot<T>(&mut self, reads: impl FnOnce(&mut KeysReader) -> Result<T>) -> Result<T> {
        if !self.connection.is_autocommit() {
            return reads(self);
        }
        self.statement("BEGIN")?.execute([]).map_err(|error| self.refused(&error))?;
        let outcome = reads(self);
        // An error has ended the transaction by itself in the worst cases.
        if !self.connection.is_autocommit() {
            self.statement("ROLLBACK")?.execute([]).map_err(|error| self.refused(&error))?;
        }
        outcome
    }

    /// The first key that a statement over one bound finds.
    pub(super) fn key(&self, sql: &str, bound: &[u8]) -> Result<Option<Vec<u8>>> {
        self.statement(sql)?
            .query_row([bound], |row| row.get(0))
            .optional()
            .map_err(|error| self.refused(&error))
    }

    fn row(&self, sql: &str, parameters: impl Params) -> Result<Option<Row>> {
        self.statement(sql)?
            .query_row(parameters, Row::from_columns)
            .optional()
            .map_err(|error| self.refused(&error))
    }

    fn rows_of(&self, sql: &str, parameters: impl Params) -> Result<Vec<Row>> {
        self.statement(sql)?
            .query_map(parameters, Row::from_columns)
            .and_then(Iterator::collect)
            .map_err(|error| self.refused(&error))
    }

    fn statement(&self, sql: &str) -> Result<CachedStatement<'_>> {
        self.connection.prepare_cached(sql).map_err(|error| self.refused(&error))
    }

    fn refused(&self, error: &rusqlite::Error) -> Error {
        Error::from_sqlite(&self.path, error)
    }
}

fn clamped(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
