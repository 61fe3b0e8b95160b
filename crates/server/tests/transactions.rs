//! MULTI, EXEC, DISCARD, WATCH and UNWATCH through sockets.
#![allow(clippy::unwrap_used, missing_docs)]

mod support;

use dwell_wire::Value;
use support::{Client, bytes, error, loopback, ok, start};

fn queued() -> Value {
    Value::Status(b"QUEUED".to_vec())
}

#[test]
fn a_misspelt_exec_ends_the_transaction() {
    let server = start(loopback());
    let mut client = Client::to(&server);
    client.call(&["MULTI"]);
    client.call(&["SET", "k", "v"]);
    let text = "EXECABORT Transaction discarded because of: \
        wrong number of arguments for 'exec' command";
    assert_eq!(client.call(&["EXEC", "now"]), error(text));
    assert_eq!(client.call(&["GET", "k"]), Value::Null);
    assert_eq!(client.call(&["EXEC"]), error("ERR EXEC without MULTI"));
}

#[test]
fn exec_answers_for_every_queued_command() {
    let server = start(loopback());
    let mut client = Client::to(&server);
    assert_eq!(client.call(&["MULTI"]), ok());
    assert_eq!(client.call(&["SET", "a", "1"]), queued());
    assert_eq!(client.call(&["GET", "a"]), queued());
    assert_eq!(client.call(&["PING"]), queued());
    assert_eq!(client.call(&["UNWATCH"]), queued());
    let pong = Value::Status(b"PONG".to_vec());
    assert_eq!(client.call(&["EXEC"]), Value::Array(vec![ok(), bytes("1"), pong, ok()]));
    assert_eq!(client.call(&["EXEC"]), error("ERR EXEC without MULTI"));
}

#[test]
fn a_command_refused_while_queueing_aborts_all() {
    let server = start(loopback());
    let mut client = Client::to(&server);
    client.call(&["MULTI"]);
    client.call(&["SET", "a", "1"]);
    assert!(matches!(client.call(&["NOSUCH"]), Value::Error(_)));
    let aborted = error("EXECABORT Transaction discarded because of previous errors.");
    assert_eq!(client.call(&["EXEC"]), aborted);
    assert_eq!(client.call(&["GET", "a"]), Value::Null);
}

#[test]
fn an_error_inside_is_one_reply_and_undoes_nothing() {
    let server = start(loopback());
    let mut client = Client::to(&server);
    client.call(&["MULTI"]);
    client.call(&["SET", "a", "1"]);
    client.call(&["SELECT", "99"]);
    client.call(&["SET", "b", "2"]);
    let out_of_range = error("ERR DB index is out of range");
    assert_eq!(client.call(&["EXEC"]), Value::Array(vec![ok(), out_of_range, ok()]));
    assert_eq!(client.call(&["GET", "b"]), bytes("2"));
}

#[test]
fn an_absent_key_that_came_and_went_has_changed() {
    // Whoever watches may have read it meanwhile.
    let server = start(loopback());
    let (mut client, mut other) = (Client::to(&server), Client::to(&server));
    for removal in [&["DEL", "a"][..], &["FLUSHALL"], &["EXPIRE", "a", "0"], &["MOVE", "a", "1"]] {
        client.call(&["WATCH", "a"]);
        other.call(&["SET", "a", "1"]);
        assert_eq!(client.call(&["GET", "a"]), bytes("1"));
        other.call(removal);
        client.call(&["MULTI"]);
        client.call(&["SET", "b", "2"]);
        assert_eq!(client.call(&["EXEC"]), Value::NullArray, "{removal:?}");
    }
    client.call(&["WATCH", "a"]);
    other.call(&["DEL", "a"]);
    client.call(&["MULTI"]);
    assert_eq!(client.call(&["EXEC"]), Value::Array(vec![]));
}

#[test]
fn discard_drops_what_was_queued() {
    let server = start(loopback());
    let mut client = Client::to(&server);
    client.call(&["MULTI"]);
    client.call(&["SET", "a", "1"]);
    assert_eq!(client.call(&["MULTI"]), error("ERR MULTI calls can not be nested"));
    assert_eq!(client.call(&["WATCH", "a"]), error("ERR WATCH inside MULTI is not allowed"));
    assert_eq!(client.call(&["DISCARD"]), ok());
    assert_eq!(client.call(&["GET", "a"]), Value::Null);
    assert_eq!(client.call(&["DISCARD"]), error("ERR DISCARD without MULTI"));
}

#[test]
fn a_watched_key_that_changed_makes_exec_do_nothing() {
    let server = start(loopback());
    let (mut client, mut other) = (Client::to(&server), Client::to(&server));
    assert_eq!(client.call(&["WATCH", "a", "b"]), ok());
    other.call(&["SET", "b", "theirs"]);
    client.call(&["MULTI"]);
    client.call(&["SET", "a", "mine"]);
    assert_eq!(client.call(&["EXEC"]), Value::NullArray);
    assert_eq!(client.call(&["GET", "a"]), Value::Null);
    client.call(&["MULTI"]);
    client.call(&["SET", "a", "mine"]);
    assert_eq!(client.call(&["EXEC"]), Value::Array(vec![ok()]));
}

#[test]
fn unwatch_forgets_and_a_watch_remembers_its_database() {
    let server = start(loopback());
    let (mut client, mut other) = (Client::to(&server), Client::to(&server));
    client.call(&["WATCH", "a"]);
    client.call(&["UNWATCH"]);
    other.call(&["SET", "a", "theirs"]);
    client.call(&["MULTI"]);
    assert_eq!(client.call(&["EXEC"]), Value::Array(vec![]));
    client.call(&["WATCH", "a"]);
    client.call(&["SELECT", "1"]);
    client.call(&["SET", "a", "elsewhere"]);
    client.call(&["MULTI"]);
    client.call(&["GET", "a"]);
    assert_eq!(client.call(&["EXEC"]), Value::Array(vec![bytes("elsewhere")]));
}

#[test]
fn select_inside_a_transaction_holds_for_what_follows() {
    let server = start(loopback());
    let mut client = Client::to(&server);
    client.call(&["MULTI"]);
    client.call(&["SET", "k", "zero"]);
    client.call(&["SELECT", "2"]);
    client.call(&["SET", "k", "two"]);
    client.call(&["EXEC"]);
    assert_eq!(client.call(&["GET", "k"]), bytes("two"));
    client.call(&["SELECT", "0"]);
    assert_eq!(client.call(&["GET", "k"]), bytes("zero"));
}

#[test]
fn watching_very_many_keys_holds_nobody_up() {
    // INV-06
    let server = start(loopback());
    let mut client = Client::to(&server);
    let names: Vec<String> = (0..100_000).map(|number| format!("k{number}")).collect();
    let mut words = vec!["WATCH"];
    words.extend(names.iter().map(String::as_str));
    assert_eq!(client.call(&words), ok());
    assert_eq!(client.call(&["WATCH", "k1", "other"]), ok());
    assert_eq!(server.clients()[0].watched, 100_001);
    Client::to(&server).call(&["SET", "k99999", "changed"]);
    client.call(&["MULTI"]);
    assert_eq!(client.call(&["EXEC"]), Value::NullArray);
}
