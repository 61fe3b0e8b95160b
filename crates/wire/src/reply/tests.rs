#![allow(clippy::unwrap_used, missing_docs)]
use super::{Reply, SHARED_BYTES_MIN};
use crate::protocol::Protocol;
use std::sync::Arc;

#[test]
fn a_header_can_be_put_before_what_was_written() {
    let mut reply = Reply::new(Protocol::Resp3);
    reply.ok();
    let mark = reply.mark();
    reply.integer(1);
    let large: Arc<[u8]> = vec![b'x'; SHARED_BYTES_MIN].into();
    reply.bulk_pieces([large]);
    reply.array_since(mark, 2);
    assert_eq!(reply.bytes(), b"+OK\r\n*2\r\n:1\r\n$16384\r\n\r\n");
    assert_eq!(reply.shared()[0].at, reply.bytes().len() - 2);
}

#[test]
fn large_pieces_are_not_copied_and_small_ones_are() {
    let mut reply = Reply::default();
    let large: Arc<[u8]> = vec![0; SHARED_BYTES_MIN].into();
    let mark = reply.mark();
    reply.bulk_pieces([Arc::clone(&large), Arc::from(&b"tail"[..])]);
    assert_eq!(reply.bytes(), b"$16388\r\ntail\r\n");
    assert_eq!((reply.shared()[0].at, Arc::strong_count(&large)), (8, 2));
    assert_eq!(reply.size_bytes(), 14 + SHARED_BYTES_MIN);
    reply.truncate(mark);
    assert_eq!(reply.size_bytes(), 0);
    assert_eq!((reply.bytes(), Arc::strong_count(&large)), (&b""[..], 1));
}

#[test]
fn line_ends_in_an_error_cannot_put_the_client_out_of_step() {
    let mut reply = Reply::default();
    reply.error("ERR unknown command 'a\r\n+OK'");
    assert_eq!(reply.bytes(), b"-ERR unknown command 'a  +OK'\r\n");
}

#[test]
fn attributes_are_left_out_of_the_older_version() {
    let mut reply = Reply::new(Protocol::Resp2);
    assert!(!reply.attribute(1));
    assert_eq!(reply.bytes(), b"");
}
