//! `CLIENT NO-EVICT ON | OFF`
//!
//! Exempts this connection from being closed for its memory.
//!
//! Source: <https://redis.io/docs/latest/commands/client-no-evict/>

use dwell_engine::Error;

use crate::call::SessionCall;

pub(crate) fn run(call: &mut SessionCall<'_>) -> Result<(), Error> {
    let choice = &call.args[2];
    call.session.is_never_evicted = if choice.eq_ignore_ascii_case(b"on") {
        true
    } else if choice.eq_ignore_ascii_case(b"off") {
        false
    } else {
        return Err(Error::invalid("syntax error"));
    };
    call.reply.ok();
    Ok(())
}
