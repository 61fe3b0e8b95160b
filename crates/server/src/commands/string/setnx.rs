//! `SETNX key value`
//!
//! Writes a string only if its key is absent: 1, else 0.
//!
//! Source: <https://redis.io/docs/latest/commands/setnx/>

use dwell_engine::{Stop, Value};

use crate::call::Call;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let key = &call.args[1];
    let is_absent = call.scope.facts(key)?.is_none();
    if is_absent {
        call.scope.put(key, Value::Bytes(&call.args[2]), None)?;
    }
    call.reply.integer(i64::from(is_absent));
    Ok(())
}
