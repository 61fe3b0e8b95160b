//! Nobody takes more than is theirs: numbers of clients, silence, unread replies, endless requests.
#![allow(clippy::unwrap_used, missing_docs)]

mod support;

use std::io::Write;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use dwell_server::{Bind, Notice, ServerSettings};
use dwell_wire::Value;
use support::{Client, PATIENCE, command, eventually, loopback, ok, start, start_with_notices};

fn pong() -> Value {
    Value::Status(b"PONG".to_vec())
}

#[test]
fn one_client_too_many_is_told_so() {
    let server = start(ServerSettings { clients_max: 2, ..loopback() });
    let (mut first, mut second) = (Client::to(&server), Client::to(&server));
    assert_eq!(first.call(&["PING"]), pong());
    assert_eq!(second.call(&["PING"]), pong());
    let said = Client::to(&server).until_closed();
    assert_eq!(said, "-ERR max number of clients reached\r\n");
    drop(first);
    eventually("there is room again", || server.facts().clients == 1);
    assert_eq!(Client::to(&server).call(&["PING"]), pong());
    assert_eq!(server.facts().connections_rejected, 1);
}

#[test]
fn a_silent_client_is_closed_and_a_talking_one_is_not() {
    let server = start(ServerSettings { idle_timeout_s: 1, ..loopback() });
    let (mut silent, mut talking) = (Client::to(&server), Client::to(&server));
    assert_eq!(silent.call(&["PING"]), pong());
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(3) {
        assert_eq!(talking.call(&["PING"]), pong());
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(silent.until_closed(), "");
    assert_eq!(server.facts().clients, 1);
}

#[test]
fn a_client_that_does_not_read_is_not_listened_to_and_nobody_else_notices() {
    // INV-06
    let server = start(loopback());
    let mut slow = Client::to(&server);
    let value = "x".repeat(100_000);
    assert_eq!(slow.call(&["SET", "k", &value]), ok());
    let mut sender = slow.stream.try_clone().unwrap();
    let sending = std::thread::spawn(move || {
        let pipeline = command(&["GET", "k"]).repeat(2_000);
        sender.write_all(&pipeline).unwrap();
    });
    eventually("its replies pile up", || server.facts().output_waiting_bytes > 500_000);
    let mut other = Client::to(&server);
    for _ in 0..200 {
        let begun = Instant::now();
        assert_eq!(other.call(&["PING"]), pong());
        assert!(begun.elapsed() < Duration::from_secs(2));
    }
    // 200 MB were asked for; what waits is a small part of it.
    assert!(server.facts().output_waiting_bytes < 4_000_000);
    for _ in 0..2_000 {
        assert_eq!(slow.reply(), support::bytes(&value));
    }
    sending.join().unwrap();
}

#[test]
fn a_client_above_the_hard_bound_is_dropped_alone() {
    // WIRE-08
    let settings = ServerSettings { output_bytes_hard_max: 300_000, ..loopback() };
    let (server, notices) = start_with_notices(settings);
    let (mut slow, mut other) = (Client::to(&server), Client::to(&server));
    let value = "x".repeat(100_000);
    assert_eq!(slow.call(&["SET", "k", &value]), ok());
    let _ = slow.stream.write_all(&command(&["GET", "k"]).repeat(500));
    let notice = notices.recv_timeout(PATIENCE).unwrap();
    assert!(matches!(notice, Notice::OutputMax { waiting_bytes: 300_001.., .. }), "{notice:?}");
    assert_eq!(other.call(&["PING"]), pong());
    eventually("it is gone", || server.facts().clients == 1);
    assert_eq!(server.facts().dropped_for_output, 1);
}

#[test]
fn a_client_may_be_above_the_soft_bound_for_a_while() {
    // WIRE-08
    let settings = ServerSettings { output_bytes_soft_max: 1_000, output_soft_s: 1, ..loopback() };
    let (server, notices) = start_with_notices(settings);
    let mut slow = Client::to(&server);
    let value = "x".repeat(1_000_000);
    assert_eq!(slow.call(&["SET", "k", &value]), ok());
    slow.send(&command(&["GET", "k"]).repeat(20));
    std::thread::sleep(Duration::from_millis(300));
    for _ in 0..20 {
        assert_eq!(slow.reply(), support::bytes(&value));
    }
    assert_eq!(slow.call(&["PING"]), pong());
    std::thread::sleep(Duration::from_millis(1_500));
    assert_eq!(slow.call(&["PING"]), pong());
    assert!(notices.try_recv().is_err());
    slow.send(&command(&["GET", "k"]).repeat(20));
    assert!(matches!(notices.recv_timeout(PATIENCE).unwrap(), Notice::OutputMax { .. }));
}

#[test]
fn an_endless_request_is_cut_off() {
    let settings = ServerSettings { query_bytes_max: 1_000_000, ..loopback() };
    let (server, notices) = start_with_notices(settings);
    let mut client = Client::to(&server);
    client.send(b"*2\r\n$4\r\nECHO\r\n$100000000\r\n");
    let piece = vec![b'x'; 100_000];
    let begun = Instant::now();
    while client.stream.write_all(&piece).is_ok() {
        assert!(begun.elapsed() < PATIENCE);
    }
    assert!(matches!(notices.recv_timeout(PATIENCE).unwrap(), Notice::QueryMax { .. }));
}

#[test]
fn a_greedy_pipeline_does_not_delay_others() {
    // INV-06
    let server = start(loopback());
    let mut greedy = Client::to(&server);
    let mut sender = greedy.stream.try_clone().unwrap();
    let sending = std::thread::spawn(move || {
        let pipeline = command(&["SET", "k", "v"]).repeat(300_000);
        sender.write_all(&pipeline).unwrap();
    });
    let reading =
        std::thread::spawn(move || (0..300_000).for_each(|_| assert_eq!(greedy.reply(), ok())));
    let mut other = Client::to(&server);
    let mut slowest = Duration::ZERO;
    while !reading.is_finished() {
        let begun = Instant::now();
        assert_eq!(other.call(&["PING"]), pong());
        slowest = slowest.max(begun.elapsed());
    }
    sending.join().unwrap();
    reading.join().unwrap();
    assert!(slowest < Duration::from_secs(1), "{slowest:?}");
}

#[test]
fn strangers_are_refused_while_there_is_no_password() {
    let Some(outside) = outside_address() else { return };
    let everywhere = Bind { address: SocketAddr::from(([0, 0, 0, 0], 0)), is_required: true };
    let (server, notices) =
        start_with_notices(ServerSettings { binds: vec![everywhere], ..loopback() });
    let port = server.addresses()[0].port();
    let said = Client::at(SocketAddr::new(outside, port)).until_closed();
    assert!(said.starts_with("-DENIED "), "{said}");
    assert!(matches!(notices.recv_timeout(PATIENCE).unwrap(), Notice::Protected { .. }));
    assert_eq!(Client::at(SocketAddr::from(([127, 0, 0, 1], port))).call(&["PING"]), pong());
    server.adjust(|settings| settings.is_protected = false);
    assert_eq!(Client::at(SocketAddr::new(outside, port)).call(&["PING"]), pong());
}

/// An address of this machine that is not loopback; a socket that sends nothing tells.
fn outside_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:9").ok()?;
    let address = socket.local_addr().ok()?.ip();
    (!address.is_loopback() && !address.is_unspecified()).then_some(address)
}
