//! `DBSIZE`
//!
//! Counts the keys of the database.
//!
//! Source: <https://redis.io/docs/latest/commands/dbsize/>

use dwell_engine::Stop;

use crate::call::Call;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let count = call.scope.count()?;
    call.reply.integer(count as i64);
    Ok(())
}
