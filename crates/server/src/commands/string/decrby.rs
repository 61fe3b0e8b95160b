//! `DECRBY key decrement`
//!
//! Subtracts an amount from an integer; an absent key counts as 0.
//!
//! Source: <https://redis.io/docs/latest/commands/decrby/>

use dwell_engine::Stop;

use super::counter;
use crate::call::Call;
use crate::commands::argument::{self, fail};

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let amount = argument::integer(&call.args[2])?;
    // The smallest integer has no positive twin.
    let amount = amount.checked_neg().ok_or_else(|| fail("decrement would overflow"))?;
    counter::add(call, amount)
}
