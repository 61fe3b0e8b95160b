//! `PEXPIRETIME key`
//!
//! Tells the deadline of a key as a Unix time in milliseconds; -1 without one, -2 if absent.
//!
//! Source: <https://redis.io/docs/latest/commands/pexpiretime/>

use dwell_engine::Stop;

use super::remaining;
use crate::call::Call;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    remaining::answer(call, |now, deadline| now.wall_ms_of(deadline))
}
