//! `CLIENT SETNAME connection-name`
//!
//! Names this connection.
//!
//! Source: <https://redis.io/docs/latest/commands/client-setname/>

use dwell_engine::Error;

use super::name;
use crate::call::SessionCall;

pub(crate) fn run(call: &mut SessionCall<'_>) -> Result<(), Error> {
    call.session.name = name::checked(&call.args[2]).map_err(|()| Error::invalid(name::REFUSED))?;
    call.reply.ok();
    Ok(())
}
