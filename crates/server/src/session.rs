//! A connection as commands see it: who the client is, which database it speaks to, in which
//! version, and what it has begun. It must not know sockets or buffers.

use dwell_wire::Protocol;

use crate::settings::ServerSettings;
use crate::transaction::{Transaction, Watched};

/// What a connection has told about itself and what it has chosen.
#[derive(Debug, Default)]
pub struct Session {
    /// The connection's number; numbers only grow.
    pub id: u64,
    /// Whether it may do more than authenticate.
    pub is_authenticated: bool,
    /// The version of its replies.
    pub protocol: Protocol,
    /// The database that `SELECT` chose.
    pub database: usize,
    /// What `CLIENT SETNAME` gave.
    pub name: Option<Box<str>>,
    /// The library that speaks here, by its own account.
    pub library_name: Option<Box<str>>,
    /// That library's version.
    pub library_version: Option<Box<str>>,
    /// Whether `CLIENT NO-EVICT` is on.
    pub is_never_evicted: bool,
    /// What `MULTI` has begun.
    pub transaction: Option<Box<Transaction>>,
    /// The keys that `WATCH` named, with the versions that they had.
    pub watched: Watched,
    /// Whether the connection ends when its replies are sent.
    pub is_closing: bool,
}

impl Session {
    /// The session of a client that has just connected.
    pub fn new(id: u64, settings: &ServerSettings) -> Self {
        Self { id, is_authenticated: settings.password.is_none(), ..Self::default() }
    }

    /// Forgets everything but the number, as `RESET` does.
    pub fn reset(&mut self, settings: &ServerSettings) {
        *self = Self::new(self.id, settings);
    }
}
