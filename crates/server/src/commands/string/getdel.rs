//! `GETDEL key`
//!
//! Reads a string and deletes its key in one step.
//!
//! Source: <https://redis.io/docs/latest/commands/getdel/>

use dwell_engine::Stop;

use super::text;
use crate::call::Call;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    text::answer(call, 1)?;
    call.scope.delete(&call.args[1])?;
    Ok(())
}
