//! Replies: no bytes may stop the parser, no cut may change what it reads, and what it has read is
//! written and read again as the same (INV-05).
//!
//! The first byte chooses how the rest is cut into pieces.
#![no_main]

use dwell_wire::{Protocol, ProtocolError, Reply, ReplyLimits, ReplyParser, Value};
use libfuzzer_sys::fuzz_target;

fn read(bytes: &[u8], piece_bytes: usize) -> (Vec<Value>, Option<ProtocolError>) {
    let limits = ReplyLimits { reply_bytes_max: 1 << 20, depth_max: 16 };
    let mut parser = ReplyParser::new();
    let (mut found, mut start, mut end) = (Vec::new(), 0, 0);
    while end < bytes.len() {
        end = (end + piece_bytes).min(bytes.len());
        loop {
            match parser.parse(&bytes[start..end], &limits) {
                Ok(Some(reply)) => {
                    assert!(reply.consumed > 0);
                    start += reply.consumed;
                    found.push(reply.value);
                }
                Ok(None) => break,
                Err(error) => return (found, Some(error)),
            }
        }
    }
    (found, None)
}

fn written(values: &[Value]) -> Vec<u8> {
    let mut reply = Reply::new(Protocol::Resp3);
    for value in values {
        reply.value(value);
    }
    reply.bytes().to_vec()
}

fuzz_target!(|data: &[u8]| {
    let Some((&choice, bytes)) = data.split_first() else { return };
    let (values, error) = read(bytes, bytes.len().max(1));
    let (pieces, pieces_error) = read(bytes, usize::from(choice).max(1));
    // Compared as text, since a double may be nan.
    assert_eq!(format!("{values:?}"), format!("{pieces:?}"));
    assert_eq!(error, pieces_error);
    // Once through the encoder, errors are one line and missing arrays are null; from then on
    // nothing may change.
    let (again, error) = read(&written(&values), usize::MAX);
    assert_eq!(error, None);
    let (twice, _) = read(&written(&again), usize::MAX);
    assert_eq!(format!("{again:?}"), format!("{twice:?}"));
});
