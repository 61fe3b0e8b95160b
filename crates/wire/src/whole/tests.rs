#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;
use crate::request::RequestParser;

/// Bytes of one request, usual ones above all.
fn request() -> impl Strategy<Value = Vec<u8>> {
    let argument = prop::collection::vec(any::<u8>(), 0..200);
    prop_oneof![
        8 => prop::collection::vec(argument, 1..6).prop_map(|arguments| encoded(&arguments)),
        1 => Just(b"PING\r\n".to_vec()),
        1 => Just(b"*0\r\n".to_vec()),
        1 => Just(b"*01\r\n$4\r\nPING\r\n".to_vec()),
        1 => Just(b"*1\r\n$04\r\nPING\r\n".to_vec()),
        1 => Just(b"*1\r\n$4\r\nPINGxx".to_vec()),
        1 => prop::collection::vec(any::<u8>(), 1..20),
    ]
}

fn encoded(arguments: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = format!("*{}\r\n", arguments.len()).into_bytes();
    for argument in arguments {
        bytes.extend(format!("${}\r\n", argument.len()).into_bytes());
        bytes.extend(argument);
        bytes.extend(b"\r\n");
    }
    bytes
}

proptest! {
    #[test]
    fn requests_that_are_split_ahead_are_what_the_parser_would_read(
        requests in prop::collection::vec(request(), 0..20),
        cut in 0..40_usize,
        most in 0..25_usize,
    ) {
        let bytes = requests.concat();
        let bytes = &bytes[..bytes.len().saturating_sub(cut)];
        let limits = RequestLimits::default();
        let mut whole = WholeRequests::default();
        let mut shown = Vec::new();
        // Behind what stands there already.
        let before = whole.split(b"*1\r\n$4\r\nPING\r\n", &limits, 1, |_| {});
        let count = whole.split(bytes, &limits, most, |one| shown.push(one.to_owned()));
        prop_assert!(count <= most);
        prop_assert_eq!((before, whole.len(), shown.len()), (1, before + count, count));
        let mut parser = RequestParser::new();
        let mut rest = bytes;
        for (index, shown) in shown.iter().enumerate() {
            let parsed = parser.parse(rest, &limits).unwrap().unwrap();
            let split = whole.get(before + index, rest).unwrap();
            prop_assert_eq!(split.consumed, parsed.consumed);
            prop_assert_eq!(split.arguments.to_owned(), parsed.arguments.to_owned());
            prop_assert_eq!(shown, &parsed.arguments.to_owned());
            rest = &rest[split.consumed..];
        }
        prop_assert!(whole.get(before + count, rest).is_none());
        whole.clear();
        prop_assert!(whole.is_empty());
    }
}

#[test]
fn whoever_has_not_authenticated_is_left_to_the_parser() {
    let limits = RequestLimits { is_authenticated: false, ..RequestLimits::default() };
    let mut whole = WholeRequests::default();
    assert_eq!(whole.split(b"*1\r\n$4\r\nPING\r\n", &limits, 1, |_| {}), 0);
    assert!(whole.get(0, b"").is_none());
}
