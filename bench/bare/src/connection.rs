//! One client's socket with its two buffers.

use std::io::{self, Read, Write};

use mio::net::{TcpStream, UnixStream};
use mio::{Interest, Registry, Token};

use crate::reply::Store;
use crate::request::next_request;

/// As much as Redis reads at once; a longer request makes the buffer grow.
const READ_BYTES: usize = 16 * 1024;

enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

/// A client: bytes that came and were not understood yet, and bytes that wait to be sent.
pub struct Connection {
    stream: Stream,
    input: Vec<u8>,
    filled: usize,
    output: Vec<u8>,
}

impl Connection {
    /// Takes over an accepted TCP connection.
    pub fn from_tcp(stream: TcpStream) -> Self {
        Self::new(Stream::Tcp(stream))
    }

    /// Takes over an accepted Unix connection.
    pub fn from_unix(stream: UnixStream) -> Self {
        Self::new(Stream::Unix(stream))
    }

    fn new(stream: Stream) -> Self {
        Self { stream, input: vec![0; READ_BYTES], filled: 0, output: Vec::new() }
    }

    /// Asks to be told when the socket can be read or written.
    pub fn register(&mut self, registry: &Registry, token: Token) -> io::Result<()> {
        let interest = Interest::READABLE | Interest::WRITABLE;
        match &mut self.stream {
            Stream::Tcp(stream) => registry.register(stream, token, interest),
            Stream::Unix(stream) => registry.register(stream, token, interest),
        }
    }

    /// Reads, answers and sends all that can be now; false when the client has gone.
    pub fn turn(&mut self, store: &mut Store) -> bool {
        loop {
            if self.filled == self.input.len() {
                self.input.resize(2 * self.filled, 0);
            }
            let room = self.input.len() - self.filled;
            match read(&mut self.stream, &mut self.input[self.filled..]) {
                Ok(0) => return false,
                Ok(count) => {
                    self.filled += count;
                    self.answer(store);
                    if count < room {
                        return self.flush();
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return self.flush(),
                Err(_) => return false,
            }
        }
    }

    fn answer(&mut self, store: &mut Store) {
        let mut at = 0;
        let input = &self.input[..self.filled];
        while let Some(request) = next_request(input, at) {
            store.answer(input, &request, &mut self.output);
            at = request.end;
        }
        self.input.copy_within(at..self.filled, 0);
        self.filled -= at;
    }

    fn flush(&mut self) -> bool {
        let mut sent = 0;
        while sent < self.output.len() {
            match write(&mut self.stream, &self.output[sent..]) {
                Ok(0) => return false,
                Ok(count) => sent += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(_) => return false,
            }
        }
        self.output.drain(..sent);
        true
    }
}

fn read(stream: &mut Stream, buffer: &mut [u8]) -> io::Result<usize> {
    match stream {
        Stream::Tcp(stream) => stream.read(buffer),
        Stream::Unix(stream) => stream.read(buffer),
    }
}

fn write(stream: &mut Stream, bytes: &[u8]) -> io::Result<usize> {
    match stream {
        Stream::Tcp(stream) => stream.write(bytes),
        Stream::Unix(stream) => stream.write(bytes),
    }
}
