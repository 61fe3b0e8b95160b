//! From the engine's errors to the classes of `dwell.errors`, which the host hands over once.
//!
//! Owns the table from kind to class. It must not import a module of the host by name.

use dwell_engine::{Error, ErrorKind};
use pyo3::exceptions::{PyBaseException, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyMapping};

pyo3::create_exception!(
    dwell._core,
    WouldBlock,
    PyBaseException,
    "An impatient call met something that it would have to wait for, and did nothing."
);

static CLASSES: PyOnceLock<Py<PyDict>> = PyOnceLock::new();

#[doc = stub_doc!("set_errors")]
#[pyfunction]
#[pyo3(signature = (table, /))]
pub fn set_errors(py: Python<'_>, table: &Bound<'_, PyMapping>) -> PyResult<()> {
    let classes = PyDict::new(py);
    classes.update(table)?;
    // A second table changes nothing: errors already raised keep their classes.
    CLASSES.get_or_init(py, || classes.unbind());
    Ok(())
}

/// The name of a kind in `spec/errors.toml`.
fn kind_name(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Locked => "locked",
        ErrorKind::ReadOnly => "read_only",
        ErrorKind::Full => "full",
        other => other.name(),
    }
}

/// The exception for `error`.
pub fn exception(py: Python<'_>, error: &Error) -> PyErr {
    exception_about(py, error, None)
}

/// The exception for `error`, which is about `key`.
pub fn exception_about(py: Python<'_>, error: &Error, key: Option<&[u8]>) -> PyErr {
    build(py, error, key).unwrap_or_else(|failure| failure)
}

fn build(py: Python<'_>, error: &Error, key: Option<&[u8]>) -> PyResult<PyErr> {
    let kind = kind_name(error.kind);
    let class = CLASSES.get(py).map(|classes| classes.bind(py).get_item(kind)).transpose()?;
    let Some(class) = class.flatten() else {
        return Ok(PyRuntimeError::new_err(error.message.to_string()));
    };
    let fields = PyDict::new(py);
    fields.set_item("kind", kind)?;
    fields.set_item("hint", error.hint.as_deref())?;
    fields.set_item("key", key)?;
    let exception = class.call((error.message.as_ref(),), Some(&fields))?;
    Ok(PyErr::from_value(exception))
}

/// `UsageError` with one sentence.
pub fn usage(py: Python<'_>, message: String) -> PyErr {
    exception(py, &Error::invalid(message))
}
