//! What can be wrong with the bytes of a peer, in the words of Redis 7.0.15.
//!
//! After any of these the stream is out of step, so the connection must be closed.

use std::fmt;

/// A violation of the protocol. The `Display` text is the error reply without its `ERR ` prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProtocolError {
    /// `*n` is not a number or beyond the limit on arguments.
    InvalidMultibulkLength,
    /// More arguments than a client may send before it has authenticated.
    UnauthenticatedMultibulkLength,
    /// The line after `*` does not end within the limit.
    TooBigMultibulkCount,
    /// Where `$` had to stand stood this byte.
    ExpectedBulk(u8),
    /// `$n` is not a number, negative, or beyond the limit on a bulk.
    InvalidBulkLength,
    /// A longer bulk than a client may send before it has authenticated.
    UnauthenticatedBulkLength,
    /// The line after `$` does not end within the limit.
    TooBigBulkCount,
    /// A bulk is not followed by CR LF. (Redis skips two bytes unseen; a stream that is out of step
    /// would then be executed as something that nobody sent.)
    UnterminatedBulk,
    /// An inline request does not end within the limit.
    TooBigInline,
    /// An inline request with an open or badly closed quote.
    UnbalancedQuotes,
    /// A reply starts with a byte that names no type.
    UnknownReplyType(u8),
    /// A reply's number, length or text is malformed.
    InvalidReply,
    /// A reply is larger or deeper than the reader allows.
    ReplyTooLarge,
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Protocol error: ")?;
        match self {
            Self::ExpectedBulk(byte) => {
                write!(formatter, "expected '$', got '{}'", PrintableByte(*byte))
            }
            Self::UnknownReplyType(byte) => {
                write!(formatter, "unknown reply type '{}'", PrintableByte(*byte))
            }
            other => formatter.write_str(other.fixed_text()),
        }
    }
}

impl std::error::Error for ProtocolError {}

impl ProtocolError {
    const fn fixed_text(self) -> &'static str {
        match self {
            Self::InvalidMultibulkLength => "invalid multibulk length",
            Self::UnauthenticatedMultibulkLength => "unauthenticated multibulk length",
            Self::TooBigMultibulkCount => "too big mbulk count string",
            Self::ExpectedBulk(_) => "expected '$'",
            Self::InvalidBulkLength => "invalid bulk length",
            Self::UnauthenticatedBulkLength => "unauthenticated bulk length",
            Self::TooBigBulkCount => "too big bulk count string",
            Self::UnterminatedBulk => "expected CRLF after a bulk",
            Self::TooBigInline => "too big inline request",
            Self::UnbalancedQuotes => "unbalanced quotes in request",
            Self::UnknownReplyType(_) => "unknown reply type",
            Self::InvalidReply => "invalid reply",
            Self::ReplyTooLarge => "reply too large",
        }
    }
}

/// A byte as it may stand in an error line: itself, or a space if it would end or blur the line.
struct PrintableByte(u8);

impl fmt::Display for PrintableByte {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = if self.0.is_ascii_graphic() { char::from(self.0) } else { ' ' };
        write!(formatter, "{shown}")
    }
}
