//! `RENAMENX key newkey`
//!
//! Gives a value and its lifetime a new key if that key is free: 1, else 0.
//!
//! Source: <https://redis.io/docs/latest/commands/renamenx/>

use dwell_engine::Stop;

use crate::call::Call;
use crate::commands::argument::fail;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let (from, to) = (&call.args[1], &call.args[2]);
    call.scope.need([from, to].into_iter())?;
    if call.scope.facts(from)?.is_none() {
        return Err(fail("no such key"));
    }
    let is_free = call.scope.facts(to)?.is_none();
    if is_free {
        let here = call.scope.namespace();
        call.scope.rename(from, to, here, false)?;
    }
    call.reply.integer(i64::from(is_free));
    Ok(())
}
