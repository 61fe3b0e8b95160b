//! `MULTI`
//!
//! Queues the commands that follow, until EXEC.
//!
//! Source: <https://redis.io/docs/latest/commands/multi/>

use crate::call::{Pause, TransactionCall};
use crate::commands::argument::fail;

pub(crate) fn run(call: &mut TransactionCall<'_, '_>) -> Result<(), Pause> {
    if call.session.transaction.is_some() {
        return Err(fail("MULTI calls can not be nested").into());
    }
    call.session.transaction = Some(Box::default());
    call.reply.ok();
    Ok(())
}
