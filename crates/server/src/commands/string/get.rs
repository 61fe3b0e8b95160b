//! `GET key`
//!
//! Reads a string.
//!
//! Source: <https://redis.io/docs/latest/commands/get/>

use dwell_engine::Stop;

use super::text;
use crate::call::Call;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    text::answer(call, 1)
}
