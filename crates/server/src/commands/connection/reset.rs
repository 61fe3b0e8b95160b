//! `RESET`
//!
//! Makes the connection what it was when it was opened.
//!
//! Source: <https://redis.io/docs/latest/commands/reset/>

use dwell_engine::Error;
use dwell_wire::Protocol;

use crate::call::SessionCall;

pub(crate) fn run(call: &mut SessionCall<'_>) -> Result<(), Error> {
    call.session.reset(&call.house.settings);
    call.reply.set_protocol(Protocol::default());
    call.reply.status("RESET");
    Ok(())
}
