//! A connected socket of either family, and where its peer is.

use std::io::{self, IoSlice, Read, Write};
use std::net::SocketAddr;

use mio::event::Source;
use mio::net::{TcpStream, UnixStream};
use mio::{Interest, Registry, Token};

/// A connected stream socket.
#[derive(Debug)]
pub enum Stream {
    /// Over the network or loopback.
    Tcp(TcpStream),
    /// On this machine, by path.
    Unix(UnixStream),
}

/// Where a peer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// Its address.
    Tcp(SocketAddr),
    /// It came through the Unix socket.
    Unix,
}

impl Peer {
    /// Whether it is on this machine.
    pub fn is_local(&self) -> bool {
        match self {
            Self::Unix => true,
            Self::Tcp(address) => address.ip().to_canonical().is_loopback(),
        }
    }
}

impl Stream {
    /// The address of this end, for what clients are told.
    pub fn local_address(&self) -> Option<SocketAddr> {
        match self {
            Self::Tcp(stream) => stream.local_addr().ok(),
            Self::Unix(_) => None,
        }
    }

    /// Writes pieces in one system call.
    ///
    /// # Errors
    /// Those of the socket; `WouldBlock` if it is full.
    pub fn write_pieces(&mut self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write_vectored(pieces),
            Self::Unix(stream) => stream.write_vectored(pieces),
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read(buffer),
            Self::Unix(stream) => stream.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write(bytes),
            Self::Unix(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Source for Stream {
    fn register(&mut self, registry: &Registry, token: Token, wanted: Interest) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.register(registry, token, wanted),
            Self::Unix(stream) => stream.register(registry, token, wanted),
        }
    }

    fn reregister(
        &mut self,
        registry: &Registry,
        token: Token,
        wanted: Interest,
    ) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.reregister(registry, token, wanted),
            Self::Unix(stream) => stream.reregister(registry, token, wanted),
        }
    }

    fn deregister(&mut self, registry: &Registry) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.deregister(registry),
            Self::Unix(stream) => stream.deregister(registry),
        }
    }
}
