//! `DELEX key [IFEQ value]`
//!
//! Deletes a key, or a string only while it equals a value: 1, else 0.
//!
//! The form of Redis 8.4; its other conditions are refused by name, as syntax errors.
//!
//! Source: <https://redis.io/docs/latest/commands/delex/>

use dwell_engine::Stop;

use super::text;
use crate::call::Call;
use crate::commands::argument::{is_word, syntax_error};

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let key = &call.args[1];
    let is_met = match call.args.len() {
        2 => true,
        4 if is_word(&call.args[2], "IFEQ") => text::equals(call.scope, key, &call.args[3])?,
        _ => return Err(syntax_error()),
    };
    let is_deleted = is_met && call.scope.delete(key)?;
    call.reply.integer(i64::from(is_deleted));
    Ok(())
}
