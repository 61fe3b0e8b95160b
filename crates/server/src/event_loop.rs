//! The one thread that owns all sockets: what it holds, and the order in which it does things.
//!
//! `accept` lets clients in, `messages` and `upkeep` do what others and the clock ask for, `turn`
//! serves the clients. Nothing here waits for anything but the poll: reads from below, the log's
//! fsync and the host are waited for elsewhere and come back as messages (INV-06). The exception
//! is an fsync that all clients wait for (decision 0014).

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use dwell_engine::Engine;
use dwell_wire::{Reply, RequestParser};
use mio::event::Event;
use mio::{Events, Poll, Token, Waker};

use crate::admin::Desk;
use crate::clients::Clients;
use crate::connection::Connection;
use crate::control::{Control, Mailbox};
use crate::counters::Counters;
use crate::delivery::{Segment, flush};
use crate::execute::OUTPUT_THROTTLE_BYTES;
use crate::house::House;
use crate::input::Arena;
use crate::listener::Listener;
use crate::lookahead::Lookahead;
use crate::notice::Notices;
use crate::park::Gatherers;
use crate::spin::{SPIN_CLIENTS_MAX, Spin};
use crate::timers::Timers;
use crate::turn::Work;

/// Events that one poll tells.
const EVENTS_MAX: usize = 1024;
/// The waker's token; clients have their places, listeners count down from here.
const WAKER: Token = Token(usize::MAX);

/// The loop and everything that it owns.
pub struct EventLoop {
    pub(crate) poll: Poll,
    pub(crate) engine: Engine,
    pub(crate) house: House,
    pub(crate) listeners: Vec<Listener>,
    pub(crate) clients: Clients,
    pub(crate) counters: Counters,
    pub(crate) notices: Notices,
    pub(crate) messages: Receiver<Control>,
    pub(crate) gatherers: Gatherers,
    pub(crate) desk: Desk,
    pub(crate) timers: Timers,
    /// The place that was looked at last, in turn.
    pub(crate) looked_at: usize,
    /// Connections that have something to do, first come first served.
    pub(crate) ready: VecDeque<usize>,
    /// Connections whose replies wait for the log.
    pub(crate) gated: Vec<usize>,
    /// Where a turn reads to.
    pub(crate) arena: Arena,
    /// What reads the requests of all connections that are not in the middle of one.
    pub(crate) parser: RequestParser,
    pub(crate) lookahead: Lookahead,
    spin: Spin,
    /// Where a turn writes its replies.
    pub(crate) reply: Reply,
    /// Whose they are.
    pub(crate) segments: Vec<Segment>,
    /// The connections of a turn.
    pub(crate) work: Vec<Work>,
    /// When a stop has waited long enough.
    pub(crate) stop_until: Option<Instant>,
}

impl EventLoop {
    /// A loop that has yet to run, and the mailbox through which it is told things.
    ///
    /// # Errors
    /// Those of the system: no poll, or no threads.
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
            gatherers: Gatherers::start(&engine, &mailbox)?,
            engine,
            house,
            listeners,
            clients: Clients::default(),
            counters: Counters::default(),
            notices,
            messages,
            desk,
            timers: Timers::new(Instant::now()),
            looked_at: 0,
            ready: VecDeque::new(),
            gated: Vec::new(),
            arena: Arena::new(),
            parser: RequestParser::new(),
            lookahead: Lookahead::default(),
            spin: Spin::default(),
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
            self.wait(&mut events)?;
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

    /// Waits for events: awake for as long as that has been worth it, then asleep.
    fn wait(&mut self, events: &mut Events) -> io::Result<()> {
        let patience = self.patience();
        // Among many clients a little sleep brings more of them into one turn, which is cheaper.
        let is_worth_it = !patience.is_zero() && self.clients.len() <= SPIN_CLIENTS_MAX;
        let budget = if is_worth_it { self.spin.budget() } else { Duration::ZERO };
        if !budget.is_zero() {
            let began = Instant::now();
            let mut has_found = false;
            while !has_found && began.elapsed() < budget {
                self.ask(events, Duration::ZERO)?;
                has_found = !events.is_empty();
            }
            self.spin.learn(has_found);
            if has_found {
                return Ok(());
            }
        }
        self.ask(events, patience)
    }

    fn ask(&mut self, events: &mut Events, patience: Duration) -> io::Result<()> {
        match self.poll.poll(events, Some(patience)) {
            Err(error) if error.kind() != ErrorKind::Interrupted => Err(error),
            _ => Ok(()),
        }
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
    pub(crate) fn queue(&mut self, place: usize) {
        let Some(connection) = self.clients.at(place) else { return };
        if !connection.is_queued && has_work(connection) {
            connection.is_queued = true;
            self.ready.push_back(place);
        }
    }

    fn has_stopped(&self) -> bool {
        self.stop_until.is_some() && self.clients.is_empty()
    }
}

/// Whether the connection may be read, or has been read but not executed.
pub(crate) fn is_heard(connection: &Connection) -> bool {
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
