//! A server on an engine in memory, and a client that speaks raw bytes to it.
#![allow(clippy::unwrap_used, missing_docs, dead_code)]

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use dwell_engine::{Engine, Place, Settings, Sources};
use dwell_server::{Bind, Notice, Notices, Server, ServerSettings};
use dwell_wire::{ReplyLimits, ReplyParser, Value};

pub const PATIENCE: Duration = Duration::from_secs(20);

pub fn loopback() -> ServerSettings {
    let address = SocketAddr::from(([127, 0, 0, 1], 0));
    ServerSettings { binds: vec![Bind { address, is_required: true }], ..ServerSettings::default() }
}

pub fn engine() -> Engine {
    Engine::open(Place::Memory, Settings::default(), Sources::default()).unwrap()
}

pub fn start(settings: ServerSettings) -> Server {
    Server::start(engine(), settings, Notices::default()).unwrap()
}

pub fn start_with_notices(settings: ServerSettings) -> (Server, Receiver<Notice>) {
    let (told, notices) = channel();
    let notices_to = Notices::new(move |notice| {
        let _ = told.send(notice);
    });
    (Server::start(engine(), settings, notices_to).unwrap(), notices)
}

pub struct Client {
    pub stream: TcpStream,
    parser: ReplyParser,
    received: Vec<u8>,
}

impl Client {
    pub fn to(server: &Server) -> Self {
        Self::at(server.addresses()[0])
    }

    pub fn at(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self { stream, parser: ReplyParser::new(), received: Vec::new() }
    }

    pub fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    /// One reply; a panic if the server closes or says nothing.
    pub fn reply(&mut self) -> Value {
        loop {
            let parsed = self.parser.parse(&self.received, &ReplyLimits::default()).unwrap();
            if let Some(reply) = parsed {
                self.received.drain(..reply.consumed);
                return reply.value;
            }
            let mut buffer = vec![0; 256 * 1024];
            let length = self.stream.read(&mut buffer).unwrap();
            assert!(length > 0, "closed, with {:?}", String::from_utf8_lossy(&self.received));
            self.received.extend_from_slice(&buffer[..length]);
        }
    }

    pub fn call(&mut self, words: &[&str]) -> Value {
        self.send(&command(words));
        self.reply()
    }

    /// All that comes until the server closes.
    pub fn until_closed(&mut self) -> String {
        let mut rest = std::mem::take(&mut self.received);
        // A reset instead of an end is an end too.
        let _ = self.stream.read_to_end(&mut rest);
        String::from_utf8_lossy(&rest).into_owned()
    }

    pub fn has_nothing_to_read(&self) -> bool {
        self.stream.set_nonblocking(true).unwrap();
        let found = (&self.stream).read(&mut [0]);
        self.stream.set_nonblocking(false).unwrap();
        found.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock)
    }

    pub fn end(&self) {
        self.stream.shutdown(Shutdown::Write).unwrap();
    }
}

pub fn command<T: AsRef<[u8]>>(words: &[T]) -> Vec<u8> {
    let mut bytes = format!("*{}\r\n", words.len()).into_bytes();
    for word in words {
        bytes.extend_from_slice(format!("${}\r\n", word.as_ref().len()).as_bytes());
        bytes.extend_from_slice(word.as_ref());
        bytes.extend_from_slice(b"\r\n");
    }
    bytes
}

pub fn ok() -> Value {
    Value::ok()
}

pub fn bytes(text: &str) -> Value {
    Value::bytes(text)
}

pub fn error(text: &str) -> Value {
    Value::Error(text.into())
}

pub fn eventually(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "never: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
