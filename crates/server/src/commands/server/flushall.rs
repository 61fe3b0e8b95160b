//! `FLUSHALL [ASYNC | SYNC]`
//!
//! Deletes all keys of all databases.
//!
//! With either word, and without one, the keys are gone at once and freed in the background.
//!
//! Source: <https://redis.io/docs/latest/commands/flushall/>

use dwell_engine::Stop;

use super::flush_options;
use crate::call::Call;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    flush_options::check(call)?;
    call.scope.clear_all()?;
    call.reply.ok();
    Ok(())
}
