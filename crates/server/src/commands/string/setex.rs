//! `SETEX key seconds value`
//!
//! Writes a string with a lifetime in seconds.
//!
//! Source: <https://redis.io/docs/latest/commands/setex/>

use dwell_engine::Stop;

use super::lifetime::{self, Unit};
use crate::call::Call;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    lifetime::put(call, Unit::Seconds, "setex")
}
