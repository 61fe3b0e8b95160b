//! `DELIFEQ key value`
//!
//! Deletes a string only while it equals a value: 1, else 0.
//!
//! This is how a lock is released by its owner alone, without a script.
//!
//! Source: <https://valkey.io/commands/delifeq/>

use dwell_engine::Stop;

use super::text;
use crate::call::Call;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let key = &call.args[1];
    let is_met = text::equals(call.scope, key, &call.args[2])?;
    if is_met {
        call.scope.delete(key)?;
    }
    call.reply.integer(i64::from(is_met));
    Ok(())
}
