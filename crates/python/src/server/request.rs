//! A command that the event loop hands up to be run in Python.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use super::facts;

#[doc = stub_doc!("AdminRequest")]
#[pyclass(frozen, module = "dwell._core")]
pub struct AdminRequest {
    request: dwell_server::AdminRequest,
    unix_path: Option<String>,
}

impl AdminRequest {
    /// Wraps a request; `unix_path` is the address of clients that came that way.
    pub fn new(request: dwell_server::AdminRequest, unix_path: Option<String>) -> Self {
        Self { request, unix_path }
    }
}

#[pymethods]
impl AdminRequest {
    #[doc = stub_doc!("AdminRequest.id")]
    #[getter]
    fn id(&self) -> u64 {
        self.request.id
    }

    #[doc = stub_doc!("AdminRequest.client")]
    #[getter]
    fn client<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        facts::of_client(py, &self.request.client, self.unix_path.as_deref())
    }

    #[doc = stub_doc!("AdminRequest.args")]
    #[getter]
    fn args<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let words = self.request.args.view();
        PyList::new(py, words.iter().map(|word| PyBytes::new(py, word)))
    }

    #[doc = stub_doc!("AdminRequest.in_multi")]
    #[getter]
    fn in_multi(&self) -> bool {
        self.request.is_in_multi
    }
}
