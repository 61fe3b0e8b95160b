//! Bytes in, bytes out: pieces, pipelines, large values, ends of either side.
#![allow(clippy::unwrap_used, missing_docs)]

mod support;

use dwell_wire::Value;
use support::{Client, bytes, command, error, loopback, ok, start};

#[test]
fn a_request_may_arrive_byte_by_byte() {
    // WIRE-03
    let server = start(loopback());
    let mut client = Client::to(&server);
    for byte in command(&["SET", "key", "value"]).iter().chain(b"GET key\r\n") {
        client.send(&[*byte]);
    }
    assert_eq!(client.reply(), ok());
    assert_eq!(client.reply(), bytes("value"));
}

#[test]
fn a_pipeline_is_answered_in_order_whatever_its_length() {
    let server = start(loopback());
    let mut client = Client::to(&server);
    let mut pipeline = Vec::new();
    for number in 0..20_000 {
        let value = number.to_string();
        pipeline.extend(command(&["SET", "k", &value]));
        pipeline.extend(command(&["GET", "k"]));
    }
    let mut sender = client.stream.try_clone().unwrap();
    let sending = std::thread::spawn(move || {
        std::io::Write::write_all(&mut sender, &pipeline).unwrap();
    });
    for number in 0..20_000 {
        assert_eq!(client.reply(), ok());
        assert_eq!(client.reply(), bytes(&number.to_string()));
    }
    sending.join().unwrap();
}

#[test]
fn five_commands_of_a_mass_insertion_get_five_replies() {
    // WIRE-04
    let server = start(loopback());
    let mut client = Client::to(&server);
    let mut pipeline: Vec<u8> =
        (0..5).flat_map(|key| command(&["SET", &key.to_string(), "v"])).collect();
    pipeline.extend(command(&["ECHO", "end"]));
    client.send(&pipeline);
    let replies: Vec<Value> = (0..6).map(|_| client.reply()).collect();
    assert_eq!(replies[..5], [ok(), ok(), ok(), ok(), ok()]);
    assert_eq!(replies[5], bytes("end"));
}

#[test]
fn a_large_value_comes_back_whole_and_its_buffer_is_given_back() {
    let server = start(loopback());
    let mut client = Client::to(&server);
    let large: Vec<u8> = (0..32 << 20).map(|index: u32| (index % 251) as u8).collect();
    client.send(&command(&[&b"SET"[..], b"large", &large]));
    assert_eq!(client.reply(), ok());
    client.send(&[command(&["GET", "large"]), command(&["PING"])].concat());
    assert!(client.reply() == Value::Bytes(large));
    assert_eq!(client.reply(), Value::Status(b"PONG".to_vec()));
    let facts = server.clients();
    assert!(facts[0].memory_bytes < 64 * 1024, "{facts:?}");
}

#[test]
fn what_was_sent_before_the_end_is_answered() {
    let server = start(loopback());
    let mut client = Client::to(&server);
    client.send(b"SET a 1\r\nGET a\r\nPING");
    client.end();
    assert_eq!(client.until_closed(), "+OK\r\n$1\r\n1\r\n");
}

#[test]
fn quit_is_answered_and_nothing_after_it_is_executed() {
    let server = start(loopback());
    let mut client = Client::to(&server);
    client.send(b"QUIT\r\nSET after quit\r\n");
    assert_eq!(client.until_closed(), "+OK\r\n");
    assert_eq!(Client::to(&server).call(&["GET", "after"]), Value::Null);
}

#[test]
fn inline_commands_follow_the_rules_of_quoting() {
    // WIRE-05
    let server = start(loopback());
    let mut client = Client::to(&server);
    client.send(b"\r\n\r\nSET \"k 1\" \"a\\x00b\\n\"\r\nSTRLEN \"k 1\"\r\n");
    assert_eq!(client.reply(), ok());
    assert_eq!(client.reply(), Value::Integer(4));
    client.send(b"SET k \"open\r\n");
    let said = client.until_closed();
    assert_eq!(said, "-ERR Protocol error: unbalanced quotes in request\r\n");
    let mut client = Client::to(&server);
    client.send(&vec![b'x'; 70_000]);
    let said = client.until_closed();
    assert_eq!(said, "-ERR Protocol error: too big inline request\r\n");
}

#[test]
fn a_protocol_error_closes_behind_the_replies_before_it() {
    // WIRE-02
    let server = start(loopback());
    let mut client = Client::to(&server);
    client.send(b"PING\r\n*1\r\n$-5\r\nPING\r\n");
    let said = client.until_closed();
    assert_eq!(said, "+PONG\r\n-ERR Protocol error: invalid bulk length\r\n");
    assert_eq!(Client::to(&server).call(&["PING"]), Value::Status(b"PONG".to_vec()));
}

#[test]
fn a_protocol_error_of_one_client_reaches_no_other() {
    // WIRE-02
    let server = start(loopback());
    for wrong in ["*3\r\n$3\r\nSET\r\nfooz\r\n", "*3\r\n$3\r\nSET\r\n$1\r\nx\r\n$-10\r\n"] {
        let mut client = Client::to(&server);
        client.send(wrong.as_bytes());
        assert!(client.until_closed().starts_with("-ERR Protocol error: "));
        assert_eq!(Client::to(&server).call(&["PING"]), Value::Status(b"PONG".to_vec()));
    }
}

#[test]
fn many_clients_at_once_each_get_their_own_answers() {
    let server = start(loopback());
    let address = server.addresses()[0];
    let clients: Vec<_> = (0..20)
        .map(|number| {
            std::thread::spawn(move || {
                let mut client = Client::at(address);
                for round in 0..200 {
                    let (key, value) = (format!("k{number}"), format!("v{number}-{round}"));
                    assert_eq!(client.call(&["SET", &key, &value]), ok());
                    assert_eq!(client.call(&["GET", &key]), bytes(&value));
                }
            })
        })
        .collect();
    for client in clients {
        client.join().unwrap();
    }
    let facts = server.facts();
    assert_eq!((facts.connections_received, facts.commands_processed), (20, 8000));
    let get = facts.commands.iter().find(|(name, _)| *name == "get").unwrap().1;
    assert_eq!((get.calls, get.failed, get.rejected), (4000, 0, 0));
    assert!(get.nanoseconds > 0);
}

#[test]
fn errors_are_spelled_as_redis_spells_them() {
    let server = start(loopback());
    let mut client = Client::to(&server);
    for (words, text) in [
        (&["GET"][..], "ERR wrong number of arguments for 'get' command"),
        (&["ping", "a", "b"], "ERR wrong number of arguments for 'ping' command"),
        (&["NOSUCH", "x"], "ERR unknown command 'NOSUCH', with args beginning with: 'x' "),
        (&["SELECT", "99"], "ERR DB index is out of range"),
        (&["SELECT", "x"], "ERR value is not an integer or out of range"),
        (&["HELLO", "4"], "NOPROTO unsupported protocol version"),
        (&["HELLO", "x"], "ERR Protocol version is not an integer or out of range"),
        (
            &["HELLO", "3", "SETNAME", "a b"],
            "ERR Client names cannot contain spaces, newlines or special characters.",
        ),
        (&["HELLO", "3", "NOPE"], "ERR Syntax error in HELLO option 'NOPE'"),
        (&["EXEC"], "ERR EXEC without MULTI"),
        (&["DISCARD"], "ERR DISCARD without MULTI"),
    ] {
        assert_eq!(client.call(words), error(text));
    }
}

#[test]
fn noise_never_stops_the_server() {
    // INV-05
    let server = start(loopback());
    let pieces = ["*", "$", "3", "\r\n", "GET", "SET", "EXEC", "MULTI", " ", "\"", "-1", "\0", "k"];
    let mut seed: u64 = 0x5eed;
    for _ in 0..300 {
        let mut client = Client::to(&server);
        let mut noise = String::new();
        for _ in 0..40 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            noise.push_str(pieces[(seed >> 33) as usize % pieces.len()]);
        }
        client.send(noise.as_bytes());
        client.end();
        client.until_closed();
    }
    assert_eq!(Client::to(&server).call(&["ECHO", "still here"]), bytes("still here"));
}
