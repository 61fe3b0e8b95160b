#![allow(clippy::unwrap_used, missing_docs)]
use super::split;
use crate::error::ProtocolError;

fn words(line: &[u8]) -> Result<Vec<Vec<u8>>, ProtocolError> {
    let (mut bytes, mut spans) = (Vec::new(), Vec::new());
    split(line, &mut bytes, &mut spans)?;
    Ok(spans.iter().map(|span| bytes[span.start..span.end].to_vec()).collect())
}

#[test]
fn blanks_of_any_kind_separate_and_are_dropped() {
    assert_eq!(words(b"  SET\tk \x0b v  ").unwrap(), [&b"SET"[..], b"k", b"v"]);
    assert!(words(b" \t ").unwrap().is_empty());
}

#[test]
fn double_quotes_know_escapes() {
    // WIRE-05
    let found = words(br#"SET "k 1" "a\x00b\n""#).unwrap();
    assert_eq!(found, [&b"SET"[..], b"k 1", b"a\0b\n"]);
    assert_eq!(words(br#""\q\"\\\xZZ""#).unwrap(), [&b"q\"\\xZZ"[..]]);
    assert_eq!(words(br#""""#).unwrap(), [&b""[..]]);
}

#[test]
fn single_quotes_know_only_the_quote() {
    assert_eq!(words(br"'it\'s' '\n'").unwrap(), [&b"it's"[..], b"\\n"]);
}

#[test]
fn a_quote_may_open_inside_a_word_but_must_end_it() {
    assert_eq!(words(br#"ab"c d""#).unwrap(), [&b"abc d"[..]]);
    for line in [&br#""ab"c"#[..], br#""ab"#, b"'ab", br#"x "y\""#, b"'a'b"] {
        assert_eq!(words(line), Err(ProtocolError::UnbalancedQuotes));
    }
}
