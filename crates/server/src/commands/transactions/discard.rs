//! `DISCARD`
//!
//! Drops the queued commands and forgets the watched keys.
//!
//! Source: <https://redis.io/docs/latest/commands/discard/>

use crate::call::{Pause, TransactionCall};
use crate::commands::argument::fail;

pub(crate) fn run(call: &mut TransactionCall<'_, '_>) -> Result<(), Pause> {
    if call.session.transaction.take().is_none() {
        return Err(fail("DISCARD without MULTI").into());
    }
    call.session.watched.clear();
    call.reply.ok();
    Ok(())
}
