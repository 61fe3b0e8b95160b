//! The step of a count: a 64-bit integer, and a refusal by name for anything else.

use pyo3::prelude::*;

use crate::errors::usage;

/// What is added.
#[derive(Clone, Copy)]
pub struct Step(pub i64);

impl FromPyObject<'_, '_> for Step {
    type Error = PyErr;

    fn extract(step: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let number: PyResult<i64> = step.extract();
        number
            .map(Self)
            .map_err(|_| usage(step.py(), format!("a step is an integer of 64 bits: {}", &*step)))
    }
}
