//! `PSETEX key milliseconds value`
//!
//! Writes a string with a lifetime in milliseconds.
//!
//! Source: <https://redis.io/docs/latest/commands/psetex/>

use dwell_engine::Stop;

use super::lifetime::{self, Unit};
use crate::call::Call;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    lifetime::put(call, Unit::Milliseconds, "psetex")
}
