//! A RESP server that does next to nothing: what is left is the kernel, the sockets and the client.
//!
//! Without `--store` it answers every SET with OK and every GET with a fixed value and keeps
//! nothing; with it, it keeps values in one hash table; with `--awake` it does not sleep while
//! somebody asks. It checks nothing and serves only benchmarks, which use it as the ceiling that a
//! real server can come close to.

mod connection;
mod reply;
mod request;

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use mio::net::{TcpListener, UnixListener};
use mio::{Events, Interest, Poll, Token};

use connection::Connection;
use reply::Store;

const TCP: Token = Token(0);
const UNIX: Token = Token(1);
const FIRST_CLIENT: usize = 2;
const EVENTS_MAX: usize = 1024;
/// How long it stays awake after a request.
const AWAKE: Duration = Duration::from_millis(1);

fn main() -> io::Result<()> {
    let settings = Settings::from_arguments(std::env::args().skip(1));
    let mut poll = Poll::new()?;
    let address = ([127, 0, 0, 1], settings.port).into();
    let mut tcp = TcpListener::bind(address)?;
    poll.registry().register(&mut tcp, TCP, Interest::READABLE)?;
    let mut unix = settings.unix_socket.map(UnixListener::bind).transpose()?;
    if let Some(listener) = &mut unix {
        poll.registry().register(listener, UNIX, Interest::READABLE)?;
    }
    let store = Store::new(settings.is_storing);
    serve(&mut poll, &tcp, unix.as_ref(), store, settings.is_awake)
}

fn serve(
    poll: &mut Poll,
    tcp: &TcpListener,
    unix: Option<&UnixListener>,
    mut store: Store,
    is_awake: bool,
) -> io::Result<()> {
    let mut connections: HashMap<Token, Connection> = HashMap::new();
    let mut next = FIRST_CLIENT;
    let mut events = Events::with_capacity(EVENTS_MAX);
    let mut asked_at = None;
    loop {
        let is_asked = asked_at.is_some_and(|at: Instant| at.elapsed() < AWAKE);
        if let Err(error) = poll.poll(&mut events, is_asked.then_some(Duration::ZERO))
            && error.kind() != io::ErrorKind::Interrupted
        {
            return Err(error);
        }
        if is_awake && !events.is_empty() {
            asked_at = Some(Instant::now());
        }
        for event in &events {
            match event.token() {
                TCP => {
                    while let Ok((stream, _)) = tcp.accept() {
                        stream.set_nodelay(true)?;
                        admit(poll, &mut connections, &mut next, Connection::from_tcp(stream))?;
                    }
                }
                UNIX => {
                    while let Some(Ok((stream, _))) = unix.map(UnixListener::accept) {
                        admit(poll, &mut connections, &mut next, Connection::from_unix(stream))?;
                    }
                }
                token => {
                    let is_open =
                        connections.get_mut(&token).is_some_and(|each| each.turn(&mut store));
                    if !is_open {
                        connections.remove(&token);
                    }
                }
            }
        }
    }
}

fn admit(
    poll: &Poll,
    connections: &mut HashMap<Token, Connection>,
    next: &mut usize,
    mut connection: Connection,
) -> io::Result<()> {
    let token = Token(*next);
    *next += 1;
    connection.register(poll.registry(), token)?;
    connections.insert(token, connection);
    Ok(())
}

/// The few flags of redis-server that matter here; all others are read past.
struct Settings {
    port: u16,
    unix_socket: Option<PathBuf>,
    is_storing: bool,
    is_awake: bool,
}

impl Settings {
    fn from_arguments(words: impl Iterator<Item = String>) -> Self {
        let mut settings =
            Self { port: 6379, unix_socket: None, is_storing: false, is_awake: false };
        let mut words = words.peekable();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--store" => settings.is_storing = true,
                "--awake" => settings.is_awake = true,
                "--port" => {
                    settings.port = words.next().and_then(|port| port.parse().ok()).unwrap_or(6379);
                }
                "--unixsocket" => settings.unix_socket = words.next().map(PathBuf::from),
                _ => {}
            }
        }
        settings
    }
}
