//! Finds the words of the next request in a buffer: RESP arrays and, for `PING`, inline lines.

use std::ops::Range;

/// More words than any benchmark sends in one request.
const WORDS_MAX: usize = 8;

/// The places of a request's words in the buffer, and where the next request begins.
pub struct Request {
    places: [(usize, usize); WORDS_MAX],
    count: usize,
    /// One past the last byte of the request.
    pub end: usize,
}

impl Request {
    /// The place of the word with this index.
    pub fn word(&self, index: usize) -> Option<Range<usize>> {
        let (start, end) = *self.places[..self.count].get(index)?;
        Some(start..end)
    }

    fn starting_at(end: usize) -> Self {
        Self { places: [(0, 0); WORDS_MAX], count: 0, end }
    }

    fn add(&mut self, start: usize, end: usize) {
        if self.count < WORDS_MAX {
            self.places[self.count] = (start, end);
            self.count += 1;
        }
    }
}

/// Returns the request that begins at `at`, or nothing while it has not come whole.
pub fn next_request(buffer: &[u8], at: usize) -> Option<Request> {
    if *buffer.get(at)? != b'*' {
        return inline(buffer, at);
    }
    let (words, mut position) = number(buffer, at + 1)?;
    let mut request = Request::starting_at(position);
    for _ in 0..words {
        let (length, start) = number(buffer, position + 1)?;
        position = start.checked_add(length)?.checked_add(2)?;
        if position > buffer.len() {
            return None;
        }
        request.add(start, start + length);
    }
    request.end = position;
    Some(request)
}

fn inline(buffer: &[u8], at: usize) -> Option<Request> {
    let length = buffer[at..].iter().position(|&byte| byte == b'\n')?;
    let mut request = Request::starting_at(at + length + 1);
    request.add(at, at + length - usize::from(buffer[..at + length].ends_with(b"\r")));
    Some(request)
}

/// Reads digits up to the end of a line, and returns the number and where the next line begins.
fn number(buffer: &[u8], at: usize) -> Option<(usize, usize)> {
    let mut value = 0usize;
    for (offset, &byte) in buffer.get(at..)?.iter().enumerate() {
        match byte {
            b'0'..=b'9' => value = value.checked_mul(10)?.checked_add(usize::from(byte - b'0'))?,
            b'\r' => (),
            _ => return Some((value, at + offset + 1)),
        }
    }
    None
}
