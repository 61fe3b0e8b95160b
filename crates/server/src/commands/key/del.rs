//! `DEL key [key ...]`
//!
//! Deletes keys and counts those that existed.
//!
//! Source: <https://redis.io/docs/latest/commands/del/>

use dwell_engine::Stop;

use crate::call::Call;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let keys = call.args.from(1).iter();
    call.scope.need(keys.clone())?;
    let mut deleted = 0;
    for key in keys {
        deleted += i64::from(call.scope.delete(key)?);
    }
    call.reply.integer(deleted);
    Ok(())
}
