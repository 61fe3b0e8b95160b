//! `TTL key`
//!
//! Tells the time a key has left in seconds; -1 without a lifetime, -2 if absent.
//!
//! Source: <https://redis.io/docs/latest/commands/ttl/>

use dwell_engine::Stop;

use super::remaining;
use crate::call::Call;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    remaining::answer(call, |now, deadline| remaining::seconds(now.left_ms(deadline)))
}
