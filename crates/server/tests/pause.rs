//! What CLIENT says about replies and pauses: what is heard, and what waits.
#![allow(clippy::unwrap_used, missing_docs)]

mod support;

use std::time::Duration;

use dwell_server::{Notices, Server};
use dwell_wire::Value;
use support::{Client, bytes, eventually, loopback, ok, start};

const LONG: Duration = Duration::from_hours(1);

fn pong() -> Value {
    Value::Status(b"PONG".to_vec())
}

fn pause(server: &Server, is_for_all: bool) {
    server.pause_clients(Some((LONG, is_for_all)));
    // Messages are taken in order, so that once this is answered the pause is on.
    server.facts();
}

#[test]
fn a_client_hears_only_what_it_wants_to() {
    let server = start(loopback());
    let mut client = Client::to(&server);
    client.send(b"CLIENT REPLY OFF\r\nSET a 1\r\nnonsense\r\nCLIENT REPLY SKIP\r\nPING\r\n");
    assert_eq!(client.call(&["CLIENT", "REPLY", "ON"]), ok());
    assert_eq!(client.call(&["GET", "a"]), bytes("1"));
    client.send(b"CLIENT REPLY SKIP\r\nPING\r\n");
    assert_eq!(client.call(&["GET", "a"]), bytes("1"));
    client.send(b"CLIENT REPLY SKIP\r\n");
    assert_eq!(client.call(&["CLIENT", "REPLY", "ON"]), ok());
}

#[test]
fn a_reply_of_the_host_is_skipped_too() {
    let server = start(loopback());
    let mut client = Client::to(&server);
    client.send(b"CLIENT REPLY SKIP\r\nINFO\r\nPING\r\n");
    let request = server.take_admin_request(support::PATIENCE).unwrap();
    server.answer(request.id, Some(ok()));
    assert_eq!(client.reply(), pong());
}

#[test]
fn writes_wait_in_a_pause_and_reads_do_not() {
    let server = start(loopback());
    let (mut writer, mut reader) = (Client::to(&server), Client::to(&server));
    pause(&server, false);
    writer.send(b"GET a\r\nSET a 1\r\nGET a\r\n");
    assert_eq!(writer.reply(), Value::Null);
    eventually("the write waits", || server.facts().clients_delayed == 1);
    assert_eq!(reader.call(&["GET", "a"]), Value::Null);
    server.pause_clients(None);
    assert_eq!([writer.reply(), writer.reply()], [ok(), bytes("1")]);
}

#[test]
fn a_transaction_that_writes_waits_as_a_whole() {
    let server = start(loopback());
    let (mut client, mut reader) = (Client::to(&server), Client::to(&server));
    client.send(b"MULTI\r\nSET a 1\r\n");
    let queued = Value::Status(b"QUEUED".to_vec());
    assert_eq!([client.reply(), client.reply()], [ok(), queued.clone()]);
    pause(&server, false);
    client.send(b"GET a\r\nEXEC\r\n");
    assert_eq!(client.reply(), queued);
    eventually("EXEC waits", || server.facts().clients_delayed == 1);
    assert_eq!(reader.call(&["GET", "a"]), Value::Null);
    server.pause_clients(None);
    assert_eq!(client.reply(), Value::Array(vec![ok(), bytes("1")]));
}

#[test]
fn a_write_that_waited_inside_multi_is_queued_and_not_run() {
    let server = start(loopback());
    let mut client = Client::to(&server);
    assert_eq!(client.call(&["MULTI"]), ok());
    pause(&server, false);
    client.send(b"SET a 1\r\n");
    eventually("the write waits", || server.facts().clients_delayed == 1);
    server.pause_clients(None);
    assert_eq!(client.reply(), Value::Status(b"QUEUED".to_vec()));
    assert_eq!(client.call(&["EXEC"]), Value::Array(vec![ok()]));
}

#[test]
fn a_pause_of_all_ends_by_itself_or_by_whoever_ends_it() {
    let server = start(loopback());
    let mut client = Client::to(&server);
    server.pause_clients(Some((Duration::from_millis(50), true)));
    assert_eq!(client.call(&["PING"]), pong());
    pause(&server, true);
    client.send(b"PING\r\n");
    eventually("it waits", || server.facts().clients_delayed == 1);
    Client::to(&server).send(b"CLIENT UNPAUSE\r\n");
    let request = server.take_admin_request(support::PATIENCE).unwrap();
    server.pause_clients(None);
    server.answer(request.id, Some(ok()));
    assert_eq!(client.reply(), pong());
}

#[test]
fn a_further_pause_makes_it_neither_shorter_nor_less() {
    let server = start(loopback());
    let mut client = Client::to(&server);
    pause(&server, true);
    server.pause_clients(Some((Duration::from_millis(1), false)));
    client.send(b"GET a\r\n");
    eventually("the read waits", || server.facts().clients_delayed == 1);
    server.pause_clients(None);
    assert_eq!(client.reply(), Value::Null);
}

#[test]
fn stopping_neither_waits_for_a_pause_nor_runs_what_it_held_back() {
    let engine = support::engine();
    let settings = loopback();
    let server = Server::start(engine.clone(), settings.clone(), Notices::default()).unwrap();
    let mut client = Client::to(&server);
    pause(&server, false);
    client.send(b"SET a 1\r\n");
    eventually("the write waits", || server.facts().clients_delayed == 1);
    server.stop();
    assert_eq!(client.until_closed(), "");
    let again = Server::start(engine, settings, Notices::default()).unwrap();
    assert_eq!(Client::to(&again).call(&["GET", "a"]), Value::Null);
}
