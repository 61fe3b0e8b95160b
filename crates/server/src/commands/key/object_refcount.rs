//! `OBJECT REFCOUNT key`
//!
//! Tells how many references Redis would show: it shares the integers from 0 to 9999 between all
//! keys and calls their count infinite. In Dwell no value is shared.
//!
//! Source: <https://redis.io/docs/latest/commands/object-refcount/>

use std::ops::RangeInclusive;

use dwell_engine::{Stop, number};

use crate::call::Call;

/// The integers that Redis shares.
const SHARED: RangeInclusive<i64> = 0..=9999;
/// The longest text of one.
const SHARED_BYTES_MAX: u64 = 4;
/// What stands for an infinite count.
const INFINITE: i64 = i32::MAX as i64;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let key = &call.args[2];
    let Some(facts) = call.scope.facts(key)? else {
        call.reply.null();
        return Ok(());
    };
    let is_short = facts.kind.is_scalar() && facts.length <= SHARED_BYTES_MAX;
    let text = if is_short { call.scope.read_range(key, 0, SHARED_BYTES_MAX)? } else { None };
    let integer = text.and_then(|text| number::parse_integer(&text));
    let is_shared = integer.is_some_and(|integer| SHARED.contains(&integer));
    call.reply.integer(if is_shared { INFINITE } else { 1 });
    Ok(())
}
