//! RESP2 and RESP3 as pure functions between bytes and frames.
//!
//! Owns the request parser (what a server receives), the reply encoder (what it sends) and the
//! reply parser (what a client receives). It must not know of sockets, clocks or commands: whoever
//! holds the bytes calls it, so that everything here can be tested and fuzzed by itself (INV-05).
//!
//! Every parser has three outcomes and never two of them at once: a frame (`Ok(Some)`), need more
//! (`Ok(None)`), protocol error (`Err`). Parsers remember where they stopped, so that a stream that
//! arrives byte by byte costs no more than one that arrives whole.
//!
//! Source: the Redis serialization protocol specification, and Redis 7.0.15 for error texts.
#![forbid(unsafe_code)]

pub mod arguments;
mod double;
mod error;
mod inline;
mod limits;
pub mod number;
mod protocol;
pub mod reply;
mod reply_parser;
mod request;
mod value;
mod whole;

pub use arguments::{Arguments, OwnedArguments, Request};
pub use error::ProtocolError;
pub use limits::RequestLimits;
pub use protocol::Protocol;
pub use reply::Reply;
pub use reply_parser::{ParsedReply, ReplyLimits, ReplyParser};
pub use request::RequestParser;
pub use value::Value;
pub use whole::WholeRequests;

#[cfg(test)]
#[path = "../tests/pieces/mod.rs"]
mod pieces;
