//! `PTTL key`
//!
//! Tells the time a key has left in milliseconds; -1 without a lifetime, -2 if absent.
//!
//! Source: <https://redis.io/docs/latest/commands/pttl/>

use dwell_engine::Stop;

use super::remaining;
use crate::call::Call;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    remaining::answer(call, |now, deadline| now.left_ms(deadline))
}
