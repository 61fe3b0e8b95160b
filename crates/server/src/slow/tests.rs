#![allow(clippy::unwrap_used, missing_docs)]
use std::time::{Duration, Instant};

use dwell_wire::OwnedArguments;

use super::{STALLS_MAX, Slow, SlowCall, Stall, StallKind, kept_words};
use crate::command::{find, find_subcommand};

fn kept(words: &[&str]) -> Vec<String> {
    let args: OwnedArguments = words.iter().collect();
    let [name, rest @ ..] = words else { return Vec::new() };
    let sub = rest.first().and_then(|it| find_subcommand(name.as_bytes(), it.as_bytes()));
    let command = sub.or_else(|| find(name.as_bytes())).unwrap();
    let kept = kept_words(command, args.view());
    kept.into_iter().map(|word| String::from_utf8(word).unwrap()).collect()
}

fn call(word: &str) -> SlowCall {
    SlowCall {
        id: 0,
        ended: Instant::now(),
        took: Duration::from_millis(20),
        words: vec![word.as_bytes().to_vec()],
        client: 1,
        address: None,
        name: String::new(),
    }
}

#[test]
fn the_newest_calls_are_kept_and_their_numbers_grow() {
    let mut slow = Slow::default();
    for word in ["a", "b", "c"] {
        slow.note(call(word), 2);
    }
    let told: Vec<_> = slow.calls().map(|call| (call.id, call.words[0].clone())).collect();
    assert_eq!(told, [(2, b"c".to_vec()), (1, b"b".to_vec())]);
    slow.forget_calls();
    slow.note(call("d"), 2);
    assert_eq!(slow.calls().map(|call| call.id).collect::<Vec<_>>(), [3]);
}

#[test]
fn a_bound_of_zero_keeps_nothing() {
    let mut slow = Slow::default();
    slow.note(call("a"), 0);
    assert_eq!(slow.calls().count(), 0);
}

#[test]
fn long_calls_and_long_words_are_cut() {
    let long = "x".repeat(200);
    let words = kept(&["mset", &long]);
    assert_eq!(words[1], format!("{}... (72 more bytes)", "x".repeat(128)));
    let many = ["del"; 40];
    let words = kept(&many);
    assert_eq!(words.len(), 32);
    assert_eq!(words[31], "... (9 more arguments)");
}

#[test]
fn no_password_is_kept() {
    let hidden = "(redacted)";
    assert_eq!(kept(&["AUTH", "user", "secret"]), ["AUTH", hidden, hidden]);
    let told = kept(&["hello", "3", "AUTH", "default", "secret", "SETNAME", "x"]);
    assert_eq!(told, ["hello", "3", "AUTH", hidden, hidden, "SETNAME", "x"]);
    let told = kept(&["config", "set", "timeout", "1", "RequirePass", "secret"]);
    assert_eq!(told, ["config", "set", "timeout", "1", "RequirePass", hidden]);
}

#[test]
fn stalls_are_bounded_and_the_longest_is_remembered() {
    let mut slow = Slow::default();
    for ms in (1..=STALLS_MAX as u64 + 5).rev() {
        let stall = Stall { ended: Instant::now(), took: Duration::from_millis(ms) };
        slow.note_stall(StallKind::Command, stall);
    }
    let stalls = slow.stalls(StallKind::Command);
    assert_eq!(stalls.last.len(), STALLS_MAX);
    assert_eq!(stalls.longest, Duration::from_millis(STALLS_MAX as u64 + 5));
    slow.forget_stalls(StallKind::Command);
    assert_eq!(slow.stalls(StallKind::Command).last.len(), 0);
}
