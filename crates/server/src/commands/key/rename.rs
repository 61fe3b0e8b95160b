//! `RENAME key newkey`
//!
//! Gives a value and its lifetime a new key, replacing what was there.
//!
//! Source: <https://redis.io/docs/latest/commands/rename/>

use dwell_engine::Stop;

use crate::call::Call;
use crate::commands::argument::fail;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let (from, to) = (&call.args[1], &call.args[2]);
    call.scope.need([from, to].into_iter())?;
    let here = call.scope.namespace();
    if !call.scope.rename(from, to, here, false)? {
        return Err(fail("no such key"));
    }
    call.reply.ok();
    Ok(())
}
