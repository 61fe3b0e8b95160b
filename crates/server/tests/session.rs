//! Who a connection is and what it has chosen: HELLO, AUTH, SELECT, CLIENT, RESET.
#![allow(clippy::unwrap_used, missing_docs)]

mod support;

use dwell_server::ServerSettings;
use dwell_wire::Value;
use support::{Client, bytes, error, eventually, loopback, ok, start, start_with_notices};

fn with_password() -> ServerSettings {
    ServerSettings { password: Some(b"secret".to_vec()), ..loopback() }
}

#[test]
fn hello_greets_with_all_fields_in_either_version() {
    let server = start(loopback());
    let mut client = Client::to(&server);
    let Value::Array(fields) = client.call(&["HELLO", "2"]) else { panic!("an array in RESP2") };
    assert_eq!(fields.len(), 14);
    let Value::Map(fields) = client.call(&["HELLO", "3", "SETNAME", "me"]) else {
        panic!("a map in RESP3")
    };
    let names: Vec<&Value> = fields.iter().map(|(name, _)| name).collect();
    let expected = ["server", "version", "proto", "id", "mode", "role", "modules"].map(bytes);
    assert_eq!(names, expected.iter().collect::<Vec<_>>());
    assert_eq!(fields[2].1, Value::Integer(3));
    assert_eq!(fields[3].1, client.call(&["CLIENT", "ID"]));
    assert_eq!(client.call(&["CLIENT", "GETNAME"]), bytes("me"));
    assert_eq!(client.call(&["GET", "absent"]), Value::Null);
}

#[test]
fn nothing_is_served_before_authentication() {
    let server = start(with_password());
    let mut client = Client::to(&server);
    assert_eq!(client.call(&["GET", "a"]), error("NOAUTH Authentication required."));
    let wrong = error("WRONGPASS invalid username-password pair or user is disabled.");
    assert_eq!(client.call(&["AUTH", "guess"]), wrong);
    assert_eq!(client.call(&["AUTH", "other", "secret"]), wrong);
    assert_eq!(client.call(&["GET", "a"]), error("NOAUTH Authentication required."));
    assert_eq!(client.call(&["AUTH", "secret"]), ok());
    assert_eq!(client.call(&["GET", "a"]), Value::Null);
    let mut other = Client::to(&server);
    let Value::Error(text) = other.call(&["HELLO", "3"]) else { panic!("refused") };
    assert!(text.starts_with(b"NOAUTH HELLO must be called with the client already"));
    let greeting = other.call(&["HELLO", "3", "AUTH", "default", "secret"]);
    assert!(matches!(greeting, Value::Map(_)));
    assert_eq!(other.call(&["GET", "a"]), Value::Null);
}

#[test]
fn limits_are_tight_before_authentication() {
    // WIRE-07
    let server = start(with_password());
    let mut client = Client::to(&server);
    client.send(b"*11\r\n");
    let said = client.until_closed();
    assert_eq!(said, "-ERR Protocol error: unauthenticated multibulk length\r\n");
    let mut client = Client::to(&server);
    client.send(b"*2\r\n$4\r\nAUTH\r\n$16385\r\n");
    let said = client.until_closed();
    assert_eq!(said, "-ERR Protocol error: unauthenticated bulk length\r\n");
    let mut client = Client::to(&server);
    assert_eq!(client.call(&["AUTH", "secret"]), ok());
    let large = "x".repeat(100_000);
    assert_eq!(client.call(&["ECHO", &large]), bytes(&large));
}

#[test]
fn auth_without_a_password_says_that_there_is_none() {
    let server = start(loopback());
    let Value::Error(text) = Client::to(&server).call(&["AUTH", "x"]) else { panic!("refused") };
    assert!(text.starts_with(b"ERR AUTH <password> called without any password configured"));
}

#[test]
fn databases_are_apart() {
    let server = start(loopback());
    let mut client = Client::to(&server);
    assert_eq!(client.call(&["SET", "k", "zero"]), ok());
    assert_eq!(client.call(&["SELECT", "15"]), ok());
    assert_eq!(client.call(&["GET", "k"]), Value::Null);
    assert_eq!(client.call(&["SELECT", "0"]), ok());
    assert_eq!(client.call(&["GET", "k"]), bytes("zero"));
}

#[test]
fn reset_makes_the_connection_new() {
    let server = start(loopback());
    let mut client = Client::to(&server);
    client.call(&["HELLO", "3"]);
    client.call(&["CLIENT", "SETNAME", "me"]);
    client.call(&["SELECT", "3"]);
    client.call(&["MULTI"]);
    assert_eq!(client.call(&["RESET"]), Value::Status(b"RESET".to_vec()));
    assert_eq!(client.call(&["CLIENT", "GETNAME"]), Value::Null);
    let facts = &server.clients()[0];
    assert_eq!((facts.database, facts.protocol, facts.queued), (0, 2, None));
}

#[test]
fn the_host_sees_what_a_client_tells_about_itself() {
    let server = start(loopback());
    let mut client = Client::to(&server);
    client.call(&["CLIENT", "SETINFO", "LIB-NAME", "lib"]);
    client.call(&["CLIENT", "SETINFO", "lib-ver", "1.2"]);
    client.call(&["CLIENT", "NO-EVICT", "on"]);
    client.call(&["CLIENT", "SETNAME", "me"]);
    let facts = &server.clients()[0];
    let told = (&*facts.name, &*facts.library_name, &*facts.library_version);
    assert_eq!(told, ("me", "lib", "1.2"));
    assert!(facts.is_never_evicted);
    assert_eq!(facts.last_command, "client|setname");
    assert_eq!(facts.address, client.stream.local_addr().ok());
    assert_eq!(facts.local_address, client.stream.peer_addr().ok());
    let said = client.call(&["CLIENT", "SETINFO", "lib-name", "a b"]);
    assert_eq!(said, error("ERR lib-name cannot contain spaces, newlines or special characters."));
}

#[test]
fn a_browser_is_closed_before_anything_it_says_is_executed() {
    // WIRE-06
    let (server, notices) = start_with_notices(loopback());
    for attack in
        ["POST / HTTP/1.1\r\nHost: x\r\n\r\nSET hacked 1\r\n", "Host: x\r\nSET hacked 1\r\n"]
    {
        let mut client = Client::to(&server);
        client.send(attack.as_bytes());
        assert_eq!(client.until_closed(), "");
        let notice = notices.recv_timeout(support::PATIENCE).unwrap();
        assert!(matches!(notice, dwell_server::Notice::Attack { .. }));
    }
    assert_eq!(Client::to(&server).call(&["GET", "hacked"]), Value::Null);
}

#[test]
fn a_killed_client_is_gone_and_counted() {
    let server = start(loopback());
    let mut client = Client::to(&server);
    let Value::Integer(id) = client.call(&["CLIENT", "ID"]) else { panic!("a number") };
    assert_eq!(server.kill_clients(vec![id as u64, 12_345]), 1);
    assert_eq!(client.until_closed(), "");
    eventually("the client is forgotten", || server.facts().clients == 0);
}
