//! Commands that the host runs: the connection waits, nobody else does.
#![allow(clippy::unwrap_used, missing_docs)]

mod support;

use std::sync::Arc;
use std::time::Duration;

use dwell_server::{HostCommand, Server, ServerSettings};
use dwell_wire::Value;
use support::{Client, PATIENCE, bytes, command, error, loopback, ok, start};

/// Answers each request of the host with its own words.
fn echo_requests(server: &Arc<Server>, count: usize) -> std::thread::JoinHandle<Vec<bool>> {
    let server = Arc::clone(server);
    std::thread::spawn(move || {
        (0..count)
            .map(|_| {
                let request = server.take_admin_request(PATIENCE).unwrap();
                let words = request.args.view().iter().map(|word| Value::Bytes(word.to_vec()));
                server.answer(request.id, Some(Value::Array(words.collect())));
                request.is_in_multi
            })
            .collect()
    })
}

#[test]
fn a_host_command_is_answered_in_its_place_of_the_pipeline() {
    let server = Arc::new(start(loopback()));
    let mut client = Client::to(&server);
    client.send(b"SET a 1\r\nCONFIG GET x\r\nGET a\r\nINFO\r\nPING\r\n");
    let host = echo_requests(&server, 2);
    assert_eq!(client.reply(), ok());
    assert_eq!(client.reply(), Value::Array(["CONFIG", "GET", "x"].map(bytes).to_vec()));
    assert_eq!(client.reply(), bytes("1"));
    assert_eq!(client.reply(), Value::Array(vec![bytes("INFO")]));
    assert_eq!(client.reply(), Value::Status(b"PONG".to_vec()));
    assert_eq!(host.join().unwrap(), [false, false]);
}

#[test]
fn others_go_on_while_one_waits_for_the_host() {
    let server = Arc::new(start(loopback()));
    let (mut waiting, mut other) = (Client::to(&server), Client::to(&server));
    waiting.send(b"INFO\r\n");
    let request = server.take_admin_request(PATIENCE).unwrap();
    assert_eq!(other.call(&["PING"]), Value::Status(b"PONG".to_vec()));
    assert_eq!(server.facts().clients_parked, 1);
    assert!(waiting.has_nothing_to_read());
    server.answer(request.id, Some(Value::Null));
    assert_eq!(waiting.reply(), Value::Null);
}

#[test]
fn exec_holds_what_the_host_has_answered() {
    let server = Arc::new(start(loopback()));
    let mut client = Client::to(&server);
    client.send(b"MULTI\r\nSET a 1\r\nTIME\r\nGET a\r\nLASTSAVE\r\nEXEC\r\n");
    let host = echo_requests(&server, 2);
    let replies: Vec<Value> = (0..6).map(|_| client.reply()).collect();
    let time = Value::Array(vec![bytes("TIME")]);
    let saved = Value::Array(vec![bytes("LASTSAVE")]);
    assert_eq!(replies[5], Value::Array(vec![ok(), time, bytes("1"), saved]));
    assert_eq!(host.join().unwrap(), [true, true]);
}

#[test]
fn a_host_that_does_not_answer_is_given_up() {
    let server = start(ServerSettings { host_timeout_ms: 200, ..loopback() });
    let mut client = Client::to(&server);
    client.send(b"INFO\r\nPING\r\n");
    let request = server.take_admin_request(PATIENCE).unwrap();
    let late = error("BUSY the command took too long and was given up");
    assert_eq!(client.reply(), late);
    assert_eq!(client.reply(), Value::Status(b"PONG".to_vec()));
    server.answer(request.id, Some(ok()));
    assert_eq!(client.call(&["PING"]), Value::Status(b"PONG".to_vec()));
}

#[test]
fn an_answer_for_a_client_that_left_is_dropped() {
    let server = start(loopback());
    let mut client = Client::to(&server);
    client.send(b"INFO\r\n");
    let request = server.take_admin_request(PATIENCE).unwrap();
    server.kill_clients(vec![request.client.id]);
    drop(client);
    server.answer(request.id, Some(ok()));
    assert_eq!(Client::to(&server).call(&["PING"]), Value::Status(b"PONG".to_vec()));
}

#[test]
fn a_client_that_kills_itself_gets_its_answer_first() {
    let server = start(loopback());
    let mut client = Client::to(&server);
    client.send(&command(&["CLIENT", "KILL", "ID", "1"]));
    let request = server.take_admin_request(PATIENCE).unwrap();
    assert_eq!(server.kill_clients(vec![request.client.id]), 1);
    server.answer(request.id, Some(Value::Integer(1)));
    assert_eq!(client.until_closed(), ":1\r\n");
}

#[test]
fn stopping_does_not_wait_for_the_host() {
    let server = start(loopback());
    let mut client = Client::to(&server);
    client.send(b"SHUTDOWN\r\n");
    assert!(server.take_admin_request(PATIENCE).is_some());
    let begun = std::time::Instant::now();
    server.stop();
    assert!(begun.elapsed() < Duration::from_secs(2));
    assert_eq!(client.until_closed(), "");
}

#[test]
fn a_reply_is_spelled_in_the_version_of_its_connection() {
    let server = Arc::new(start(loopback()));
    let answer = Value::Map(vec![(bytes("a"), Value::Double(1.5))]);
    for version in ["2", "3"] {
        let mut client = Client::to(&server);
        client.call(&["HELLO", version]);
        client.send(b"INFO\r\n");
        let request = server.take_admin_request(PATIENCE).unwrap();
        server.answer(request.id, Some(answer.clone()));
        let expected = match version {
            "2" => Value::Array(vec![bytes("a"), bytes("1.5")]),
            _ => answer.clone(),
        };
        assert_eq!(client.reply(), expected);
    }
}

fn own_command(name: &str, is_readonly: bool) -> HostCommand {
    HostCommand { name: name.to_owned(), arity: -1, is_readonly }
}

#[test]
fn a_users_own_command_that_only_reads_is_answered_in_its_place_of_exec() {
    let host_commands = vec![own_command("mine", true)];
    let server = Arc::new(start(ServerSettings { host_commands, ..loopback() }));
    let mut client = Client::to(&server);
    client.send(b"MULTI\r\nSET a 1\r\nMINE a\r\nGET a\r\nEXEC\r\n");
    let host = echo_requests(&server, 1);
    let replies: Vec<Value> = (0..5).map(|_| client.reply()).collect();
    let own = Value::Array(vec![bytes("MINE"), bytes("a")]);
    assert_eq!(replies[4], Value::Array(vec![ok(), own, bytes("1")]));
    assert_eq!(host.join().unwrap(), [true]);
}

#[test]
fn a_watched_key_that_changes_while_the_host_reads_stops_exec() {
    let server = start(loopback());
    let (mut client, mut other) = (Client::to(&server), Client::to(&server));
    client.send(b"WATCH a\r\nMULTI\r\nTIME\r\nSET b 1\r\nEXEC\r\n");
    let request = server.take_admin_request(PATIENCE).unwrap();
    assert_eq!(other.call(&["SET", "a", "1"]), ok());
    server.answer(request.id, Some(ok()));
    let replies: Vec<Value> = (0..5).map(|_| client.reply()).collect();
    assert_eq!(replies[4], Value::NullArray);
    assert_eq!(other.call(&["GET", "b"]), Value::Null);
}

#[test]
fn a_users_own_command_that_writes_is_refused_by_name_and_stops_its_transaction() {
    let host_commands = vec![own_command("mine", false)];
    let server = start(ServerSettings { host_commands, ..loopback() });
    let mut client = Client::to(&server);
    client.call(&["MULTI"]);
    let refusal = error("ERR Command not allowed inside a transaction: mine");
    assert_eq!(client.call(&["MINE", "a"]), refusal);
    let aborted = error("EXECABORT Transaction discarded because of previous errors.");
    assert_eq!(client.call(&["EXEC"]), aborted);
    assert_eq!(client.call(&["PING"]), Value::Status(b"PONG".to_vec()));
}
