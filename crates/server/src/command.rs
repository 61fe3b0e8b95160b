//! The facts of a command, and the table of all of them that the build makes from `spec/commands`.

use std::ops::BitOr;

use crate::call::{DataFn, SessionFn, TransactionFn};
use crate::name_hash::hash;
use crate::settings::HostCommand;

#[cfg(test)]
mod tests;

include!(concat!(env!("OUT_DIR"), "/command_table.rs"));

/// Longest name that is looked up; longer ones are unknown.
const NAME_BYTES_MAX: usize = 64;

/// One command, or one subcommand under the name `container|subcommand`.
pub struct Command {
    /// Lower case.
    pub name: &'static str,
    /// Number of words with the name; `-n` means at least `n`.
    pub arity: i32,
    /// What the dispatch must know.
    pub flags: Flags,
    /// Whether its second word names a subcommand.
    pub is_container: bool,
    /// Who runs it.
    pub handler: Handler,
    /// Its place in [`COMMANDS`], or behind it.
    pub index: usize,
}

/// Who runs a command.
pub enum Handler {
    /// A function on keys.
    Data(DataFn),
    /// A function on the connection.
    Session(SessionFn),
    /// A function on the connection and on keys.
    Transaction(TransactionFn),
    /// The host, off the event loop.
    Host,
    /// Nobody yet: refused by name, with the family's.
    Refused(&'static str),
    /// Nobody: a word of HTTP, sent by a browser that was lured here.
    Attack,
}

/// A set of the facts of `spec/commands` that the dispatch needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags(u8);

impl Flags {
    /// Nothing.
    pub const NONE: Self = Self(0);
    /// Allowed before authentication.
    pub const NO_AUTH: Self = Self(1);
    /// Refused inside MULTI.
    pub const NO_MULTI: Self = Self(2);
    /// Run at once inside MULTI instead of being queued.
    pub const NEVER_QUEUED: Self = Self(4);
    /// Changes data.
    pub const WRITE: Self = Self(8);
    /// Costs the same whatever it is asked for.
    pub const CONSTANT: Self = Self(16);

    /// Whether all of `other` are in this set.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl BitOr for Flags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Command {
    /// Whether it costs the same whatever it is asked for, so that a thousand of them can be timed
    /// together.
    pub fn is_constant(&self) -> bool {
        self.flags.contains(Flags::CONSTANT)
    }

    /// Whether a word is its name, in any case. Names are short: the library's way of comparing
    /// begins to pay where they end.
    pub fn is_called(&self, word: &[u8]) -> bool {
        let is_same = |(&name, &word): (&u8, &u8)| {
            name == word || (name == word | 0x20 && name.is_ascii_lowercase())
        };
        self.name.len() == word.len() && self.name.as_bytes().iter().zip(word).all(is_same)
    }

    /// Whether a command of `words` words has the right number of them.
    pub fn accepts(&self, words: usize) -> bool {
        let words = i32::try_from(words).unwrap_or(i32::MAX);
        if self.arity < 0 { words >= -self.arity } else { words == self.arity }
    }
}

/// The commands that a user has added to the host, with places behind the table.
///
/// They live as long as the process, so that they can stand wherever one of the table can; a loop
/// that is started again leaves a few hundred bytes behind.
pub fn of_host(added: &[HostCommand]) -> Vec<&'static Command> {
    let command = |(place, added): (usize, &HostCommand)| -> &'static Command {
        Box::leak(Box::new(Command {
            name: added.name.clone().leak(),
            arity: added.arity,
            flags: if added.is_readonly { Flags::NONE } else { Flags::NO_MULTI | Flags::WRITE },
            is_container: false,
            handler: Handler::Host,
            index: COMMANDS.len() + place,
        }))
    };
    added.iter().enumerate().map(command).collect()
}

/// The command with this name, in any case.
pub fn find(name: &[u8]) -> Option<&'static Command> {
    let mut slot = hash(name) as usize % SLOTS.len();
    loop {
        let command = &COMMANDS[usize::from(SLOTS[slot].checked_sub(1)?)];
        if command.is_called(name) {
            return Some(command);
        }
        slot = (slot + 1) % SLOTS.len();
    }
}

/// The subcommand of a container, in any case.
pub fn find_subcommand(container: &[u8], subcommand: &[u8]) -> Option<&'static Command> {
    let mut name = [0; NAME_BYTES_MAX];
    let length = container.len() + 1 + subcommand.len();
    let name = name.get_mut(..length)?;
    name[..container.len()].copy_from_slice(container);
    name[container.len()] = b'|';
    name[container.len() + 1..].copy_from_slice(subcommand);
    // A bar in a word must not reach a subcommand by another road.
    if subcommand.contains(&b'|') { None } else { find(name) }
}
