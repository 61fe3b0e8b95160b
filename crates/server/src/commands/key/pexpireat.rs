//! `PEXPIREAT key unix-time-milliseconds [NX | XX | GT | LT]`
//!
//! Gives a key a deadline as a Unix time in milliseconds.
//!
//! Source: <https://redis.io/docs/latest/commands/pexpireat/>

use dwell_engine::Stop;

use super::expiry::{self, Given};
use crate::call::Call;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    expiry::expire(call, Given::UNIX_MILLISECONDS, "pexpireat")
}
