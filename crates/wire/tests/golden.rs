//! Golden bytes: every case of `spec/vectors/resp.txt`, whole and split at every byte.
#![allow(clippy::unwrap_used, missing_docs)]

mod pieces;
mod vectors;

use dwell_wire::{
    Protocol, ProtocolError, Reply, ReplyLimits, ReplyParser, RequestLimits, RequestParser, Value,
};
use pieces::Read;
use vectors::{Case, cases, text, value, word};

/// How a stream ended.
#[derive(Debug, PartialEq)]
enum End {
    Clean,
    More,
    Error(String),
}

fn cases_of(kinds: &[&str], claim: impl Fn(&Case)) {
    let found: Vec<Case> =
        cases().into_iter().filter(|case| kinds.contains(&case.kind.as_str())).collect();
    assert!(!found.is_empty());
    found.iter().for_each(claim);
}

/// Every way to cut `length` bytes into two pieces, and the way into single bytes.
fn cuts(length: usize) -> Vec<Vec<usize>> {
    let mut cuts: Vec<Vec<usize>> = (0..=length).map(|cut| vec![cut]).collect();
    cuts.push((0..=length).collect());
    cuts
}

fn read_commands(bytes: &[u8], cuts: &[usize], guest: bool) -> (Vec<Vec<Vec<u8>>>, End) {
    let limits = RequestLimits { is_authenticated: !guest, ..RequestLimits::default() };
    let mut parser = RequestParser::new();
    let found = pieces::read(bytes, cuts, |piece| {
        let request = parser.parse(piece, &limits)?;
        Ok(request.map(|one| (one.arguments.iter().map(<[u8]>::to_vec).collect(), one.consumed)))
    });
    ended(bytes, found)
}

fn read_replies(bytes: &[u8], cuts: &[usize]) -> (Vec<Value>, End) {
    let mut parser = ReplyParser::new();
    let found = pieces::read(bytes, cuts, |piece| {
        let reply = parser.parse(piece, &ReplyLimits::default())?;
        Ok(reply.map(|one| (one.value, one.consumed)))
    });
    ended(bytes, found)
}

fn ended<T>(bytes: &[u8], (found, error, end): Read<T, ProtocolError>) -> (Vec<T>, End) {
    let end = match error {
        Some(error) => End::Error(error.to_string()),
        None if end == bytes.len() => End::Clean,
        None => End::More,
    };
    (found, end)
}

#[test]
fn every_request_is_read_as_the_vectors_say() {
    cases_of(&["request", "guest"], |case| {
        let mut tokens = &case.tokens[..];
        let bytes = text(&mut tokens);
        let (mut expected, mut end) = (Vec::new(), End::Clean);
        while !tokens.is_empty() {
            if word(&mut tokens, "more") {
                end = if bytes.is_empty() { End::Clean } else { End::More };
            } else if word(&mut tokens, "broken") {
                end = End::Error(String::from_utf8(text(&mut tokens)).unwrap());
            } else {
                assert!(word(&mut tokens, "["), "{}", case.line);
                let mut arguments = Vec::new();
                while !word(&mut tokens, "]") {
                    arguments.push(text(&mut tokens));
                }
                expected.push(arguments);
            }
        }
        let expected = (expected, end);
        for cuts in cuts(bytes.len()) {
            let found = read_commands(&bytes, &cuts, case.kind == "guest");
            assert_eq!(found, expected, "{} cut at {cuts:?}", case.line);
        }
    });
}

#[test]
fn every_reply_is_read_as_the_vectors_say() {
    // WIRE-01, WIRE-02, WIRE-03
    cases_of(&["reply"], |case| {
        let mut tokens = &case.tokens[..];
        let bytes = text(&mut tokens);
        let (mut expected, mut end) = (Vec::new(), End::Clean);
        while !tokens.is_empty() {
            if word(&mut tokens, "more") {
                end = if bytes.is_empty() { End::Clean } else { End::More };
            } else if word(&mut tokens, "broken") {
                end = End::Error(String::from_utf8(text(&mut tokens)).unwrap());
            } else {
                expected.push(value(&mut tokens));
            }
        }
        let expected = (expected, end);
        for cuts in cuts(bytes.len()) {
            let found = read_replies(&bytes, &cuts);
            assert_eq!(found, expected, "{} cut at {cuts:?}", case.line);
        }
    });
}

#[test]
fn every_value_is_written_as_the_vectors_say() {
    cases_of(&["encode2", "encode3"], |case| {
        let mut tokens = &case.tokens[..];
        let value = value(&mut tokens);
        let version = if case.kind == "encode2" { Protocol::Resp2 } else { Protocol::Resp3 };
        let mut reply = Reply::new(version);
        reply.value(&value);
        assert_eq!(reply.bytes(), text(&mut tokens), "{}", case.line);
    });
}
