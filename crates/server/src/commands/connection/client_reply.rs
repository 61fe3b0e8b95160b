//! `CLIENT REPLY ON | OFF | SKIP`
//!
//! Chooses which replies this connection hears; OFF and SKIP are not answered themselves.
//!
//! Source: <https://redis.io/docs/latest/commands/client-reply/>

use dwell_engine::Error;

use crate::call::SessionCall;
use crate::session::Hearing;

pub(crate) fn run(call: &mut SessionCall<'_>) -> Result<(), Error> {
    let choice = &call.args[2];
    if choice.eq_ignore_ascii_case(b"on") {
        call.session.hearing = Hearing::All;
        call.reply.ok();
    } else if choice.eq_ignore_ascii_case(b"off") {
        call.session.hearing = Hearing::Nothing;
    } else if !choice.eq_ignore_ascii_case(b"skip") {
        return Err(Error::invalid("syntax error"));
    } else if call.session.hearing != Hearing::Nothing {
        call.session.hearing = Hearing::AllButNext;
    }
    Ok(())
}
