//! `WATCH key [key ...]`
//!
//! Makes the next EXEC depend on these keys not changing.
//!
//! Source: <https://redis.io/docs/latest/commands/watch/>

use crate::call::{Pause, TransactionCall};
use crate::commands::argument::fail;
use crate::transaction::Watched;

pub(crate) fn run(call: &mut TransactionCall<'_, '_>) -> Result<(), Pause> {
    if call.session.transaction.is_some() {
        return Err(fail("WATCH inside MULTI is not allowed").into());
    }
    let keys = call.args.from(1);
    let mut seen = call.batch(|scope| {
        let namespace = scope.namespace();
        keys.iter()
            .map(|key| Ok(((namespace, key.into()), scope.watch(key)?)))
            .collect::<Result<Watched, _>>()
    })?;
    // The first sight counts: what happened between two WATCHes of a key is a change too.
    seen.append(&mut call.session.watched);
    call.session.watched = seen;
    call.reply.ok();
    Ok(())
}
