//! A value as the text that Redis's clients see: read, measured, compared and answered.
//!
//! Every scalar has a text; a list, map or set has none and is an error of the wrong type.

use dwell_engine::{Error, Scope, Stop, Text, TextScratch, Value};
use dwell_wire::Reply;

use crate::call::Call;
use crate::commands::argument::fail;

/// The longest string, which is Redis's `proto-max-bulk-len`.
const STRING_BYTES_MAX: u64 = 512 * 1024 * 1024;

/// The text at a key.
pub(super) fn read(scope: &mut Scope<'_>, key: &[u8]) -> Result<Option<Vec<u8>>, Stop> {
    Ok(scope.read(key)?.map(|value| value.to_vec()))
}

/// The length of the text at a key; a long text is not read for it.
pub(super) fn length(scope: &mut Scope<'_>, key: &[u8]) -> Result<Option<u64>, Stop> {
    match scope.facts(key)? {
        Some(facts) if facts.kind.is_scalar() => Ok(Some(facts.length)),
        Some(_) => Err(Error::wrong_type().into()),
        None => Ok(None),
    }
}

/// Whether the key's text is there and equals these bytes.
pub(super) fn equals(scope: &mut Scope<'_>, key: &[u8], expected: &[u8]) -> Result<bool, Stop> {
    if length(scope, key)? != Some(expected.len() as u64) {
        return Ok(false);
    }
    let Some(value) = scope.read(key)? else { return Ok(false) };
    let is_equal = match value.text(&mut TextScratch::default()) {
        Text::Bytes(bytes) => bytes == expected,
        Text::Pieces(spread) => {
            let mut rest = expected;
            spread.pieces().all(|piece| match rest.split_at_checked(piece.len()) {
                Some((head, tail)) => {
                    rest = tail;
                    head == &*piece
                }
                None => false,
            })
        }
    };
    Ok(is_equal)
}

/// Answers the text at the key that stands at `position` among the arguments, or nil.
pub(super) fn answer(call: &mut Call<'_, '_>, position: usize) -> Result<(), Stop> {
    match call.scope.read(&call.args[position])? {
        Some(value) => append(call.reply, &value),
        None => call.reply.null(),
    }
    Ok(())
}

/// Appends a value's text to a reply, a long one without copying it.
pub(crate) fn append(reply: &mut Reply, value: &Value<'_>) {
    match value {
        Value::Integer(integer) => reply.bulk_integer(*integer),
        Value::Bytes(bytes) => reply.bulk(bytes),
        Value::Spread(spread) => reply.bulk_pieces(spread.pieces()),
        other => reply.bulk(&other.to_vec()),
    }
}

/// Refuses a string that would end beyond the longest.
pub(super) fn check_length(offset: u64, added_bytes: usize) -> Result<(), Stop> {
    match offset.checked_add(added_bytes as u64) {
        Some(0..=STRING_BYTES_MAX) => Ok(()),
        _ => Err(fail("string exceeds maximum allowed size (proto-max-bulk-len)")),
    }
}
