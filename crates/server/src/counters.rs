//! What the loop has counted, for INFO. Only the loop writes; others ask by message.

use std::time::Instant;

use crate::command::COMMANDS;

/// What was counted about one command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommandCount {
    /// How often it ran.
    pub calls: u64,
    /// How long that took.
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
    /// Commands executed.
    pub commands_processed: u64,
    /// Bytes read.
    pub input_bytes: u64,
    /// Bytes written.
    pub output_bytes: u64,
    /// Replies that were errors.
    pub error_replies: u64,
    /// Clients dropped because they did not read.
    pub dropped_for_output: u64,
    /// By place in the table of commands; the last is for what only the host knows.
    commands: Vec<CommandCount>,
    running: Option<Running>,
}

/// A run of calls of the same command: the clock is read when the command changes and not for each
/// call, which would cost a tenth of a pipelined GET.
struct Running {
    command: usize,
    calls: u64,
    since: Instant,
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
    /// Bytes received and not executed.
    pub input_waiting_bytes: usize,
    /// Bytes of replies not sent.
    pub output_waiting_bytes: usize,
    /// What each command cost, by name; those that never came are left out.
    pub commands: Vec<(&'static str, CommandCount)>,
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
            commands: vec![CommandCount::default(); COMMANDS.len() + 1],
            running: None,
        }
    }
}

impl Counters {
    /// Notes that a command begins, or goes on after it had to wait.
    pub fn begin(&mut self, command: usize, is_new: bool) {
        let calls = u64::from(is_new);
        self.commands_processed += calls;
        if let Some(running) = &mut self.running
            && running.command == command
        {
            running.calls += calls;
            return;
        }
        let now = Instant::now();
        self.end(now);
        self.running = Some(Running { command, calls, since: now });
    }

    /// Notes that the command that began last has ended, and none follows at once.
    pub fn end(&mut self, now: Instant) {
        if let Some(running) = self.running.take() {
            let count = &mut self.commands[running.command];
            count.calls += running.calls;
            count.nanoseconds += now.saturating_duration_since(running.since).as_nanos() as u64;
        }
    }

    /// Notes that a command answered with an error.
    pub fn fail(&mut self, command: usize) {
        self.error_replies += 1;
        self.commands[command].failed += 1;
    }

    /// Notes that a command was refused before it ran.
    pub fn reject(&mut self, command: Option<usize>) {
        self.error_replies += 1;
        if let Some(command) = command {
            self.commands[command].rejected += 1;
        }
    }

    /// The counters as facts; states are left at zero.
    pub fn facts(&self) -> Facts {
        let commands = COMMANDS
            .iter()
            .zip(&self.commands)
            .filter(|(_, count)| **count != CommandCount::default())
            .map(|(command, count)| (command.name, *count))
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
            ..Facts::default()
        }
    }
}
