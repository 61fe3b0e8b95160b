//! `PERSIST key`
//!
//! Takes a key's lifetime away, and with it moves the key to disk by default: 1, else 0.
//!
//! Source: <https://redis.io/docs/latest/commands/persist/>

use dwell_engine::Stop;

use crate::call::Call;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let key = &call.args[1];
    let has_deadline = call.scope.facts(key)?.is_some_and(|facts| facts.deadline.is_some());
    if has_deadline {
        call.scope.set_deadline(key, None)?;
    }
    call.reply.integer(i64::from(has_deadline));
    Ok(())
}
