//! The lifetime of a string as SET, SETEX and GETEX take it: a duration or a moment, in seconds or
//! in milliseconds, and always positive. EXPIRE's rules differ and stand with the keys.

use dwell_engine::{Deadline, Now, Stop, Value};

use crate::call::Call;
use crate::commands::argument::{self, invalid_expire_time, is_word, syntax_error};

/// What a number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Seconds,
    Milliseconds,
}

/// What becomes of a key's deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lifetime<'a> {
    None,
    Keep,
    /// `EX`, `PX`
    Lasting(Unit, &'a [u8]),
    /// `EXAT`, `PXAT`
    Until(Unit, &'a [u8]),
}

impl<'a> Lifetime<'a> {
    /// Reads `EX`, `PX`, `EXAT` or `PXAT` and the number behind it.
    pub(super) fn parse(
        word: &[u8],
        words: &mut impl Iterator<Item = &'a [u8]>,
    ) -> Result<Self, Stop> {
        let make: fn(Unit, &'a [u8]) -> Self = match word.len() {
            2 => Self::Lasting,
            _ => Self::Until,
        };
        let unit = match word {
            _ if is_word(word, "EX") || is_word(word, "EXAT") => Unit::Seconds,
            _ if is_word(word, "PX") || is_word(word, "PXAT") => Unit::Milliseconds,
            _ => return Err(syntax_error()),
        };
        Ok(make(unit, words.next().ok_or_else(syntax_error)?))
    }

    /// The deadline that follows, where `kept` is the one there is.
    pub(super) fn deadline(
        self,
        now: Now,
        kept: Option<Deadline>,
        command: &str,
    ) -> Result<Option<Deadline>, Stop> {
        let deadline = match self {
            Self::None => return Ok(None),
            Self::Keep => return Ok(kept),
            Self::Lasting(unit, text) => positive_ms(unit, text)?.and_then(|ms| now.after_ms(ms)),
            Self::Until(unit, text) => positive_ms(unit, text)?.map(|ms| now.at_wall_ms(ms)),
        };
        deadline.map(Some).ok_or_else(|| invalid_expire_time(command))
    }

    fn is_same_option(self, other: Self) -> bool {
        match (self, other) {
            (Self::Lasting(a, _), Self::Lasting(b, _)) | (Self::Until(a, _), Self::Until(b, _)) => {
                a == b
            }
            _ => self == other,
        }
    }
}

/// Chooses an option; as in Redis the same one may be said again, another may not.
pub(super) fn choose<'a>(
    chosen: &mut Option<Lifetime<'a>>,
    option: Lifetime<'a>,
) -> Result<(), Stop> {
    if chosen.is_some_and(|chosen| !chosen.is_same_option(option)) {
        return Err(syntax_error());
    }
    *chosen = Some(option);
    Ok(())
}

/// Writes the string of `SETEX` or `PSETEX`.
pub(super) fn put(call: &mut Call<'_, '_>, unit: Unit, command: &str) -> Result<(), Stop> {
    let lifetime = Lifetime::Lasting(unit, &call.args[2]);
    let deadline = lifetime.deadline(call.scope.now(), None, command)?;
    call.scope.put(&call.args[1], Value::Bytes(&call.args[3]), deadline)?;
    call.reply.ok();
    Ok(())
}

/// The number in milliseconds, `None` if it is not positive or beyond what can be counted.
fn positive_ms(unit: Unit, text: &[u8]) -> Result<Option<i64>, Stop> {
    let number = argument::integer(text)?;
    let ms = match unit {
        Unit::Seconds => number.checked_mul(1000),
        Unit::Milliseconds => Some(number),
    };
    Ok(ms.filter(|ms| *ms > 0))
}
