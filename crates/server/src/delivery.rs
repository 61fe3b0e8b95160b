//! The way of a turn's replies to their clients: each connection's part is written straight from
//! the turn's buffer, and only what the socket does not take, or what must wait for the log, is
//! kept for the connection.

use std::io::{ErrorKind, Write};
use std::time::{Duration, Instant};

use dwell_engine::{Engine, Error, Settled, Ticket};
use dwell_wire::Reply;
use dwell_wire::reply::Mark;

use crate::connection::Connection;
use crate::execute::append_error;
use crate::notice::Notice;
use crate::output::Replies;
use crate::settings::ServerSettings;

/// The replies of one connection in one turn.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    /// The connection's place.
    pub place: usize,
    /// Where they begin in the turn's buffer.
    pub start: Mark,
    /// Where they end.
    pub end: Mark,
    /// How many there are.
    pub replies: u32,
    /// What they must wait for.
    pub ticket: Option<Ticket>,
}

/// What became of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delivered {
    /// Bytes that left.
    pub sent_bytes: usize,
    /// Whether the connection waits for the log, and did not before.
    pub is_gated: bool,
}

impl Segment {
    fn replies<'a>(&self, reply: &'a Reply) -> Replies<'a> {
        Replies {
            bytes: &reply.bytes()[self.start.bytes..self.end.bytes],
            shared: &reply.shared()[self.start.shared..self.end.shared],
            base: self.start.bytes,
            count: self.replies,
        }
    }
}

/// Sends a segment, or keeps it until it may leave.
pub fn deliver(
    segment: &Segment,
    reply: &Reply,
    connection: &mut Connection,
    engine: &Engine,
) -> Delivered {
    let settled = segment.ticket.map_or(Settled::Yes, |ticket| engine.is_settled(&ticket));
    match settled {
        Settled::Yes => {
            Delivered { sent_bytes: send(segment.replies(reply), connection), is_gated: false }
        }
        Settled::NotYet => {
            let is_gated = connection.output.gate().is_none();
            connection.output.push(segment.replies(reply), segment.ticket);
            Delivered { sent_bytes: 0, is_gated }
        }
        Settled::Failed(error) => {
            let bytes = error_line(&error).repeat(segment.replies as usize);
            let replies = Replies { bytes: &bytes, shared: &[], base: 0, count: segment.replies };
            Delivered { sent_bytes: send(replies, connection), is_gated: false }
        }
    }
}

/// Sends what has become durable; the rest of the connection's replies may still wait.
pub fn settle(connection: &mut Connection, engine: &Engine) -> Delivered {
    while let Some(ticket) = connection.output.gate() {
        match engine.is_settled(ticket) {
            Settled::Yes => connection.output.open_gate(),
            Settled::NotYet => break,
            Settled::Failed(error) => connection.output.fail_gates(&error_line(&error)),
        }
    }
    let sent_bytes = flush(connection);
    Delivered { sent_bytes, is_gated: connection.output.gate().is_some() }
}

/// Sends what waits; a connection that cannot take it any more is doomed.
pub fn flush(connection: &mut Connection) -> usize {
    connection.output.flush(&mut connection.stream).unwrap_or_else(|_| {
        connection.is_doomed = true;
        0
    })
}

/// Whether a client has left more unread than it may, now or for too long.
pub fn is_over_limit(
    connection: &mut Connection,
    settings: &ServerSettings,
    now: Instant,
) -> Option<Notice> {
    let waiting_bytes = connection.output.waiting_bytes();
    let exceeds = |bytes_max: usize| bytes_max > 0 && waiting_bytes > bytes_max;
    if !exceeds(settings.output_bytes_soft_max) {
        connection.over_soft_since = None;
    }
    let is_over_soft = exceeds(settings.output_bytes_soft_max) && {
        let since = *connection.over_soft_since.get_or_insert(now);
        now.saturating_duration_since(since) >= Duration::from_secs(settings.output_soft_s)
    };
    let is_over = is_over_soft || exceeds(settings.output_bytes_hard_max);
    is_over.then_some(Notice::OutputMax { peer: connection.peer, waiting_bytes })
}

/// Sends replies at once as far as the socket takes them, behind what waits already.
fn send(replies: Replies<'_>, connection: &mut Connection) -> usize {
    if !connection.output.is_empty() || !replies.shared.is_empty() {
        connection.output.push(replies, None);
        return flush(connection);
    }
    let sent_bytes = loop {
        match connection.stream.write(replies.bytes) {
            Ok(sent_bytes) => break sent_bytes,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => break 0,
            Err(_) => {
                connection.is_doomed = true;
                return 0;
            }
        }
    };
    if sent_bytes == replies.bytes.len() {
        return sent_bytes;
    }
    let rest = Replies { bytes: &replies.bytes[sent_bytes..], ..replies };
    connection.output.push(rest, None);
    // Until the socket says that it is full, it does not say when it has room again.
    sent_bytes + flush(connection)
}

fn error_line(error: &Error) -> Vec<u8> {
    let mut line = Reply::default();
    append_error(&mut line, error);
    line.bytes().to_vec()
}
