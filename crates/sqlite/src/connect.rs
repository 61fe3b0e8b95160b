//! How every connection is opened: which VFS, which limits, which pragmas, and why.
//!
//! It knows SQLite and nothing of tables.

use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use crate::error::{Error, Result};

/// One process owns an instance, so its files need no locks or shared memory between processes:
/// reads save two system calls each, other processes are refused instead of served by chance,
/// and no stranger's `close` can drop a lock that our connections rely upon among themselves.
const VFS: &str = "unix-excl";

/// How long a connection waits for another that is opening or closing the same file.
const WAIT: Duration = Duration::from_secs(2);

/// Enough statements for every shape of a range, and the fixed ones.
const STATEMENTS_MAX: usize = 64;

/// Small, because there may be many namespaces; the drain walks the file in key order and so
/// gains nothing from more (4 MB and 16 MB measured alike).
const CACHE_KIB: u32 = 2048;

/// A reader's cache only serves pages that lie in the write-ahead log: the rest is mapped.
const READER_CACHE_KIB: u32 = 512;

/// Reading through a map instead of by copies made lookups 1.5 times as fast. The bound keeps a
/// scan over a big file from looking like that much memory in use.
const READER_MAP_BYTES: u32 = 1 << 30;

/// To this size the write-ahead log is cut when it starts again from its beginning. Overwriting
/// a log is cheaper than extending it, so it is not cut to nothing.
const LOG_KEPT_BYTES: u32 = 64 << 20;

/// Opens the file at `path`, which must be resolved and exist.
pub(crate) fn connect(path: &Path) -> Result<Connection> {
    // An absolute path, so that SQLite cannot take a name for a URI or for a database in memory.
    debug_assert!(path.is_absolute(), "paths are resolved before they are opened");
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let refused = |error| Error::from_sqlite(path, &error);
    let connection = Connection::open_with_flags_and_vfs(path, flags, VFS).map_err(refused)?;
    harden(&connection).map_err(refused)?;
    Ok(connection)
}

/// A file may come from anywhere: its schema is not trusted to call anything, and pages are
/// checked before use.
fn harden(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(WAIT)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    connection.execute_batch("PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY;")
}

/// Settings of the one connection that writes.
pub(crate) fn prepare_writer(connection: &Connection) -> rusqlite::Result<()> {
    // The log of the instance is cut after what we have committed, so a commit must be durable.
    // Checkpoints are ours to time: an automatic one would stall the commit that triggers it.
    connection.execute_batch(&format!(
        "PRAGMA journal_mode = WAL;
         PRAGMA synchronous = FULL;
         PRAGMA fullfsync = ON;
         PRAGMA checkpoint_fullfsync = ON;
         PRAGMA wal_autocheckpoint = 0;
         PRAGMA journal_size_limit = {LOG_KEPT_BYTES};
         PRAGMA cache_size = -{CACHE_KIB};"
    ))
}

/// Settings of a connection that reads.
pub(crate) fn prepare_reader(connection: &Connection) -> rusqlite::Result<()> {
    // The connection is opened for writing, since only then does it share locks with the writer
    // within the process; it is kept from writing here, and from checkpointing when it closes.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.execute_batch(&format!(
        "PRAGMA wal_autocheckpoint = 0;
         PRAGMA cache_size = -{READER_CACHE_KIB};
         PRAGMA mmap_size = {READER_MAP_BYTES};
         PRAGMA query_only = ON;"
    ))
}
