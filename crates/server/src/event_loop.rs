//! The one thread that owns all sockets. A turn of it: wait for events, read every socket that has
//! something, execute all complete commands under one holding of the engine's lock, hand the log
//! over once, send the replies.
//!
//! Nothing here waits for anything but the poll: reads from below, the log's fsync and the host
//! are waited for elsewhere and come back as messages (INV-06).

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use dwell_engine::{Engine, Ticket};
use dwell_wire::{Reply, RequestParser, Value};
use mio::event::Event;
use mio::{Events, Poll, Token, Waker};

use crate::admin::{Asker, Desk};
use crate::clients::{Clients, Handle, awaits_host, facts};
use crate::connection::Connection;
use crate::control::{Control, Mailbox};
use crate::counters::{Counters, Facts};
use crate::delivery::{Segment, deliver, flush, is_over_limit, settle};
use crate::execute::{Executed, Executor, OUTPUT_THROTTLE_BYTES};
use crate::house::House;
use crate::input::{Arena, Input, Source};
use crate::listener::Listener;
use crate::notice::{Notice, Notices};
use crate::park::{Gatherers, Wait};
use crate::timers::{TICKS_PER_ROUND, Timers};
use crate::turn::LazyTurn;

/// Events that one poll tells.
const EVENTS_MAX: usize = 1024;
/// The waker's token; clients have their places, listeners count down from here.
const WAKER: Token = Token(usize::MAX);
/// What the turn's reply buffer keeps when a large turn is over.
const REPLY_KEPT_BYTES: usize = 1024 * 1024;
/// How long a stop waits for clients to take their last replies.
const STOP_TIME_MAX: Duration = Duration::from_secs(5);

/// The loop and everything that it owns.
pub struct EventLoop {
    pub(crate) poll: Poll,
    engine: Engine,
    pub(crate) house: House,
    pub(crate) listeners: Vec<Listener>,
    pub(crate) clients: Clients,
    pub(crate) counters: Counters,
    pub(crate) notices: Notices,
    messages: Receiver<Control>,
    gatherers: Gatherers,
    desk: Desk,
    timers: Timers,
    tick: usize,
    /// Connections that have something to do, first come first served.
    ready: VecDeque<usize>,
    /// Connections whose replies wait for the log.
    gated: Vec<usize>,
    arena: Arena,
    parser: RequestParser,
    reply: Reply,
    segments: Vec<Segment>,
    work: Vec<Work>,
    stop_until: Option<Instant>,
}

/// One connection's share of a turn.
struct Work {
    client: Handle,
    source: Source,
}

impl EventLoop {
    /// A loop that has yet to run, and the mailbox through which it is told things.
    ///
    /// # Errors
    /// Those of the poll.
    pub fn new(
        engine: Engine,
        house: House,
        mut listeners: Vec<Listener>,
        desk: Desk,
        notices: Notices,
    ) -> io::Result<(Self, Arc<Mailbox>)> {
        let poll = Poll::new()?;
        let waker = Arc::new(Waker::new(poll.registry(), WAKER)?);
        let (mailbox, messages) = Mailbox::new(waker);
        for (index, listener) in listeners.iter_mut().enumerate() {
            listener.register(poll.registry(), Token(WAKER.0 - 1 - index))?;
        }
        let synced = Arc::clone(&mailbox);
        engine.on_synced(Box::new(move || synced.post(Control::Synced)));
        let event_loop = Self {
            poll,
            gatherers: Gatherers::start(&engine, &mailbox),
            engine,
            house,
            listeners,
            clients: Clients::default(),
            counters: Counters::default(),
            notices,
            messages,
            desk,
            timers: Timers::new(Instant::now()),
            tick: 0,
            ready: VecDeque::new(),
            gated: Vec::new(),
            arena: Arena::new(),
            parser: RequestParser::new(),
            reply: Reply::default(),
            segments: Vec::new(),
            work: Vec::new(),
            stop_until: None,
        };
        Ok((event_loop, mailbox))
    }

    /// Runs until it is told to stop.
    ///
    /// # Errors
    /// Those of the poll.
    pub fn run(&mut self) -> io::Result<()> {
        let mut events = Events::with_capacity(EVENTS_MAX);
        while !self.has_stopped() {
            match self.poll.poll(&mut events, Some(self.patience())) {
                Err(error) if error.kind() != ErrorKind::Interrupted => return Err(error),
                _ => {}
            }
            for event in &events {
                self.note(event);
            }
            self.take_messages();
            self.take_due();
            self.accept();
            self.turn();
        }
        Ok(())
    }

    /// How long the poll may sleep.
    fn patience(&self) -> Duration {
        let is_busy = !self.ready.is_empty() || self.listeners.iter().any(|it| it.is_ready);
        if is_busy { Duration::ZERO } else { self.timers.wait(Instant::now()) }
    }

    fn note(&mut self, event: &Event) {
        let token = event.token();
        if token == WAKER {
            return;
        }
        if let Some(listener) = self.listeners.get_mut(WAKER.0 - 1 - token.0) {
            listener.is_ready = true;
            return;
        }
        let Some(connection) = self.clients.at(token.0) else { return };
        connection.is_readable |= event.is_readable() || event.is_error();
        connection.is_hung_up |= event.is_read_closed();
        let is_writable = event.is_writable() || event.is_error();
        if is_writable && !connection.output.is_empty() {
            self.counters.output_bytes += flush(connection) as u64;
        }
        self.queue(token.0);
    }

    /// Gives a connection a place in the next turn, if it has something to do there.
    fn queue(&mut self, place: usize) {
        let Some(connection) = self.clients.at(place) else { return };
        if !connection.is_queued && has_work(connection) {
            connection.is_queued = true;
            self.ready.push_back(place);
        }
    }

    fn take_messages(&mut self) {
        while let Ok(message) = self.messages.try_recv() {
            match message {
                Control::Gathered { client, result } => {
                    self.end_wait(client, |parked| match result {
                        Ok(gathered) => {
                            parked.tried.gathered = gathered;
                            parked.wait = Wait::Ready;
                        }
                        Err(error) => parked.wait = Wait::Failed(error),
                    });
                }
                Control::Synced => self.settle_gated(),
                Control::Answer { id, value } => {
                    if let Some(asker) = self.desk.take(id) {
                        self.answer(asker, value);
                    }
                }
                Control::Adjust(change) => change(&mut self.house.settings),
                Control::Kill(ids, told) => {
                    let count = self.kill(&ids);
                    let _ = told.send(count);
                }
                Control::Clients(told) => {
                    let now = Instant::now();
                    let all = self.clients.iter().map(|(_, connection)| facts(connection, now));
                    let _ = told.send(all.collect());
                }
                Control::Facts(told) => {
                    let _ = told.send(self.facts());
                }
                Control::Stop => self.stop(),
            }
        }
    }

    /// Notes that what a connection waited for has come.
    fn end_wait(&mut self, client: Handle, note: impl FnOnce(&mut crate::park::Parked)) {
        if let Some(parked) = self.clients.get(client).and_then(|it| it.parked.as_deref_mut()) {
            note(parked);
            self.queue(client.place);
        }
    }

    /// Brings the host's answer to the command that waits for it.
    fn answer(&mut self, asker: Asker, value: Option<Value>) {
        let Some(place) = asker.place else {
            return self.end_wait(asker.client, |parked| parked.wait = Wait::Answered(value));
        };
        let Some(connection) = self.clients.get(asker.client) else { return };
        let Some(transaction) = &mut connection.session.transaction else { return };
        if let Some(queued) = transaction.queued.get_mut(place) {
            queued.answer = Some(value.unwrap_or(Value::Null));
        }
        if !transaction.awaits_host() {
            self.end_wait(asker.client, |parked| parked.wait = Wait::Ready);
        }
    }

    fn settle_gated(&mut self) {
        for place in std::mem::take(&mut self.gated) {
            let Some(connection) = self.clients.at(place) else { continue };
            let delivered = settle(connection, &self.engine);
            self.counters.output_bytes += delivered.sent_bytes as u64;
            if delivered.is_gated {
                self.gated.push(place);
            }
            self.queue(place);
        }
        self.want_sync();
    }

    /// Has the log synced if replies wait for that; one fsync serves all of them.
    fn want_sync(&self) {
        if !self.gated.is_empty() {
            self.engine.want_sync();
        }
    }

    /// Closes clients behind the answer that is due; tells how many there were.
    fn kill(&mut self, ids: &[u64]) -> usize {
        let found: Vec<usize> = self
            .clients
            .iter()
            .filter(|(_, connection)| ids.contains(&connection.session.id))
            .map(|(place, _)| place)
            .collect();
        for place in &found {
            let Some(connection) = self.clients.at(*place) else { continue };
            if awaits_host(connection) {
                connection.session.is_closing = true;
            } else {
                connection.is_doomed = true;
                self.queue(*place);
            }
        }
        found.len()
    }

    fn facts(&self) -> Facts {
        let mut facts = self.counters.facts();
        facts.clients = self.clients.len();
        for (_, connection) in self.clients.iter() {
            facts.clients_parked += usize::from(connection.parked.is_some());
            facts.input_waiting_bytes +=
                connection.input.as_deref().map_or(0, |input| input.rest.len());
            facts.output_waiting_bytes += connection.output.waiting_bytes();
        }
        facts
    }

    /// Does what is due by the clock.
    fn take_due(&mut self) {
        let now = Instant::now();
        while let Some(client) = self.timers.take_due(now) {
            self.end_wait(client, |parked| parked.wait = Wait::Ready);
        }
        if !self.timers.take_tick(now) {
            return;
        }
        while let Some(asker) = self.desk.take_late(now) {
            let error = Value::Error(b"BUSY the command took too long and was given up".to_vec());
            self.answer(asker, Some(error));
        }
        for listener in &mut self.listeners {
            // What failed for want of descriptors may be possible now.
            listener.is_ready |= std::mem::take(&mut listener.is_starved);
        }
        self.tick = (self.tick + 1) % TICKS_PER_ROUND;
        for place in (self.tick..self.clients.places()).step_by(TICKS_PER_ROUND) {
            self.look_at(place, now);
        }
    }

    /// Closes a client that has been silent, or has not read, for too long.
    fn look_at(&mut self, place: usize, now: Instant) {
        let Some(connection) = self.clients.at(place) else { return };
        let settings = &self.house.settings;
        let over = is_over_limit(connection, settings, now);
        let idle_max = Duration::from_secs(settings.idle_timeout_s);
        let is_idle = settings.idle_timeout_s > 0
            && connection.parked.is_none()
            && now.saturating_duration_since(connection.heard) > idle_max;
        let notice = over.or(is_idle.then_some(Notice::Idle { peer: connection.peer }));
        if let Some(notice) = notice {
            self.doom(place, notice);
        }
        if self.stop_until.is_some_and(|until| now >= until) {
            self.clients.remove(place);
        }
    }

    /// Tells why a connection must go, and lets the next turn close it.
    fn doom(&mut self, place: usize, notice: Notice) {
        if let Some(connection) = self.clients.at(place) {
            connection.is_doomed = true;
            self.counters.dropped_for_output +=
                u64::from(matches!(notice, Notice::OutputMax { .. }));
            self.notices.tell(notice);
            self.queue(place);
        }
    }

    /// Reads, executes, hands over, sends.
    fn turn(&mut self) {
        if self.ready.is_empty() {
            return;
        }
        let began = Instant::now();
        self.read(began);
        let ticket = self.execute(began);
        if let Some(ticket) = ticket {
            // Its failure is told by every ticket that it concerns.
            let _ = self.engine.hand_over(&ticket);
        }
        self.send(began);
        self.reply.clear(REPLY_KEPT_BYTES);
        self.arena.clear();
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
        for Work { client, source } in &self.work {
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
                source,
            );
            let end = executor.reply.mark();
            let ticket = executor.turn.take_ticket();
            if end != start {
                all = all.into_iter().chain(ticket).reduce(Ticket::join);
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

    /// Accepts nobody any more, and lets every client have what is due to it.
    fn stop(&mut self) {
        self.listeners.clear();
        self.stop_until = Some(Instant::now() + STOP_TIME_MAX);
        for place in 0..self.clients.places() {
            let Some(connection) = self.clients.at(place) else { continue };
            connection.session.is_closing = true;
            if awaits_host(connection) {
                // The host is who stops us.
                connection.parked = None;
            }
            if connection.is_finished() {
                self.clients.remove(place);
            }
        }
    }

    fn has_stopped(&self) -> bool {
        self.stop_until.is_some() && self.clients.is_empty()
    }
}

/// Whether the connection may be read, or has been read but not executed.
fn is_heard(connection: &Connection) -> bool {
    let has_backlog = connection.input.as_deref().is_some_and(|input| input.has_backlog);
    !connection.session.is_closing && (connection.is_readable || has_backlog)
}

/// Whether a turn would find something to do for this connection.
fn has_work(connection: &Connection) -> bool {
    match &connection.parked {
        _ if connection.is_finished() => true,
        Some(parked) => parked.wait.is_over(),
        // A client that does not read its replies is not listened to.
        None => is_heard(connection) && connection.output.waiting_bytes() <= OUTPUT_THROTTLE_BYTES,
    }
}

/// Executes the bytes of one connection, and keeps what is left of them.
fn execute_input(
    executor: &mut Executor<'_>,
    arena: &Arena,
    scratch: &mut RequestParser,
    client: Handle,
    connection: &mut Connection,
    source: &Source,
) -> Executed {
    let mut input = connection.input.take();
    match source {
        Source::Own => {
            let Some(mut input) = input else {
                return Executed { consumed: 0, replies: 0, has_backlog: false };
            };
            let Input { rest, parser, .. } = &mut *input;
            let executed = executor.run(client, connection, rest, parser);
            input.has_backlog = executed.has_backlog;
            input.discard(executed.consumed);
            connection.input = Some(input).filter(|input| !input.rest.is_empty());
            executed
        }
        Source::Arena(range) => {
            let buffer = arena.slice(range);
            let parser = input.as_mut().map_or(&mut *scratch, |input| &mut input.parser);
            let executed = executor.run(client, connection, buffer, parser);
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
