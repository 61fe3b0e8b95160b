//! `EXPIREAT key unix-time-seconds [NX | XX | GT | LT]`
//!
//! Gives a key a deadline as a Unix time in seconds.
//!
//! A moment that has passed deletes the key. A moment follows the wall clock.
//!
//! Source: <https://redis.io/docs/latest/commands/expireat/>

use dwell_engine::Stop;

use super::expiry::{self, Given};
use crate::call::Call;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    expiry::expire(call, Given::UNIX_SECONDS, "expireat")
}
