//! `EXPIRE key seconds [NX | XX | GT | LT]`
//!
//! Gives a key a lifetime in seconds, and with it a home in memory by default.
//!
//! A lifetime that is not positive deletes the key. A lifetime follows the monotonic clock.
//!
//! Source: <https://redis.io/docs/latest/commands/expire/>

use dwell_engine::Stop;

use super::expiry::{self, Given};
use crate::call::Call;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    expiry::expire(call, Given::SECONDS, "expire")
}
