//! What all connections of a server share and commands may look at.

use std::time::Instant;

use dwell_engine::NamespaceId;
use dwell_wire::RequestLimits;

use crate::command::{Command, Flags};
use crate::cursors::Cursors;
use crate::session::Session;
use crate::settings::ServerSettings;
use crate::transaction::Transaction;

/// A time in which commands wait: `CLIENT PAUSE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    /// When it ends by itself.
    pub until: Instant,
    /// Whether what only reads waits too.
    pub is_for_all: bool,
}

impl Pause {
    /// This pause and a further one together: the longer time, and the more commands.
    pub fn join(self, other: Self) -> Self {
        Self { until: self.until.max(other.until), is_for_all: self.is_for_all || other.is_for_all }
    }

    /// Whether it makes a command wait. What ends it does not, or nobody could.
    pub fn holds(&self, command: &Command, transaction: Option<&Transaction>) -> bool {
        let writes = |command: &Command| command.flags.contains(Flags::WRITE);
        let is_exec_of_writes = || {
            command.name == "exec"
                && transaction.is_some_and(|it| it.queued.iter().any(|it| writes(it.command)))
        };
        let is_meant = self.is_for_all || writes(command) || is_exec_of_writes();
        is_meant && command.name != "client|unpause"
    }
}

/// The server around a connection.
pub struct House {
    /// The settings in force.
    pub settings: ServerSettings,
    /// The namespaces that `SELECT` knows, by number.
    pub databases: Vec<NamespaceId>,
    /// The cursors of SCAN.
    pub cursors: Cursors,
    /// The commands that only the host knows.
    pub own_commands: Vec<&'static Command>,
    /// The pause that clients are in.
    pub pause: Option<Pause>,
}

impl House {
    /// What a client may send as things stand.
    pub fn limits(&self, session: &Session) -> RequestLimits {
        RequestLimits {
            bulk_bytes_max: self.settings.bulk_bytes_max,
            is_authenticated: session.is_authenticated,
            ..RequestLimits::default()
        }
    }
}
