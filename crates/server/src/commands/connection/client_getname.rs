//! `CLIENT GETNAME`
//!
//! Tells the name of this connection.
//!
//! Source: <https://redis.io/docs/latest/commands/client-getname/>

use dwell_engine::Error;

use crate::call::SessionCall;

pub(crate) fn run(call: &mut SessionCall<'_>) -> Result<(), Error> {
    match &call.session.name {
        Some(name) => call.reply.bulk(name.as_bytes()),
        None => call.reply.null(),
    }
    Ok(())
}
