//! What the engine tells about itself and about a key's place, as dictionaries of plain values.

use dwell_engine::{Counters, Home, Now, SpaceStats, Stats, Whereabouts};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

/// A key's place; the names are the fields of `dwell.Whereabouts`.
pub fn whereabouts<'py>(
    py: Python<'py>,
    found: &Whereabouts,
    now: Now,
) -> PyResult<Bound<'py, PyDict>> {
    let facts = PyDict::new(py);
    let home = if found.home == Home::Memory { "memory" } else { "disk" };
    let ttl_s = found.deadline.map_or(f64::INFINITY, |deadline| now.left_ms(deadline) as f64 / 1e3);
    facts.set_item("home", home)?;
    facts.set_item("tier", found.tier)?;
    facts.set_item("state", found.state)?;
    facts.set_item("reason", found.reason)?;
    facts.set_item("ttl", ttl_s)?;
    facts.set_item("size_bytes", found.length)?;
    facts.set_item("version", found.version)?;
    Ok(facts)
}

/// The engine's numbers, by name.
pub fn statistics<'py>(py: Python<'py>, stats: &Stats) -> PyResult<Bound<'py, PyDict>> {
    let facts = PyDict::new(py);
    let keys: u64 = stats.spaces.iter().map(|space| space.keys).sum();
    facts.set_item("keys", keys)?;
    facts.set_item("time_ms", stats.now.engine_ms)?;
    facts.set_item("clock_stands_still", stats.clock_stands_still)?;
    facts.set_item("used_bytes", stats.used_bytes)?;
    facts.set_item("table_bytes", stats.table_bytes)?;
    facts.set_item("probation_bytes", stats.probation_bytes)?;
    facts.set_item("promoted_bytes", stats.promoted_bytes)?;
    facts.set_item("dirty_bytes", stats.dirty_bytes)?;
    facts.set_item("sequence", stats.sequence)?;
    facts.set_item("written_sequence", stats.written_sequence)?;
    facts.set_item("synced_sequence", stats.synced_sequence)?;
    facts.set_item("applied_sequence", stats.applied_sequence)?;
    facts.set_item("base_sequence", stats.base_sequence)?;
    facts.set_item("log_bytes", stats.log_bytes)?;
    facts.set_item("drain_lag_ms", stats.drain_lag_ms)?;
    let text = |error: &Option<dwell_engine::Error>| error.as_ref().map(ToString::to_string);
    facts.set_item("drain_error", text(&stats.drain_error))?;
    facts.set_item("refusing", text(&stats.refusing))?;
    facts.set_item("counters", counters(py, &stats.counters)?)?;
    let spaces =
        stats.spaces.iter().map(|space| namespace(py, space)).collect::<PyResult<Vec<_>>>();
    facts.set_item("spaces", PyList::new(py, spaces?)?)?;
    Ok(facts)
}

fn counters<'py>(py: Python<'py>, counters: &Counters) -> PyResult<Bound<'py, PyDict>> {
    let facts = PyDict::new(py);
    facts.set_item("hits", counters.hits)?;
    facts.set_item("misses", counters.misses)?;
    facts.set_item("gathered", counters.gathered)?;
    facts.set_item("expired", counters.expired)?;
    facts.set_item("evicted", counters.evicted)?;
    facts.set_item("demoted", counters.demoted)?;
    facts.set_item("promoted", counters.promoted)?;
    facts.set_item("drained", counters.drained)?;
    facts.set_item("drains", counters.drains)?;
    Ok(facts)
}

fn namespace<'py>(py: Python<'py>, space: &SpaceStats) -> PyResult<Bound<'py, PyDict>> {
    let facts = PyDict::new(py);
    facts.set_item("name", PyBytes::new(py, &space.name))?;
    facts.set_item("keys", space.keys)?;
    facts.set_item("live", space.live)?;
    facts.set_item("expiring", space.expiring)?;
    facts.set_item("average_left_ms", space.average_left_ms)?;
    facts.set_item("rows", space.rows)?;
    facts.set_item("dirty_bytes", space.dirty_bytes)?;
    Ok(facts)
}
