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
    let seen = call.batch(|scope| {
        let namespace = scope.namespace();
        keys.iter()
            .map(|key| Ok(Watched { namespace, key: key.into(), version: scope.version(key)? }))
            .collect::<Result<Vec<_>, _>>()
    })?;
    for watched in seen {
        let is_watched =
            |old: &Watched| (old.namespace, &old.key) == (watched.namespace, &watched.key);
        // The first version counts: what happened between two WATCHes of a key is a change too.
        if !call.session.watched.iter().any(is_watched) {
            call.session.watched.push(watched);
        }
    }
    call.reply.ok();
    Ok(())
}
