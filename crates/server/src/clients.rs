//! The open connections, by place and by number, and what is told about each.

use std::net::SocketAddr;
use std::time::Instant;

use crate::connection::Connection;
use crate::park::Wait;
use crate::stream::Peer;

/// A connection, by its place and, since places are used again, its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Handle {
    /// The place, which is also its token in the poll.
    pub place: usize,
    /// The number.
    pub id: u64,
}

/// What `CLIENT LIST` tells about a connection.
#[allow(clippy::struct_excessive_bools, reason = "independent facts, each told by its name")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientFacts {
    /// Its number.
    pub id: u64,
    /// The client's address; `None` through the Unix socket.
    pub address: Option<SocketAddr>,
    /// The address of our end; `None` through the Unix socket.
    pub local_address: Option<SocketAddr>,
    /// What it calls itself.
    pub name: String,
    /// Its library, by its own account.
    pub library_name: String,
    /// That library's version.
    pub library_version: String,
    /// Seconds since it connected.
    pub age_s: u64,
    /// Seconds since it last sent something.
    pub idle_s: u64,
    /// The database that it has selected.
    pub database: usize,
    /// 2 or 3.
    pub protocol: u8,
    /// Whether it has authenticated, or need not.
    pub is_authenticated: bool,
    /// Commands queued since MULTI; `None` outside.
    pub queued: Option<usize>,
    /// Keys watched.
    pub watched: usize,
    /// Whether its command waits for a while, because of a pause or of the drain.
    pub is_delayed: bool,
    /// Whether it is being closed.
    pub is_closing: bool,
    /// Whether CLIENT NO-EVICT is on.
    pub is_never_evicted: bool,
    /// Whether CLIENT NO-TOUCH is on.
    pub leaves_accesses: bool,
    /// The command that it sent last, in lower case.
    pub last_command: &'static str,
    /// Bytes received and not executed.
    pub input_bytes: usize,
    /// Room for more of them that it holds.
    pub input_free_bytes: usize,
    /// Memory of the command that waits.
    pub arguments_bytes: usize,
    /// Bytes of replies not sent.
    pub output_bytes: usize,
    /// Pieces of them.
    pub output_pieces: usize,
    /// Memory of them.
    pub output_memory_bytes: usize,
    /// Memory of queued commands.
    pub multi_bytes: usize,
    /// Memory of everything about it.
    pub memory_bytes: usize,
}

/// All open connections.
#[derive(Default)]
pub struct Clients {
    places: Vec<Option<Box<Connection>>>,
    free: Vec<usize>,
    count: usize,
    last_id: u64,
}

impl Clients {
    /// How many there are.
    pub const fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// One more than the highest place in use.
    pub fn places(&self) -> usize {
        self.places.len()
    }

    /// A number for the next connection; it was never used before.
    pub const fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    /// The place that the next connection gets.
    pub fn next_place(&self) -> usize {
        self.free.last().copied().unwrap_or(self.places.len())
    }

    /// Adds a connection at [`Self::next_place`].
    pub fn insert(&mut self, connection: Connection) {
        self.count += 1;
        match self.free.pop() {
            Some(place) => self.places[place] = Some(Box::new(connection)),
            None => self.places.push(Some(Box::new(connection))),
        }
    }

    /// Takes a connection away and closes it.
    pub fn remove(&mut self, place: usize) {
        if self.places.get_mut(place).and_then(Option::take).is_some() {
            self.count -= 1;
            self.free.push(place);
        }
    }

    /// The connection at a place.
    pub fn at(&mut self, place: usize) -> Option<&mut Connection> {
        self.places.get_mut(place)?.as_deref_mut()
    }

    /// The connection, if it is still open.
    pub fn get(&mut self, client: Handle) -> Option<&mut Connection> {
        self.at(client.place).filter(|connection| connection.session.id == client.id)
    }

    /// The connection, if it is still open, to be looked at only.
    pub fn peek(&self, client: Handle) -> Option<&Connection> {
        let connection = self.places.get(client.place)?.as_deref()?;
        (connection.session.id == client.id).then_some(connection)
    }

    /// All connections with their places.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &Connection)> {
        let places = self.places.iter().enumerate();
        places.filter_map(|(place, connection)| Some((place, connection.as_deref()?)))
    }
}

/// What there is to tell about a connection.
pub fn facts(connection: &Connection, now: Instant) -> ClientFacts {
    let session = &connection.session;
    let text = |text: &Option<Box<str>>| text.as_deref().unwrap_or_default().to_owned();
    let seconds = |since: Instant| now.saturating_duration_since(since).as_secs();
    let transaction = session.transaction.as_deref();
    let input = connection.input.as_deref();
    let multi_bytes = transaction.map_or(0, |transaction| transaction.memory_bytes);
    let input_memory = input.map_or(0, crate::input::Input::memory_bytes);
    let parked = connection.parked.as_deref();
    let arguments_bytes = parked.map_or(0, |parked| parked.arguments.memory_bytes());
    let output_memory_bytes = connection.output.memory_bytes();
    let memory_bytes = size_of::<Connection>()
        + input_memory
        + arguments_bytes
        + output_memory_bytes
        + multi_bytes;
    ClientFacts {
        id: session.id,
        address: match connection.peer {
            Peer::Tcp(address) => Some(address),
            Peer::Unix => None,
        },
        local_address: connection.stream.local_address(),
        name: text(&session.name),
        library_name: text(&session.library_name),
        library_version: text(&session.library_version),
        age_s: seconds(connection.opened),
        idle_s: seconds(connection.heard),
        database: session.database,
        protocol: session.protocol.version(),
        is_authenticated: session.is_authenticated,
        queued: transaction.map(|transaction| transaction.queued.len()),
        watched: session.watched.len(),
        is_delayed: is_delayed(connection),
        is_closing: session.is_closing,
        is_never_evicted: session.is_never_evicted,
        leaves_accesses: session.leaves_accesses,
        last_command: connection.last_command.map_or("NULL", |command| command.name),
        input_bytes: input.map_or(0, |input| input.rest.len()),
        input_free_bytes: input.map_or(0, |input| input.rest.capacity() - input.rest.len()),
        arguments_bytes,
        output_bytes: connection.output.waiting_bytes(),
        output_pieces: connection.output.pieces(),
        output_memory_bytes,
        multi_bytes,
        memory_bytes,
    }
}

/// Whether a connection waits for a while.
pub fn is_delayed(connection: &Connection) -> bool {
    connection.parked.as_deref().is_some_and(|parked| matches!(parked.wait, Wait::Delay))
}

/// Whether a connection waits for the host, whose answer is then due before it is closed.
pub fn awaits_host(connection: &Connection) -> bool {
    connection.parked.as_deref().is_some_and(|parked| matches!(parked.wait, Wait::Host))
}
