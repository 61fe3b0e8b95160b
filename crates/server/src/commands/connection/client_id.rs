//! `CLIENT ID`
//!
//! Tells the number of this connection; numbers only grow.
//!
//! Source: <https://redis.io/docs/latest/commands/client-id/>

use dwell_engine::Error;

use crate::call::SessionCall;

pub(crate) fn run(call: &mut SessionCall<'_>) -> Result<(), Error> {
    call.reply.integer(i64::try_from(call.session.id).unwrap_or(i64::MAX));
    Ok(())
}
