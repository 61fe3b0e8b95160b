//! The keys and values of MSET and MSETNX.

use dwell_engine::{Stop, Value};

use crate::call::Call;
use crate::commands::argument::fail;

/// Refuses a key without a value, which the count of arguments alone does not show.
pub(super) fn check(call: &Call<'_, '_>, command: &str) -> Result<(), Stop> {
    if call.args.len() % 2 == 1 {
        return Ok(());
    }
    Err(fail(format!("wrong number of arguments for '{command}' command")))
}

/// Writes every pair, in order, so that the last of equal keys wins.
pub(super) fn put_all(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let mut words = call.args.from(1).iter();
    while let (Some(key), Some(value)) = (words.next(), words.next()) {
        call.scope.put(key, Value::Bytes(value), None)?;
    }
    Ok(())
}
