//! What arguments mean to every family of commands: integers, words, databases, and Redis's texts
//! for what they are not. It must not know keys or values.

use dwell_engine::{Error, NamespaceId, Stop, number};

use crate::call::Call;

/// The argument as an integer of 64 bits.
pub(crate) fn integer(text: &[u8]) -> Result<i64, Stop> {
    Ok(checked_integer(text)?)
}

fn checked_integer(text: &[u8]) -> Result<i64, Error> {
    number::parse_integer(text)
        .ok_or_else(|| Error::invalid("value is not an integer or out of range"))
}

/// Whether the argument is this word, in any case.
pub(crate) fn is_word(argument: &[u8], word: &str) -> bool {
    argument.eq_ignore_ascii_case(word.as_bytes())
}

/// The database with the number that the argument names.
pub(crate) fn database(call: &Call<'_, '_>, text: &[u8]) -> Result<NamespaceId, Stop> {
    let number = database_number(text)?;
    call.namespace_of(i64::from(number)).ok_or_else(|| fail("DB index is out of range"))
}

/// The number of a database, be there one or not.
pub(crate) fn database_number(text: &[u8]) -> Result<i32, Error> {
    i32::try_from(checked_integer(text)?).map_err(|_| {
        let (low, high) = (i32::MIN, i32::MAX);
        Error::invalid(format!("value is out of range, value must between {low} and {high}"))
    })
}

/// Stops the command with an error that the caller has to mend.
pub(crate) fn fail(message: impl Into<std::borrow::Cow<'static, str>>) -> Stop {
    Stop::Fail(Error::invalid(message))
}

/// Redis's answer to options that it does not know or cannot combine.
pub(crate) fn syntax_error() -> Stop {
    fail("syntax error")
}

/// Redis's answer to a lifetime that is zero, negative where that means nothing, or too long.
pub(crate) fn invalid_expire_time(command: &str) -> Stop {
    fail(format!("invalid expire time in '{command}' command"))
}
