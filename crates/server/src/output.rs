//! The replies that a client has not taken yet, in order: bytes of its own and pieces shared with
//! the engine. Some wait behind a gate, until what they tell of is as durable as was asked for.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, IoSlice};
use std::sync::Arc;

use dwell_engine::Ticket;
use dwell_wire::reply::SharedPiece;

use crate::stream::Stream;

#[cfg(test)]
mod tests;

/// Pieces that one system call writes.
const PIECES_MAX: usize = 64;
/// Bytes up to which a further reply joins the last piece instead of becoming one.
const JOINED_BYTES_MAX: usize = 64 * 1024;

/// What is still to be sent.
#[derive(Debug, Default)]
pub struct Output {
    pieces: VecDeque<Piece>,
    /// Bytes of the first piece that are sent.
    sent_of_first: usize,
    waiting_bytes: usize,
    /// Bytes ever queued, by which gates are placed.
    queued_bytes: u64,
    gates: VecDeque<Gate>,
}

#[derive(Debug)]
enum Piece {
    Own(Vec<u8>),
    Shared(Arc<[u8]>),
}

/// Nothing from `from` on leaves before the ticket is settled.
#[derive(Clone, Copy, Debug)]
struct Gate {
    from: u64,
    ticket: Ticket,
    /// Replies between this gate and the next.
    replies: u32,
}

/// Replies to be queued.
#[derive(Clone, Copy)]
pub struct Replies<'a> {
    /// Their bytes.
    pub bytes: &'a [u8],
    /// The pieces between them.
    pub shared: &'a [SharedPiece],
    /// What the places of the pieces count from.
    pub base: usize,
    /// How many replies these are.
    pub count: u32,
}

impl Output {
    /// Bytes that are not sent.
    pub const fn waiting_bytes(&self) -> usize {
        self.waiting_bytes
    }

    /// Pieces that are not sent.
    pub fn pieces(&self) -> usize {
        self.pieces.len()
    }

    /// Whether everything is sent.
    pub fn is_empty(&self) -> bool {
        self.waiting_bytes == 0
    }

    /// Memory of its own, shared pieces included since they are kept alive.
    pub fn memory_bytes(&self) -> usize {
        let pieces: usize = self.pieces.iter().map(Piece::memory_bytes).sum();
        pieces + self.pieces.capacity() * size_of::<Piece>()
    }

    /// Adds replies, behind what waits already. With a ticket, they wait for that too.
    pub fn push(&mut self, replies: Replies<'_>, gate: Option<Ticket>) {
        if let Some(ticket) = gate {
            self.gates.push_back(Gate { from: self.queued_bytes, ticket, replies: 0 });
        }
        if let Some(gate) = self.gates.back_mut() {
            gate.replies += replies.count;
        }
        let mut done = 0;
        for piece in replies.shared {
            let at = piece.at - replies.base;
            self.push_own(&replies.bytes[done..at]);
            self.push_piece(Piece::Shared(Arc::clone(&piece.bytes)));
            done = at;
        }
        self.push_own(&replies.bytes[done..]);
    }

    /// The ticket that the next bytes wait for, if they do.
    pub fn gate(&self) -> Option<&Ticket> {
        self.gates.front().map(|gate| &gate.ticket)
    }

    /// Opens the first gate.
    pub fn open_gate(&mut self) {
        self.gates.pop_front();
    }

    /// Puts an error in place of every reply behind the first gate: what they tell of did not
    /// become durable, and whatever came after may have seen it.
    pub fn fail_gates(&mut self, error: &[u8]) {
        let Some(first) = self.gates.front() else { return };
        let mut excess = (self.queued_bytes - first.from) as usize;
        let replies: u32 = self.gates.iter().map(|gate| gate.replies).sum();
        self.gates.clear();
        self.queued_bytes -= excess as u64;
        self.waiting_bytes -= excess;
        while let Some(last) = self.pieces.pop_back() {
            let length = last.bytes().len();
            if length > excess {
                let kept = last.bytes()[..length - excess].to_vec();
                self.pieces.push_back(Piece::Own(kept));
                break;
            }
            excess -= length;
        }
        self.push_own(&error.repeat(replies as usize));
    }

    /// Writes what may leave until the socket is full; returns how many bytes left.
    ///
    /// # Errors
    /// Those of the socket, but for `WouldBlock`.
    pub fn flush(&mut self, stream: &mut Stream) -> io::Result<usize> {
        let mut left_bytes = 0;
        loop {
            let allowed = self.allowed_bytes();
            if allowed == 0 {
                break;
            }
            match self.write_once(stream, allowed) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(written) => {
                    self.advance(written);
                    left_bytes += written;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        if self.is_empty() {
            // A client that once took much and is idle now keeps nothing.
            self.pieces = VecDeque::new();
        }
        Ok(left_bytes)
    }

    /// Bytes in front of the first gate.
    fn allowed_bytes(&self) -> usize {
        let sent = self.queued_bytes - self.waiting_bytes as u64;
        match self.gates.front() {
            Some(gate) => gate.from.saturating_sub(sent) as usize,
            None => self.waiting_bytes,
        }
    }

    fn write_once(&self, stream: &mut Stream, allowed: usize) -> io::Result<usize> {
        let mut slices = [IoSlice::new(&[]); PIECES_MAX];
        let (mut count, mut left, mut skipped) = (0, allowed, self.sent_of_first);
        for piece in self.pieces.iter().take(PIECES_MAX) {
            let bytes = &piece.bytes()[skipped..];
            let bytes = &bytes[..bytes.len().min(left)];
            slices[count] = IoSlice::new(bytes);
            count += 1;
            left -= bytes.len();
            skipped = 0;
            if left == 0 {
                break;
            }
        }
        stream.write_pieces(&slices[..count])
    }

    fn advance(&mut self, mut written: usize) {
        self.waiting_bytes -= written;
        while let Some(first) = self.pieces.front() {
            let left = first.bytes().len() - self.sent_of_first;
            if written < left {
                self.sent_of_first += written;
                return;
            }
            written -= left;
            self.sent_of_first = 0;
            self.pieces.pop_front();
        }
    }

    fn push_own(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        match self.pieces.back_mut() {
            Some(Piece::Own(last)) if last.len() + bytes.len() <= JOINED_BYTES_MAX => {
                last.extend_from_slice(bytes);
                self.waiting_bytes += bytes.len();
                self.queued_bytes += bytes.len() as u64;
            }
            _ => self.push_piece(Piece::Own(bytes.to_vec())),
        }
    }

    fn push_piece(&mut self, piece: Piece) {
        self.waiting_bytes += piece.bytes().len();
        self.queued_bytes += piece.bytes().len() as u64;
        self.pieces.push_back(piece);
    }
}

impl Piece {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Own(bytes) => bytes,
            Self::Shared(bytes) => bytes,
        }
    }

    fn memory_bytes(&self) -> usize {
        match self {
            Self::Own(bytes) => bytes.capacity(),
            Self::Shared(bytes) => bytes.len(),
        }
    }
}
