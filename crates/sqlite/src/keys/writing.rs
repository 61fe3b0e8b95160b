//! A transaction on a `keys` file: rows in, rows out, and an exact count of them.
//!
//! The applied sequence and the row count are committed with the rows, so replaying the log
//! after a crash is exactly once (INV-04).

use std::path::Path;

use rusqlite::{CachedStatement, Connection, params};

use crate::error::{Error, Result};
use crate::row::{Below, RowRef};
use crate::schema::{self, Totals};

/// `OR IGNORE` answers "there is one already" by a count of 0 instead of an error.
const INSERT: &str = "INSERT OR IGNORE INTO keys VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)";
const UPDATE: &str = "UPDATE keys SET kind = ?2, version = ?3, deadline = ?4, absolute = ?5, \
                      length = ?6, value = ?7 WHERE key = ?1";
const DELETE: &str = "DELETE FROM keys WHERE key = ?1";
const PUT_CHUNK: &str = "INSERT INTO chunks VALUES(?1, ?2, ?3) \
                         ON CONFLICT(key, number) DO UPDATE SET data = ?3";
const ANY_CHUNK: &str = "SELECT EXISTS(SELECT 1 FROM chunks)";
const DELETE_CHUNKS: &str = "DELETE FROM chunks WHERE key = ?1 AND number >= ?2";

/// An open transaction; dropping it rolls it back.
///
/// After an error, every further call gives the same error: SQLite may have rolled back by
/// itself, and what followed would be committed alone.
pub struct Writing<'a> {
    connection: &'a Connection,
    path: &'a Path,
    committed: &'a mut Totals,
    file_failure: &'a mut Option<Error>,
    rows: u64,
    /// Whether the last row of unknown state was there. Its neighbour likely is alike, and the
    /// right guess saves a search.
    was_present: bool,
    /// Whether the file holds any chunk: where it does not, no row can leave some behind.
    has_chunks: bool,
    failure: Option<Error>,
    insert: CachedStatement<'a>,
    update: CachedStatement<'a>,
    delete: CachedStatement<'a>,
    put_chunk: CachedStatement<'a>,
    delete_chunks: CachedStatement<'a>,
}

impl<'a> Writing<'a> {
    pub(super) fn begin(
        connection: &'a Connection,
        path: &'a Path,
        committed: &'a mut Totals,
        file_failure: &'a mut Option<Error>,
    ) -> Result<Writing<'a>> {
        let prepare =
            |sql| connection.prepare_cached(sql).map_err(|error| Error::from_sqlite(path, &error));
        let mut writing = Writing {
            insert: prepare(INSERT)?,
            update: prepare(UPDATE)?,
            delete: prepare(DELETE)?,
            put_chunk: prepare(PUT_CHUNK)?,
            delete_chunks: prepare(DELETE_CHUNKS)?,
            rows: committed.rows,
            was_present: false,
            has_chunks: true,
            failure: None,
            connection,
            path,
            committed,
            file_failure,
        };
        connection
            .execute_batch("BEGIN IMMEDIATE")
            .map_err(|error| Error::from_sqlite(path, &error))?;
        writing.has_chunks = writing.run(|writing| {
            let mut any = writing.connection.prepare_cached(ANY_CHUNK)?;
            any.query_row([], |row| row.get(0))
        })?;
        Ok(writing)
    }

    /// Writes a row, in place of the one that `below` speaks of.
    ///
    /// A wrong `below` costs a second search, and neither the write nor the count. A plain value
    /// takes the chunks of a spread one with it; those of a spread value are left alone.
    ///
    /// # Errors
    ///
    /// `Full`, `Io`, `Corrupt`; `Sqlite` for a key and value of more than a thousand million
    /// bytes.
    ///
    /// # Cost
    ///
    /// O(log n), or less for keys in ascending order, whose pages are at hand.
    pub fn put(&mut self, row: &RowRef<'_>, below: Below) -> Result<()> {
        self.run(|writing| {
            let is_present = match below {
                Below::Absent => false,
                Below::Present => true,
                Below::Unknown => writing.was_present,
            };
            writing.was_present = writing.put_guessing(row, is_present)?;
            if writing.has_chunks && writing.was_present && row.length.is_none() {
                writing.delete_chunks.execute(params![row.key, 0])?;
            }
            Ok(())
        })
    }

    /// Writes a row, first in the way that a right guess makes the only one; says whether there
    /// was one.
    fn put_guessing(&mut self, row: &RowRef<'_>, is_present: bool) -> rusqlite::Result<bool> {
        if is_present && execute(&mut self.update, row)? == 1 {
            return Ok(true);
        }
        if execute(&mut self.insert, row)? == 1 {
            self.rows += 1;
            return Ok(false);
        }
        execute(&mut self.update, row)?;
        Ok(true)
    }

    /// Deletes a row and its chunks; says whether there was a row.
    ///
    /// # Errors
    ///
    /// `Full`, `Io`, `Corrupt`.
    ///
    /// # Cost
    ///
    /// O(log n), and the pages of the chunks.
    pub fn delete(&mut self, key: &[u8]) -> Result<bool> {
        self.run(|writing| {
            let was_present = writing.delete.execute([key])? == 1;
            // Saturating: a file that has been tampered with may hold more rows than it says.
            writing.rows = writing.rows.saturating_sub(u64::from(was_present));
            writing.delete_chunks.execute(params![key, 0])?;
            Ok(was_present)
        })
    }

    /// Writes one chunk of a spread value, in place of the chunk of that number.
    ///
    /// # Errors
    ///
    /// `Full`, `Io`, `Corrupt`.
    ///
    /// # Cost
    ///
    /// O(log n), and the pages of the chunk.
    pub fn put_chunk(&mut self, key: &[u8], number: u32, data: &[u8]) -> Result<()> {
        self.run(|writing| {
            writing.has_chunks = true;
            writing.put_chunk.execute(params![key, number, data]).map(drop)
        })
    }

    /// Deletes the chunks of a value from number `from` on.
    ///
    /// # Errors
    ///
    /// `Full`, `Io`, `Corrupt`.
    ///
    /// # Cost
    ///
    /// O(log n), and the pages of the chunks.
    pub fn delete_chunks(&mut self, key: &[u8], from: u32) -> Result<()> {
        self.run(|writing| writing.delete_chunks.execute(params![key, from]).map(drop))
    }

    /// Deletes every row and chunk.
    ///
    /// # Errors
    ///
    /// `Full`, `Io`, `Corrupt`.
    ///
    /// # Cost
    ///
    /// Reads each page once to free it, and writes one in a thousand. The file keeps its size
    /// and uses the pages again.
    pub fn clear(&mut self) -> Result<()> {
        self.run(|writing| {
            // Without a WHERE, SQLite frees whole pages and looks at no row.
            writing.connection.execute_batch("DELETE FROM keys; DELETE FROM chunks;")?;
            writing.rows = 0;
            Ok(())
        })
    }

    /// Makes all of it durable at once, together with `applied` and the row count.
    ///
    /// # Errors
    ///
    /// The first error of the transaction, which is then rolled back; `Full`, the same. Any other
    /// failure of the commit itself leaves its outcome unknown, and the file refuses to begin
    /// another transaction.
    ///
    /// # Cost
    ///
    /// Writes the pages that have changed to the write-ahead log and syncs it once.
    pub fn commit(mut self, applied: u64) -> Result<()> {
        let totals = Totals { applied, rows: self.rows };
        self.run(|writing| schema::set_totals(writing.connection, totals))?;
        if let Err(error) = self.connection.execute_batch("COMMIT") {
            let failure = Error::from_sqlite(self.path, &error);
            // A full disk shows when the log is written, before there is anything to sync; what
            // was written lacks its last frame and counts for nothing.
            if failure != Error::Full {
                *self.file_failure = Some(failure.clone());
            }
            return Err(failure);
        }
        *self.committed = totals;
        Ok(())
    }

    fn run<T>(&mut self, step: impl FnOnce(&mut Self) -> rusqlite::Result<T>) -> Result<T> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        step(self).map_err(|error| {
            let failure = Error::from_sqlite(self.path, &error);
            self.failure = Some(failure.clone());
            failure
        })
    }
}

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        // In autocommit mode the transaction has ended: committed, or rolled back by SQLite.
        if self.connection.is_autocommit() {
            return;
        }
        if let Err(error) = self.connection.execute_batch("ROLLBACK") {
            *self.file_failure = Some(Error::from_sqlite(self.path, &error));
        }
    }
}

fn execute(statement: &mut CachedStatement<'_>, row: &RowRef<'_>) -> rusqlite::Result<usize> {
    statement.execute(params![
        row.key,
        row.kind,
        row.version.cast_signed(),
        row.deadline.map(|deadline| deadline.at_ms),
        row.deadline.is_some_and(|deadline| deadline.absolute),
        row.length.map(u64::cast_signed),
        row.value,
    ])
}
