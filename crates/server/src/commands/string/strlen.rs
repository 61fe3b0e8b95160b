//! `STRLEN key`
//!
//! Answers the length of a string in bytes; 0 for an absent key.
//!
//! Source: <https://redis.io/docs/latest/commands/strlen/>

use dwell_engine::Stop;

use super::text;
use crate::call::Call;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let length = text::length(call.scope, &call.args[1])?.unwrap_or(0);
    call.reply.integer(length as i64);
    Ok(())
}
