//! `FLUSHDB [ASYNC | SYNC]`
//!
//! Deletes all keys of the database.
//!
//! With either word, and without one, the keys are gone at once and freed in the background.
//!
//! Source: <https://redis.io/docs/latest/commands/flushdb/>

use dwell_engine::Stop;

use super::flush_options;
use crate::call::Call;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    flush_options::check(call)?;
    call.scope.clear()?;
    call.reply.ok();
    Ok(())
}
