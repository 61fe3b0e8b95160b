//! `INCR key`
//!
//! Adds one to an integer; an absent key counts as 0.
//!
//! Source: <https://redis.io/docs/latest/commands/incr/>

use dwell_engine::Stop;

use super::counter;
use crate::call::Call;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    counter::add(call, 1)
}
