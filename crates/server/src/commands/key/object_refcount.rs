//! `OBJECT REFCOUNT key`
//!
//! Tells how many references a value has, which is always one: no value is shared between keys.
//!
//! Source: <https://redis.io/docs/latest/commands/object-refcount/>

use dwell_engine::Stop;

use crate::call::Call;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    match call.scope.facts(&call.args[2])? {
        Some(_) => call.reply.integer(1),
        None => call.reply.null(),
    }
    Ok(())
}
