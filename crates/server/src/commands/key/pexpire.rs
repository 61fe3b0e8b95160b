//! `PEXPIRE key milliseconds [NX | XX | GT | LT]`
//!
//! Gives a key a lifetime in milliseconds.
//!
//! Source: <https://redis.io/docs/latest/commands/pexpire/>

use dwell_engine::Stop;

use super::expiry::{self, Given};
use crate::call::Call;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    expiry::expire(call, Given::MILLISECONDS, "pexpire")
}
