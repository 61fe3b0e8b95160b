//! `GETRANGE key start end`
//!
//! Reads part of a string, of a long one that part only; negative offsets count from its end.
//!
//! Source: <https://redis.io/docs/latest/commands/getrange/>

use dwell_engine::Stop;

use super::text;
use crate::call::Call;
use crate::commands::argument;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let (start, end) = (argument::integer(&call.args[2])?, argument::integer(&call.args[3])?);
    let key = &call.args[1];
    let length = text::length(call.scope, key)?.unwrap_or(0);
    match bytes_between(start, end, length) {
        Some((start, end)) => {
            let pieces = call.scope.read_pieces(key, start, end)?;
            call.reply.bulk_pieces(pieces.unwrap_or_default());
        }
        None => call.reply.bulk(b""),
    }
    Ok(())
}

/// The half-open range that two inclusive offsets mean, as Redis cuts them.
fn bytes_between(start: i64, end: i64, length: u64) -> Option<(u64, u64)> {
    if length == 0 || (start < 0 && end < 0 && start > end) {
        return None;
    }
    let offset = |position: i64| match u64::try_from(position) {
        Ok(position) => position,
        Err(_) => length.saturating_sub(position.unsigned_abs()),
    };
    let (start, end) = (offset(start), offset(end).min(length - 1));
    (start <= end).then_some((start, end + 1))
}
