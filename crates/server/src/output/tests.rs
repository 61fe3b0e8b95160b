#![allow(clippy::unwrap_used, missing_docs)]
use std::io::Read;
use std::sync::Arc;

use dwell_engine::Ticket;
use dwell_wire::{Protocol, Reply};
use mio::net::UnixStream;

use super::{Output, Replies};
use crate::stream::Stream;

fn pair() -> (Stream, std::os::unix::net::UnixStream) {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let theirs: std::os::unix::net::UnixStream = theirs.into();
    theirs.set_nonblocking(false).unwrap();
    (Stream::Unix(ours), theirs)
}

fn plain(bytes: &[u8]) -> Replies<'_> {
    Replies { bytes, shared: &[], base: 0, count: 1 }
}

#[test]
fn shared_pieces_leave_in_their_places_however_slowly_they_are_read() {
    let large: Arc<[u8]> = (0..3_000_000).map(|byte| byte as u8).collect();
    let mut reply = Reply::new(Protocol::Resp2);
    let mut expected = Vec::new();
    for _ in 0..3 {
        reply.ok();
        reply.bulk_pieces([Arc::clone(&large), Arc::clone(&large)]);
        expected.extend_from_slice(b"+OK\r\n$6000000\r\n");
        expected.extend_from_slice(&large);
        expected.extend_from_slice(&large);
        expected.extend_from_slice(b"\r\n");
    }
    let mut output = Output::default();
    output.push(Replies { bytes: reply.bytes(), shared: reply.shared(), base: 0, count: 6 }, None);
    assert_eq!(output.waiting_bytes(), expected.len());
    let (mut ours, mut theirs) = pair();
    let mut found = Vec::new();
    let mut buffer = vec![0; 777_777];
    while found.len() < expected.len() {
        output.flush(&mut ours).unwrap();
        let length = theirs.read(&mut buffer).unwrap();
        found.extend_from_slice(&buffer[..length]);
    }
    assert!(found == expected);
    assert!(output.is_empty());
    assert_eq!(output.memory_bytes(), 0);
}

#[test]
fn nothing_passes_a_gate() {
    let mut output = Output::default();
    output.push(plain(b"first"), None);
    output.push(plain(b"second"), Some(Ticket::NONE));
    let (mut ours, mut theirs) = pair();
    assert_eq!(output.flush(&mut ours).unwrap(), 5);
    assert_eq!(output.flush(&mut ours).unwrap(), 0);
    output.open_gate();
    assert_eq!(output.flush(&mut ours).unwrap(), 6);
    let mut found = [0; 11];
    theirs.read_exact(&mut found).unwrap();
    assert_eq!(&found, b"firstsecond");
}

#[test]
fn what_did_not_become_durable_is_answered_by_errors() {
    let mut output = Output::default();
    output.push(plain(b"+durable\r\n"), None);
    output.push(plain(b"+written\r\n"), Some(Ticket::NONE));
    output.push(plain(b"$1\r\nseen\r\n"), None);
    output.push(plain(b"+written\r\n"), Some(Ticket::NONE));
    output.fail_gates(b"-no\r\n");
    let (mut ours, mut theirs) = pair();
    let sent = output.flush(&mut ours).unwrap();
    let mut found = vec![0; sent];
    theirs.read_exact(&mut found).unwrap();
    assert_eq!(found, b"+durable\r\n-no\r\n-no\r\n-no\r\n");
    assert!(output.is_empty());
}
