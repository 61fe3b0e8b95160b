//! One turn of the loop: read every socket that has something, execute all complete commands under
//! one holding of the engine's lock, hand the log over once, send the replies.

use std::time::Instant;

use dwell_engine::Ticket;
use dwell_wire::RequestParser;

use crate::clients::Handle;
use crate::connection::Connection;
use crate::delivery::{Segment, deliver, is_over_limit};
use crate::event_loop::{EventLoop, is_heard};
use crate::execute::{Executed, Executor};
use crate::input::{Arena, Input, Source};
use crate::lazy_turn::LazyTurn;
use crate::lookahead::Ahead;
use crate::notice::Notice;

/// What the turn's reply buffer keeps when a large turn is over.
const REPLY_KEPT_BYTES: usize = 1024 * 1024;

/// One connection's share of a turn.
pub(crate) struct Work {
    pub client: Handle,
    pub source: Source,
}

impl EventLoop {
    /// Reads, executes, hands over, sends.
    pub(crate) fn turn(&mut self) {
        if self.ready.is_empty() {
            return;
        }
        let began = Instant::now();
        self.read(began);
        let ticket = self.execute(began);
        if let Some(ticket) = ticket {
            // Its failure is told by every ticket that it concerns.
            let _ = if ticket.awaits_sync() && self.has_all_clients() {
                self.engine.settle(&ticket)
            } else {
                self.engine.hand_over(&ticket)
            };
        }
        self.send(began);
        self.reply.clear(REPLY_KEPT_BYTES);
        self.arena.clear();
    }

    /// Whether every client waits for this turn: then there is nobody whom an fsync here could
    /// stop, and two changes of threads are saved.
    fn has_all_clients(&self) -> bool {
        self.work.len() == self.clients.len()
    }

    /// Reads once from every connection that has something to do, as far as the turn has room.
    fn read(&mut self, now: Instant) {
        for _ in 0..self.ready.len() {
            if !self.arena.has_room() {
                return;
            }
            let Some(place) = self.ready.pop_front() else { return };
            let Some(connection) = self.clients.at(place) else { continue };
            connection.is_queued = false;
            let is_resumed = connection.parked.is_some();
            let source = if is_resumed || connection.is_finished() || !is_heard(connection) {
                Source::Own
            } else {
                let (source, read_bytes) = self.arena.read(connection);
                if read_bytes > 0 {
                    connection.heard = now;
                    self.counters.input_bytes += read_bytes as u64;
                }
                source
            };
            let client = Handle { place, id: connection.session.id };
            self.work.push(Work { client, source });
        }
    }

    /// Executes what was read, under one lock; returns what the replies must wait for.
    fn execute(&mut self, began: Instant) -> Option<Ticket> {
        let mut executor = Executor {
            turn: LazyTurn::new(&self.engine),
            reply: &mut self.reply,
            house: &self.house,
            counters: &mut self.counters,
            desk: &mut self.desk,
            gatherers: &self.gatherers,
            timers: &mut self.timers,
            notices: &self.notices,
            began,
            until_look: 0,
            is_over: false,
        };
        let mut all: Option<Ticket> = None;
        let mut ahead = 0;
        for (position, Work { client, source }) in self.work.iter().enumerate() {
            if position == ahead {
                let rest = (&self.work[position..], position);
                ahead = self.lookahead.run(rest, &self.arena, &self.clients, &mut executor);
            }
            let Some(connection) = self.clients.get(*client) else { continue };
            let start = executor.reply.mark();
            executor.reply.set_protocol(connection.session.protocol);
            let was_parked = connection.parked.is_some();
            executor.resume(*client, connection);
            let executed = execute_input(
                &mut executor,
                &self.arena,
                &mut self.parser,
                *client,
                connection,
                (source, self.lookahead.of(position)),
            );
            let end = executor.reply.mark();
            let ticket = executor.turn.take_ticket();
            all = all.into_iter().chain(ticket).reduce(Ticket::join);
            if end != start {
                let replies = executed.replies + u32::from(was_parked);
                let place = client.place;
                self.segments.push(Segment { place, start, end, replies, ticket });
            }
        }
        executor.counters.end(Instant::now());
        all
    }

    /// Sends the replies, looks at what they did to their connections, and closes or queues these.
    fn send(&mut self, now: Instant) {
        for segment in &self.segments {
            let Some(connection) = self.clients.at(segment.place) else { continue };
            let delivered = deliver(segment, &self.reply, connection, &self.engine);
            self.counters.output_bytes += delivered.sent_bytes as u64;
            if delivered.is_gated {
                self.gated.push(segment.place);
            }
        }
        self.segments.clear();
        self.want_sync();
        let mut work = std::mem::take(&mut self.work);
        for Work { client, .. } in work.drain(..) {
            self.finish(client, now);
        }
        self.work = work;
    }

    /// Closes a connection that is done with, or queues one that is not.
    fn finish(&mut self, client: Handle, now: Instant) {
        let Some(connection) = self.clients.get(client) else { return };
        let input_bytes = connection.input.as_deref().map_or(0, |input| input.rest.len());
        if input_bytes > self.house.settings.query_bytes_max && !connection.is_doomed {
            connection.is_doomed = true;
            self.notices.tell(Notice::QueryMax { peer: connection.peer });
        }
        if !connection.output.is_empty()
            && let Some(notice) = is_over_limit(connection, &self.house.settings, now)
        {
            self.doom(client.place, notice);
        }
        let Some(connection) = self.clients.get(client) else { return };
        if connection.is_finished() {
            self.clients.remove(client.place);
        } else {
            self.queue(client.place);
        }
    }
}

/// Executes the bytes of one connection, and keeps what is left of them.
fn execute_input(
    executor: &mut Executor<'_>,
    arena: &Arena,
    scratch: &mut RequestParser,
    client: Handle,
    connection: &mut Connection,
    (source, ahead): (&Source, Ahead<'_>),
) -> Executed {
    let mut input = connection.input.take();
    match source {
        Source::Own => {
            let Some(mut input) = input else {
                return Executed { consumed: 0, replies: 0, has_backlog: false };
            };
            let Input { rest, parser, .. } = &mut *input;
            let executed = executor.run(client, connection, (rest, ahead), parser);
            input.has_backlog = executed.has_backlog;
            input.discard(executed.consumed);
            connection.input = Some(input).filter(|input| !input.rest.is_empty());
            executed
        }
        Source::Arena(range) => {
            let buffer = arena.slice(range);
            let parser = input.as_mut().map_or(&mut *scratch, |input| &mut input.parser);
            if !ahead.is_empty() {
                // What it has understood of the first of them is not asked for.
                parser.reset();
            }
            let executed = executor.run(client, connection, (buffer, ahead), parser);
            let rest = &buffer[executed.consumed..];
            if !rest.is_empty() {
                let mut input = input.unwrap_or_default();
                if scratch.is_within_command() {
                    input.parser = std::mem::take(scratch);
                }
                input.rest.clear();
                input.rest.extend_from_slice(rest);
                input.has_backlog = executed.has_backlog;
                connection.input = Some(input);
            }
            executed
        }
    }
}
