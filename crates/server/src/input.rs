//! What was received and not executed yet.
//!
//! Reading goes into one arena that all connections share, so that an idle connection holds no
//! buffer. What remains of an unfinished request is kept by its connection; once that is large,
//! reading continues there, so that no byte of a large value is copied twice.

use std::io::{ErrorKind, Read};
use std::ops::Range;

use dwell_wire::RequestParser;

use crate::connection::Connection;

/// Bytes that one turn reads for all connections together.
const ARENA_BYTES: usize = 1024 * 1024;
/// Bytes that one connection may bring in one turn, so that its pipeline starves nobody.
const READ_BYTES_MAX: usize = 64 * 1024;
/// The same for a value that is being received on its own.
const LARGE_READ_BYTES_MAX: usize = 1024 * 1024;
/// A rest of this size is no longer copied into the arena for each read.
const LARGE_REST_BYTES_MIN: usize = 4 * 1024;
/// What a buffer that was once large may keep.
const KEPT_BYTES_MAX: usize = 16 * 1024;

/// An unfinished request and how far it is understood.
#[derive(Debug, Default)]
pub struct Input {
    /// The bytes, from the beginning of the request on.
    pub rest: Vec<u8>,
    /// What has been understood of them.
    pub parser: RequestParser,
    /// Whether there may be a complete request among them, because its turn was over or an earlier
    /// one waits.
    pub has_backlog: bool,
}

/// Where the bytes that a connection is to execute are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// In the arena.
    Arena(Range<usize>),
    /// In the connection's own buffer.
    Own,
}

/// The buffer that all connections read into, turn by turn.
pub struct Arena {
    bytes: Vec<u8>,
    used: usize,
}

impl Input {
    /// Memory that it takes.
    pub fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.rest.capacity() + self.parser.memory_bytes()
    }

    /// Forgets the bytes that were executed, and gives back what they needed.
    pub fn discard(&mut self, consumed: usize) {
        self.rest.drain(..consumed);
        if self.rest.capacity() > KEPT_BYTES_MAX && self.rest.len() < self.rest.capacity() / 4 {
            self.rest.shrink_to(KEPT_BYTES_MAX);
        }
    }
}

impl Arena {
    /// An empty arena.
    pub fn new() -> Self {
        Self { bytes: vec![0; ARENA_BYTES], used: 0 }
    }

    /// Forgets what was read in the last turn.
    pub const fn clear(&mut self) {
        self.used = 0;
    }

    /// Whether one more connection can be read in this turn.
    pub const fn has_room(&self) -> bool {
        self.used + READ_BYTES_MAX + LARGE_REST_BYTES_MIN <= ARENA_BYTES
    }

    /// The bytes at a place that reading has returned.
    pub fn slice(&self, range: &Range<usize>) -> &[u8] {
        &self.bytes[range.clone()]
    }

    /// Reads once from the connection's socket, unless there is enough to do; returns where its
    /// bytes now are and how many are new. After the peer's end the connection is closing.
    pub fn read(&mut self, connection: &mut Connection) -> (Source, usize) {
        match &connection.input {
            Some(input) if input.has_backlog => (Source::Own, 0),
            Some(input) if input.rest.len() >= LARGE_REST_BYTES_MIN => {
                (Source::Own, read_large(connection))
            }
            _ => self.read_small(connection),
        }
    }

    fn read_small(&mut self, connection: &mut Connection) -> (Source, usize) {
        let start = self.used;
        let mut end = start;
        if let Some(input) = &connection.input {
            end += input.rest.len();
            self.bytes[start..end].copy_from_slice(&input.rest);
        }
        let room = &mut self.bytes[end..end + READ_BYTES_MAX];
        let read = loop {
            match connection.stream.read(room) {
                Ok(0) => break hear_end(connection),
                Ok(read) => {
                    // A short read means that the socket is empty; only an end would be missed.
                    connection.is_readable = read == READ_BYTES_MAX || connection.is_hung_up;
                    break read;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    connection.is_readable = false;
                    break 0;
                }
                Err(_) => break doom(connection),
            }
        };
        self.used = end + read;
        (Source::Arena(start..self.used), read)
    }
}

impl Default for Arena {
    fn default() -> Self {
        Self::new()
    }
}

/// Reads on into the connection's own buffer.
fn read_large(connection: &mut Connection) -> usize {
    let Some(input) = &mut connection.input else { return 0 };
    let before = input.rest.len();
    let wanted = input.parser.buffer_bytes_wanted().saturating_sub(before);
    // In steps: a length is only a promise until its bytes have come.
    input.rest.reserve(wanted.min(before.max(LARGE_READ_BYTES_MAX)));
    let mut limited = (&mut connection.stream).take(LARGE_READ_BYTES_MAX as u64);
    let result = limited.read_to_end(&mut input.rest);
    let read = input.rest.len() - before;
    match result {
        Ok(_) if read == LARGE_READ_BYTES_MAX => connection.is_readable = true,
        Err(error) if error.kind() == ErrorKind::WouldBlock => {
            connection.is_readable = connection.is_hung_up;
        }
        // What came before the peer's end still counts; the end is read once more.
        Ok(_) if read > 0 => connection.is_readable = true,
        Ok(_) => return hear_end(connection),
        Err(_) => return doom(connection),
    }
    read
}

/// The peer has said its last word, but may still wait for replies.
const fn hear_end(connection: &mut Connection) -> usize {
    connection.session.is_closing = true;
    connection.is_readable = false;
    0
}

const fn doom(connection: &mut Connection) -> usize {
    connection.is_doomed = true;
    connection.is_readable = false;
    0
}
