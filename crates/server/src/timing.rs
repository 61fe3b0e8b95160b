//! What is noted when a command has been answered: that it was, how long it took, whether it
//! failed, and, if it was slow, what it was.

use std::time::{Duration, Instant};

use dwell_wire::Arguments;
use dwell_wire::reply::Mark;

use crate::command::Command;
use crate::connection::Connection;
use crate::execute::Executor;
use crate::park::Parked;
use crate::slow::{SlowCall, kept_words};
use crate::stream::Peer;

impl Executor<'_> {
    /// Notes that the command that began last has its reply, from `mark` on; `since` is when it was
    /// found that it has to wait, if it had to.
    pub(crate) fn note_reply(
        &mut self,
        connection: &Connection,
        (command, args): (&'static Command, Arguments<'_>),
        mark: Mark,
        since: Option<Instant>,
    ) {
        self.note_failure(command, mark);
        // A slow one is not looked for among these, so that most calls cost no look at the clock.
        if command.is_constant() && since.is_none() && !self.house.settings.times_each_call() {
            return;
        }
        let now = Instant::now();
        let took = self.counters.end_since(now, since);
        self.note_slow(connection, (command, args), took, now);
    }

    /// The same for a command that others than the loop have answered.
    pub(crate) fn note_answer(&mut self, connection: &Connection, parked: &Parked, mark: Mark) {
        let (command, args) = (parked.command, parked.arguments.view());
        let now = Instant::now();
        let since = parked.tried.since.unwrap_or(now);
        let took = now.saturating_duration_since(since);
        self.counters.answer(command.index, took);
        self.note_failure(command, mark);
        self.note_slow(connection, (command, args), took, now);
    }

    fn note_failure(&mut self, command: &Command, mark: Mark) {
        if let Some((b'-', line)) =
            self.reply.bytes().get(mark.bytes..).and_then(<[u8]>::split_first)
        {
            self.counters.fail(command.index, line);
        }
    }

    fn note_slow(
        &mut self,
        connection: &Connection,
        (command, args): (&Command, Arguments<'_>),
        took: Duration,
        now: Instant,
    ) {
        let settings = &self.house.settings;
        let is_slow = |slow_us| took.as_micros() >= u128::from(slow_us);
        if !settings.slow_us.is_some_and(is_slow) {
            return;
        }
        let address = match connection.peer {
            Peer::Tcp(address) => Some(address),
            Peer::Unix => None,
        };
        let call = SlowCall {
            id: 0,
            ended: now,
            took,
            words: kept_words(command, args),
            client: connection.session.id,
            address,
            name: connection.session.name.as_deref().unwrap_or_default().to_owned(),
        };
        self.counters.slow.note(call, settings.slow_calls_max);
    }
}
