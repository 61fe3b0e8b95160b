//! INCR and its kin: an integer that is added to, whatever it is kept as.

use dwell_engine::{Scope, Stop, Value, number};

use crate::call::Call;
use crate::commands::argument::fail;

/// Adds to the integer at the first key and answers the sum. The lifetime stays.
pub(super) fn add(call: &mut Call<'_, '_>, amount: i64) -> Result<(), Stop> {
    let key = &call.args[1];
    let (current, deadline) = match read(call.scope, key)? {
        Some(current) => (current, call.scope.facts(key)?.and_then(|facts| facts.deadline)),
        None => (0, None),
    };
    let sum = current.checked_add(amount);
    let sum = sum.ok_or_else(|| fail("increment or decrement would overflow"))?;
    call.scope.put(key, Value::Integer(sum), deadline)?;
    call.reply.integer(sum);
    Ok(())
}

fn read(scope: &mut Scope<'_>, key: &[u8]) -> Result<Option<i64>, Stop> {
    let integer = match scope.read(key)? {
        None => return Ok(None),
        Some(Value::Integer(integer)) => Some(integer),
        Some(Value::Bytes(text)) => number::parse_integer(text),
        Some(Value::Spread(_)) => None,
        Some(other) => number::parse_integer(&other.to_vec()),
    };
    let integer = integer.ok_or_else(|| fail("value is not an integer or out of range"))?;
    Ok(Some(integer))
}
