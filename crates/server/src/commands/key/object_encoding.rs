//! `OBJECT ENCODING key`
//!
//! Names the encoding that Redis would show for a value of this kind and size.
//!
//! Source: <https://redis.io/docs/latest/commands/object-encoding/>

use dwell_engine::{Kind, Scope, Stop, number};

use crate::call::Call;

/// The longest string that Redis keeps in one allocation with its header.
const EMBEDDED_BYTES_MAX: u64 = 44;
/// The longest text of an integer.
const INTEGER_BYTES_MAX: u64 = 20;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    match encoding(call.scope, &call.args[2])? {
        Some(name) => call.reply.bulk(name.as_bytes()),
        None => call.reply.null(),
    }
    Ok(())
}

fn encoding(scope: &mut Scope<'_>, key: &[u8]) -> Result<Option<&'static str>, Stop> {
    let Some(facts) = scope.facts(key)? else { return Ok(None) };
    let is_integer = match facts.kind {
        Kind::Integer => true,
        _ if facts.length > INTEGER_BYTES_MAX => false,
        _ => {
            let text = scope.read_range(key, 0, INTEGER_BYTES_MAX)?;
            text.is_some_and(|text| number::parse_integer(&text).is_some())
        }
    };
    Ok(Some(match facts.length {
        _ if is_integer => "int",
        ..=EMBEDDED_BYTES_MAX => "embstr",
        _ => "raw",
    }))
}
