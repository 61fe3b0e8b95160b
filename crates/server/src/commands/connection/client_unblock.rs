//! `CLIENT UNBLOCK client-id [TIMEOUT | ERROR]`
//!
//! Ends the wait of a client in a blocking command. There are no such commands yet, so that nobody
//! ever waits in one.
//!
//! Source: <https://redis.io/docs/latest/commands/client-unblock/>

use dwell_engine::Error;
use dwell_wire::number::parse_integer;

use crate::call::SessionCall;

pub(crate) fn run(call: &mut SessionCall<'_>) -> Result<(), Error> {
    let is_way =
        |way: &[u8]| [&b"timeout"[..], b"error"].iter().any(|it| way.eq_ignore_ascii_case(it));
    match call.args.len() {
        3 => {}
        4 if is_way(&call.args[3]) => {}
        4 => return Err(Error::invalid("CLIENT UNBLOCK reason should be TIMEOUT or ERROR")),
        _ => return Err(Error::invalid("syntax error")),
    }
    parse_integer(&call.args[2])
        .ok_or_else(|| Error::invalid("value is not an integer or out of range"))?;
    call.reply.integer(0);
    Ok(())
}
