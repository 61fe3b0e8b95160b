//! The sockets that wait for connections: bound, with their options, and accepting without ever
//! blocking. It must not know what becomes of a connection.

use std::fs;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::UnixStream as BlockingUnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dwell_engine::{Error, ErrorKind as EngineErrorKind};
use mio::net::{TcpListener, UnixListener};
use mio::{Interest, Registry, Token};
use socket2::{Domain, Protocol, SockAddr, Socket, TcpKeepalive, Type};

use crate::settings::{Bind, ServerSettings};
use crate::stream::{Peer, Stream};

/// A socket that waits for connections.
#[derive(Debug)]
pub struct Listener {
    kind: Kind,
    /// Whether the kernel may hold connections that were not accepted yet: readiness is told once.
    pub is_ready: bool,
    /// Whether the system could not accept and should be asked again.
    pub is_starved: bool,
}

#[derive(Debug)]
enum Kind {
    Tcp(TcpListener),
    Unix(UnixListener, PathBuf),
}

/// Opens every address of the settings.
///
/// # Errors
/// The first address that could not be had, in one sentence and with what to do; those opened
/// before are let go.
pub fn open_all(settings: &ServerSettings) -> Result<Vec<Listener>, Error> {
    let mut listeners = Vec::new();
    for bind in &settings.binds {
        match open_tcp(bind.address, settings) {
            Ok(listener) => listeners.push(Listener::new(Kind::Tcp(listener))),
            Err(error) if may_be_left_out(bind, &error) => {}
            Err(error) => return Err(tcp_refusal(&error, bind.address)),
        }
    }
    if let Some(path) = &settings.unix_path {
        let listener = open_unix(path, settings.unix_mode, settings.backlog)
            .map_err(|error| unix_refusal(&error, path))?;
        listeners.push(Listener::new(Kind::Unix(listener, path.clone())));
    }
    Ok(listeners)
}

fn may_be_left_out(bind: &Bind, error: &io::Error) -> bool {
    let is_absent = matches!(error.kind(), ErrorKind::AddrNotAvailable | ErrorKind::Unsupported);
    !bind.is_required && (is_absent || error.raw_os_error() == Some(libc::EAFNOSUPPORT))
}

fn tcp_refusal(error: &io::Error, address: SocketAddr) -> Error {
    let port = address.port();
    let (reason, hint) = match error.kind() {
        ErrorKind::AddrInUse => (
            format!("the port {port} is taken"),
            "stop what listens there, or choose another one with --port",
        ),
        ErrorKind::PermissionDenied => (
            format!("this user may not listen on port {port}"),
            "choose a port from 1024 on with --port, or let the system allow it",
        ),
        ErrorKind::AddrNotAvailable => (
            "this machine does not have the address".to_owned(),
            "choose one that it has with --bind",
        ),
        _ => (in_words(error), "choose another address with --bind or --port"),
    };
    refusal(&reason, &address.to_string()).with_hint(hint)
}

fn unix_refusal(error: &io::Error, path: &Path) -> Error {
    refusal(&in_words(error), &path.display().to_string())
        .with_hint("choose another path with --unixsocket, or see to what is there")
}

fn refusal(reason: &str, address: &str) -> Error {
    Error::new(EngineErrorKind::Unavailable, format!("cannot listen, {reason}: {address}"))
}

/// What the system says, without its number for it.
pub fn in_words(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_lowercase()
}

fn open_tcp(address: SocketAddr, settings: &ServerSettings) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    if address.is_ipv6() {
        // So that `0.0.0.0` and `::` can stand side by side on one port.
        socket.set_only_v6(true)?;
    }
    // Every connection inherits these, which saves it three system calls.
    socket.set_tcp_nodelay(true)?;
    if settings.keepalive_s > 0 {
        let idle = TcpKeepalive::new().with_time(Duration::from_secs(settings.keepalive_s));
        socket.set_tcp_keepalive(&idle)?;
    }
    socket.bind(&address.into())?;
    socket.listen(settings.backlog)?;
    socket.set_nonblocking(true)?;
    Ok(TcpListener::from_std(socket.into()))
}

/// Opens a Unix socket, in place of one that nobody answers any more.
fn open_unix(path: &Path, mode: Option<u32>, backlog: i32) -> io::Result<UnixListener> {
    remove_stale(path)?;
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    socket.bind(&SockAddr::unix(path)?)?;
    // Between bind and listen the file is there but nobody can connect, so the permissions are
    // in force before the first client.
    if let Some(mode) = mode {
        fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
    }
    socket.listen(backlog)?;
    socket.set_nonblocking(true)?;
    Ok(UnixListener::from_std(socket.into()))
}

fn remove_stale(path: &Path) -> io::Result<()> {
    let Ok(found) = fs::symlink_metadata(path) else { return Ok(()) };
    if !found.file_type().is_socket() {
        return Err(io::Error::new(ErrorKind::AlreadyExists, "a file that is no socket is there"));
    }
    match BlockingUnixStream::connect(path) {
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => fs::remove_file(path),
        _ => Err(io::Error::new(ErrorKind::AddrInUse, "another process answers there")),
    }
}

impl Listener {
    fn new(kind: Kind) -> Self {
        Self { kind, is_ready: true, is_starved: false }
    }

    /// The TCP address, with the port that the kernel chose.
    pub fn address(&self) -> Option<SocketAddr> {
        match &self.kind {
            Kind::Tcp(listener) => listener.local_addr().ok(),
            Kind::Unix(..) => None,
        }
    }

    /// Asks to be told when connections wait.
    ///
    /// # Errors
    /// Those of the poll.
    pub fn register(&mut self, registry: &Registry, token: Token) -> io::Result<()> {
        match &mut self.kind {
            Kind::Tcp(listener) => registry.register(listener, token, Interest::READABLE),
            Kind::Unix(listener, _) => registry.register(listener, token, Interest::READABLE),
        }
    }

    /// Takes one connection that waits.
    ///
    /// # Errors
    /// `WouldBlock` if none waits; others, such as too many open files, pass with time.
    pub fn accept(&self) -> io::Result<(Stream, Peer)> {
        match &self.kind {
            Kind::Tcp(listener) => {
                let (stream, address) = listener.accept()?;
                Ok((Stream::Tcp(stream), Peer::Tcp(address)))
            }
            Kind::Unix(listener, _) => {
                let (stream, _) = listener.accept()?;
                Ok((Stream::Unix(stream), Peer::Unix))
            }
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Kind::Unix(_, path) = &self.kind {
            // Nobody can be told here; a file left behind is replaced at the next start.
            let _ = fs::remove_file(path);
        }
    }
}
