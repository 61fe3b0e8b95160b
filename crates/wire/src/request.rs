//! The request parser: from the bytes that a client sent to the arguments of one command at a time.
//!
//! It reads the connection's buffer in place and yields places in it, so in the steady state a
//! command costs neither a copy nor an allocation. It keeps INV-05 (no request, however malformed,
//! stops the process or is taken for another) together with the limits that it is given.

use crate::arguments::{Arguments, Request, Span};
use crate::error::ProtocolError;
use crate::inline;
use crate::limits::RequestLimits;
use crate::number::parse_integer;
use crate::whole;

#[cfg(test)]
mod tests;

/// Longest line: an inline command, or the number behind `*` and `$`.
const LINE_BYTES_MAX: usize = 64 * 1024;
/// Arguments that a client may send before it has authenticated.
const UNAUTHENTICATED_ARGUMENTS_MAX: i64 = 10;
/// Bytes in one bulk that a client may send before it has authenticated.
const UNAUTHENTICATED_BULK_BYTES_MAX: i64 = 16 * 1024;
/// Spans that are kept for the next command; what a giant command needed beyond is given back.
const SPANS_KEPT_MAX: usize = 1024;

/// Reads one command after the other and remembers, of an unfinished one, what it has understood.
///
/// Feed it the buffer from the first byte of the command on; when more has come, feed it the longer
/// buffer. After a frame, go on behind its `consumed` bytes. After an error, close.
///
/// # Cost
/// Linear in the bytes, however they are cut into pieces.
#[derive(Debug, Default)]
pub struct RequestParser {
    stage: Stage,
    /// Everything before it is understood.
    position: usize,
    /// No line ends between `position` and here.
    scanned: usize,
    spans: Vec<Span>,
    /// The unquoted bytes of an inline command.
    unquoted: Vec<u8>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Start,
    Inline,
    MultibulkHeader,
    BulkHeader {
        arguments_left: usize,
    },
    Bulk {
        arguments_left: usize,
        length: usize,
    },
    Complete,
}

/// What a step of the parser has come to.
enum Step {
    Advanced,
    NeedMore,
}

/// The number behind `*` or `$`.
enum Line {
    /// Its end has not come.
    NeedMore,
    /// It is longer than any number.
    TooLong,
    /// It is complete, and is a number or not.
    Complete { number: Option<i64>, next: usize },
}

impl RequestParser {
    /// A parser at the beginning of a command.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the command at the beginning of `buffer`.
    ///
    /// # Errors
    /// A [`ProtocolError`]; the connection is out of step from then on. The parser is as new, so
    /// that nothing of it reaches the next connection that it reads.
    pub fn parse<'a>(
        &'a mut self,
        buffer: &'a [u8],
        limits: &RequestLimits,
    ) -> Result<Option<Request<'a>>, ProtocolError> {
        if self.stage == Stage::Complete {
            self.reset();
        }
        if self.stage == Stage::Start
            && let Some(consumed) = whole::split(buffer, limits, &mut self.spans)
        {
            self.position = consumed;
            self.stage = Stage::Complete;
            return Ok(Some(Request { arguments: Arguments::new(buffer, &self.spans), consumed }));
        }
        match self.advance_through(buffer, limits) {
            Ok(Step::Advanced) => {}
            Ok(Step::NeedMore) => return Ok(None),
            Err(error) => {
                self.reset();
                return Err(error);
            }
        }
        let is_inline = buffer[0] != b'*';
        let source = if is_inline { &self.unquoted[..] } else { buffer };
        let arguments = Arguments::new(source, &self.spans);
        Ok(Some(Request { arguments, consumed: self.position }))
    }

    /// Goes on to the end of the command, or of what has come of it.
    fn advance_through(
        &mut self,
        buffer: &[u8],
        limits: &RequestLimits,
    ) -> Result<Step, ProtocolError> {
        loop {
            let step = match self.stage {
                Stage::Start => self.start(buffer),
                Stage::Inline => self.inline(buffer)?,
                Stage::MultibulkHeader => self.multibulk_header(buffer, limits)?,
                Stage::BulkHeader { arguments_left } => {
                    self.bulk_header(buffer, arguments_left, limits)?
                }
                Stage::Bulk { arguments_left, length } => {
                    self.bulk(buffer, arguments_left, length)?
                }
                Stage::Complete => return Ok(Step::Advanced),
            };
            if matches!(step, Step::NeedMore) {
                return Ok(Step::NeedMore);
            }
        }
    }

    /// Whether a command has begun and is not complete.
    pub fn is_within_command(&self) -> bool {
        !matches!(self.stage, Stage::Start | Stage::Complete)
    }

    /// How long the buffer must at least become before the command can be complete: a hint for
    /// who reads a large value, so that the buffer grows once.
    pub fn buffer_bytes_wanted(&self) -> usize {
        match self.stage {
            Stage::Bulk { length, .. } => self.position.saturating_add(length).saturating_add(2),
            _ => self.position.saturating_add(1),
        }
    }

    /// Memory held beyond the parser itself.
    pub fn memory_bytes(&self) -> usize {
        self.spans.capacity() * size_of::<Span>() + self.unquoted.capacity()
    }

    /// Forgets a command that was begun, for a parser that changes its buffer.
    pub fn reset(&mut self) {
        self.stage = Stage::Start;
        self.position = 0;
        self.scanned = 0;
        self.spans.clear();
        self.unquoted.clear();
        if self.spans.capacity() > SPANS_KEPT_MAX {
            self.spans.shrink_to(SPANS_KEPT_MAX);
        }
        if self.unquoted.capacity() > LINE_BYTES_MAX {
            self.unquoted.shrink_to(0);
        }
    }

    fn start(&mut self, buffer: &[u8]) -> Step {
        self.stage = match buffer.first() {
            None => return Step::NeedMore,
            Some(b'*') => Stage::MultibulkHeader,
            Some(_) => Stage::Inline,
        };
        Step::Advanced
    }

    fn inline(&mut self, buffer: &[u8]) -> Result<Step, ProtocolError> {
        let Some(found) = memchr::memchr(b'\n', &buffer[self.scanned..]) else {
            self.scanned = buffer.len();
            if buffer.len() > LINE_BYTES_MAX {
                return Err(ProtocolError::TooBigInline);
            }
            return Ok(Step::NeedMore);
        };
        let end = self.scanned + found;
        if end > LINE_BYTES_MAX {
            return Err(ProtocolError::TooBigInline);
        }
        let line = &buffer[..end];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        inline::split(line, &mut self.unquoted, &mut self.spans)?;
        self.position = end + 1;
        self.stage = Stage::Complete;
        Ok(Step::Advanced)
    }

    fn multibulk_header(
        &mut self,
        buffer: &[u8],
        limits: &RequestLimits,
    ) -> Result<Step, ProtocolError> {
        let (number, next) = match self.number_line(buffer) {
            Line::NeedMore => return Ok(Step::NeedMore),
            Line::TooLong => return Err(ProtocolError::TooBigMultibulkCount),
            Line::Complete { number, next } => (number, next),
        };
        let count = number.ok_or(ProtocolError::InvalidMultibulkLength)?;
        let arguments_left = usize::try_from(count).unwrap_or(0);
        if arguments_left > limits.arguments_max {
            return Err(ProtocolError::InvalidMultibulkLength);
        }
        if count > UNAUTHENTICATED_ARGUMENTS_MAX && !limits.is_authenticated {
            return Err(ProtocolError::UnauthenticatedMultibulkLength);
        }
        self.advance(next, arguments_left);
        Ok(Step::Advanced)
    }

    fn bulk_header(
        &mut self,
        buffer: &[u8],
        arguments_left: usize,
        limits: &RequestLimits,
    ) -> Result<Step, ProtocolError> {
        let (number, next) = match self.number_line(buffer) {
            Line::NeedMore => return Ok(Step::NeedMore),
            Line::TooLong => return Err(ProtocolError::TooBigBulkCount),
            Line::Complete { number, next } => (number, next),
        };
        let marker = buffer[self.position];
        if marker != b'$' {
            return Err(ProtocolError::ExpectedBulk(marker));
        }
        let number = number.ok_or(ProtocolError::InvalidBulkLength)?;
        let length = usize::try_from(number).map_err(|_| ProtocolError::InvalidBulkLength)?;
        if length > limits.bulk_bytes_max {
            return Err(ProtocolError::InvalidBulkLength);
        }
        if number > UNAUTHENTICATED_BULK_BYTES_MAX && !limits.is_authenticated {
            return Err(ProtocolError::UnauthenticatedBulkLength);
        }
        self.position = next;
        self.scanned = next;
        self.stage = Stage::Bulk { arguments_left, length };
        Ok(Step::Advanced)
    }

    fn bulk(
        &mut self,
        buffer: &[u8],
        arguments_left: usize,
        length: usize,
    ) -> Result<Step, ProtocolError> {
        // The limit on a bulk keeps these sums far from overflow on every 64-bit machine.
        let end = self.position.saturating_add(length);
        let next = end.saturating_add(2);
        let Some(terminator) = buffer.get(end..next) else {
            return Ok(Step::NeedMore);
        };
        if terminator != b"\r\n" {
            return Err(ProtocolError::UnterminatedBulk);
        }
        self.spans.push(Span { start: self.position, end });
        self.advance(next, arguments_left - 1);
        Ok(Step::Advanced)
    }

    /// Goes on at `next`, where the next bulk starts or, if none is left, the next command.
    fn advance(&mut self, next: usize, arguments_left: usize) {
        self.position = next;
        self.scanned = next;
        self.stage = match arguments_left {
            0 => Stage::Complete,
            arguments_left => Stage::BulkHeader { arguments_left },
        };
    }

    /// Reads the line at `position`: one marker byte, a number, CR LF.
    fn number_line(&mut self, buffer: &[u8]) -> Line {
        let Some(found) = memchr::memchr(b'\r', &buffer[self.scanned..]) else {
            self.scanned = buffer.len();
            let is_too_long = buffer.len() - self.position > LINE_BYTES_MAX;
            return if is_too_long { Line::TooLong } else { Line::NeedMore };
        };
        let end = self.scanned + found;
        if end - self.position > LINE_BYTES_MAX {
            return Line::TooLong;
        }
        let Some(line_feed) = buffer.get(end + 1) else {
            self.scanned = end;
            return Line::NeedMore;
        };
        let digits = buffer.get(self.position + 1..end).unwrap_or(&[]);
        let number = if *line_feed == b'\n' { parse_integer(digits) } else { None };
        Line::Complete { number, next: end + 2 }
    }
}
