//! `UNWATCH`
//!
//! Forgets the watched keys.
//!
//! Source: <https://redis.io/docs/latest/commands/unwatch/>

use crate::call::{Pause, TransactionCall};

pub(crate) fn run(call: &mut TransactionCall<'_, '_>) -> Result<(), Pause> {
    call.session.watched.clear();
    call.reply.ok();
    Ok(())
}
