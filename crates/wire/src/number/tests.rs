#![allow(clippy::unwrap_used, missing_docs)]
use super::parse_integer;

#[test]
fn the_whole_range_of_64_bits_is_read() {
    assert_eq!(parse_integer(b"0"), Some(0));
    assert_eq!(parse_integer(b"-1"), Some(-1));
    assert_eq!(parse_integer(b"9223372036854775807"), Some(i64::MAX));
    assert_eq!(parse_integer(b"-9223372036854775808"), Some(i64::MIN));
}

#[test]
fn what_only_looks_like_an_integer_is_refused() {
    // NUM-02
    for text in ["", "-", "+5", "010", "-0", "00", " 1", "1 ", "1.0", "9223372036854775808", "0x1"]
    {
        assert_eq!(parse_integer(text.as_bytes()), None, "{text:?}");
    }
    assert_eq!(parse_integer(b"-9223372036854775809"), None);
    assert_eq!(parse_integer(b"12345678901234567890123"), None);
}
