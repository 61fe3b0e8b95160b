//! The reply encoder: appends replies to a buffer, in the protocol version of the connection.
//!
//! A large value that somebody else holds is not copied into the buffer but kept beside it as a
//! shared piece with its place; who sends the reply weaves the two together. Commands that can
//! still fail note a [`Mark`] first and go back to it, so that nothing half-told is ever sent.

use crate::double::append_double;
use crate::protocol::Protocol;
use crate::value::Value;
use std::sync::Arc;

#[cfg(test)]
mod tests;

/// A value below this size is copied: cheaper than a piece of its own in the system call.
const SHARED_BYTES_MIN: usize = 16 * 1024;
/// A marker, the digits of the longest number, CR LF.
const NUMBER_LINE_BYTES_MAX: usize = 24;

/// Replies in the order in which they were written.
#[derive(Debug, Default)]
pub struct Reply {
    protocol: Protocol,
    bytes: Vec<u8>,
    shared: Vec<SharedPiece>,
    shared_bytes: usize,
}

/// Bytes that belong in front of the buffer's byte `at`.
#[derive(Clone, Debug)]
pub struct SharedPiece {
    /// Offset in the buffer.
    pub at: usize,
    /// The bytes, which others hold too.
    pub bytes: Arc<[u8]>,
}

/// A place in a reply to which it can be cut back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// Bytes written by then.
    pub bytes: usize,
    /// Shared pieces added by then.
    pub shared: usize,
}

/// What kind of counted thing a header opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aggregate {
    Array,
    Map,
    Set,
    Push,
}

impl Reply {
    /// An empty reply in this version.
    pub fn new(protocol: Protocol) -> Self {
        Self { protocol, ..Self::default() }
    }

    /// The version in which the next value is written.
    pub const fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// Changes the version from here on: `HELLO`, or the next connection's turn.
    pub const fn set_protocol(&mut self, protocol: Protocol) {
        self.protocol = protocol;
    }

    /// What was written, without the shared pieces.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The pieces that belong between those bytes, in order.
    pub fn shared(&self) -> &[SharedPiece] {
        &self.shared
    }

    /// Size of everything written, shared pieces included.
    pub const fn size_bytes(&self) -> usize {
        self.bytes.len() + self.shared_bytes
    }

    /// The place behind everything written so far.
    pub const fn mark(&self) -> Mark {
        Mark { bytes: self.bytes.len(), shared: self.shared.len() }
    }

    /// Takes back everything written since `mark`.
    pub fn truncate(&mut self, mark: Mark) {
        self.bytes.truncate(mark.bytes);
        for piece in self.shared.drain(mark.shared..) {
            self.shared_bytes -= piece.bytes.len();
        }
    }

    /// Forgets everything and gives back memory beyond `keep_bytes`.
    pub fn clear(&mut self, keep_bytes: usize) {
        self.truncate(Mark::default());
        if self.bytes.capacity() > keep_bytes {
            self.bytes.shrink_to(keep_bytes);
        }
    }

    /// Appends bytes that are replies already.
    pub fn raw(&mut self, encoded: &[u8]) {
        self.bytes.extend_from_slice(encoded);
    }

    /// Appends pieces of replies that are replies already; the large ones are not copied. Returns
    /// their length together.
    pub fn raw_pieces(&mut self, pieces: impl IntoIterator<Item = Arc<[u8]>>) -> usize {
        let mut length = 0;
        for piece in pieces {
            length += piece.len();
            if piece.len() < SHARED_BYTES_MIN {
                self.bytes.extend_from_slice(&piece);
            } else {
                self.shared_bytes += piece.len();
                self.shared.push(SharedPiece { at: self.bytes.len(), bytes: piece });
            }
        }
        length
    }

    /// `+OK`
    pub fn ok(&mut self) {
        self.bytes.extend_from_slice(b"+OK\r\n");
    }

    /// A status; CR and LF in it become blanks.
    pub fn status(&mut self, text: &str) {
        self.line(b'+', text.as_bytes());
    }

    /// An error: a code in capitals, a blank, a sentence. CR and LF in it become blanks.
    pub fn error(&mut self, text: &str) {
        self.line(b'-', text.as_bytes());
    }

    /// An integer.
    pub fn integer(&mut self, value: i64) {
        self.number_line(b':', value);
    }

    /// A string of any bytes.
    pub fn bulk(&mut self, value: &[u8]) {
        self.bytes.reserve(NUMBER_LINE_BYTES_MAX + value.len() + 2);
        match value.len() {
            // Most strings are short, and so is the way to their length.
            length @ 10..100 => {
                let [tens, ones] = [length / 10, length % 10].map(|digit| b'0' + digit as u8);
                self.bytes.extend_from_slice(&[b'$', tens, ones, b'\r', b'\n']);
            }
            length => self.number_line(b'$', length),
        }
        self.bytes.extend_from_slice(value);
        self.bytes.extend_from_slice(b"\r\n");
    }

    /// A string that others hold too, in pieces; the large ones are not copied.
    pub fn bulk_pieces(&mut self, pieces: impl IntoIterator<Item = Arc<[u8]>>) {
        let mark = self.mark();
        let length = self.raw_pieces(pieces);
        self.bytes.extend_from_slice(b"\r\n");
        self.insert(mark, |reply| reply.number_line(b'$', length));
    }

    /// The integer's digits as a string.
    pub fn bulk_integer(&mut self, value: i64) {
        self.bulk(itoa::Buffer::new().format(value).as_bytes());
    }

    /// A missing value.
    pub fn null(&mut self) {
        self.bytes.extend_from_slice(match self.protocol {
            Protocol::Resp2 => b"$-1\r\n",
            Protocol::Resp3 => b"_\r\n",
        });
    }

    /// A missing array.
    pub fn null_array(&mut self) {
        self.bytes.extend_from_slice(match self.protocol {
            Protocol::Resp2 => b"*-1\r\n",
            Protocol::Resp3 => b"_\r\n",
        });
    }

    /// A truth value; 1 or 0 in RESP2.
    pub fn boolean(&mut self, value: bool) {
        self.bytes.extend_from_slice(match (self.protocol, value) {
            (Protocol::Resp2, true) => b":1\r\n",
            (Protocol::Resp2, false) => b":0\r\n",
            (Protocol::Resp3, true) => b"#t\r\n",
            (Protocol::Resp3, false) => b"#f\r\n",
        });
    }

    /// A double; a string in RESP2.
    pub fn double(&mut self, value: f64) {
        let mut text = Vec::with_capacity(24);
        append_double(&mut text, value);
        match self.protocol {
            Protocol::Resp2 => self.bulk(&text),
            Protocol::Resp3 => self.line(b',', &text),
        }
    }

    /// An integer of any size, given by its digits; a string in RESP2.
    pub fn big_number(&mut self, digits: &[u8]) {
        match self.protocol {
            Protocol::Resp2 => self.bulk(digits),
            Protocol::Resp3 => self.line(b'(', digits),
        }
    }

    /// A text with its three-letter format; a string without the format in RESP2.
    pub fn verbatim(&mut self, format: [u8; 3], text: &[u8]) {
        if self.protocol == Protocol::Resp2 {
            return self.bulk(text);
        }
        self.number_line(b'=', text.len() + 4);
        self.bytes.extend_from_slice(&format);
        self.bytes.push(b':');
        self.bytes.extend_from_slice(text);
        self.bytes.extend_from_slice(b"\r\n");
    }

    /// Opens an array: `length` values follow.
    pub fn array(&mut self, length: usize) {
        self.header(Aggregate::Array, length);
    }

    /// Opens a map: `length` pairs follow; in RESP2 an array of twice as many values.
    pub fn map(&mut self, length: usize) {
        self.header(Aggregate::Map, length);
    }

    /// Opens a set: `length` values follow; an array in RESP2.
    pub fn set(&mut self, length: usize) {
        self.header(Aggregate::Set, length);
    }

    /// Opens a message that nobody asked for: `length` values follow; an array in RESP2.
    pub fn push(&mut self, length: usize) {
        self.header(Aggregate::Push, length);
    }

    /// Opens the attributes of the next value, `length` pairs of them, if this version has any.
    ///
    /// Returns whether it does; where not, the pairs must not be written.
    #[must_use]
    pub fn attribute(&mut self, length: usize) -> bool {
        if self.protocol == Protocol::Resp3 {
            self.number_line(b'|', length);
        }
        self.protocol == Protocol::Resp3
    }

    /// Opens, afterwards, an array of the `length` values that were written since `mark`: for who
    /// learns the length only by writing.
    ///
    /// # Cost
    /// Moves what was written since the mark by the few bytes of the header.
    pub fn array_since(&mut self, mark: Mark, length: usize) {
        self.insert(mark, |reply| reply.array(length));
    }

    /// A whole tree.
    pub fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.null(),
            Value::NullArray => self.null_array(),
            Value::Status(text) => self.line(b'+', text),
            Value::Error(text) => self.line(b'-', text),
            Value::Integer(number) => self.integer(*number),
            Value::Double(number) => self.double(*number),
            Value::Boolean(flag) => self.boolean(*flag),
            Value::BigNumber(digits) => self.big_number(digits),
            Value::Bytes(bytes) => self.bulk(bytes),
            Value::Verbatim(format, text) => self.verbatim(*format, text),
            Value::Array(values) => self.values(Aggregate::Array, values),
            Value::Set(values) => self.values(Aggregate::Set, values),
            Value::Push(values) => self.values(Aggregate::Push, values),
            Value::Map(pairs) => {
                self.map(pairs.len());
                self.pairs(pairs);
            }
            Value::Attributed(pairs, value) => {
                if self.attribute(pairs.len()) {
                    self.pairs(pairs);
                }
                self.value(value);
            }
        }
    }

    /// Writes `header` in front of what was written since `mark`.
    fn insert(&mut self, mark: Mark, header: impl FnOnce(&mut Self)) {
        let end = self.bytes.len();
        header(self);
        let header_bytes = self.bytes.len() - end;
        self.bytes[mark.bytes..].rotate_right(header_bytes);
        for piece in &mut self.shared[mark.shared..] {
            piece.at += header_bytes;
        }
    }

    fn values(&mut self, aggregate: Aggregate, values: &[Value]) {
        self.header(aggregate, values.len());
        for value in values {
            self.value(value);
        }
    }

    fn pairs(&mut self, pairs: &[(Value, Value)]) {
        for (field, value) in pairs {
            self.value(field);
            self.value(value);
        }
    }

    fn header(&mut self, aggregate: Aggregate, length: usize) {
        match (self.protocol, aggregate) {
            (Protocol::Resp2, Aggregate::Map) => self.number_line(b'*', length.saturating_mul(2)),
            (Protocol::Resp2, _) | (_, Aggregate::Array) => self.number_line(b'*', length),
            (Protocol::Resp3, Aggregate::Map) => self.number_line(b'%', length),
            (Protocol::Resp3, Aggregate::Set) => self.number_line(b'~', length),
            (Protocol::Resp3, Aggregate::Push) => self.number_line(b'>', length),
        }
    }

    fn line(&mut self, marker: u8, text: &[u8]) {
        self.bytes.push(marker);
        let start = self.bytes.len();
        self.bytes.extend_from_slice(text);
        for byte in &mut self.bytes[start..] {
            if matches!(byte, b'\r' | b'\n') {
                *byte = b' ';
            }
        }
        self.bytes.extend_from_slice(b"\r\n");
    }

    fn number_line(&mut self, marker: u8, number: impl itoa::Integer) {
        self.bytes.push(marker);
        self.bytes.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
        self.bytes.extend_from_slice(b"\r\n");
    }
}
