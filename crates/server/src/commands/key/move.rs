//! `MOVE key db`
//!
//! Moves a key and its lifetime to another database if it is free there: 1, else 0.
//!
//! Source: <https://redis.io/docs/latest/commands/move/>

use dwell_engine::Stop;

use super::transfer::{self, Transfer};
use crate::call::Call;
use crate::commands::argument;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let to_namespace = argument::database(call, &call.args[2])?;
    let key = &call.args[1];
    let transfer =
        Transfer { from: key, to: key, to_namespace, keeps_source: false, replaces: false };
    let is_done = transfer::run(call.scope, &transfer)?;
    call.reply.integer(i64::from(is_done));
    Ok(())
}
