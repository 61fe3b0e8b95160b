//! The settings of the transport: plain values that the host has read and checked.
//!
//! They can be changed while the server runs, but for the addresses.

use std::net::SocketAddr;
use std::path::PathBuf;

use dwell_engine::Eviction;

/// An address to listen on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bind {
    /// Where; port 0 takes a free one.
    pub address: SocketAddr,
    /// Whether the server must not start without it. An address that the machine does not have may
    /// be left out otherwise, as Redis leaves out `-::*`.
    pub is_required: bool,
}

/// A command that a user has added to the host, and what the dispatch must know of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostCommand {
    /// Lower case.
    pub name: String,
    /// Number of words with the name; `-n` means at least `n`.
    pub arity: i32,
    /// Whether it only reads, and so may stand inside MULTI.
    pub is_readonly: bool,
}

/// Everything that the transport can be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerSettings {
    /// TCP addresses; fixed at the start.
    pub binds: Vec<Bind>,
    /// A Unix stream socket; fixed at the start.
    pub unix_path: Option<PathBuf>,
    /// Permissions of that socket, as `chmod` takes them; those of the process's mask if absent.
    pub unix_mode: Option<u32>,
    /// Connections that the kernel keeps until they are accepted; fixed at the start.
    pub backlog: i32,
    /// Databases that `SELECT` knows; fixed at the start.
    pub databases: usize,
    /// Clients at once; one more is told so and closed.
    pub clients_max: usize,
    /// A client that has been silent for as long is closed; 0 for never.
    pub idle_timeout_s: u64,
    /// Silence after which the kernel probes a TCP peer; 0 for never.
    pub keepalive_s: u64,
    /// Without a password, whether only loopback peers are served.
    pub is_protected: bool,
    /// What `AUTH` must bring; none for everybody.
    pub password: Option<Vec<u8>>,
    /// Unread replies at which a client is dropped at once; 0 for never.
    pub output_bytes_hard_max: usize,
    /// Unread replies that a client may not exceed for long; 0 for no such bound.
    pub output_bytes_soft_max: usize,
    /// How long, without a break.
    pub output_soft_s: u64,
    /// An unfinished request at which a client is dropped.
    pub query_bytes_max: usize,
    /// Largest bulk in a request.
    pub bulk_bytes_max: usize,
    /// How long a command that the host runs may take.
    pub host_timeout_ms: u64,
    /// Commands that only the host knows; fixed at the start.
    pub host_commands: Vec<HostCommand>,
    /// The version of Redis that clients are told.
    pub redis_version: String,
    /// The engine's policy of eviction, for `OBJECT`.
    pub eviction: Eviction,
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self {
            binds: Vec::new(),
            unix_path: None,
            unix_mode: None,
            backlog: 511,
            databases: 16,
            clients_max: 10_000,
            idle_timeout_s: 0,
            keepalive_s: 300,
            is_protected: true,
            password: None,
            output_bytes_hard_max: 0,
            output_bytes_soft_max: 0,
            output_soft_s: 0,
            query_bytes_max: 1 << 30,
            bulk_bytes_max: 512 << 20,
            host_timeout_ms: 60_000,
            host_commands: Vec::new(),
            redis_version: "7.0.15".to_owned(),
            eviction: Eviction::None,
        }
    }
}
