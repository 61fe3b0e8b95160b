//! `INCRBY key increment`
//!
//! Adds an amount to an integer; an absent key counts as 0.
//!
//! Source: <https://redis.io/docs/latest/commands/incrby/>

use dwell_engine::Stop;

use super::counter;
use crate::call::Call;
use crate::commands::argument;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let amount = argument::integer(&call.args[2])?;
    counter::add(call, amount)
}
