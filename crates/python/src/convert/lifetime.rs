//! Lifetimes: seconds or `timedelta`, and moments: seconds since 1970 or an aware `datetime`.

use dwell_engine::{Deadline, Error, Now, Stop};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt};

use super::type_name;
use crate::errors::usage;

/// How long a value is to live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// Without end.
    Endless,
    /// So many milliseconds from the moment of the batch.
    Within(i64),
    /// Until a moment of the wall clock, in milliseconds.
    Until(i64),
}

impl Lifetime {
    /// The lifetime that a write was given by `ttl` or `expires_at`.
    pub fn of_write(
        py: Python<'_>,
        ttl: Option<&Bound<'_, PyAny>>,
        expires_at: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        match (ttl, expires_at) {
            (None, None) => Ok(Self::Endless),
            (Some(_), Some(_)) => Err(usage(py, "give ttl or expires_at, not both".to_owned())),
            (None, Some(moment)) => moment_ms(moment).map(Self::Until),
            (Some(ttl), None) => match Self::of_ttl(ttl)? {
                Self::Within(ms) if ms <= 0 => {
                    Err(usage(py, format!("a lifetime is more than 0 seconds: {ttl}")))
                }
                lifetime => Ok(lifetime),
            },
        }
    }

    /// The lifetime that `ttl` says, which may be over already.
    pub fn of_ttl(ttl: &Bound<'_, PyAny>) -> PyResult<Self> {
        let expected = "a lifetime is seconds or a timedelta";
        let ms = if let Some(ms) = milliseconds(ttl, expected) {
            ms?
        } else {
            let seconds = ttl
                .call_method0("total_seconds")
                .map_err(|_| usage(ttl.py(), format!("{expected}: {}", type_name(ttl))))?;
            whole_ms(&seconds, expected)?
        };
        Ok(ms.map_or(Self::Endless, Self::Within))
    }

    /// The deadline, as of `now`.
    pub fn deadline(self, now: Now) -> Result<Option<Deadline>, Stop> {
        match self {
            Self::Endless => Ok(None),
            Self::Until(ms) => Ok(Some(now.at_wall_ms(ms))),
            Self::Within(ms) => match now.after_ms(ms) {
                Some(deadline) => Ok(Some(deadline)),
                None => Err(Error::invalid(format!("a lifetime ends too late: {ms} ms")).into()),
            },
        }
    }
}

fn moment_ms(moment: &Bound<'_, PyAny>) -> PyResult<i64> {
    let expected = "a moment is seconds since 1970 or an aware datetime";
    let refused = || usage(moment.py(), format!("{expected}: {moment}"));
    if let Some(ms) = milliseconds(moment, expected) {
        return ms?.ok_or_else(refused);
    }
    // A naive datetime means another moment on every machine.
    let is_aware = moment.getattr("tzinfo").is_ok_and(|zone| !zone.is_none());
    if !is_aware {
        return Err(refused());
    }
    whole_ms(&moment.call_method0("timestamp")?, expected)?.ok_or_else(refused)
}

/// Milliseconds of a number of seconds; `None` inside for infinity, outside for no number.
fn milliseconds(number: &Bound<'_, PyAny>, expected: &str) -> Option<PyResult<Option<i64>>> {
    let is_number = number.is_instance_of::<PyInt>() || number.is_instance_of::<PyFloat>();
    is_number.then(|| whole_ms(number, expected))
}

fn whole_ms(number: &Bound<'_, PyAny>, expected: &str) -> PyResult<Option<i64>> {
    let refused = || usage(number.py(), format!("{expected}: {number}"));
    if let Ok(seconds) = number.extract::<i64>() {
        return seconds.checked_mul(1000).map(Some).ok_or_else(refused);
    }
    let seconds: f64 = number.extract().map_err(|_| refused())?;
    if seconds == f64::INFINITY {
        return Ok(None);
    }
    // Rounded up, so that nothing ends early; what floats add behind the microsecond is no time.
    let ms = ((seconds * 1e6).round() / 1e3).ceil();
    // The bound leaves room for the sum with any clock.
    if ms.is_nan() || ms.abs() > 4e18 {
        return Err(refused());
    }
    Ok(Some(ms as i64))
}
