//! Commands that must wait for the disk: replies keep their order, and nobody else waits.
#![allow(clippy::unwrap_used, missing_docs)]

mod support;

use std::path::Path;

use dwell_engine::{BatchOptions, Durability, Engine, Place, Settings, Sources, Value as Stored};
use dwell_server::{Notices, Server};
use dwell_wire::Value;
use support::{Client, bytes, command, loopback, ok};

const KEYS: usize = 300;

fn open(path: &Path, durability: Durability) -> Engine {
    let settings = Settings { durability, ..Settings::default() };
    Engine::open(Place::Directory(path.to_owned()), settings, Sources::default()).unwrap()
}

/// An engine whose keys all lie on disk and none in memory.
fn cold(path: &Path) -> Engine {
    let engine = open(path, Durability::Interval);
    let main = engine.namespace(b"0").unwrap();
    engine
        .run(main, &BatchOptions::default(), |scope| {
            (0..KEYS).try_for_each(|number| {
                let key = format!("key:{number}");
                scope.put(key.as_bytes(), Stored::Bytes(key.as_bytes()), None)
            })
        })
        .unwrap();
    engine.close().unwrap();
    open(path, Durability::Interval)
}

#[test]
fn a_pipeline_over_cold_keys_is_answered_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let engine = cold(folder.path());
    let server = Server::start(engine.clone(), loopback(), Notices::default()).unwrap();
    let mut client = Client::to(&server);
    let mut pipeline = Vec::new();
    for number in 0..KEYS {
        pipeline.extend(command(&["GET", &format!("key:{number}")]));
        pipeline.extend(command(&["ECHO", &number.to_string()]));
    }
    client.send(&pipeline);
    for number in 0..KEYS {
        assert_eq!(client.reply(), bytes(&format!("key:{number}")));
        assert_eq!(client.reply(), bytes(&number.to_string()));
    }
    server.stop();
    engine.close().unwrap();
}

#[test]
fn a_transaction_over_cold_keys_is_one_batch() {
    let folder = tempfile::tempdir().unwrap();
    let engine = cold(folder.path());
    let server = Server::start(engine.clone(), loopback(), Notices::default()).unwrap();
    let mut client = Client::to(&server);
    assert_eq!(client.call(&["WATCH", "key:7"]), ok());
    client.call(&["MULTI"]);
    for words in [&["APPEND", "key:1", "!"][..], &["SELECT", "1"], &["SET", "key:1", "x"]] {
        client.call(words);
    }
    client.call(&["SELECT", "0"]);
    client.call(&["GET", "key:1"]);
    client.call(&["GET", "key:2"]);
    let answered = vec![Value::Integer(6), ok(), ok(), ok(), bytes("key:1!"), bytes("key:2")];
    assert_eq!(client.call(&["EXEC"]), Value::Array(answered));
    server.stop();
    engine.close().unwrap();
}

#[test]
fn what_must_be_durable_is_answered_in_order_and_survives() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path(), Durability::Always);
    let server = Server::start(engine.clone(), loopback(), Notices::default()).unwrap();
    let address = server.addresses()[0];
    let clients: Vec<_> = (0..4)
        .map(|number| {
            std::thread::spawn(move || {
                let mut client = Client::at(address);
                for round in 0..20 {
                    let (key, value) = (format!("k{number}"), round.to_string());
                    let mut pipeline = command(&["SET", &key, &value]);
                    pipeline.extend(command(&["PING"]));
                    pipeline.extend(command(&["GET", &key]));
                    client.send(&pipeline);
                    assert_eq!(client.reply(), ok());
                    assert_eq!(client.reply(), Value::Status(b"PONG".to_vec()));
                    assert_eq!(client.reply(), bytes(&value));
                }
            })
        })
        .collect();
    for client in clients {
        client.join().unwrap();
    }
    server.stop();
    engine.close().unwrap();
    let engine = open(folder.path(), Durability::Always);
    let server = Server::start(engine.clone(), loopback(), Notices::default()).unwrap();
    assert_eq!(Client::to(&server).call(&["GET", "k3"]), bytes("19"));
    server.stop();
    engine.close().unwrap();
}
