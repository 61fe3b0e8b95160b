//! Reading the log of an instance for `dwell log`: a survey of the whole, and its records in pages.
//!
//! Reads only, and works on a log that is open elsewhere. Rows cross in pages, never one by one.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use dwell_engine::disk::{Disk, RealDisk};
use dwell_engine::log::{
    Flags, LogError, RecordHead, Records, SegmentSummary, Sequence, Survey, TailState, survey,
};
use dwell_engine::{Error, ErrorKind};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::errors::exception;

/// Where an instance keeps its log.
const LOG: &str = "log";

#[doc = stub_doc!("survey_log")]
#[pyfunction]
#[pyo3(signature = (directory, /))]
pub fn survey_log<'py>(py: Python<'py>, directory: &str) -> PyResult<Bound<'py, PyDict>> {
    let log = Path::new(directory).join(LOG);
    let found = py.detach(|| survey(&disk(), &log)).map_err(|error| failed(py, error))?;
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

#[doc = stub_doc!("LogReader")]
#[pyclass(frozen, module = "dwell._core")]
pub struct LogReader(Mutex<Records>);

#[pymethods]
impl LogReader {
    #[new]
    #[pyo3(signature = (directory, first_sequence=0))]
    fn new(py: Python<'_>, directory: &str, first_sequence: u64) -> PyResult<Self> {
        let log = Path::new(directory).join(LOG);
        let first = Sequence::from_u64(first_sequence);
        let records = py.detach(|| Records::open(disk(), &log, first));
        records.map(|records| Self(Mutex::new(records))).map_err(|error| failed(py, error))
    }

    #[doc = stub_doc!("LogReader.page")]
    fn page<'py>(&self, py: Python<'py>, limit: usize) -> PyResult<Bound<'py, PyList>> {
        let page = py.detach(|| {
            let mut records = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            read_page(&mut records, limit)
        });
        let page = page.map_err(|error| failed(py, error))?;
        let rows = page.iter().map(|row| row.describe(py));
        PyList::new(py, rows.collect::<PyResult<Vec<_>>>()?)
    }
}

/// A record without its effects, and where it stands.
struct RecordFacts {
    head: RecordHead,
    namespaces: Vec<u32>,
    size_bytes: usize,
    file: String,
    offset: u64,
}

fn read_page(records: &mut Records, limit: usize) -> Result<Vec<RecordFacts>, LogError> {
    let mut page = Vec::new();
    while page.len() < limit {
        let Some(record) = records.next()? else {
            break;
        };
        let namespaces = record.namespaces().collect();
        let (head, size_bytes) = (record.head(), record.size_bytes());
        let position = records.position();
        let name = position.as_ref().and_then(|position| position.file.file_name());
        page.push(RecordFacts {
            head,
            namespaces,
            size_bytes,
            file: name.unwrap_or_default().to_string_lossy().into_owned(),
            offset: position.map_or(0, |position| position.offset),
        });
    }
    Ok(page)
}

impl RecordFacts {
    fn describe<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let facts = PyDict::new(py);
        facts.set_item("sequence", self.head.sequence.as_u64())?;
        facts.set_item("epoch", self.head.sequence.epoch())?;
        facts.set_item("time_ms", self.head.time_ms)?;
        facts.set_item("raw_ms", self.head.raw_ms)?;
        facts.set_item("flags", flag_names(self.head.flags))?;
        facts.set_item("namespaces", &self.namespaces)?;
        facts.set_item("size_bytes", self.size_bytes)?;
        facts.set_item("file", &self.file)?;
        facts.set_item("offset", self.offset)?;
        Ok(facts)
    }
}

fn flag_names(flags: Flags) -> Vec<&'static str> {
    let names = [
        (Flags::IMMEDIATE, "immediate"),
        (Flags::BARRIER, "barrier"),
        (Flags::GAP, "gap"),
        (Flags::OPENED, "opened"),
        (Flags::CLOSED, "closed"),
        (Flags::SKIPS, "skips"),
    ];
    names.into_iter().filter(|(flag, _)| flags.contains(*flag)).map(|(_, name)| name).collect()
}

fn disk() -> Arc<dyn Disk> {
    Arc::new(RealDisk)
}

fn failed(py: Python<'_>, error: LogError) -> PyErr {
    let is_missing = matches!(&error, LogError::Io { source, .. }
        if source.kind() == std::io::ErrorKind::NotFound);
    if is_missing {
        let message = format!("there is no log here: {error}");
        return exception(py, &Error::new(ErrorKind::Unavailable, message));
    }
    exception(py, &Error::from(error))
}
