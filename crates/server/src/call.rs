//! What a command function is given, one shape per kind of command.
//!
//! A data command sees arguments, the engine's scope and a reply, and nothing else: no socket, no
//! connection, no clock but the scope's. It may be run again after a gather, so it must have no
//! effect outside its scope and its reply; what it wrote to the reply is then taken back.

use dwell_engine::{BatchOptions, Error, Eviction, Gathered, NamespaceId, Scope, Stop};
use dwell_wire::{Arguments, Reply};

use crate::counters::Counters;
use crate::cursors::Cursors;
use crate::errand::Carried;
use crate::house::House;
use crate::lazy_turn::LazyTurn;
use crate::session::Session;

/// A command on keys: `src/commands/<family>/<command>.rs` has one as `pub fn run`.
///
/// `Ok` means that the whole reply was written. `Err(Stop::Fail(error))` is answered as
/// `-<wire> <message>`; whatever was written to the reply before is taken back, and so is what was
/// done in the scope. Any other stop is passed through with `?`.
pub type DataFn = fn(&mut Call<'_, '_>) -> Result<(), Stop>;

/// A command about the connection itself, which needs no engine.
pub type SessionFn = fn(&mut SessionCall<'_>) -> Result<(), Error>;

/// A command of the transaction family, which needs the connection and the engine.
pub type TransactionFn = fn(&mut TransactionCall<'_, '_>) -> Result<(), Pause>;

/// Why a command of the transaction family cannot be answered now.
pub enum Pause {
    /// As the engine says.
    Engine(Stop),
    /// It holds commands that the host must answer first.
    Host,
}

impl From<Stop> for Pause {
    fn from(stop: Stop) -> Self {
        Self::Engine(stop)
    }
}

/// What a data command gets.
pub struct Call<'call, 'turn> {
    /// The words of the command, its name first. Copying it is free, so that
    /// `let args = call.args; let key = &args[1];` leaves the call free for mutable use.
    pub args: Arguments<'call>,
    /// The keyspace, within the batch that this command is part of.
    pub scope: &'call mut Scope<'turn>,
    /// Where the reply goes, bound to the connection's protocol version.
    pub reply: &'call mut Reply,
    /// The namespaces that `SELECT` knows, by number.
    pub databases: &'call [NamespaceId],
    /// The cursors of SCAN, which belong to the whole server.
    pub cursors: &'call Cursors,
    /// The policy of eviction, for commands that tell how a key would be chosen.
    pub eviction: Eviction,
    /// Whether it all has to happen here and now.
    pub is_in_multi: bool,
    /// Where a command leaves the errand that it goes on in later turns, outside MULTI.
    pub errand: Option<&'call mut Carried>,
}

impl Call<'_, '_> {
    /// The namespace of a database's number, if there is one: `COPY … DB n`, `MOVE`.
    pub fn namespace_of(&self, database: i64) -> Option<NamespaceId> {
        self.databases.get(usize::try_from(database).ok()?).copied()
    }
}

/// What a command about the connection gets.
pub struct SessionCall<'call> {
    /// The words of the command, its name first.
    pub args: Arguments<'call>,
    /// The connection, as commands see it.
    pub session: &'call mut Session,
    /// Where the reply goes.
    pub reply: &'call mut Reply,
    /// What all connections share.
    pub house: &'call House,
}

/// What a command of the transaction family gets.
pub struct TransactionCall<'call, 'engine> {
    /// The words of the command, its name first.
    pub args: Arguments<'call>,
    /// The connection, as commands see it.
    pub session: &'call mut Session,
    /// Where the reply goes.
    pub reply: &'call mut Reply,
    /// The engine's lock, taken at the first batch.
    pub turn: &'call mut LazyTurn<'engine>,
    /// What was read from below since the command was first tried.
    pub gathered: &'call mut Gathered,
    /// What all connections share.
    pub house: &'call House,
    /// What is counted.
    pub counters: &'call mut Counters,
}

impl TransactionCall<'_, '_> {
    /// Runs `batch` on the selected database.
    ///
    /// # Errors
    /// What the batch stopped with; nothing of it has happened then.
    pub fn batch<T>(
        &mut self,
        batch: impl FnOnce(&mut Scope<'_>) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let namespace = self.house.databases[self.session.database];
        self.turn.get().batch(namespace, &BatchOptions::default(), self.gathered, batch)
    }
}
