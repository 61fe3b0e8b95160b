//! Inline commands: one line, split at blanks, with the quoting rules of redis-cli.
//!
//! Knows nothing of where the line came from; the request parser finds its end.

use crate::arguments::Span;
use crate::error::ProtocolError;

#[cfg(test)]
mod tests;

/// Splits `line` into arguments: their unquoted bytes go to `bytes`, their places to `spans`.
///
/// In double quotes `\n \r \t \b \a`, `\xNN` and any escaped character are known; in single quotes
/// only `\'`. A closing quote must be followed by a blank or the end.
///
/// # Errors
/// [`ProtocolError::UnbalancedQuotes`]; what was appended until then is of no use.
///
/// # Source
/// `sdssplitargs` of Redis 7.0.15, but for the zero byte, which ends the line there and here is a
/// byte like any other.
pub fn split(line: &[u8], bytes: &mut Vec<u8>, spans: &mut Vec<Span>) -> Result<(), ProtocolError> {
    let mut rest = skip_blanks(line);
    while !rest.is_empty() {
        let start = bytes.len();
        rest = argument(rest, bytes)?;
        spans.push(Span { start, end: bytes.len() });
        rest = skip_blanks(rest);
    }
    Ok(())
}

/// Reads one argument, which may switch into and out of quotes; returns what follows it.
fn argument<'a>(mut rest: &'a [u8], bytes: &mut Vec<u8>) -> Result<&'a [u8], ProtocolError> {
    loop {
        match rest {
            [] => return Ok(rest),
            [blank, ..] if is_blank(*blank) => return Ok(rest),
            [b'"', quoted @ ..] => return end_of_quotes(double_quoted(quoted, bytes)?),
            [b'\'', quoted @ ..] => return end_of_quotes(single_quoted(quoted, bytes)?),
            [byte, after @ ..] => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
}

fn double_quoted<'a>(mut rest: &'a [u8], bytes: &mut Vec<u8>) -> Result<&'a [u8], ProtocolError> {
    loop {
        rest = match rest {
            [] => return Err(ProtocolError::UnbalancedQuotes),
            [b'"', after @ ..] => return Ok(after),
            [b'\\', b'x', high, low, after @ ..]
                if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() =>
            {
                bytes.push(hex_digit(*high) << 4 | hex_digit(*low));
                after
            }
            [b'\\', escaped, after @ ..] => {
                bytes.push(unescape(*escaped));
                after
            }
            [byte, after @ ..] => {
                bytes.push(*byte);
                after
            }
        };
    }
}

fn single_quoted<'a>(mut rest: &'a [u8], bytes: &mut Vec<u8>) -> Result<&'a [u8], ProtocolError> {
    loop {
        rest = match rest {
            [] => return Err(ProtocolError::UnbalancedQuotes),
            [b'\'', after @ ..] => return Ok(after),
            [b'\\', b'\'', after @ ..] => {
                bytes.push(b'\'');
                after
            }
            [byte, after @ ..] => {
                bytes.push(*byte);
                after
            }
        };
    }
}

fn end_of_quotes(rest: &[u8]) -> Result<&[u8], ProtocolError> {
    match rest {
        [] => Ok(rest),
        [blank, ..] if is_blank(*blank) => Ok(rest),
        _ => Err(ProtocolError::UnbalancedQuotes),
    }
}

const fn unescape(escaped: u8) -> u8 {
    match escaped {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'b' => 0x08,
        b'a' => 0x07,
        other => other,
    }
}

const fn hex_digit(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        b'a'..=b'f' => digit - b'a' + 10,
        _ => digit - b'A' + 10,
    }
}

/// What C's `isspace` calls a blank.
const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

fn skip_blanks(rest: &[u8]) -> &[u8] {
    let blanks = rest.iter().take_while(|byte| is_blank(**byte)).count();
    &rest[blanks..]
}
