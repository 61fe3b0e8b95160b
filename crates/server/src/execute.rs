//! Executes the commands of one connection after the other, within one turn of the loop and one
//! holding of the engine's lock. It writes replies and leaves the sending to others.

use std::time::{Duration, Instant};

use dwell_engine::{BatchOptions, Error, ErrorKind, Scope, Stop};
use dwell_wire::reply::Mark;
use dwell_wire::{Arguments, Reply, RequestParser};

use crate::admin::{Asker, Desk};
use crate::call::{Call, DataFn, Pause, SessionCall, TransactionCall};
use crate::clients::{Handle, facts};
use crate::command::{COMMANDS, Command, Flags, Handler};
use crate::connection::Connection;
use crate::counters::Counters;
use crate::dispatch::{Refusal, resolve};
use crate::errand::{Carried, Next};
use crate::house::House;
use crate::lazy_turn::LazyTurn;
use crate::lookahead::Ahead;
use crate::notice::{Notice, Notices};
use crate::park::{GATHERS_MAX, Gatherers, Job, Parked, Tried, Wait};
use crate::session::Hearing;
use crate::timers::Timers;

/// How long the commands of one turn may take together before the rest waits for the next.
const TURN_TIME_MAX: Duration = Duration::from_millis(5);
/// Commands between two looks at the clock.
const COMMANDS_PER_LOOK: u32 = 64;
/// Replies waiting to be sent at which a connection's further commands wait too.
pub const OUTPUT_THROTTLE_BYTES: usize = 1024 * 1024;

/// What executing needs of the loop.
pub struct Executor<'turn> {
    /// The engine's lock, taken when it is needed.
    pub turn: LazyTurn<'turn>,
    /// Where the replies of this turn go, one connection behind the other.
    pub reply: &'turn mut Reply,
    /// What all connections share.
    pub house: &'turn House,
    /// What is counted.
    pub counters: &'turn mut Counters,
    /// Where commands for the host are handed up.
    pub desk: &'turn mut Desk,
    /// Who reads from below.
    pub gatherers: &'turn Gatherers,
    /// What is to be tried later.
    pub timers: &'turn mut Timers,
    /// Who is told of what is worth a line in a log.
    pub notices: &'turn Notices,
    /// When the turn began.
    pub began: Instant,
    /// Commands until the clock is looked at again.
    pub until_look: u32,
    /// Whether the turn's time is used up.
    pub is_over: bool,
}

/// What became of a connection's bytes.
pub struct Executed {
    /// How many of them are done with.
    pub consumed: usize,
    /// How many replies were written.
    pub replies: u32,
    /// Whether more complete commands may be among the rest.
    pub has_backlog: bool,
}

/// Runs a data command on a scope; for a batch of one and for EXEC alike.
pub fn data_call(
    run: DataFn,
    args: Arguments<'_>,
    scope: &mut Scope<'_>,
    reply: &mut Reply,
    house: &House,
    errand: Option<&mut Carried>,
) -> Result<(), Stop> {
    let House { databases, cursors, settings, .. } = house;
    let eviction = settings.eviction;
    let is_in_multi = errand.is_none();
    let mut call =
        Call { args, scope, reply, databases, cursors, eviction, is_in_multi, errand: None };
    let Some(carried) = errand else { return run(&mut call) };
    if let Some(errand) = carried {
        if errand.step(&mut call)? == Next::Done {
            *carried = None;
        }
        return Ok(());
    }
    call.errand = Some(carried);
    run(&mut call)
}

/// Writes an error of the engine as clients expect it: a code, a blank, a sentence.
pub fn append_error(reply: &mut Reply, error: &Error) {
    reply.error(&format!("{} {}", error.kind.wire(), error.message));
}

impl Executor<'_> {
    /// Executes the complete commands in `buffer`, until one has to wait or the turn is over.
    pub fn run(
        &mut self,
        client: Handle,
        connection: &mut Connection,
        (buffer, mut ahead): (&[u8], Ahead<'_>),
        parser: &mut RequestParser,
    ) -> Executed {
        let waiting_bytes = connection.output.waiting_bytes();
        let size_bytes_max =
            self.reply.size_bytes() + OUTPUT_THROTTLE_BYTES.saturating_sub(waiting_bytes);
        let mut executed = Executed { consumed: 0, replies: 0, has_backlog: false };
        while !connection.session.is_closing && !connection.is_doomed {
            let is_full = self.reply.size_bytes() > size_bytes_max;
            if connection.parked.is_some() || is_full || self.is_over() {
                executed.has_backlog = executed.consumed < buffer.len();
                return executed;
            }
            let rest = &buffer[executed.consumed..];
            let request = match ahead.next(rest) {
                Some(request) => Ok(Some(request)),
                None => parser.parse(rest, &self.house.limits(&connection.session)),
            };
            match request {
                Ok(None) => return executed,
                Ok(Some(request)) => {
                    executed.consumed += request.consumed;
                    if !request.arguments.is_empty() {
                        let mark = self.reply.mark();
                        self.command(client, connection, request.arguments);
                        executed.replies += u32::from(!self.mute(connection, mark));
                    }
                }
                Err(error) => {
                    self.reply.error(&format!("ERR {error}"));
                    executed.replies += 1;
                    connection.session.is_closing = true;
                    self.notices.tell(Notice::ProtocolError {
                        peer: connection.peer,
                        reason: error.to_string(),
                    });
                }
            }
        }
        // Whatever follows the last word of a connection is not heard.
        executed.consumed = buffer.len();
        executed
    }

    /// Answers a command whose wait is over, perhaps by running it again.
    pub fn resume(&mut self, client: Handle, connection: &mut Connection) {
        let Some(parked) = connection.parked.take() else { return };
        // What is resumed is timed by itself.
        self.counters.end(Instant::now());
        let mark = self.reply.mark();
        match &parked.wait {
            Wait::Answered(None) => {}
            Wait::Answered(Some(value)) => {
                self.reply.value(value);
                self.note_answer(connection, &parked, mark);
            }
            Wait::Failed(error) => {
                append_error(self.reply, error);
                self.note_answer(connection, &parked, mark);
            }
            Wait::Ready => {
                let Parked { command, arguments, tried, .. } = *parked;
                self.dispatch(client, connection, (command, arguments.view()), tried);
            }
            Wait::Elsewhere | Wait::Delay | Wait::Host => connection.parked = Some(parked),
        }
        self.mute(connection, mark);
    }

    /// Takes back the reply of a command that has one, if its client does not want to hear it.
    fn mute(&mut self, connection: &mut Connection, mark: Mark) -> bool {
        let hearing = connection.session.hearing;
        let is_mute = hearing != Hearing::All && connection.parked.is_none();
        if is_mute {
            self.reply.truncate(mark);
            connection.session.hearing = hearing.next();
        }
        is_mute
    }

    /// Whether the turn's time is used up; the clock is not looked at each time.
    fn is_over(&mut self) -> bool {
        if self.until_look > 0 {
            self.until_look -= 1;
        } else {
            self.until_look = COMMANDS_PER_LOOK;
            self.is_over = self.began.elapsed() > TURN_TIME_MAX;
        }
        self.is_over
    }

    fn command(&mut self, client: Handle, connection: &mut Connection, args: Arguments<'_>) {
        let session = &mut connection.session;
        let likely = connection.last_command;
        let command = match resolve(args, likely, session, &self.house.own_commands) {
            Ok(command) => command,
            Err(refusal) => return self.refuse(connection, &refusal),
        };
        connection.last_command = Some(command);
        self.dispatch(client, connection, (command, args), Tried::default());
    }

    /// Queues a command for EXEC, lets it wait for the end of a pause, or runs it.
    fn dispatch(
        &mut self,
        client: Handle,
        connection: &mut Connection,
        (command, args): (&'static Command, Arguments<'_>),
        mut tried: Tried,
    ) {
        let transaction = connection.session.transaction.as_deref_mut();
        if let Some(pause) = self.house.pause
            && pause.holds(command, transaction.as_deref())
            && pause.until > Instant::now()
        {
            tried.since.get_or_insert_with(Instant::now);
            self.timers.delay(client, pause.until);
            let arguments = args.to_owned();
            connection.parked =
                Some(Box::new(Parked { command, arguments, tried, wait: Wait::Delay }));
            return;
        }
        match transaction {
            Some(transaction) if !command.flags.contains(Flags::NEVER_QUEUED) => {
                transaction.queue(command, args.to_owned());
                if transaction.memory_bytes > self.house.settings.query_bytes_max {
                    connection.is_doomed = true;
                }
                self.reply.status("QUEUED");
            }
            _ => self.attempt(client, connection, command, args, tried),
        }
    }

    fn refuse(&mut self, connection: &mut Connection, refusal: &Refusal) {
        self.counters.reject(refusal.command, refusal.text.as_bytes());
        let session = &mut connection.session;
        let command = refusal.command.and_then(|index| COMMANDS.get(index));
        if command.is_some_and(|command| command.name == "exec") {
            // An EXEC ends the transaction even where it is misspelt.
            session.transaction = None;
            session.watched.clear();
            let reason = refusal.text.strip_prefix("ERR ").unwrap_or(&refusal.text);
            let text = format!("EXECABORT Transaction discarded because of: {reason}");
            return self.reply.error(&text);
        }
        if let Some(transaction) = &mut session.transaction {
            transaction.is_broken = true;
        }
        self.reply.error(&refusal.text);
    }

    /// Runs a command to its reply, or parks it.
    fn attempt(
        &mut self,
        client: Handle,
        connection: &mut Connection,
        command: &'static Command,
        args: Arguments<'_>,
        mut tried: Tried,
    ) {
        self.counters.begin(command);
        let mark = self.reply.mark();
        let result = match self.handle(connection, command, args, &mut tried) {
            Ok(()) if tried.errand.is_none() => {
                return self.note_reply(connection, (command, args), mark, tried.since);
            }
            Err(Pause::Engine(Stop::Gather(_))) if tried.gathers == GATHERS_MAX => {
                let text = "the keys of the command keep changing under it";
                Err(Pause::Engine(Stop::Fail(Error::new(ErrorKind::Busy, text))))
            }
            result => result,
        };
        self.reply.truncate(mark);
        if let Err(Pause::Engine(Stop::Fail(error))) = &result {
            append_error(self.reply, error);
            return self.note_reply(connection, (command, args), mark, tried.since);
        }
        tried.since.get_or_insert_with(Instant::now);
        self.park(client, connection, (command, args), tried, result.err());
    }

    /// Has a command wait for what it needs, to begin again when that has come; without a pause it
    /// is on an errand.
    fn park(
        &mut self,
        client: Handle,
        connection: &mut Connection,
        (command, args): (&'static Command, Arguments<'_>),
        tried: Tried,
        pause: Option<Pause>,
    ) {
        self.counters.postpone();
        let arguments = args.to_owned();
        let mut parked = Box::new(Parked { command, arguments, tried, wait: Wait::Host });
        let tried = &mut parked.tried;
        match pause {
            None => {
                parked.wait = Wait::Elsewhere;
                // Each part gathers for itself.
                let Tried { errand, since, .. } = std::mem::take(tried);
                tried.since = since;
                if let Some(errand) = errand {
                    self.gatherers.submit(Job::Work { client, errand });
                }
            }
            Some(Pause::Engine(Stop::Gather(missing))) => {
                parked.wait = Wait::Elsewhere;
                tried.gathers += 1;
                let gathered = std::mem::take(&mut tried.gathered);
                self.gatherers.submit(Job::Gather { client, missing, gathered });
            }
            Some(Pause::Engine(Stop::Delay { ms })) => {
                parked.wait = Wait::Delay;
                self.timers.delay(client, Instant::now() + Duration::from_millis(ms));
            }
            Some(Pause::Host) => self.ask(client, connection, &parked),
            // It has failed, and is not parked.
            Some(Pause::Engine(Stop::Fail(_))) => return,
        }
        connection.parked = Some(parked);
    }

    fn handle(
        &mut self,
        connection: &mut Connection,
        command: &'static Command,
        args: Arguments<'_>,
        tried: &mut Tried,
    ) -> Result<(), Pause> {
        let Self { turn, reply, house, counters, .. } = self;
        let Tried { gathered, errand, .. } = tried;
        let session = &mut connection.session;
        match &command.handler {
            Handler::Data(run) => {
                let namespace = house.databases[session.database];
                turn.get().batch(namespace, &BatchOptions::default(), gathered, |scope| {
                    if session.leaves_accesses {
                        scope.leave_accesses();
                    }
                    data_call(*run, args, scope, reply, house, Some(errand))
                })?;
            }
            Handler::Session(run) => {
                run(&mut SessionCall { args, session, reply, house }).map_err(Stop::Fail)?;
            }
            Handler::Transaction(run) => {
                run(&mut TransactionCall {
                    args,
                    session,
                    reply,
                    turn,
                    gathered,
                    house,
                    counters,
                })?;
            }
            Handler::Host => return Err(Pause::Host),
            Handler::Attack => {
                connection.is_doomed = true;
                self.notices.tell(Notice::Attack { peer: connection.peer });
            }
            // The dispatch lets none of these through.
            Handler::Refused(_) => {}
        }
        Ok(())
    }

    /// Hands a command to the host, or, of an EXEC, those commands that are the host's.
    fn ask(&mut self, client: Handle, connection: &Connection, parked: &Parked) {
        let timeout = Duration::from_millis(self.house.settings.host_timeout_ms);
        let deadline = self.began + timeout;
        let who = || facts(connection, self.began);
        let Some(transaction) = &connection.session.transaction else {
            let asker = Asker { client, place: None };
            return self.desk.ask(asker, who(), parked.arguments.clone(), deadline);
        };
        let queued = transaction.queued.iter().enumerate();
        for (place, queued) in queued.filter(|(_, queued)| queued.awaits_host()) {
            let asker = Asker { client, place: Some(place) };
            self.desk.ask(asker, who(), queued.arguments.clone(), deadline);
        }
    }
}
