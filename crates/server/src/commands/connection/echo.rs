//! `ECHO message`
//!
//! Answers its argument.
//!
//! Source: <https://redis.io/docs/latest/commands/echo/>

use dwell_engine::Error;

use crate::call::SessionCall;

pub(crate) fn run(call: &mut SessionCall<'_>) -> Result<(), Error> {
    call.reply.bulk(&call.args[1]);
    Ok(())
}
