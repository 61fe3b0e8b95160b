//! The table's answers are Redis 7.0.15's on x86-64; 40,000 random sums were compared besides.
#![allow(clippy::unwrap_used, missing_docs)]

use super::*;
use proptest::prelude::*;

fn sum(a: &str, b: &str) -> Result<String, DecimalError> {
    add_decimal(a.as_bytes(), b.as_bytes()).map(|text| String::from_utf8(text).unwrap())
}

#[test]
fn an_integer_has_one_canonical_form() {
    for (text, value) in [
        ("0", 0),
        ("7", 7),
        ("-1", -1),
        ("9223372036854775807", i64::MAX),
        ("-9223372036854775808", i64::MIN),
    ] {
        assert_eq!(parse_integer(text.as_bytes()), Some(value), "{text}");
    }
}

/// NUM-02.
#[test]
fn what_only_looks_like_an_integer_is_refused() {
    for text in [
        "",
        "-",
        "-0",
        "00",
        "010",
        "+5",
        " 11",
        "11 ",
        "1.0",
        "1_000",
        "1e3",
        "0x10",
        "--1",
        "9223372036854775808",
        "-9223372036854775809",
        "12345678901234567890",
        "1\0",
        "100000000000000000000000",
    ] {
        assert_eq!(parse_integer(text.as_bytes()), None, "{text:?}");
    }
}

/// NUM-02.
#[test]
fn sums_are_printed_as_redis_prints_them() {
    for (a, b, expected) in [
        ("0.1", "0.2", "0.3"),
        ("5.0e3", "2.0e2", "5200"),
        ("10.50", "0.1", "10.6"),
        ("3", "1.1", "4.1"),
        ("1", "-1.1", "-0.1"),
        ("3.0e3", "200", "3200"),
        ("1.5", "-1.5", "0"),
        ("-0", "-0.0", "0"),
        ("-1e-18", "0", "0"),
        ("5e-18", "0", "0"),
        ("5.1e-18", "0", "0.00000000000000001"),
        ("1000.1", "0", "1000.09999999999999998"),
        ("123456789.123456789", "0.1", "123456789.22345678899728227"),
        ("17179869184", "1.5", "17179869185.5"),
        ("9223372036854775807", "1", "9223372036854775808"),
        ("18446744073709551615", "1", "18446744073709551616"),
        ("18446744073709551615", "2", "18446744073709551616"),
        ("18446744073709551617", "-1", "18446744073709551615"),
        ("1e25", "1", "10000000000000000000000000"),
        ("1e300", "-1e300", "0"),
        (".5", "5.", "5.5"),
        ("+1E+2", "0e99999999999", "100"),
        ("1e-4950", "0", "0"),
    ] {
        assert_eq!(sum(a, b).as_deref(), Ok(expected), "{a} + {b}");
    }
}

/// NUM-02.
#[test]
fn what_is_no_finite_decimal_is_refused() {
    for text in [
        "",
        " 1",
        "1 ",
        "nan",
        "-nan",
        "abc",
        "1e",
        "1e+",
        "e5",
        ".",
        "+",
        "--1",
        "1.5.2",
        "1_0",
        "0x10",
        "1e5000",
        "-1e5000",
        "1e99999999999999999999",
        "1e-5000",
        "1\0",
        "infinit",
    ] {
        assert_eq!(sum(text, "1"), Err(DecimalError::NotANumber), "{text:?}");
        assert_eq!(sum("1", text), Err(DecimalError::NotANumber), "{text:?}");
    }
    assert_eq!(sum("1", "inf"), Err(DecimalError::NotFinite));
    assert_eq!(sum("-Infinity", "1"), Err(DecimalError::NotFinite));
    assert_eq!(sum("1.1e4932", "1.1e4932"), Err(DecimalError::NotFinite));
    assert_eq!(sum("inf", "nan"), Err(DecimalError::NotANumber));
}

/// INV-06.
#[test]
fn a_text_beyond_the_bound_is_refused_and_one_at_the_bound_is_read() {
    let longest = "0".repeat(DECIMAL_TEXT_BYTES_MAX - 1) + "1";
    assert_eq!(sum(&longest, "1").as_deref(), Ok("2"));
    assert_eq!(sum(&(longest + "1"), "1"), Err(DecimalError::NotANumber));
    assert_eq!(sum("1e4932", "0").unwrap().len(), 4933);
}

#[test]
fn a_decimal_is_printed_by_its_shortest_digits() {
    for (value, text) in [
        (0.0, "0"),
        (-0.0, "-0"),
        (3.0, "3"),
        (0.1, "0.1"),
        (-1.5, "-1.5"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1e16, "10000000000000000"),
        (1e17, "1e+17"),
        (1.5e300, "1.5e+300"),
        (0.0001, "0.0001"),
        (0.000_012, "1.2e-05"),
        (5e-324, "5e-324"),
        (f64::INFINITY, "inf"),
        (f64::NEG_INFINITY, "-inf"),
        (f64::NAN, "nan"),
    ] {
        assert_eq!(String::from_utf8(format_decimal(value)).unwrap(), text);
    }
}

#[test]
fn a_decimal_out_of_range_or_no_number_is_not_read() {
    for text in ["", " 1", "1 ", "nan", "NaN", "-nan", "1e999", "-1e999", "0x10", "1e", "abc"] {
        assert_eq!(parse_decimal(text.as_bytes()), None, "{text:?}");
    }
    assert_eq!(parse_decimal(b"-inf"), Some(f64::NEG_INFINITY));
    assert_eq!(parse_decimal(b"5.0e3"), Some(5000.0));
}

proptest! {
    #[test]
    fn every_integer_is_read_back(value: i64) {
        prop_assert_eq!(parse_integer(value.to_string().as_bytes()), Some(value));
    }

    #[test]
    fn every_decimal_is_read_back(value: f64) {
        prop_assume!(!value.is_nan());
        prop_assert_eq!(parse_decimal(&format_decimal(value)), Some(value));
    }

    #[test]
    fn sums_of_64_bit_integers_below_the_mantissa_are_exact(
        a in -(1_i128 << 62)..(1 << 62), b in -(1_i128 << 62)..(1 << 62),
    ) {
        prop_assert_eq!(sum(&a.to_string(), &b.to_string()), Ok((a + b).to_string()));
    }

    #[test]
    fn short_decimals_add_as_on_paper(
        a in -9_000_000_i64..9_000_000, b in -9_000_000_i64..9_000_000,
    ) {
        let in_millionths = |value: i64| {
            let sign = if value < 0 { "-" } else { "" };
            let value = value.unsigned_abs();
            let text = format!("{sign}{}.{:06}", value / 1_000_000, value % 1_000_000);
            text.trim_end_matches('0').trim_end_matches('.').to_string()
        };
        prop_assert_eq!(sum(&in_millionths(a), &in_millionths(b)), Ok(in_millionths(a + b)));
    }

    #[test]
    fn any_bytes_are_read_or_refused(a: Vec<u8>, b in "[-+0-9.eE]{0,40}") {
        let _ = add_decimal(&a, b.as_bytes());
        let _ = add_decimal(b.as_bytes(), b.as_bytes());
        let _ = parse_decimal(&a);
    }
}
