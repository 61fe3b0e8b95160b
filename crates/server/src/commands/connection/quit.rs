//! `QUIT`
//!
//! Closes the connection behind its replies.
//!
//! Source: <https://redis.io/docs/latest/commands/quit/>

use dwell_engine::Error;

use crate::call::SessionCall;

pub(crate) fn run(call: &mut SessionCall<'_>) -> Result<(), Error> {
    call.session.is_closing = true;
    call.reply.ok();
    Ok(())
}
