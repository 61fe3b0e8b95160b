//! The short way through a request: nearly every one has come whole, is a multibulk, and spells its
//! lengths in a few digits. What is not like that is left to the parser's steps, which alone know
//! what is an error and what is yet to come.

use crate::arguments::Span;
use crate::limits::RequestLimits;
use crate::number::parse_integer;

/// Digits of a length that are looked at here.
const DIGITS_MAX: usize = 9;

/// Splits the command at the beginning of `buffer` into `spans` and tells how long it is. `None`,
/// with no span written, if it is not whole or in any way unusual.
pub fn split(buffer: &[u8], limits: &RequestLimits, spans: &mut Vec<Span>) -> Option<usize> {
    let (count, mut next) = number_line(buffer, 0, b'*')?;
    if count > limits.arguments_max || !limits.is_authenticated {
        return None;
    }
    for _ in 0..count {
        let Some(span) = bulk(buffer, next, limits.bulk_bytes_max) else {
            spans.clear();
            return None;
        };
        next = span.end + 2;
        spans.push(span);
    }
    Some(next)
}

#[inline]
fn bulk(buffer: &[u8], at: usize, bytes_max: usize) -> Option<Span> {
    let (length, start) = number_line(buffer, at, b'$')?;
    let end = start + length;
    let is_whole = length <= bytes_max && buffer.get(end..end + 2)? == b"\r\n";
    is_whole.then_some(Span { start, end })
}

/// The number behind `marker` at `at`, and where the line behind it begins.
#[inline]
fn number_line(buffer: &[u8], at: usize, marker: u8) -> Option<(usize, usize)> {
    let line = buffer.get(at..)?;
    match *line {
        [mark, one, b'\r', b'\n', ..] if mark == marker && one.is_ascii_digit() => {
            Some((digit(one), at + 4))
        }
        [mark, ten @ b'1'..=b'9', one, b'\r', b'\n', ..]
            if mark == marker && one.is_ascii_digit() =>
        {
            Some((digit(ten) * 10 + digit(one), at + 5))
        }
        [mark, b'1'..=b'9', ..] if mark == marker => {
            let end = 1 + line[1..].iter().take(DIGITS_MAX + 1).position(|&byte| byte == b'\r')?;
            let number = usize::try_from(parse_integer(&line[1..end])?).ok()?;
            (line.get(end + 1)? == &b'\n').then_some((number, at + end + 2))
        }
        _ => None,
    }
}

const fn digit(byte: u8) -> usize {
    (byte - b'0') as usize
}
