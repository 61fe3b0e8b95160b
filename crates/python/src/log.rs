//! A survey and a replay of an instance's log for `dwell log`, in one crossing for the whole.
//!
//! The log is only read, and may be open elsewhere.

use std::path::Path;
use std::sync::Arc;

use dwell_engine::disk::{Disk, RealDisk};
use dwell_engine::log::{LogError, SegmentSummary, Survey, TailState, survey};
use dwell_engine::{Error, ErrorKind, Settings, Sources, restore};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMapping};

use crate::errors::exception;
use crate::settings::apply;

/// Where an instance keeps its log.
const LOG: &str = "log";

#[doc = stub_doc!("survey_log")]
#[pyfunction]
#[pyo3(signature = (directory, /))]
pub fn survey_log<'py>(py: Python<'py>, directory: &str) -> PyResult<Bound<'py, PyDict>> {
    let log = Path::new(directory).join(LOG);
    let found = py.detach(|| survey(&disk(), &log)).map_err(|error| failed(py, &log, error))?;
    let lineage = found
        .lineage
        .map_or_else(String::new, |lineage| format!("{:032x}", u128::from_be_bytes(lineage.0)));
    let segments = found.segments.iter().map(|segment| describe(py, segment));
    let segments = segments.collect::<PyResult<Vec<_>>>()?;
    let facts = PyDict::new(py);
    facts.set_item("lineage", lineage)?;
    facts.set_item("segments", PyList::new(py, segments)?)?;
    facts.set_item("tail", tail(&found))?;
    facts.set_item("damage", found.damage.map_or_else(String::new, |damage| damage.to_string()))?;
    Ok(facts)
}

/// Makes `target` what the instance in `source` was at a time; gives the records that it took.
/// For `dwell.server.log_replay` alone, which tells the whole.
#[pyfunction]
#[pyo3(name = "_replay_log", signature = (source, target, until_ms, settings, /))]
pub fn replay_log(
    py: Python<'_>,
    source: &str,
    target: &str,
    until_ms: i64,
    settings: &Bound<'_, PyMapping>,
) -> PyResult<u64> {
    let mut chosen = Settings::default();
    apply(&mut chosen, settings)?;
    let (source, target) = (Path::new(source), Path::new(target));
    let log = source.join(LOG);
    let replayed = py.detach(|| {
        if !log.is_dir() {
            return Err(no_log(&log));
        }
        restore(source, target, until_ms, chosen, Sources::default())
    });
    replayed.map_err(|error| exception(py, &error))
}

fn describe<'py>(py: Python<'py>, segment: &SegmentSummary) -> PyResult<Bound<'py, PyDict>> {
    let name = segment.file.path.file_name().unwrap_or_default();
    let facts = PyDict::new(py);
    facts.set_item("name", name.to_string_lossy())?;
    facts.set_item("size_bytes", segment.size_bytes)?;
    facts.set_item("records_count", segment.record_count)?;
    facts.set_item("records_bytes", segment.record_bytes)?;
    facts.set_item("gaps_count", segment.gap_count)?;
    facts.set_item("last_sequence", segment.last.as_u64())?;
    facts.set_item("first_ms", segment.time_range_ms.map(|(first, _)| first))?;
    facts.set_item("last_ms", segment.time_range_ms.map(|(_, last)| last))?;
    Ok(facts)
}

fn tail(found: &Survey) -> &'static str {
    match found.tail {
        TailState::Closed => "closed",
        TailState::Open => "open",
        TailState::Torn(_) => "torn",
    }
}

fn disk() -> Arc<dyn Disk> {
    Arc::new(RealDisk)
}

fn failed(py: Python<'_>, log: &Path, error: LogError) -> PyErr {
    let is_missing = matches!(&error, LogError::Io { source, .. }
        if source.kind() == std::io::ErrorKind::NotFound);
    exception(py, &if is_missing { no_log(log) } else { Error::from(error) })
}

fn no_log(log: &Path) -> Error {
    let message = format!("there is no log here: {}", log.display());
    Error::new(ErrorKind::Unavailable, message)
        .with_hint("name the directory of an instance: the one that holds the folder log")
}
