#![allow(clippy::unwrap_used, missing_docs)]
use std::time::{Duration, Instant};

use super::{CALLS_TOGETHER_MAX, CommandCount, Counters, ERRORS_MAX};
use crate::command::{Command, find, of_host};
use crate::settings::HostCommand;
use crate::slow::StallKind;

fn get() -> &'static Command {
    find(b"get").unwrap()
}

fn count(counters: &Counters, name: &str) -> CommandCount {
    let told = counters.facts(&[]).commands;
    told.iter().find(|(known, _)| *known == name).map(|(_, count)| *count).unwrap_or_default()
}

fn timed_calls(counters: &Counters) -> Vec<u64> {
    let told = counters.recorded(&[]).latencies;
    told.iter().map(|(_, buckets)| buckets.iter().map(|bucket| bucket.count).sum()).collect()
}

#[test]
fn calls_of_one_command_are_counted_one_by_one_though_timed_together() {
    let mut counters = Counters::default();
    let calls = CALLS_TOGETHER_MAX * 2 + 1;
    for _ in 0..calls {
        counters.begin(get());
    }
    counters.end(Instant::now());
    assert_eq!(count(&counters, "get").calls, calls);
    assert_eq!(timed_calls(&counters), [calls]);
    assert_eq!(counters.commands_processed, calls);
}

#[test]
fn a_command_that_waits_is_counted_once_and_takes_the_time_of_its_wait() {
    let mut counters = Counters::default();
    let read = Instant::now();
    counters.begin(get());
    counters.postpone();
    counters.end(Instant::now());
    counters.begin(get());
    let took = counters.end_since(read + Duration::from_secs(3), Some(read));
    assert_eq!(took, Duration::from_secs(3));
    assert_eq!(count(&counters, "get").calls, 1);
    let (_, buckets) = &counters.recorded(&[]).latencies[0];
    assert!(buckets[0].up_to_ns >= 3_000_000_000);
}

#[test]
fn errors_are_counted_by_their_codes() {
    let mut counters = Counters::default();
    counters.fail(get().index, b"WRONGTYPE Operation against a key");
    counters.reject(Some(get().index), b"ERR wrong number");
    counters.reject(None, b"ERR unknown command");
    let errors = counters.facts(&[]).errors;
    assert_eq!(errors, [("WRONGTYPE".into(), 1), ("ERR".into(), 2)]);
    assert_eq!((count(&counters, "get").failed, count(&counters, "get").rejected), (1, 1));
}

#[test]
fn invented_codes_do_not_take_the_memory() {
    let mut counters = Counters::default();
    for number in 0..ERRORS_MAX + 50 {
        counters.reject(None, format!("E{number} no").as_bytes());
    }
    let errors = counters.facts(&[]).errors;
    assert_eq!(errors.len(), ERRORS_MAX + 1);
    assert_eq!(errors[ERRORS_MAX], ("OTHER".into(), 50));
}

#[test]
fn what_keeps_the_loop_busy_for_too_long_is_a_stall() {
    let mut counters = Counters { stall_min: Duration::from_secs(1), ..Counters::default() };
    counters.begin(get());
    counters.end(Instant::now());
    counters.begin(find(b"keys").unwrap());
    counters.end(Instant::now() + Duration::from_secs(5));
    let stalls = counters.slow.stalls(StallKind::Command);
    assert_eq!(stalls.last.len(), 1);
    assert!(stalls.longest >= Duration::from_secs(5));
    assert_eq!(counters.slow.stalls(StallKind::FastCommand).last.len(), 0);
}

#[test]
fn the_hosts_own_commands_are_counted_by_name() {
    let own = of_host(&[HostCommand { name: "mine".to_owned(), arity: 1, is_readonly: true }]);
    let mut counters = Counters::default();
    counters.answer(own[0].index, Duration::from_millis(2));
    let (name, count) = counters.facts(&own).commands[0];
    assert_eq!((name, count.calls, count.nanoseconds), ("mine", 1, 2_000_000));
}

#[test]
fn a_reset_begins_anew() {
    let mut counters = Counters::default();
    counters.begin(get());
    counters.end(Instant::now());
    counters.fail(get().index, b"ERR");
    counters.reset();
    assert_eq!(counters.facts(&[]).commands, []);
    assert_eq!(counters.facts(&[]).errors, []);
    assert_eq!(counters.recorded(&[]).latencies.len(), 0);
}
