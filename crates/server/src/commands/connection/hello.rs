//! `HELLO [protover [AUTH username password] [SETNAME clientname]]`
//!
//! Chooses the protocol version, and greets with what the server is.
//!
//! Source: <https://redis.io/docs/latest/commands/hello/>

use dwell_engine::Error;
use dwell_wire::{Arguments, Protocol, Reply, number::parse_integer};

use super::{identity, name};
use crate::call::SessionCall;
use crate::session::Session;

const NOT_AUTHENTICATED: &str = "NOAUTH HELLO must be called with the client already \
    authenticated, otherwise the HELLO AUTH <user> <pass> option can be used to \
    authenticate the client and select the RESP protocol version at the same time";

/// What the options ask for.
#[derive(Default)]
struct Options<'a> {
    credentials: Option<(&'a [u8], &'a [u8])>,
    name: Option<&'a [u8]>,
}

pub(crate) fn run(call: &mut SessionCall<'_>) -> Result<(), Error> {
    let protocol = match call.args.get(1).map(protocol) {
        None => call.session.protocol,
        Some(Err(error)) => return Err(error),
        Some(Ok(Some(protocol))) => protocol,
        Some(Ok(None)) => {
            call.reply.error("NOPROTO unsupported protocol version");
            return Ok(());
        }
    };
    let options = options(call.args.from(2))?;
    if let Some((user, password)) = options.credentials {
        if !identity::is_known(user, password, &call.house.settings) {
            call.reply.error(identity::WRONG);
            return Ok(());
        }
        call.session.is_authenticated = true;
    }
    if !call.session.is_authenticated {
        call.reply.error(NOT_AUTHENTICATED);
        return Ok(());
    }
    if let Some(name) = options.name {
        // Who has authenticated stays so, whatever is wrong with the name.
        call.session.name = name::checked(name).map_err(|()| Error::invalid(name::REFUSED))?;
    }
    call.session.protocol = protocol;
    call.reply.set_protocol(protocol);
    greet(call.reply, call.session, &call.house.settings.redis_version);
    Ok(())
}

fn protocol(text: &[u8]) -> Result<Option<Protocol>, Error> {
    let version = parse_integer(text)
        .ok_or_else(|| Error::invalid("Protocol version is not an integer or out of range"))?;
    Ok(Protocol::from_version(version))
}

fn options(args: Arguments<'_>) -> Result<Options<'_>, Error> {
    let mut options = Options::default();
    let mut words = args.iter();
    while let Some(word) = words.next() {
        if word.eq_ignore_ascii_case(b"auth") && words.len() >= 2 {
            options.credentials = words.next().zip(words.next());
        } else if word.eq_ignore_ascii_case(b"setname") && words.len() >= 1 {
            options.name = words.next();
        } else {
            let shown = String::from_utf8_lossy(word);
            return Err(Error::invalid(format!("Syntax error in HELLO option '{shown}'")));
        }
    }
    Ok(options)
}

fn greet(reply: &mut Reply, session: &Session, redis_version: &str) {
    reply.map(7);
    reply.bulk(b"server");
    // Clients choose what they send by this name.
    reply.bulk(b"redis");
    reply.bulk(b"version");
    reply.bulk(redis_version.as_bytes());
    reply.bulk(b"proto");
    reply.integer(i64::from(session.protocol.version()));
    reply.bulk(b"id");
    reply.integer(i64::try_from(session.id).unwrap_or(i64::MAX));
    reply.bulk(b"mode");
    reply.bulk(b"standalone");
    reply.bulk(b"role");
    reply.bulk(b"master");
    reply.bulk(b"modules");
    reply.array(0);
}
