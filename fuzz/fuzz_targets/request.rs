//! Requests: no bytes may stop the parser, and no cut may change what it reads (INV-05).
//!
//! The first byte chooses who sends and how the rest is cut into pieces.
#![no_main]

use dwell_wire::{ProtocolError, RequestLimits, RequestParser};
use libfuzzer_sys::fuzz_target;

type Outcome = (Vec<Vec<Vec<u8>>>, usize, Option<ProtocolError>);

fn read(bytes: &[u8], piece_bytes: usize, limits: &RequestLimits) -> Outcome {
    let mut parser = RequestParser::new();
    let (mut found, mut start, mut end) = (Vec::new(), 0, 0);
    while end < bytes.len() {
        end = (end + piece_bytes).min(bytes.len());
        loop {
            match parser.parse(&bytes[start..end], limits) {
                Ok(Some(request)) => {
                    assert!(request.consumed > 0);
                    start += request.consumed;
                    found.push(request.arguments.iter().map(<[u8]>::to_vec).collect());
                }
                Ok(None) => break,
                Err(error) => return (found, start, Some(error)),
            }
        }
    }
    (found, start, None)
}

fuzz_target!(|data: &[u8]| {
    let Some((&choice, bytes)) = data.split_first() else { return };
    let limits = RequestLimits { is_authenticated: choice & 1 == 0, ..RequestLimits::default() };
    let whole = read(bytes, bytes.len().max(1), &limits);
    let pieces = read(bytes, usize::from(choice >> 1).max(1), &limits);
    assert_eq!(whole, pieces);
});
