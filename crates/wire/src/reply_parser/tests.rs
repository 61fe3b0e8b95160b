#![allow(clippy::unwrap_used, missing_docs)]
use super::{ReplyLimits, ReplyParser};
use crate::error::ProtocolError;
use crate::pieces;
use crate::protocol::Protocol;
use crate::reply::Reply;
use crate::value::Value;
use proptest::prelude::*;

fn replies(bytes: &[u8], cuts: &[usize]) -> (Vec<Value>, Option<ProtocolError>) {
    let mut parser = ReplyParser::new();
    let (found, error, _) = pieces::read(bytes, cuts, |piece| {
        let reply = parser.parse(piece, &ReplyLimits::default())?;
        Ok(reply.map(|one| (one.value, one.consumed)))
    });
    (found, error)
}

#[test]
fn depth_is_limited() {
    let limits = ReplyLimits { depth_max: 3, ..ReplyLimits::default() };
    let parse = |bytes: &[u8]| ReplyParser::new().parse(bytes, &limits);
    assert!(parse(b"*1\r\n*1\r\n*1\r\n:1\r\n").unwrap().is_some());
    assert_eq!(parse(b"*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n"), Err(ProtocolError::ReplyTooLarge));
    let endless = b"*1\r\n".repeat(100_000);
    assert_eq!(replies(&endless, &[]).1, Some(ProtocolError::ReplyTooLarge));
}

#[test]
fn size_is_limited() {
    let limits = ReplyLimits { reply_bytes_max: 20, ..ReplyLimits::default() };
    let parse = |bytes: &[u8]| ReplyParser::new().parse(bytes, &limits);
    assert_eq!(parse(b"$21\r\n"), Err(ProtocolError::ReplyTooLarge));
    assert_eq!(parse(b"*9\r\n:1\r\n:1\r\n:1\r\n:1\r\n:1\r\n"), Err(ProtocolError::ReplyTooLarge));
    assert_eq!(parse(b"+aaaaaaaaaaaaaaaaaaaaaaaa"), Err(ProtocolError::ReplyTooLarge));
}

#[test]
fn a_promise_of_many_values_reserves_little() {
    let huge = format!("*{}\r\n", i64::MAX);
    assert_eq!(replies(huge.as_bytes(), &[]), (vec![], None));
    let huge = format!("%{}\r\n", i64::MAX);
    assert_eq!(replies(huge.as_bytes(), &[]), (vec![], None));
}

#[test]
fn two_megabytes_that_come_byte_by_byte_are_one_reply() {
    // A parser that starts over, or searches for line ends again, would be at it for an hour.
    let mut bytes = b"*2\r\n$2000000\r\n".to_vec();
    bytes.extend(std::iter::repeat_n(b'\n', 2_000_000));
    bytes.extend_from_slice(b"\r\n+ok\r\n");
    let byte_by_byte: Vec<usize> = (0..bytes.len()).collect();
    assert_eq!(replies(&bytes, &byte_by_byte).0.len(), 1);
}

fn any_value() -> impl Strategy<Value = Value> {
    let line = "[ -~]{0,12}".prop_map(String::into_bytes);
    let bytes = prop::collection::vec(any::<u8>(), 0..20);
    let leaf = prop_oneof![
        Just(Value::Null),
        line.clone().prop_map(Value::Status),
        line.prop_map(Value::Error),
        any::<i64>().prop_map(Value::Integer),
        any::<f64>().prop_filter("nan equals nothing", |x| !x.is_nan()).prop_map(Value::Double),
        any::<bool>().prop_map(Value::Boolean),
        "-?[0-9]{1,40}".prop_map(|digits| Value::BigNumber(digits.into_bytes())),
        bytes.clone().prop_map(Value::Bytes),
        bytes.prop_map(|text| Value::Verbatim(*b"txt", text)),
    ];
    leaf.prop_recursive(4, 40, 4, |inner| {
        let values = prop::collection::vec(inner.clone(), 0..4);
        let pairs = prop::collection::vec((inner.clone(), inner.clone()), 0..3);
        prop_oneof![
            values.clone().prop_map(Value::Array),
            values.clone().prop_map(Value::Set),
            values.prop_map(Value::Push),
            pairs.clone().prop_map(Value::Map),
            (pairs, inner).prop_map(|(pairs, value)| Value::Attributed(pairs, Box::new(value))),
        ]
    })
}

proptest! {
    #[test]
    fn every_value_is_read_back_however_it_is_cut(
        sent in prop::collection::vec(any_value(), 1..4),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let mut reply = Reply::new(Protocol::Resp3);
        for value in &sent {
            reply.value(value);
        }
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(reply.bytes().len())).collect();
        cuts.sort_unstable();
        prop_assert_eq!(replies(reply.bytes(), &cuts), (sent, None));
    }

    #[test]
    fn noise_gives_the_same_outcome_however_it_is_cut(
        pieces in prop::collection::vec(
            prop::sample::select(vec![
                "*", "$", "%", "|", ">", "_", "#t", "+", "1", "2", "0", "-", "\r\n", "\r", "\n",
            ]),
            0..30,
        ),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let bytes = pieces.concat().into_bytes();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.sort_unstable();
        prop_assert_eq!(replies(&bytes, &cuts), replies(&bytes, &[]));
    }
}
