//! `RANDOMKEY`
//!
//! Names one key of the database, chosen at random; nil if there is none.
//!
//! Source: <https://redis.io/docs/latest/commands/randomkey/>

use dwell_engine::Stop;

use crate::call::Call;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    match call.scope.random_key()? {
        Some(key) => call.reply.bulk(&key),
        None => call.reply.null(),
    }
    Ok(())
}
