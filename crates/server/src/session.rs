//! A connection as commands see it: who the client is, which database it speaks to, in which
//! version, and what it has begun. It must not know sockets or buffers.

use dwell_wire::Protocol;

use crate::settings::ServerSettings;
use crate::transaction::{Transaction, Watched};

/// Which replies a client wants to hear: `CLIENT REPLY`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hearing {
    /// All.
    #[default]
    All,
    /// None.
    Nothing,
    /// All but that of the command that asked for it and of the next one.
    AllButNext,
    /// All but that of this command.
    AllButThis,
}

impl Hearing {
    /// What it is for the command behind this one.
    pub const fn next(self) -> Self {
        match self {
            Self::AllButNext => Self::AllButThis,
            Self::AllButThis | Self::All => Self::All,
            Self::Nothing => Self::Nothing,
        }
    }
}

/// What a connection has told about itself and what it has chosen.
#[allow(clippy::struct_excessive_bools, reason = "independent choices, each by its own command")]
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
    /// Whether `CLIENT NO-TOUCH` is on.
    pub leaves_accesses: bool,
    /// What `CLIENT REPLY` has chosen.
    pub hearing: Hearing,
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
