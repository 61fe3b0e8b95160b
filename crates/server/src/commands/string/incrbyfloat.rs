//! `INCRBYFLOAT key increment`
//!
//! Adds a decimal amount to a number and keeps the sum as text; an absent key counts as 0.
//!
//! Source: <https://redis.io/docs/latest/commands/incrbyfloat/>

use dwell_engine::number::{self, DecimalError};
use dwell_engine::{Stop, Value};

use super::text;
use crate::call::Call;
use crate::commands::argument::fail;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let (key, increment) = (&call.args[1], &call.args[2]);
    let current = text::read(call.scope, key)?;
    let sum = number::add_decimal(current.as_deref().unwrap_or(b"0"), increment);
    let sum = sum.map_err(|error| match error {
        DecimalError::NotANumber => fail("value is not a valid float"),
        DecimalError::NotFinite => fail("increment would produce NaN or Infinity"),
    })?;
    let deadline = call.scope.facts(key)?.and_then(|facts| facts.deadline);
    call.scope.put(key, Value::Bytes(&sum), deadline)?;
    call.reply.bulk(&sum);
    Ok(())
}
