//! Numbers as text: which bytes are an integer, which are a decimal, and how a sum is printed.
//!
//! Owns Redis's grammars and its printed digits. It must not know keys, values or replies.

mod big;
mod extended;
#[cfg(test)]
mod tests;

use extended::{Extended, Parsed};

/// Why a decimal sum has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecimalError {
    /// One of the texts is not a decimal number: empty, with spaces, `nan`, or out of range.
    NotANumber,
    /// The sum is not finite.
    NotFinite,
}

/// The longest text that is read as a decimal, which is Redis's `MAX_LONG_DOUBLE_CHARS` less one.
///
/// It bounds the work for a hostile text.
pub const DECIMAL_TEXT_BYTES_MAX: usize = 5 * 1024 - 1;

/// The most bytes that an `i64` in decimal has.
const INTEGER_TEXT_BYTES_MAX: usize = 20;

/// Reads an integer in its one canonical form: no plus, no spaces, no leading zeros, no `-0`.
///
/// Source: Redis's `string2ll`, which decides between an integer and a string.
pub fn parse_integer(text: &[u8]) -> Option<i64> {
    let (is_negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    match digits {
        [b'0'] if !is_negative => return Some(0),
        [b'1'..=b'9', ..] if text.len() <= INTEGER_TEXT_BYTES_MAX => {}
        _ => return None,
    }
    digits.iter().try_fold(0_i64, |value, &byte| {
        let digit = i64::from(byte.checked_sub(b'0').filter(|digit| *digit <= 9)?);
        let shifted = value.checked_mul(10)?;
        // Negative numbers are built downwards, since the smallest has no positive twin.
        if is_negative { shifted.checked_sub(digit) } else { shifted.checked_add(digit) }
    })
}

/// Adds two decimals and prints the sum with at most 17 digits after the point, no zeros behind.
///
/// The arithmetic is that of Redis on x86-64: each operand and the sum are rounded to 64
/// significant bits, so that 0.1 + 0.2 is 0.3 and the digits are Redis's own, on every machine.
/// Hexadecimal, which C's `strtold` happens to read, is refused.
///
/// # Errors
/// `NotANumber` if either text is no decimal, `NotFinite` if the sum overflows or a text is `inf`.
///
/// # Cost
/// Bounded by [`DECIMAL_TEXT_BYTES_MAX`] and the range of 10^±4932: below a millisecond.
pub fn add_decimal(a: &[u8], b: &[u8]) -> Result<Vec<u8>, DecimalError> {
    let (a, b) = (Extended::parse(a), Extended::parse(b));
    match (a, b) {
        (Parsed::Invalid, _) | (_, Parsed::Invalid) => Err(DecimalError::NotANumber),
        (Parsed::Finite(a), Parsed::Finite(b)) => {
            a.plus(b).map(Extended::to_text).ok_or(DecimalError::NotFinite)
        }
        _ => Err(DecimalError::NotFinite),
    }
}

/// Reads a decimal as the nearest `f64`; `inf` in any spelling is one, `nan` and overflow are not.
pub fn parse_decimal(text: &[u8]) -> Option<f64> {
    if text.len() > DECIMAL_TEXT_BYTES_MAX {
        return None;
    }
    let value: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    let has_overflowed = value.is_infinite() && text.iter().any(u8::is_ascii_digit);
    (!value.is_nan() && !has_overflowed).then_some(value)
}

/// Prints the shortest text that reads back as the same `f64`: `3`, `0.1`, `1e+20`, `-inf`.
///
/// The exponent appears where C's `%.17g` would use it.
pub fn format_decimal(value: f64) -> Vec<u8> {
    if !value.is_finite() {
        let text: &[u8] = match (value.is_nan(), value > 0.0) {
            (true, _) => b"nan",
            (_, true) => b"inf",
            _ => b"-inf",
        };
        return text.to_vec();
    }
    let scientific = format!("{value:e}");
    let exponent = scientific.split_once('e').and_then(|(_, text)| text.parse::<i32>().ok());
    match exponent {
        Some(exponent @ (..-4 | 17..)) => {
            let digits = scientific.split('e').next().unwrap_or_default();
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", exponent.unsigned_abs()).into_bytes()
        }
        _ => format!("{value}").into_bytes(),
    }
}
