//! `CLIENT NO-TOUCH ON | OFF`
//!
//! Lets what this connection reads leave the recency and frequency of keys as they are.
//!
//! Source: <https://redis.io/docs/latest/commands/client-no-touch/>

use dwell_engine::Error;

use super::switch;
use crate::call::SessionCall;

pub(crate) fn run(call: &mut SessionCall<'_>) -> Result<(), Error> {
    call.session.leaves_accesses = switch::parse(&call.args[2])?;
    call.reply.ok();
    Ok(())
}
