//! `CLIENT NO-EVICT ON | OFF`
//!
//! Exempts this connection from being closed for its memory.
//!
//! Source: <https://redis.io/docs/latest/commands/client-no-evict/>

use dwell_engine::Error;

use super::switch;
use crate::call::SessionCall;

pub(crate) fn run(call: &mut SessionCall<'_>) -> Result<(), Error> {
    call.session.is_never_evicted = switch::parse(&call.args[2])?;
    call.reply.ok();
    Ok(())
}
