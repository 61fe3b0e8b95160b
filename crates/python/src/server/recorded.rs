//! What the event loop has recorded of time: how long calls took, which were slow, its stalls.

use std::time::{Duration, Instant};

use dwell_server::Recorded;
use dwell_server::histogram::Bucket;
use dwell_server::slow::{SlowCall, Stall, Stalls};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use super::facts::address;

/// All of it; `unix_path` is the address of clients that came that way.
pub fn all<'py>(
    py: Python<'py>,
    told: &Recorded,
    unix_path: Option<&str>,
) -> PyResult<Bound<'py, PyDict>> {
    let stalls_by_kind = PyDict::new(py);
    for (kind, found) in &told.stalls {
        stalls_by_kind.set_item(kind.name(), stalls(py, found)?)?;
    }
    let facts = PyDict::new(py);
    facts.set_item("latencies", latencies(py, &told.latencies)?)?;
    facts.set_item("slow_calls", slow_calls(py, &told.slow_calls, unix_path)?)?;
    facts.set_item("stalls", stalls_by_kind)?;
    Ok(facts)
}

/// Bounds in nanoseconds, and how many up to each, by command.
fn latencies<'py>(
    py: Python<'py>,
    told: &[(&'static str, Vec<Bucket>)],
) -> PyResult<Bound<'py, PyDict>> {
    let facts = PyDict::new(py);
    for (name, buckets) in told {
        let pairs = buckets.iter().map(|bucket| (bucket.up_to_ns, bucket.count));
        facts.set_item(name, pairs.collect::<Vec<_>>())?;
    }
    Ok(facts)
}

fn slow_calls<'py>(
    py: Python<'py>,
    calls: &[SlowCall],
    unix_path: Option<&str>,
) -> PyResult<Bound<'py, PyList>> {
    let now = Instant::now();
    let told = calls.iter().map(|call| slow_call(py, call, now, unix_path));
    PyList::new(py, told.collect::<PyResult<Vec<_>>>()?)
}

fn stalls<'py>(py: Python<'py>, stalls: &Stalls) -> PyResult<Bound<'py, PyDict>> {
    let now = Instant::now();
    let pair = |stall: &Stall| (microseconds(now - stall.ended), microseconds(stall.took));
    let facts = PyDict::new(py);
    facts.set_item("last", stalls.last.iter().map(pair).collect::<Vec<_>>())?;
    facts.set_item("longest_us", microseconds(stalls.longest))?;
    Ok(facts)
}

fn slow_call<'py>(
    py: Python<'py>,
    call: &SlowCall,
    now: Instant,
    unix_path: Option<&str>,
) -> PyResult<Bound<'py, PyDict>> {
    let facts = PyDict::new(py);
    facts.set_item("id", call.id)?;
    facts.set_item("age_us", microseconds(now - call.ended))?;
    facts.set_item("took_us", microseconds(call.took))?;
    let words = call.words.iter().map(|word| PyBytes::new(py, word));
    facts.set_item("words", PyList::new(py, words)?)?;
    facts.set_item("client_id", call.client)?;
    facts.set_item("addr", address(call.address, unix_path))?;
    facts.set_item("name", &call.name)?;
    Ok(facts)
}

fn microseconds(duration: Duration) -> u64 {
    duration.as_micros() as u64
}
