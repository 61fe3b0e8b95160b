//! `GETSET key value`
//!
//! Replaces a string and answers what it was; a lifetime is taken away.
//!
//! Source: <https://redis.io/docs/latest/commands/getset/>

use dwell_engine::{Stop, Value};

use super::text;
use crate::call::Call;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    text::answer(call, 1)?;
    call.scope.put(&call.args[1], Value::Bytes(&call.args[2]), None)
}
