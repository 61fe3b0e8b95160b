#![allow(clippy::unwrap_used, missing_docs)]
use super::{RequestLimits, RequestParser, SPANS_KEPT_MAX};
use crate::error::ProtocolError;
use crate::pieces;
use proptest::prelude::*;

type Commands = Vec<Vec<Vec<u8>>>;

/// All commands in `bytes`, which arrive in pieces that end at the given offsets.
fn commands(
    bytes: &[u8],
    cuts: &[usize],
    limits: &RequestLimits,
) -> (Commands, Option<ProtocolError>) {
    let mut parser = RequestParser::new();
    let (found, error, _) = pieces::read(bytes, cuts, |piece| {
        let request = parser.parse(piece, limits)?;
        Ok(request.map(|one| (one.arguments.iter().map(<[u8]>::to_vec).collect(), one.consumed)))
    });
    (found, error)
}

fn encode(arguments: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = format!("*{}\r\n", arguments.len()).into_bytes();
    for argument in arguments {
        bytes.extend_from_slice(format!("${}\r\n", argument.len()).as_bytes());
        bytes.extend_from_slice(argument);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes
}

fn error_of(bytes: &[u8], limits: &RequestLimits) -> Option<ProtocolError> {
    commands(bytes, &[], limits).1
}

#[test]
fn limits_are_exact() {
    let limits = RequestLimits { bulk_bytes_max: 5, arguments_max: 2, is_authenticated: true };
    assert_eq!(error_of(b"*2\r\n$5\r\nabcde\r\n$0\r\n\r\n", &limits), None);
    assert_eq!(error_of(b"*3\r\n", &limits), Some(ProtocolError::InvalidMultibulkLength));
    assert_eq!(error_of(b"*1\r\n$6\r\n", &limits), Some(ProtocolError::InvalidBulkLength));
}

#[test]
fn who_has_not_authenticated_gets_ten_arguments_of_16_kib() {
    // WIRE-07
    let limits = RequestLimits { is_authenticated: false, ..RequestLimits::default() };
    assert_eq!(error_of(b"*10\r\n$16384\r\n", &limits), None);
    assert_eq!(
        error_of(b"*11\r\n", &limits).unwrap().to_string(),
        "Protocol error: unauthenticated multibulk length"
    );
    assert_eq!(
        error_of(b"*1\r\n$16385\r\n", &limits).unwrap().to_string(),
        "Protocol error: unauthenticated bulk length"
    );
}

#[test]
fn an_error_leaves_nothing_to_the_next_connection_that_the_parser_reads() {
    let limits = RequestLimits::default();
    for wrong in
        [&b"*3\r\n$3\r\nSET\r\nfooz\r\n"[..], b"*1\r\n$-10\r\n", b"*x\r\n", b"a \"\"\"\r\n"]
    {
        let mut parser = RequestParser::new();
        assert!(parser.parse(wrong, &limits).is_err());
        let request = parser.parse(b"*1\r\n$4\r\nPING\r\n", &limits).unwrap().unwrap();
        assert_eq!(request.arguments.iter().collect::<Vec<_>>(), [b"PING"]);
    }
}

#[test]
fn a_promise_of_a_million_arguments_allocates_nothing() {
    // WIRE-07
    let mut parser = RequestParser::new();
    assert!(parser.parse(b"*1048576\r\n$1\r\na", &RequestLimits::default()).unwrap().is_none());
    assert_eq!(parser.memory_bytes(), 0);
}

#[test]
fn memory_of_a_giant_command_is_given_back() {
    let giant = encode(&vec![b"x".to_vec(); 100_000]);
    let mut parser = RequestParser::new();
    let limits = RequestLimits::default();
    assert!(parser.parse(&giant, &limits).unwrap().is_some());
    assert!(parser.parse(b"PING\r\n", &limits).unwrap().is_some());
    assert!(parser.memory_bytes() <= (SPANS_KEPT_MAX + 1) * 16);
}

#[test]
fn an_inline_line_may_have_64_kib_and_not_more() {
    // WIRE-05
    let limits = RequestLimits::default();
    let mut line = vec![b'a'; 64 * 1024];
    assert_eq!(error_of(&line, &limits), None);
    line.push(b'\n');
    assert_eq!(error_of(&line, &limits), None);
    let line = vec![b'a'; 70_000];
    assert_eq!(error_of(&line, &limits), Some(ProtocolError::TooBigInline));
    let byte_by_byte: Vec<usize> = (0..line.len()).collect();
    assert_eq!(commands(&line, &byte_by_byte, &limits).1, Some(ProtocolError::TooBigInline));
}

#[test]
fn a_number_without_end_is_an_error() {
    let limits = RequestLimits::default();
    let endless = [b"*".to_vec(), vec![b'0'; 70_000]].concat();
    assert_eq!(error_of(&endless, &limits), Some(ProtocolError::TooBigMultibulkCount));
    let endless = [b"*1\r\n$".to_vec(), vec![b'1'; 70_000]].concat();
    assert_eq!(error_of(&endless, &limits), Some(ProtocolError::TooBigBulkCount));
}

#[test]
fn the_buffer_for_a_large_value_can_be_sized_once() {
    let mut parser = RequestParser::new();
    let limits = RequestLimits::default();
    assert!(parser.parse(b"*1\r\n$1000\r\nab", &limits).unwrap().is_none());
    assert_eq!(parser.buffer_bytes_wanted(), 11 + 1000 + 2);
    assert!(parser.is_within_command());
}

#[test]
fn two_megabytes_that_come_byte_by_byte_are_one_command() {
    // A parser that starts over, or searches the bulk again, would be at it for an hour.
    let bytes = encode(&[b"SET".to_vec(), b"k".to_vec(), vec![b'x'; 2_000_000]]);
    let byte_by_byte: Vec<usize> = (0..bytes.len()).collect();
    let (found, error) = commands(&bytes, &byte_by_byte, &RequestLimits::default());
    assert_eq!((found.len(), error), (1, None));
}

proptest! {
    #[test]
    fn what_was_encoded_is_read_back_however_it_is_cut(
        sent in prop::collection::vec(
            prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 1..6),
            1..5,
        ),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let bytes: Vec<u8> = sent.iter().flat_map(|command| encode(command)).collect();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len())).collect();
        cuts.sort_unstable();
        let (found, error) = commands(&bytes, &cuts, &RequestLimits::default());
        prop_assert_eq!(error, None);
        prop_assert_eq!(found, sent);
    }

    #[test]
    fn noise_gives_the_same_outcome_however_it_is_cut(
        pieces in prop::collection::vec(
            prop::sample::select(vec![
                "*", "$", "1", "2", "0", "-", "\r\n", "\r", "\n", "\"", "'", "\\x41", " ", "a",
            ]),
            0..30,
        ),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let bytes = pieces.concat().into_bytes();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.sort_unstable();
        let limits = RequestLimits { is_authenticated: false, ..RequestLimits::default() };
        prop_assert_eq!(commands(&bytes, &cuts, &limits), commands(&bytes, &[], &limits));
    }
}
