//! One connection: its socket, its session, and what is on the way in either direction.
//!
//! Ten thousand of them may be idle, so what only a busy one needs is in a box that comes and goes.

use std::time::Instant;

use crate::command::Command;
use crate::input::Input;
use crate::output::Output;
use crate::park::Parked;
use crate::session::Session;
use crate::stream::{Peer, Stream};

/// A connection and its state.
#[allow(clippy::struct_excessive_bools, reason = "independent conditions, no states of one thing")]
pub struct Connection {
    /// The socket.
    pub stream: Stream,
    /// Where the client is.
    pub peer: Peer,
    /// What commands see and change.
    pub session: Session,
    /// What was received and not executed yet, if anything.
    pub input: Option<Box<Input>>,
    /// Replies that were not sent yet.
    pub output: Output,
    /// The command that waits for something, if one does; no further one is executed until then.
    pub parked: Option<Box<Parked>>,
    /// When it was accepted.
    pub opened: Instant,
    /// When it last sent something.
    pub heard: Instant,
    /// Since when its output has been above the soft bound without a break.
    pub over_soft_since: Option<Instant>,
    /// The command that it sent last.
    pub last_command: Option<&'static Command>,
    /// Whether the kernel may hold bytes that were not read: readiness is told once.
    pub is_readable: bool,
    /// Whether the peer has ended its side, which only a read of nothing proves.
    pub is_hung_up: bool,
    /// Whether it already waits for its next turn.
    pub is_queued: bool,
    /// Whether it must be closed, whatever it still had to be told.
    pub is_doomed: bool,
}

impl Connection {
    /// A connection that was just accepted.
    pub fn new(stream: Stream, peer: Peer, session: Session, now: Instant) -> Self {
        Self {
            stream,
            peer,
            session,
            input: None,
            output: Output::default(),
            parked: None,
            opened: now,
            heard: now,
            over_soft_since: None,
            last_command: None,
            is_readable: false,
            is_hung_up: false,
            is_queued: false,
            is_doomed: false,
        }
    }

    /// Whether nothing is left to do but to close it.
    pub fn is_finished(&self) -> bool {
        let is_done = self.session.is_closing && self.parked.is_none() && self.output.is_empty();
        self.is_doomed || is_done
    }
}
