//! `COPY source destination [DB destination-db] [REPLACE]`
//!
//! Copies a value and its lifetime to another key: 1, else 0 if that key is taken.
//!
//! Source: <https://redis.io/docs/latest/commands/copy/>

use dwell_engine::{NamespaceId, Stop};

use super::transfer::{self, Transfer};
use crate::call::Call;
use crate::commands::argument::{self, is_word, syntax_error};

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let (to_namespace, replaces) = parse(call)?;
    let transfer = Transfer {
        from: &call.args[1],
        to: &call.args[2],
        to_namespace,
        keeps_source: true,
        replaces,
    };
    let is_done = transfer::run(call.scope, &transfer)?;
    call.reply.integer(i64::from(is_done));
    Ok(())
}

fn parse(call: &Call<'_, '_>) -> Result<(NamespaceId, bool), Stop> {
    let (mut to_namespace, mut replaces) = (call.scope.namespace(), false);
    let mut words = call.args.from(3).iter();
    while let Some(word) = words.next() {
        if is_word(word, "REPLACE") {
            replaces = true;
        } else if is_word(word, "DB") {
            to_namespace = argument::database(call, words.next().ok_or_else(syntax_error)?)?;
        } else {
            return Err(syntax_error());
        }
    }
    Ok((to_namespace, replaces))
}
