//! The reply parser: from the bytes of a server to [`Value`]s, in both protocol versions.
//!
//! It holds an explicit stack instead of calling itself, so that it can stop anywhere and go on
//! where it stopped, and so that depth is a limit and not a crash (INV-05). The streamed types of
//! the RESP3 draft, which no server sends, are refused.

use crate::error::ProtocolError;
use crate::number::parse_integer;
use crate::value::Value;

#[cfg(test)]
mod tests;

/// Values that are reserved at once for an aggregate; a header is only a promise.
const RESERVED_VALUES_MAX: usize = 64;

/// What a reader is ready to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplyLimits {
    /// Largest whole reply.
    pub reply_bytes_max: usize,
    /// Deepest nesting; building and dropping a tree costs stack for each level.
    pub depth_max: usize,
}

impl Default for ReplyLimits {
    fn default() -> Self {
        Self { reply_bytes_max: 1 << 30, depth_max: 32 }
    }
}

/// One reply as a tree.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedReply {
    /// The reply.
    pub value: Value,
    /// How many bytes of the buffer it took.
    pub consumed: usize,
}

/// Reads one reply after the other and remembers, of an unfinished one, what it has understood.
///
/// Feed it the buffer from the first byte of the reply on; when more has come, feed it the longer
/// buffer. After a reply, go on behind its `consumed` bytes. After an error, close.
///
/// # Cost
/// Linear in the bytes, however they are cut into pieces.
#[derive(Debug, Default)]
pub struct ReplyParser {
    position: usize,
    /// No line ends between `position` and here.
    scanned: usize,
    open: Vec<Open>,
}

/// An aggregate whose values are still coming.
#[derive(Debug)]
struct Open {
    kind: Kind,
    values_left: usize,
    values: Vec<Value>,
    /// The attributes that were complete before this one's last value.
    attributes: Option<Vec<(Value, Value)>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Array,
    Map,
    Set,
    Push,
    Attribute,
    /// The value that follows attributes.
    Attributed,
}

/// What one element of the stream is.
enum Element {
    Whole(Value),
    Header(Kind, usize),
}

impl ReplyParser {
    /// A parser at the beginning of a reply.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the reply at the beginning of `buffer`.
    ///
    /// # Errors
    /// A [`ProtocolError`]; the connection is out of step from then on.
    pub fn parse(
        &mut self,
        buffer: &[u8],
        limits: &ReplyLimits,
    ) -> Result<Option<ParsedReply>, ProtocolError> {
        loop {
            let Some(element) = self.element(buffer, limits)? else {
                let is_too_large = buffer.len() > limits.reply_bytes_max;
                return if is_too_large { Err(ProtocolError::ReplyTooLarge) } else { Ok(None) };
            };
            if self.position > limits.reply_bytes_max {
                return Err(ProtocolError::ReplyTooLarge);
            }
            let completed = match element {
                Element::Whole(value) => self.complete(value),
                Element::Header(kind, length) => self.open(kind, length, limits)?,
            };
            if let Some(value) = completed {
                let consumed = self.position;
                *self = Self::default();
                return Ok(Some(ParsedReply { value, consumed }));
            }
        }
    }

    /// Opens an aggregate; an empty one is complete at once.
    fn open(
        &mut self,
        kind: Kind,
        length: usize,
        limits: &ReplyLimits,
    ) -> Result<Option<Value>, ProtocolError> {
        if self.open.len() >= limits.depth_max {
            return Err(ProtocolError::ReplyTooLarge);
        }
        let values_left = match kind {
            Kind::Map | Kind::Attribute => length.checked_mul(2),
            _ => Some(length),
        };
        let values_left = values_left.ok_or(ProtocolError::InvalidReply)?;
        let values = Vec::with_capacity(values_left.min(RESERVED_VALUES_MAX));
        self.open.push(Open { kind, values_left, values, attributes: None });
        Ok(self.close_finished())
    }

    /// Puts a value where it belongs; returns the reply if that completed it.
    fn complete(&mut self, value: Value) -> Option<Value> {
        let Some(open) = self.open.last_mut() else {
            return Some(value);
        };
        open.values.push(value);
        open.values_left -= 1;
        self.close_finished()
    }

    /// Closes what is complete from the inside out; returns the reply if nothing is left open.
    fn close_finished(&mut self) -> Option<Value> {
        while self.open.last().is_some_and(|open| open.values_left == 0) {
            let finished = self.open.pop()?;
            let value = match finished.kind {
                Kind::Array => Value::Array(finished.values),
                Kind::Set => Value::Set(finished.values),
                Kind::Push => Value::Push(finished.values),
                Kind::Map => Value::Map(pairs(finished.values)),
                Kind::Attribute => {
                    self.open.push(awaiting_value(pairs(finished.values)));
                    continue;
                }
                Kind::Attributed => attributed(finished)?,
            };
            match self.open.last_mut() {
                None => return Some(value),
                Some(open) => {
                    open.values.push(value);
                    open.values_left -= 1;
                }
            }
        }
        None
    }

    /// Reads one element and moves behind it; `None` if it is not complete.
    fn element(
        &mut self,
        buffer: &[u8],
        limits: &ReplyLimits,
    ) -> Result<Option<Element>, ProtocolError> {
        let Some((line, next)) = self.line(buffer) else {
            return Ok(None);
        };
        let (&marker, text) = line.split_first().ok_or(ProtocolError::InvalidReply)?;
        let element = match marker {
            b'+' => Element::Whole(Value::Status(text.to_vec())),
            b'-' => Element::Whole(Value::Error(text.to_vec())),
            b':' => Element::Whole(Value::Integer(integer(text)?)),
            b',' => Element::Whole(Value::Double(double(text)?)),
            b'#' => Element::Whole(Value::Boolean(boolean(text)?)),
            b'(' => Element::Whole(Value::BigNumber(big_number(text)?)),
            b'_' if text.is_empty() => Element::Whole(Value::Null),
            b'$' | b'!' | b'=' => return self.blob(buffer, marker, text, next, limits),
            b'*' if text == b"-1" => Element::Whole(Value::NullArray),
            b'*' => Element::Header(Kind::Array, length(text)?),
            b'%' => Element::Header(Kind::Map, length(text)?),
            b'~' => Element::Header(Kind::Set, length(text)?),
            b'>' => Element::Header(Kind::Push, length(text)?),
            b'|' => Element::Header(Kind::Attribute, length(text)?),
            b'_' => return Err(ProtocolError::InvalidReply),
            other => return Err(ProtocolError::UnknownReplyType(other)),
        };
        self.advance(next);
        Ok(Some(element))
    }

    /// Reads a value whose length stood in its line, which ended before `start`.
    fn blob(
        &mut self,
        buffer: &[u8],
        marker: u8,
        text: &[u8],
        start: usize,
        limits: &ReplyLimits,
    ) -> Result<Option<Element>, ProtocolError> {
        if marker == b'$' && text == b"-1" {
            self.advance(start);
            return Ok(Some(Element::Whole(Value::Null)));
        }
        let length = length(text)?;
        if length > limits.reply_bytes_max {
            return Err(ProtocolError::ReplyTooLarge);
        }
        let end = start.saturating_add(length);
        let next = end.saturating_add(2);
        let Some(terminator) = buffer.get(end..next) else {
            return Ok(None);
        };
        if terminator != b"\r\n" {
            return Err(ProtocolError::InvalidReply);
        }
        let content = &buffer[start..end];
        let value = match marker {
            b'$' => Value::Bytes(content.to_vec()),
            b'!' => Value::Error(content.to_vec()),
            _ => verbatim(content)?,
        };
        self.advance(next);
        Ok(Some(Element::Whole(value)))
    }

    /// The line at `position` without its end, and where the next begins.
    fn line<'a>(&mut self, buffer: &'a [u8]) -> Option<(&'a [u8], usize)> {
        let mut from = self.scanned;
        loop {
            let Some(found) = memchr::memchr(b'\n', buffer.get(from..)?) else {
                self.scanned = buffer.len();
                return None;
            };
            let line_feed = from + found;
            if line_feed > self.position && buffer[line_feed - 1] == b'\r' {
                // The end is kept, so that a long bulk that is still coming is not searched again.
                self.scanned = line_feed;
                return Some((&buffer[self.position..line_feed - 1], line_feed + 1));
            }
            from = line_feed + 1;
        }
    }

    fn advance(&mut self, next: usize) {
        self.position = next;
        self.scanned = next;
    }
}

fn awaiting_value(attributes: Vec<(Value, Value)>) -> Open {
    Open {
        kind: Kind::Attributed,
        values_left: 1,
        values: Vec::with_capacity(1),
        attributes: Some(attributes),
    }
}

fn attributed(mut finished: Open) -> Option<Value> {
    Some(Value::Attributed(finished.attributes?, Box::new(finished.values.pop()?)))
}

fn pairs(values: Vec<Value>) -> Vec<(Value, Value)> {
    let mut pairs = Vec::with_capacity(values.len() / 2);
    let mut values = values.into_iter();
    while let (Some(field), Some(value)) = (values.next(), values.next()) {
        pairs.push((field, value));
    }
    pairs
}

fn integer(text: &[u8]) -> Result<i64, ProtocolError> {
    parse_integer(text).ok_or(ProtocolError::InvalidReply)
}

fn length(text: &[u8]) -> Result<usize, ProtocolError> {
    usize::try_from(integer(text)?).map_err(|_| ProtocolError::InvalidReply)
}

fn boolean(text: &[u8]) -> Result<bool, ProtocolError> {
    match text {
        b"t" => Ok(true),
        b"f" => Ok(false),
        _ => Err(ProtocolError::InvalidReply),
    }
}

fn double(text: &[u8]) -> Result<f64, ProtocolError> {
    let text = std::str::from_utf8(text).map_err(|_| ProtocolError::InvalidReply)?;
    text.parse().map_err(|_| ProtocolError::InvalidReply)
}

fn big_number(text: &[u8]) -> Result<Vec<u8>, ProtocolError> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(ProtocolError::InvalidReply);
    }
    Ok(text.to_vec())
}

fn verbatim(content: &[u8]) -> Result<Value, ProtocolError> {
    match content {
        [a, b, c, b':', text @ ..] => Ok(Value::Verbatim([*a, *b, *c], text.to_vec())),
        _ => Err(ProtocolError::InvalidReply),
    }
}
