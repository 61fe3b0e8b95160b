//! `PING [message]`
//!
//! Answers PONG, or its argument.
//!
//! Source: <https://redis.io/docs/latest/commands/ping/>

use dwell_engine::Error;

use crate::call::SessionCall;

pub(crate) fn run(call: &mut SessionCall<'_>) -> Result<(), Error> {
    match call.args.len() {
        1 => call.reply.status("PONG"),
        2 => call.reply.bulk(&call.args[1]),
        _ => return Err(Error::invalid("wrong number of arguments for 'ping' command")),
    }
    Ok(())
}
