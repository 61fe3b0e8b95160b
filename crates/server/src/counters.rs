//! What the loop has counted, for INFO. Only the loop writes; others ask by message.

use std::time::{Duration, Instant};

use crate::command::{COMMANDS, Command};
use crate::histogram::{Bucket, Histogram};
use crate::slow::{Slow, SlowCall, Stall, StallKind, Stalls};

#[cfg(test)]
mod tests;

/// Calls of one command that are timed together at most.
const CALLS_TOGETHER_MAX: u64 = 64;
/// Kinds of errors that are told apart, as in Redis; a client that invents codes stops here.
const ERRORS_MAX: usize = 128;
/// Where errors beyond that are counted.
const OTHER_ERRORS: &str = "OTHER";

/// What was counted about one command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommandCount {
    /// How often it was answered.
    pub calls: u64,
    /// How long that kept the loop busy, or, of a command that the host runs, the host.
    pub nanoseconds: u64,
    /// How often it was refused before it ran: wrong arity, not authenticated.
    pub rejected: u64,
    /// How often it answered with an error.
    pub failed: u64,
}

/// Everything that only grows.
pub struct Counters {
    /// Connections accepted.
    pub connections_received: u64,
    /// Connections refused for want of room.
    pub connections_rejected: u64,
    /// Commands answered.
    pub commands_processed: u64,
    /// Bytes read.
    pub input_bytes: u64,
    /// Bytes written.
    pub output_bytes: u64,
    /// Replies that were errors.
    pub error_replies: u64,
    /// Clients dropped because they did not read.
    pub dropped_for_output: u64,
    /// What took long.
    pub slow: Slow,
    /// How long the loop may be busy with one thing before that is a stall.
    pub stall_min: Duration,
    /// By place in the table of commands, those of the host's own behind it.
    commands: Vec<CommandCount>,
    /// The same for how long calls took; absent for what was never called.
    histograms: Vec<Option<Histogram>>,
    /// Error replies by their codes.
    errors: Vec<(Box<str>, u64)>,
    running: Option<Running>,
}

/// A run of calls of the same command: the clock is read when the command changes, or now and then,
/// and not for each call, which would cost a tenth of a pipelined GET.
struct Running {
    command: usize,
    calls: u64,
    since: Instant,
    kind: StallKind,
}

/// Counters and states at one moment.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Whether the loop is running.
    pub is_running: bool,
    /// Why not, if it died.
    pub reason: String,
    /// See [`Counters`].
    pub connections_received: u64,
    /// See [`Counters`].
    pub connections_rejected: u64,
    /// See [`Counters`].
    pub commands_processed: u64,
    /// See [`Counters`].
    pub input_bytes: u64,
    /// See [`Counters`].
    pub output_bytes: u64,
    /// See [`Counters`].
    pub error_replies: u64,
    /// See [`Counters`].
    pub dropped_for_output: u64,
    /// Open connections.
    pub clients: usize,
    /// Connections whose command waits.
    pub clients_parked: usize,
    /// Of these, those that wait for a while, because of a pause or of the drain.
    pub clients_delayed: usize,
    /// Bytes received and not executed.
    pub input_waiting_bytes: usize,
    /// Bytes of replies not sent.
    pub output_waiting_bytes: usize,
    /// What each command cost, by name; those that never came are left out.
    pub commands: Vec<(&'static str, CommandCount)>,
    /// Error replies by their codes.
    pub errors: Vec<(Box<str>, u64)>,
}

/// What is known of time at one moment.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// How long the calls of each command took, by name.
    pub latencies: Vec<(&'static str, Vec<Bucket>)>,
    /// The slow calls that are kept, the newest first.
    pub slow_calls: Vec<SlowCall>,
    /// Where the loop stalled.
    pub stalls: Vec<(StallKind, Stalls)>,
}

impl Default for Counters {
    fn default() -> Self {
        Self {
            connections_received: 0,
            connections_rejected: 0,
            commands_processed: 0,
            input_bytes: 0,
            output_bytes: 0,
            error_replies: 0,
            dropped_for_output: 0,
            slow: Slow::default(),
            stall_min: Duration::MAX,
            commands: vec![CommandCount::default(); COMMANDS.len()],
            histograms: vec![None; COMMANDS.len()],
            errors: Vec::new(),
            running: None,
        }
    }
}

impl Counters {
    /// Notes that a command begins.
    pub fn begin(&mut self, command: &Command) {
        self.commands_processed += 1;
        if let Some(running) = &mut self.running
            && running.command == command.index
            && running.calls < CALLS_TOGETHER_MAX
        {
            running.calls += 1;
            return;
        }
        let now = Instant::now();
        self.end(now);
        let kind = if command.is_constant() { StallKind::FastCommand } else { StallKind::Command };
        self.running = Some(Running { command: command.index, calls: 1, since: now, kind });
    }

    /// Notes that the command that began last has to wait: it will begin again.
    pub fn postpone(&mut self) {
        self.commands_processed -= 1;
        if let Some(running) = &mut self.running {
            running.calls -= 1;
        }
    }

    /// Notes that the command that began last has ended, and none follows at once; tells how long
    /// it took, together with those before it that it was not timed apart from.
    pub fn end(&mut self, now: Instant) -> Duration {
        self.end_since(now, None)
    }

    /// The same for a command that had been read at `read`, and has waited since.
    pub fn end_since(&mut self, now: Instant, read: Option<Instant>) -> Duration {
        let Some(running) = self.running.take() else { return Duration::ZERO };
        let Running { command, calls, since, kind } = running;
        let busy = now.saturating_duration_since(since);
        let took = read.map_or(busy, |read| now.saturating_duration_since(read));
        self.add(command, calls, busy, took);
        if busy >= self.stall_min {
            self.slow.note_stall(kind, Stall { ended: now, took: busy });
        }
        took
    }

    /// Notes that a command was answered that others than the loop were busy with for so long.
    pub fn answer(&mut self, command: usize, took: Duration) {
        self.commands_processed += 1;
        self.add(command, 1, took, took);
    }

    /// Notes that a command ran as a part of another one, whose time its own is in.
    pub fn count_within(&mut self, command: usize) {
        self.commands_processed += 1;
        self.at(command).calls += 1;
    }

    /// Notes that a command answered with an error, of which the whole line is given.
    pub fn fail(&mut self, command: usize, line: &[u8]) {
        self.note_error(line);
        self.at(command).failed += 1;
    }

    /// Notes that a command was refused before it ran.
    pub fn reject(&mut self, command: Option<usize>, line: &[u8]) {
        self.note_error(line);
        if let Some(command) = command {
            self.at(command).rejected += 1;
        }
    }

    /// Begins anew, as CONFIG RESETSTAT does; what took long stays.
    pub fn reset(&mut self) {
        let slow = std::mem::take(&mut self.slow);
        *self = Self { slow, stall_min: self.stall_min, ..Self::default() };
    }

    /// The counters as facts; states are left at zero.
    pub fn facts(&self, own: &[&'static Command]) -> Facts {
        let commands = self
            .commands
            .iter()
            .zip(names(own))
            .filter(|(count, _)| **count != CommandCount::default())
            .map(|(count, name)| (name, *count))
            .collect();
        Facts {
            is_running: true,
            connections_received: self.connections_received,
            connections_rejected: self.connections_rejected,
            commands_processed: self.commands_processed,
            input_bytes: self.input_bytes,
            output_bytes: self.output_bytes,
            error_replies: self.error_replies,
            dropped_for_output: self.dropped_for_output,
            commands,
            errors: self.errors.clone(),
            ..Facts::default()
        }
    }

    /// What is known of time.
    pub fn recorded(&self, own: &[&'static Command]) -> Recorded {
        let all = self.histograms.iter().zip(names(own));
        let latencies =
            all.filter_map(|(histogram, name)| Some((name, histogram.as_ref()?.buckets())));
        Recorded {
            latencies: latencies.collect(),
            slow_calls: self.slow.calls().cloned().collect(),
            stalls: StallKind::ALL.map(|kind| (kind, self.slow.stalls(kind).clone())).to_vec(),
        }
    }

    fn add(&mut self, command: usize, calls: u64, busy: Duration, took: Duration) {
        let nanoseconds = took.as_nanos() as u64;
        let count = self.at(command);
        count.calls += calls;
        count.nanoseconds += busy.as_nanos() as u64;
        if let Some(each) = nanoseconds.checked_div(calls) {
            self.histograms[command].get_or_insert_default().add(each, calls);
        }
    }

    /// The counts of a command; there is room for the host's own once one of them comes.
    fn at(&mut self, command: usize) -> &mut CommandCount {
        if command >= self.commands.len() {
            self.commands.resize(command + 1, CommandCount::default());
            self.histograms.resize(command + 1, None);
        }
        &mut self.commands[command]
    }

    fn note_error(&mut self, line: &[u8]) {
        self.error_replies += 1;
        let code = line.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        let code = std::str::from_utf8(code).unwrap_or(OTHER_ERRORS);
        let is_room = self.errors.len() < ERRORS_MAX;
        let found = self.errors.iter().position(|(known, _)| **known == *code);
        let code = if found.is_some() || is_room { code } else { OTHER_ERRORS };
        match self.errors.iter_mut().find(|(known, _)| **known == *code) {
            Some((_, count)) => *count += 1,
            None => self.errors.push((code.into(), 1)),
        }
    }
}

/// The names of all commands by their places.
fn names(own: &[&'static Command]) -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|command| command.name).chain(own.iter().map(|command| command.name))
}
