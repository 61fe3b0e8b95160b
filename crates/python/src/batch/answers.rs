//! The answers of a batch, kept without Python until the engine's lock is free again.
//!
//! Short strings go into one buffer for the whole batch: an allocation for each would cost as much
//! as the query itself.

use std::ops::Range;

use dwell_engine::{Error, Flag, OwnedValue, Value};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use super::plan::Plan;
use crate::convert::value;
use crate::errors::{WouldBlock, exception_about};

/// One query's answer. What is large or rare is boxed, since a batch has thousands of these.
pub enum Answer {
    /// Nothing to tell.
    None,
    /// Yes or no.
    Flag(bool),
    /// An integer.
    Integer(i64),
    /// A float.
    Decimal(f64),
    /// A version.
    Version(u64),
    /// A string, in the common buffer.
    Bytes(Range<usize>),
    /// Any other value.
    Value(Box<OwnedValue>),
    /// The query's own error.
    Failed(Box<Error>),
}

/// The answers so far.
pub struct Answers {
    list: Vec<Answer>,
    buffer: Vec<u8>,
    blamed: Option<Vec<u8>>,
}

impl Answers {
    /// Room for `count` answers.
    pub fn new(count: usize) -> Self {
        Self { list: Vec::with_capacity(count), buffer: Vec::new(), blamed: None }
    }

    /// Forgets what an earlier run has left.
    pub fn begin(&mut self) {
        self.list.clear();
        self.buffer.clear();
        self.blamed = None;
    }

    /// Appends the next answer.
    pub fn push(&mut self, answer: Answer) {
        self.list.push(answer);
    }

    /// Remembers the key on which the batch stopped.
    pub fn blame_key(&mut self, key: &[u8]) {
        self.blamed = Some(key.to_vec());
    }

    /// The failure of the whole batch, with the key on which it stopped.
    pub fn about_key(&self, py: Python<'_>, failure: PyErr) -> PyErr {
        let key = self.blamed.as_deref().map(|key| PyBytes::new(py, key));
        if let Some(key) = key.filter(|_| !failure.is_instance_of::<WouldBlock>(py)) {
            // An exception of another kind has no such field, and says enough without it.
            let _ = failure.value(py).setattr("key", key);
        }
        failure
    }

    /// Takes a value that was read.
    pub fn keep(&mut self, value: Option<Value<'_>>) -> Answer {
        match value {
            None | Some(Value::Void | Value::Flag(Flag::Null)) => Answer::None,
            Some(Value::Flag(flag)) => Answer::Flag(flag == Flag::True),
            Some(Value::Integer(number)) => Answer::Integer(number),
            Some(Value::Decimal(number)) => Answer::Decimal(number),
            Some(Value::Bytes(bytes)) => {
                let start = self.buffer.len();
                self.buffer.extend_from_slice(bytes);
                Answer::Bytes(start..self.buffer.len())
            }
            Some(other) => Answer::Value(Box::new(other.to_owned())),
        }
    }

    /// The answers as a list of objects, errors among them.
    pub fn into_list<'py>(self, py: Python<'py>, plan: &Plan) -> PyResult<Bound<'py, PyList>> {
        let Self { list, buffer, .. } = self;
        // Straight into the list, which knows its length.
        let told = list.into_iter().zip(&plan.tasks);
        PyList::new(py, told.map(|(answer, task)| Told { answer, buffer: &buffer, key: &task.key }))
    }
}

/// An answer on its way into the list of results.
struct Told<'a> {
    answer: Answer,
    buffer: &'a [u8],
    key: &'a [u8],
}

impl<'py> IntoPyObject<'py> for Told<'_> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        self.answer.into_object(py, self.buffer, self.key)
    }
}

impl Answer {
    fn into_object<'py>(
        self,
        py: Python<'py>,
        buffer: &[u8],
        key: &[u8],
    ) -> PyResult<Bound<'py, PyAny>> {
        Ok(match self {
            Self::None => py.None().into_bound(py),
            Self::Flag(flag) => flag.into_pyobject(py)?.to_owned().into_any(),
            Self::Integer(number) => number.into_pyobject(py)?.into_any(),
            Self::Decimal(number) => number.into_pyobject(py)?.into_any(),
            Self::Version(number) => number.into_pyobject(py)?.into_any(),
            Self::Bytes(range) => PyBytes::new(py, &buffer[range]).into_any(),
            Self::Value(value) => value::object(py, Some(&value))?,
            Self::Failed(error) => {
                exception_about(py, &error, Some(key)).into_value(py).into_bound(py).into_any()
            }
        })
    }
}
