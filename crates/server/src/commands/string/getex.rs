//! `GETEX key [EX seconds | PX milliseconds | EXAT unix-time-seconds |
//! PXAT unix-time-milliseconds | PERSIST]`
//!
//! Reads a string and sets or removes its deadline in one step.
//!
//! Source: <https://redis.io/docs/latest/commands/getex/>

use dwell_engine::{Error, Stop};

use super::lifetime::{self, Lifetime};
use super::text;
use crate::call::Call;
use crate::commands::argument::is_word;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let lifetime = parse(call)?;
    let key = &call.args[1];
    // The key comes before the lifetime's value: an absent one is nil even beside a bad number.
    let Some(facts) = call.scope.facts(key)? else {
        call.reply.null();
        return Ok(());
    };
    if !facts.kind.is_scalar() {
        return Err(Error::wrong_type().into());
    }
    let deadline = lifetime.deadline(call.scope.now(), facts.deadline, "getex")?;
    text::answer(call, 1)?;
    if deadline != facts.deadline {
        call.scope.set_deadline(&call.args[1], deadline)?;
    }
    Ok(())
}

/// Without an option the deadline stays.
fn parse<'a>(call: &Call<'a, '_>) -> Result<Lifetime<'a>, Stop> {
    let mut lifetime = None;
    let mut words = call.args.from(2).iter();
    while let Some(word) = words.next() {
        let option = if is_word(word, "PERSIST") {
            Lifetime::None
        } else {
            Lifetime::parse(word, &mut words)?
        };
        lifetime::choose(&mut lifetime, option)?;
    }
    Ok(lifetime.unwrap_or(Lifetime::Keep))
}
