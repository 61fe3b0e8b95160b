//! `TOUCH key [key ...]`
//!
//! Marks keys as used just now and counts those that exist.
//!
//! Source: <https://redis.io/docs/latest/commands/touch/>

use dwell_engine::Stop;

use crate::call::Call;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let keys = call.args.from(1).iter();
    call.scope.need(keys.clone())?;
    let mut present = 0;
    for key in keys {
        present += i64::from(call.scope.touch(key)?);
    }
    call.reply.integer(present);
    Ok(())
}
