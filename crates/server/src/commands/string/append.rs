//! `APPEND key value`
//!
//! Adds bytes to the end of a string and answers its new length; an absent key starts empty.
//!
//! Source: <https://redis.io/docs/latest/commands/append/>

use dwell_engine::Stop;

use super::text;
use crate::call::Call;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let (key, data) = (&call.args[1], &call.args[2]);
    let length = text::length(call.scope, key)?.unwrap_or(0);
    text::check_length(length, data.len())?;
    let length = call.scope.append(key, data)?;
    call.reply.integer(length as i64);
    Ok(())
}
