//! `SET key value [NX | XX | IFEQ comparison-value] [GET] [EX seconds | PX milliseconds |
//! EXAT unix-time-seconds | PXAT unix-time-milliseconds | KEEPTTL]`
//!
//! Writes a string, whatever the key held; conditions and a lifetime are optional.
//!
//! IFEQ writes only while the string equals the comparison value, as in Valkey 8.1.
//!
//! Source: <https://redis.io/docs/latest/commands/set/>

use dwell_engine::{Stop, Value};

use super::lifetime::Lifetime;
use super::set_options::{Condition, SetOptions};
use super::text;
use crate::call::Call;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let options = SetOptions::parse(call.args.from(3))?;
    // A bad lifetime is an error even where the condition would have failed.
    let deadline = options.lifetime.deadline(call.scope.now(), None, "set")?;
    if options.answers_old {
        text::answer(call, 1)?;
    }
    let key = &call.args[1];
    let is_met = match options.condition {
        Condition::None => true,
        Condition::Absent => call.scope.facts(key)?.is_none(),
        Condition::Present => call.scope.facts(key)?.is_some(),
        Condition::Equal(expected) => text::equals(call.scope, key, expected)?,
    };
    if is_met {
        let deadline = match options.lifetime {
            Lifetime::Keep => call.scope.facts(key)?.and_then(|facts| facts.deadline),
            _ => deadline,
        };
        call.scope.put(key, Value::Bytes(&call.args[2]), deadline)?;
    }
    match (options.answers_old, is_met) {
        (true, _) => {}
        (false, true) => call.reply.ok(),
        (false, false) => call.reply.null(),
    }
    Ok(())
}
