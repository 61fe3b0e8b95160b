//! The door: who is let in, and what those who are not are told.

use std::io::{ErrorKind, Write};
use std::time::Instant;

use mio::event::Source;
use mio::{Interest, Token};

use crate::connection::Connection;
use crate::event_loop::EventLoop;
use crate::listener::in_words;
use crate::notice::Notice;
use crate::session::Session;
use crate::stream::{Peer, Stream};

/// Connections accepted in one turn, so that a crowd at the door does not stop those inside.
const ACCEPTS_PER_TURN: usize = 256;

const FULL: &[u8] = b"-ERR max number of clients reached\r\n";
const DENIED: &[u8] = b"-DENIED Dwell is running in protected mode: no password is set, so only \
    connections from this machine are served. To serve others, set a password with --requirepass \
    or CONFIG SET requirepass, or, if the network is closed to strangers, turn the mode off with \
    --protected-mode no or, from this machine, CONFIG SET protected-mode no.\r\n";

impl EventLoop {
    /// Accepts some of those who wait.
    pub(crate) fn accept(&mut self) {
        let mut left = ACCEPTS_PER_TURN;
        for index in 0..self.listeners.len() {
            while left > 0 && self.listeners[index].is_ready {
                left -= 1;
                match self.listeners[index].accept() {
                    Ok((stream, peer)) => self.admit(stream, peer),
                    Err(error) => self.note_failed_accept(index, &error),
                }
            }
        }
    }

    fn note_failed_accept(&mut self, index: usize, error: &std::io::Error) {
        match error.kind() {
            ErrorKind::Interrupted | ErrorKind::ConnectionAborted => {}
            ErrorKind::WouldBlock => self.listeners[index].is_ready = false,
            _ => {
                // Most likely too many open files; the next tick tries again.
                self.listeners[index].is_ready = false;
                self.listeners[index].is_starved = true;
                self.notices.tell(Notice::AcceptFailed { reason: in_words(error) });
            }
        }
    }

    fn admit(&mut self, mut stream: Stream, peer: Peer) {
        self.counters.connections_received += 1;
        let settings = &self.house.settings;
        if self.clients.len() >= settings.clients_max {
            self.counters.connections_rejected += 1;
            self.notices.tell(Notice::ClientsMax { peer });
            return turn_away(&mut stream, FULL);
        }
        if settings.is_protected && settings.password.is_none() && !peer.is_local() {
            self.counters.connections_rejected += 1;
            self.notices.tell(Notice::Protected { peer });
            return turn_away(&mut stream, DENIED);
        }
        let token = Token(self.clients.next_place());
        let wanted = Interest::READABLE | Interest::WRITABLE;
        if let Err(error) = stream.register(self.poll.registry(), token, wanted) {
            self.notices.tell(Notice::AcceptFailed { reason: in_words(&error) });
            return;
        }
        let session = Session::new(self.clients.next_id(), settings);
        self.clients.insert(Connection::new(stream, peer, session, Instant::now()));
    }
}

/// Says one line; whoever does not hear it at once is closed all the same.
fn turn_away(stream: &mut Stream, line: &[u8]) {
    let _ = stream.write(line);
}
