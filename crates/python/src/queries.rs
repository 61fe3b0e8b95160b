//! What each call does, as functions from a scope to an answer: no Python, no lock, no waiting.
//!
//! `Database` calls them one by one, a batch calls them in a row, so that a query cannot mean one
//! thing alone and another in company.

use dwell_engine::{Error, ErrorKind, Scope, Stop, Value, number};

use crate::convert::lifetime::Lifetime;
use crate::convert::value::is_same;

/// Stores a value with its lifetime; one that is over already leaves nothing behind.
pub fn write(
    scope: &mut Scope<'_>,
    key: &[u8],
    value: Value<'_>,
    lifetime: Lifetime,
) -> Result<(), Stop> {
    let deadline = lifetime.deadline(scope.now())?;
    scope.put(key, value, deadline)
}

/// Adds to an integer, or to the text of one; the deadline is kept.
pub fn increment(scope: &mut Scope<'_>, key: &[u8], by: i64) -> Result<i64, Stop> {
    let deadline = scope.facts(key)?.and_then(|facts| facts.deadline);
    let current = scope.read(key)?.map_or(Some(0), |value| integer(&value)).ok_or_else(|| {
        Error::new(ErrorKind::WrongType, "the value is not an integer, nor the text of one")
    })?;
    let sum = current
        .checked_add(by)
        .ok_or_else(|| Error::invalid(format!("the sum does not fit 64 bits: {current} + {by}")))?;
    scope.put(key, Value::Integer(sum), deadline)?;
    Ok(sum)
}

fn integer(value: &Value<'_>) -> Option<i64> {
    match value {
        Value::Integer(number) => Some(*number),
        Value::Bytes(text) => number::parse_integer(text),
        _ => None,
    }
}

/// Whether a key reads as `expected`; nothing to read and void are both what Python calls None.
pub fn reads_as(scope: &mut Scope<'_>, key: &[u8], expected: &Value<'_>) -> Result<bool, Stop> {
    let found = scope.read(key)?.unwrap_or(Value::Void);
    Ok(is_same(&found, expected))
}

/// Seconds left: `None` for a missing key, infinity for one without a lifetime.
pub fn seconds_left(scope: &mut Scope<'_>, key: &[u8]) -> Result<Option<f64>, Stop> {
    let now = scope.now();
    let facts = scope.facts(key)?;
    Ok(facts.map(|facts| match facts.deadline {
        Some(deadline) => now.left_ms(deadline) as f64 / 1e3,
        None => f64::INFINITY,
    }))
}

/// Gives a key another lifetime, or ends it.
pub fn expire(scope: &mut Scope<'_>, key: &[u8], lifetime: Lifetime) -> Result<bool, Stop> {
    let deadline = lifetime.deadline(scope.now())?;
    scope.set_deadline(key, deadline)
}

/// Takes a lifetime away; whether there was one.
pub fn persist(scope: &mut Scope<'_>, key: &[u8]) -> Result<bool, Stop> {
    match scope.facts(key)?.and_then(|facts| facts.deadline) {
        Some(_) => scope.set_deadline(key, None),
        None => Ok(false),
    }
}

/// Whether a key holds a value.
pub fn exists(scope: &mut Scope<'_>, key: &[u8]) -> Result<bool, Stop> {
    Ok(scope.facts(key)?.is_some())
}
