//! What `MULTI` collects and `WATCH` remembers, until `EXEC`.

use std::collections::BTreeMap;

use dwell_engine::{NamespaceId, Watch};
use dwell_wire::{OwnedArguments, Value};

use crate::command::{Command, Handler};

/// The commands between `MULTI` and `EXEC`.
#[derive(Debug, Default)]
pub struct Transaction {
    /// In the order in which they came.
    pub queued: Vec<Queued>,
    /// Whether one of them was refused, so that `EXEC` must refuse all.
    pub is_broken: bool,
    /// Memory that the queued arguments take.
    pub memory_bytes: usize,
}

/// One command that waits for `EXEC`.
pub struct Queued {
    /// Its facts.
    pub command: &'static Command,
    /// Its words.
    pub arguments: OwnedArguments,
    /// What the host has answered, if it is the host's.
    pub answer: Option<Value>,
}

/// Keys and what was seen of them when they were watched. In order, so that watching a million
/// keys does not cost a million searches through all of them.
pub type Watched = BTreeMap<(NamespaceId, Box<[u8]>), Watch>;

impl std::fmt::Debug for Queued {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Queued")
            .field("command", &self.command.name)
            .finish_non_exhaustive()
    }
}

impl Queued {
    /// Whether the host has yet to answer it.
    pub fn awaits_host(&self) -> bool {
        matches!(self.command.handler, Handler::Host) && self.answer.is_none()
    }
}

impl Transaction {
    /// Adds a command.
    pub fn queue(&mut self, command: &'static Command, arguments: OwnedArguments) {
        self.memory_bytes += arguments.memory_bytes();
        self.queued.push(Queued { command, arguments, answer: None });
    }

    /// Whether the host has yet to answer one of the commands.
    pub fn awaits_host(&self) -> bool {
        self.queued.iter().any(Queued::awaits_host)
    }
}
