//! What all connections of a server share and commands may look at.

use dwell_engine::NamespaceId;

use crate::command::Command;
use crate::cursors::Cursors;
use crate::settings::ServerSettings;

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
}
