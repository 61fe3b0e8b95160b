//! The short way through a request: nearly every one has come whole, is a multibulk, and spells its
//! lengths in a few digits. What is not like that is left to the parser's steps, which alone know
//! what is an error and what is yet to come.

use crate::arguments::{Arguments, Request, Span};
use crate::limits::RequestLimits;
use crate::number::parse_integer;

#[cfg(test)]
mod tests;

/// Digits of a length that are looked at here.
const DIGITS_MAX: usize = 9;
/// Spans that are kept for later requests.
const SPANS_KEPT_MAX: usize = 1024;

/// Requests that were split before it is their turn, so that somebody can look ahead at them
/// without splitting each twice.
#[derive(Debug, Default)]
pub struct WholeRequests {
    spans: Vec<Span>,
    requests: Vec<Place>,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    /// Behind its last span; the first stands behind the last of the request before.
    spans_end: usize,
    consumed: usize,
}

impl WholeRequests {
    /// Adds the requests at the beginning of `buffer`, `most` at most, and shows each; tells how
    /// many these were. It ends where the parser's steps are needed.
    pub fn split(
        &mut self,
        mut buffer: &[u8],
        limits: &RequestLimits,
        most: usize,
        mut show: impl FnMut(Arguments<'_>),
    ) -> usize {
        let held = self.requests.len();
        while self.requests.len() < held + most {
            let first = self.spans.len();
            let Some(consumed) = split(buffer, limits, &mut self.spans) else { break };
            show(Arguments::new(buffer, &self.spans[first..]));
            self.requests.push(Place { spans_end: self.spans.len(), consumed });
            buffer = &buffer[consumed..];
        }
        self.requests.len() - held
    }

    /// Requests held.
    pub fn len(&self) -> usize {
        self.requests.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    /// A request again; `buffer` is what stood from its first byte on.
    pub fn get<'a>(&'a self, index: usize, buffer: &'a [u8]) -> Option<Request<'a>> {
        let Place { spans_end, consumed } = *self.requests.get(index)?;
        let before = index.checked_sub(1).and_then(|before| self.requests.get(before));
        let spans = self.spans.get(before.map_or(0, |before| before.spans_end)..spans_end)?;
        Some(Request { arguments: Arguments::new(buffer, spans), consumed })
    }

    /// Forgets them.
    pub fn clear(&mut self) {
        self.requests.clear();
        self.spans.clear();
        self.spans.shrink_to(SPANS_KEPT_MAX);
    }
}

/// Splits the command at the beginning of `buffer`, adds its places to `spans` and tells how long
/// it is. `None`, with no span added, if it is not whole or in any way unusual.
pub fn split(buffer: &[u8], limits: &RequestLimits, spans: &mut Vec<Span>) -> Option<usize> {
    let (count, mut next) = number_line(buffer, 0, b'*')?;
    if count > limits.arguments_max || !limits.is_authenticated {
        return None;
    }
    let held = spans.len();
    for _ in 0..count {
        let Some(span) = bulk(buffer, next, limits.bulk_bytes_max) else {
            spans.truncate(held);
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
    // A request is longer than this, and one look at the length serves all of it.
    if let Some(&[mark, first, second, third, fourth]) = line.first_chunk()
        && mark == marker
        && first.is_ascii_digit()
    {
        if [second, third] == *b"\r\n" {
            return Some((digit(first), at + 4));
        }
        if [third, fourth] == *b"\r\n" && second.is_ascii_digit() && first != b'0' {
            return Some((digit(first) * 10 + digit(second), at + 5));
        }
    }
    long_number_line(line, at, marker)
}

/// The same for a number of more digits, out of the way of the short ones.
#[inline(never)]
fn long_number_line(line: &[u8], at: usize, marker: u8) -> Option<(usize, usize)> {
    let &[mark, b'1'..=b'9', ..] = line else { return None };
    let end = 1 + line[1..].iter().take(DIGITS_MAX + 1).position(|&byte| byte == b'\r')?;
    let number = usize::try_from(parse_integer(&line[1..end])?).ok()?;
    let is_whole = mark == marker && line.get(end + 1)? == &b'\n';
    is_whole.then_some((number, at + end + 2))
}

const fn digit(byte: u8) -> usize {
    (byte - b'0') as usize
}
