//! The settings of the transport: plain values that the host has read and checked.
//!
//! They can be changed while the server runs, but for the addresses.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

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
    /// A call that takes longer is kept for SLOWLOG; never if absent.
    pub slow_us: Option<u64>,
    /// How many of them are kept.
    pub slow_calls_max: usize,
    /// A stall of the loop that is kept for LATENCY; 0 for none.
    pub stall_ms: u64,
    /// The version of Redis that clients are told.
    pub redis_version: String,
    /// The engine's policy of eviction, for `OBJECT`.
    pub eviction: Eviction,
}

/// A command of constant cost does not take as long by itself, so that it need not be timed alone.
const CONSTANT_US_MAX: u64 = 1000;

impl ServerSettings {
    /// How long the loop must be busy with one thing for that to be a stall.
    pub fn stall_min(&self) -> Duration {
        if self.stall_ms == 0 { Duration::MAX } else { Duration::from_millis(self.stall_ms) }
    }

    /// Whether every call must be timed by itself, because any of them may be slow: what asking the
    /// clock for each one costs, whoever set such a bound has asked for.
    pub fn times_each_call(&self) -> bool {
        self.slow_us.is_some_and(|slow_us| slow_us < CONSTANT_US_MAX)
    }
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
            slow_us: Some(10_000),
            slow_calls_max: 128,
            stall_ms: 0,
            redis_version: "7.0.15".to_owned(),
            eviction: Eviction::None,
        }
    }
}
