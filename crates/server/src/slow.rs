//! What took long: the last slow calls, for SLOWLOG, and the last stalls of the loop, for LATENCY.
//! Both are bounded. Moments are the monotonic clock's; whoever tells them knows the date.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use dwell_wire::Arguments;

use crate::command::Command;

#[cfg(test)]
mod tests;

/// Words of a call that are kept, as in Redis; what follows is counted.
const WORDS_MAX: usize = 32;
/// Bytes of a word that are kept, as in Redis.
const WORD_BYTES_MAX: usize = 128;
/// Stalls of one kind that are kept, as in Redis.
const STALLS_MAX: usize = 160;
const REDACTED: &[u8] = b"(redacted)";

/// A call that took longer than the bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlowCall {
    /// Its number; numbers only grow.
    pub id: u64,
    /// When it was answered.
    pub ended: Instant,
    /// From when it was read until it was answered: waiting for disk or host is part of it.
    pub took: Duration,
    /// Its words, the beginnings of the first ones, without passwords.
    pub words: Vec<Vec<u8>>,
    /// The client, by number.
    pub client: u64,
    /// Where the client is; `None` through the Unix socket.
    pub address: Option<std::net::SocketAddr>,
    /// What the client calls itself.
    pub name: String,
}

/// A time in which the loop served nobody else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stall {
    /// When it ended.
    pub ended: Instant,
    /// How long it was.
    pub took: Duration,
}

/// Why the loop stalled, under Redis's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StallKind {
    /// One command, whose cost follows what it is asked for.
    Command,
    /// Commands of constant cost, together; the machine had something else to do.
    FastCommand,
}

/// The stalls of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stalls {
    /// The last ones, the oldest first.
    pub last: VecDeque<Stall>,
    /// The longest ever since they were forgotten.
    pub longest: Duration,
}

/// Slow calls and stalls.
#[derive(Debug, Default)]
pub struct Slow {
    calls: VecDeque<SlowCall>,
    next_id: u64,
    stalls: [Stalls; 2],
}

impl StallKind {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 2] = [Self::Command, Self::FastCommand];

    /// Redis's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::FastCommand => "fast-command",
        }
    }
}

impl Slow {
    /// Keeps a call, under a number of its own, and forgets the oldest beyond the bound.
    pub fn note(&mut self, call: SlowCall, calls_max: usize) {
        self.calls.push_front(SlowCall { id: self.next_id, ..call });
        self.next_id += 1;
        self.calls.truncate(calls_max);
    }

    /// The calls that are kept, the newest first.
    pub fn calls(&self) -> impl Iterator<Item = &SlowCall> {
        self.calls.iter()
    }

    /// Forgets the calls; their numbers are not used again.
    pub fn forget_calls(&mut self) {
        self.calls.clear();
    }

    /// Keeps a stall.
    pub fn note_stall(&mut self, kind: StallKind, stall: Stall) {
        let stalls = &mut self.stalls[kind as usize];
        if stalls.last.len() == STALLS_MAX {
            stalls.last.pop_front();
        }
        stalls.last.push_back(stall);
        stalls.longest = stalls.longest.max(stall.took);
    }

    /// The stalls of a kind.
    pub fn stalls(&self, kind: StallKind) -> &Stalls {
        &self.stalls[kind as usize]
    }

    /// Forgets the stalls of a kind.
    pub fn forget_stalls(&mut self, kind: StallKind) {
        self.stalls[kind as usize] = Stalls::default();
    }
}

/// The beginnings of a call's first words, with its passwords taken out.
pub fn kept_words(command: &Command, args: Arguments<'_>) -> Vec<Vec<u8>> {
    let all = args.iter().count();
    let kept = if all > WORDS_MAX { WORDS_MAX - 1 } else { all };
    let mut words: Vec<Vec<u8>> = args.iter().take(kept).map(beginning).collect();
    if kept < all {
        words.push(format!("... ({} more arguments)", all - kept).into_bytes());
    }
    for place in secrets(command, args) {
        if let Some(word) = words.get_mut(place) {
            *word = REDACTED.to_vec();
        }
    }
    words
}

fn beginning(word: &[u8]) -> Vec<u8> {
    if word.len() <= WORD_BYTES_MAX {
        return word.to_vec();
    }
    let mut kept = word[..WORD_BYTES_MAX].to_vec();
    kept.extend(format!("... ({} more bytes)", word.len() - WORD_BYTES_MAX).into_bytes());
    kept
}

/// Which words are passwords, or stand where one may.
fn secrets(command: &Command, args: Arguments<'_>) -> Vec<usize> {
    let behind = |marker: &[u8], count: usize| {
        let places = args.iter().enumerate().skip(1);
        let found = places.filter(|(_, word)| word.eq_ignore_ascii_case(marker));
        found.flat_map(|(place, _)| place + 1..=place + count).collect()
    };
    match command.name {
        "auth" => (1..args.len()).collect(),
        "hello" => behind(b"auth", 2),
        "config|set" => behind(b"requirepass", 1),
        _ => Vec::new(),
    }
}
