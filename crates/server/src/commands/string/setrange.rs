//! `SETRANGE key offset value`
//!
//! Overwrites part of a string from an offset on, filled up with zeros, and answers its length.
//!
//! Source: <https://redis.io/docs/latest/commands/setrange/>

use dwell_engine::Stop;

use super::text;
use crate::call::Call;
use crate::commands::argument::{self, fail};

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let (key, data) = (&call.args[1], &call.args[3]);
    let offset = u64::try_from(argument::integer(&call.args[2])?);
    let offset = offset.map_err(|_| fail("offset is out of range"))?;
    let mut length = text::length(call.scope, key)?.unwrap_or(0);
    if !data.is_empty() {
        text::check_length(offset, data.len())?;
        length = call.scope.patch(key, offset, data)?;
    }
    call.reply.integer(length as i64);
    Ok(())
}
