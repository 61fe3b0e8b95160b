//! What lies in a `keys` file: its tables, its format, and whose it is.
//!
//! A file is born under another name and renamed when it is complete, so a file that bears its
//! own name is either whole or damaged, and is never taken for an empty one.

use std::fs::{self, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use rusqlite::{Connection, OptionalExtension};

use crate::connect;
use crate::error::{Error, Result};
use crate::place;

/// The format that this build writes, and the newest that it reads.
pub(crate) const FORMAT: u32 = 1;

/// `DwKy` in the file's header, so that tools can tell what it is.
const APPLICATION_ID: i32 = 0x4477_4b79;

/// Measured with the drain's load, against 4, 8 and 16 KiB: on ten million rows smaller pages
/// win slightly in transactions of 100,000 and larger ones clearly in those of a million.
const PAGE_BYTES: u32 = 8192;

/// Rows of WITHOUT ROWID tables lie in key order, one seek away. Chunks have a rowid, because
/// their bulk in the interior pages of such a table would leave only a few branches per page.
const TABLES: &str = "
    CREATE TABLE keys(
        key BLOB PRIMARY KEY,
        kind INTEGER NOT NULL,
        version INTEGER NOT NULL,
        deadline INTEGER,
        absolute INTEGER NOT NULL,
        length INTEGER,
        value BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX deadlines ON keys(absolute, deadline) WHERE deadline IS NOT NULL;
    CREATE TABLE chunks(
        key BLOB NOT NULL,
        number INTEGER NOT NULL,
        data BLOB NOT NULL,
        PRIMARY KEY(key, number)
    ) STRICT;
    CREATE TABLE meta(name TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;";

/// Whose file it is: fixed when it is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The name of the namespace: any bytes, also where the file's name is only a digest of it.
    pub namespace: Vec<u8>,
    /// The lineage of the instance's history; a clone has its own.
    pub lineage: [u8; 16],
}

/// What a commit records beside the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Totals {
    /// The sequence up to which the log has been applied.
    pub(crate) applied: u64,
    /// How many rows `keys` holds.
    pub(crate) rows: u64,
}

/// Makes the file at `path`, which must be absent.
pub(crate) fn create(path: &Path, identity: &Identity) -> Result<()> {
    if place::size_bytes(&place::beside(path, "-wal")) > 0 {
        // Its frames would be replayed into the new file.
        return Err(Error::corrupt(path, "it is missing, but its write-ahead log is not"));
    }
    let newborn = place::beside(path, ".new");
    for leftover in ["", "-journal", "-wal"] {
        remove(&place::beside(&newborn, leftover))?;
    }
    make_empty(&newborn).map_err(|error| Error::from_io(&newborn, &error))?;
    let connection = connect::connect(&newborn)?;
    fill(&connection, identity).map_err(|error| Error::from_sqlite(&newborn, &error))?;
    connection.close().map_err(|(_, error)| Error::from_sqlite(&newborn, &error))?;
    fs::rename(&newborn, path).map_err(|error| Error::from_io(path, &error))?;
    place::sync_folder(path)
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::from_io(path, &error)),
        _ => Ok(()),
    }
}

/// SQLite gives what lies beside a file the file's own mode, so this one decides for all.
fn make_empty(path: &Path) -> io::Result<()> {
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.set_permissions(Permissions::from_mode(0o600))
}

fn fill(connection: &Connection, identity: &Identity) -> rusqlite::Result<()> {
    connection.execute_batch(&format!(
        "PRAGMA page_size = {PAGE_BYTES};
         PRAGMA synchronous = FULL;
         PRAGMA fullfsync = ON;
         BEGIN IMMEDIATE;
         PRAGMA application_id = {APPLICATION_ID};
         PRAGMA user_version = {FORMAT};
         {TABLES}"
    ))?;
    let mut insert = connection.prepare("INSERT INTO meta VALUES(?1, ?2)")?;
    insert.execute(("format", FORMAT))?;
    insert.execute(("lineage", &identity.lineage[..]))?;
    insert.execute(("namespace", &identity.namespace[..]))?;
    insert.execute(("applied", 0))?;
    insert.execute(("rows", 0))?;
    connection.execute_batch("COMMIT; PRAGMA journal_mode = WAL;")
}

/// Refuses what is not a `keys` file of a format that we know.
pub(crate) fn verify(connection: &Connection, path: &Path) -> Result<()> {
    let refused = |error| Error::from_sqlite(path, &error);
    let header = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    if header("application_id").map_err(refused)? != APPLICATION_ID {
        return Err(Error::corrupt(path, "it is no keys file of Dwell"));
    }
    let found = header("user_version").map_err(refused)?.cast_unsigned();
    if found > FORMAT {
        return Err(Error::TooNew { path: path.to_owned(), found, known: FORMAT });
    }
    if is_cut_short(connection, path).map_err(refused)? {
        return Err(Error::corrupt(path, "it is cut short"));
    }
    if found == 0 || meta::<u32>(connection, path, "format")? != found {
        return Err(Error::corrupt(path, "its header and its tables disagree about its format"));
    }
    Ok(())
}

/// SQLite rounds a last page that is cut up to a whole one, and reads zeros.
fn is_cut_short(connection: &Connection, path: &Path) -> rusqlite::Result<bool> {
    let pages: i64 = connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
    let page_bytes: i64 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
    let size_bytes = pages.cast_unsigned().saturating_mul(page_bytes.cast_unsigned());
    // In this order, for a checkpoint in between moves pages from the log into the file.
    let is_all_in_the_file = place::size_bytes(&place::beside(path, "-wal")) == 0;
    Ok(is_all_in_the_file && place::size_bytes(path) < size_bytes)
}

/// Reads whose file it is.
pub(crate) fn identity(connection: &Connection, path: &Path) -> Result<Identity> {
    Ok(Identity {
        namespace: meta(connection, path, "namespace")?,
        lineage: meta(connection, path, "lineage")?,
    })
}

/// Reads what the last commit recorded.
pub(crate) fn totals(connection: &Connection, path: &Path) -> Result<Totals> {
    Ok(Totals {
        applied: meta::<i64>(connection, path, "applied")?.cast_unsigned(),
        rows: u64::try_from(meta::<i64>(connection, path, "rows")?)
            .map_err(|_| Error::corrupt(path, "its row count is negative"))?,
    })
}

/// Records `totals` in the open transaction.
pub(crate) fn set_totals(connection: &Connection, totals: Totals) -> rusqlite::Result<()> {
    let mut update = connection.prepare_cached("UPDATE meta SET value = ?2 WHERE name = ?1")?;
    update.execute(("applied", totals.applied.cast_signed()))?;
    update.execute(("rows", totals.rows.cast_signed()))?;
    Ok(())
}

fn meta<T: rusqlite::types::FromSql>(
    connection: &Connection,
    path: &Path,
    name: &str,
) -> Result<T> {
    connection
        .prepare_cached("SELECT value FROM meta WHERE name = ?1")
        .and_then(|mut select| select.query_row([name], |row| row.get(0)).optional())
        .map_err(|error| Error::from_sqlite(path, &error))?
        .ok_or_else(|| Error::corrupt(path, format!("its meta table lacks {name}")))
}
