//! `TYPE key`
//!
//! Tells the kind of value that a key holds, `none` for an absent key.
//!
//! Source: <https://redis.io/docs/latest/commands/type/>

use dwell_engine::Stop;

use crate::call::Call;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let facts = call.scope.facts(&call.args[1])?;
    call.reply.status(facts.map_or("none", |facts| facts.kind.redis_name()));
    Ok(())
}
