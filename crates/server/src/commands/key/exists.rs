//! `EXISTS key [key ...]`
//!
//! Counts the named keys that exist; a key named twice counts twice.
//!
//! Source: <https://redis.io/docs/latest/commands/exists/>

use dwell_engine::Stop;

use crate::call::Call;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let keys = call.args.from(1).iter();
    call.scope.need(keys.clone())?;
    let mut present = 0;
    for key in keys {
        present += i64::from(call.scope.facts(key)?.is_some());
    }
    call.reply.integer(present);
    Ok(())
}
