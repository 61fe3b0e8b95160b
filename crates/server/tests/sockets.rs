//! Listening: several addresses, the Unix socket, a graceful stop, ten thousand connections.
#![allow(clippy::unwrap_used, missing_docs)]

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};

use dwell_server::{Bind, Notices, Server, ServerSettings};
use dwell_wire::Value;
use support::{Client, command, engine, eventually, loopback, ok, start};

fn pong() -> Value {
    Value::Status(b"PONG".to_vec())
}

fn ping(path: &std::path::Path) -> String {
    let mut stream = UnixStream::connect(path).unwrap();
    stream.write_all(b"PING\r\n").unwrap();
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).unwrap();
    line
}

#[test]
fn several_addresses_are_served_and_an_optional_one_may_be_missing() {
    let bind = |address: &str, is_required| Bind { address: address.parse().unwrap(), is_required };
    let binds =
        vec![bind("127.0.0.1:0", true), bind("[::1]:0", false), bind("192.0.2.77:0", false)];
    let server = start(ServerSettings { binds, ..loopback() });
    assert!(!server.addresses().is_empty() && server.addresses().len() <= 2);
    for address in server.addresses() {
        assert_eq!(Client::at(*address).call(&["PING"]), pong());
    }
}

#[test]
fn a_taken_port_is_one_clear_sentence() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let settings =
        ServerSettings { binds: vec![Bind { address, is_required: false }], ..loopback() };
    let error = Server::start(engine(), settings, Notices::default()).err().unwrap();
    let port = address.port();
    let text = format!("cannot listen, the port {port} is taken: {address}");
    assert_eq!(error.to_string(), text);
}

#[test]
fn the_unix_socket_has_its_permissions_and_is_removed_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dwell.sock");
    let settings =
        ServerSettings { unix_path: Some(path.clone()), unix_mode: Some(0o700), ..loopback() };
    let server = start(settings);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(ping(&path), "+PONG\r\n");
    drop(server);
    assert!(!path.exists());
}

#[test]
fn a_stale_unix_socket_is_replaced_and_a_living_one_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dwell.sock");
    drop(UnixListener::bind(&path).unwrap());
    assert!(path.exists());
    let settings = ServerSettings { unix_path: Some(path.clone()), ..loopback() };
    let server = start(settings.clone());
    assert_eq!(ping(&path), "+PONG\r\n");
    let error = Server::start(engine(), settings, Notices::default()).err().unwrap();
    assert!(error.to_string().contains("another process answers there"), "{error}");
    assert_eq!(ping(&path), "+PONG\r\n");
    drop(server);
}

#[test]
fn a_file_in_the_place_of_the_unix_socket_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("precious");
    fs::write(&path, "data").unwrap();
    let settings = ServerSettings { unix_path: Some(path.clone()), ..loopback() };
    assert!(Server::start(engine(), settings, Notices::default()).is_err());
    assert_eq!(fs::read_to_string(&path).unwrap(), "data");
}

#[test]
fn a_stop_lets_clients_have_the_replies_that_are_due() {
    let server = start(loopback());
    let mut client = Client::to(&server);
    let value = "x".repeat(3_000_000);
    assert_eq!(client.call(&["SET", "k", &value]), ok());
    client.send(&command(&["GET", "k"]));
    eventually("the reply is under way", || server.facts().commands_processed == 2);
    let address = server.addresses()[0];
    let stopping = std::thread::spawn(move || server.stop());
    assert_eq!(client.reply(), support::bytes(&value));
    assert_eq!(client.until_closed(), "");
    stopping.join().unwrap();
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn a_stopped_loop_says_so() {
    let server = start(loopback());
    assert!(server.facts().is_running);
    server.stop();
    let facts = server.facts();
    assert_eq!((facts.is_running, &*facts.reason), (false, "it was stopped"));
    assert!(server.clients().is_empty());
}

#[test]
fn ten_thousand_connections_are_served() {
    // Both ends are in this process. Where the limit of descriptors is lower, fewer must do.
    let descriptors: usize = fs::read_to_string("/proc/self/limits")
        .ok()
        .and_then(|limits| {
            let line = limits.lines().find(|line| line.starts_with("Max open files"))?.to_owned();
            line.split_whitespace().nth(3)?.parse().ok()
        })
        .unwrap_or(1024);
    let count = 10_000.min(descriptors.saturating_sub(200) / 2);
    let server = start(ServerSettings { clients_max: 20_000, ..loopback() });
    let address: SocketAddr = server.addresses()[0];
    let mut clients: Vec<TcpStream> =
        (0..count).map(|_| TcpStream::connect(address).unwrap()).collect();
    eventually("all are in", || server.facts().clients == count);
    for client in clients.iter_mut().step_by(97) {
        client.write_all(b"PING\r\n").unwrap();
    }
    for client in clients.iter_mut().step_by(97) {
        let mut line = [0; 7];
        std::io::Read::read_exact(client, &mut line).unwrap();
        assert_eq!(&line, b"+PONG\r\n");
    }
    let idle = server.clients().iter().map(|client| client.memory_bytes).max().unwrap();
    assert!(idle <= 1024, "{idle} bytes for an idle connection");
    drop(clients);
    eventually("all are gone", || server.facts().clients == 0);
}
