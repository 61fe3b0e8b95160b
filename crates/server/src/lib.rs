//! The transport of Dwell: one event loop that speaks RESP over TCP and Unix sockets, dispatches
//! commands, and sends their replies. It owns sockets and connections; it must not know how values
//! are kept (the engine's), how bytes are spelled (wire's) or Python (the host's).
//!
//! Keeps INV-05 (nothing a client sends stops the process) and INV-06 (one client cannot stop
//! another).
//!
//! To read it: `event_loop`, then `turn`, then `execute`, which is what happens in a turn to one
//! connection, then any `commands/<family>/<command>.rs`. `server` is the outside.
#![forbid(unsafe_code)]

mod accept;
pub mod admin;
mod call;
pub mod clients;
mod command;
mod commands;
mod connection;
mod control;
pub mod counters;
mod cursors;
mod delivery;
mod dispatch;
mod errand;
mod event_loop;
mod execute;
pub mod histogram;
mod house;
mod input;
mod lazy_turn;
mod listener;
mod lookahead;
mod messages;
mod name_hash;
pub mod notice;
mod output;
mod park;
mod server;
mod session;
mod settings;
pub mod slow;
mod spin;
pub mod stream;
mod timers;
mod timing;
mod transaction;
mod turn;
mod upkeep;

pub use admin::AdminRequest;
pub use clients::ClientFacts;
pub use counters::{Facts, Recorded};
pub use dwell_wire::Value as ReplyValue;
pub use notice::{Notice, Notices};
pub use server::Server;
pub use settings::{Bind, HostCommand, ServerSettings};
