//! Commands that take long are done in parts: others are served in between, and the answer is
//! exact all the same (INV-06).
#![allow(clippy::unwrap_used, missing_docs)]

mod support;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use dwell_engine::{BatchOptions, Engine, Place, Settings, Sources, Value as Stored};
use dwell_server::{Notices, Server};
use dwell_wire::Value;
use support::{Client, bytes, engine, error, loopback, ok};

/// Keys that stay: enough for some dozen slices.
const KEYS: usize = 60_000;

fn key(number: usize) -> String {
    format!("stay:{number:06}")
}

/// A server over `KEYS` keys, every third of which has a lifetime.
fn fill(engine: &Engine) -> Server {
    let main = engine.namespace(b"0").unwrap();
    for start in (0..KEYS).step_by(1000) {
        engine
            .run(main, &BatchOptions::default(), |scope| {
                (start..start + 1000).try_for_each(|number| {
                    let lifetime = scope.now().after_ms(1_000_000);
                    let deadline = if number % 3 == 0 { lifetime } else { None };
                    scope.put(key(number).as_bytes(), Stored::Integer(number as i64), deadline)
                })
            })
            .unwrap();
    }
    Server::start(engine.clone(), loopback(), Notices::default()).unwrap()
}

fn on_disk(path: &Path) -> Engine {
    let place = Place::Directory(path.to_owned());
    Engine::open(place, Settings::default(), Sources::default()).unwrap()
}

fn texts(reply: Value) -> Vec<String> {
    let Value::Array(values) = reply else { panic!("no list: {reply:?}") };
    let text = |value| match value {
        Value::Bytes(bytes) => String::from_utf8(bytes).unwrap(),
        other => panic!("no text: {other:?}"),
    };
    values.into_iter().map(text).collect()
}

/// Asks for all keys again and again while others change, and checks every answer.
fn lists_what_stays_exactly_once(engine: &Engine) {
    let server = fill(engine);
    let address = server.addresses()[0];
    let expected: Vec<String> = (0..KEYS).map(key).collect();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            let mut client = Client::at(address);
            let mut round = 0;
            while !is_over.load(Ordering::SeqCst) {
                // Those that stay move between the homes, others come and go.
                let (stays, goes) = (key(round * 7919 % KEYS), format!("stay:{round}:guest"));
                if round % 2 == 0 {
                    client.call(&["PERSIST", &stays]);
                } else {
                    client.call(&["EXPIRE", &stays, "1000"]);
                }
                client.call(&["SET", &goes, "x"]);
                if round % 3 == 0 {
                    client.call(&["DEL", &goes]);
                }
                round += 1;
            }
        });
        let mut client = Client::at(address);
        let replies: Vec<_> = (0..5).map(|_| client.call(&["KEYS", "stay:*"])).collect();
        is_over.store(true, Ordering::SeqCst);
        for reply in replies {
            let mut found = texts(reply);
            assert!(found.is_sorted());
            found.retain(|key| !key.ends_with("guest"));
            assert!(found == expected, "{} of {KEYS}", found.len());
        }
    });
    server.stop();
    engine.close().unwrap();
}

#[test]
fn keys_lists_what_stays_exactly_once_while_others_come_and_go() {
    lists_what_stays_exactly_once(&engine());
    let folder = tempfile::tempdir().unwrap();
    lists_what_stays_exactly_once(&on_disk(folder.path()));
}

#[test]
fn others_are_served_while_keys_are_listed() {
    let engine = engine();
    let server = fill(&engine);
    let (mut asker, mut other) = (Client::to(&server), Client::to(&server));
    // The ordered index is there from now on.
    asker.call(&["DWELL.SCAN", "stay:"]);
    let is_listed = AtomicBool::new(false);
    let served = std::thread::scope(|threads| {
        threads.spawn(|| {
            assert_eq!(texts(asker.call(&["KEYS", "*"])).len(), KEYS);
            is_listed.store(true, Ordering::SeqCst);
        });
        let mut served = 0;
        while !is_listed.load(Ordering::SeqCst) {
            assert_eq!(other.call(&["GET", &key(1)]), bytes("1"));
            served += 1;
        }
        served
    });
    assert!(served > 5, "only {served}");
    server.stop();
}

#[test]
fn keys_of_many_keys_inside_multi_is_refused_by_name() {
    let engine = engine();
    let server = fill(&engine);
    let mut client = Client::to(&server);
    client.call(&["MULTI"]);
    client.call(&["KEYS", "stay:00001?"]);
    client.call(&["KEYS", "*"]);
    client.call(&["SET", "after", "1"]);
    let few = (10..20).map(|number| bytes(&key(number))).collect();
    let refusal = "ERR KEYS looks at 10000 keys at most inside MULTI, use it outside, or SCAN";
    assert_eq!(client.call(&["EXEC"]), Value::Array(vec![Value::Array(few), error(refusal), ok()]));
    server.stop();
}

#[test]
fn a_hostile_pattern_against_a_huge_key_is_worked_out_elsewhere() {
    let engine = engine();
    let server = fill(&engine);
    let mut client = Client::to(&server);
    let huge = "a".repeat(20_000);
    client.call(&["SET", &huge, "1"]);
    let pattern = format!("*{}b*", "a".repeat(1_000));
    assert_eq!(texts(client.call(&["KEYS", &pattern])), Vec::<String>::new());
    let reply = client.call(&["SCAN", "0", "MATCH", &pattern, "COUNT", "100"]);
    let Value::Array(parts) = reply else { panic!("no page") };
    assert_eq!(parts[1], Value::Array(Vec::new()));
    server.stop();
}

#[test]
fn a_long_comparison_is_exact_and_refused_inside_multi() {
    let server = support::start(loopback());
    let mut client = Client::to(&server);
    let (a, b) = ("ab".repeat(5_790), "ba".repeat(5_790));
    client.call(&["MSET", "a", &a, "b", &b]);
    assert_eq!(client.call(&["LCS", "a", "b", "LEN"]), Value::Integer(11_579));
    assert_eq!(client.call(&["LCS", "a", "b"]), bytes(&b[..11_579]));
    client.call(&["MULTI"]);
    client.call(&["LCS", "a", "b", "LEN"]);
    client.call(&["SET", "a", "ohmytext"]);
    client.call(&["SET", "b", "mynewtext"]);
    client.call(&["LCS", "a", "b"]);
    let refusal = error("ERR LCS of strings this long takes too long inside MULTI");
    assert_eq!(client.call(&["EXEC"]), Value::Array(vec![refusal, ok(), ok(), bytes("mytext")]));
    server.stop();
}
