//! Replies of commands in Python, from trees of plain objects to what goes on the wire.
//!
//! Python's own types say most of it; the host hands over the classes for the rest.

use dwell_server::ReplyValue;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PyMapping, PySet, PyString,
    PyTuple, PyType,
};

use crate::errors::usage;

/// No reply of ours is deeper; a tree that contains itself ends here.
const DEPTH_MAX: usize = 32;

/// The host's classes for replies that Python has no type for.
pub struct ReplyTypes {
    status: Py<PyType>,
    error: Py<PyType>,
    verbatim: Py<PyType>,
    push: Py<PyType>,
    attributed: Py<PyType>,
}

impl ReplyTypes {
    /// Takes the classes by name.
    pub fn new(types: &Bound<'_, PyMapping>) -> PyResult<Self> {
        let class = |name: &str| -> PyResult<Py<PyType>> {
            Ok(types.get_item(name)?.cast_into::<PyType>()?.unbind())
        };
        Ok(Self {
            status: class("status")?,
            error: class("error")?,
            verbatim: class("verbatim")?,
            push: class("push")?,
            attributed: class("attributed")?,
        })
    }

    /// The reply that an object stands for.
    pub fn reply(&self, object: &Bound<'_, PyAny>) -> PyResult<ReplyValue> {
        self.tree(object, DEPTH_MAX)
    }

    fn tree(&self, object: &Bound<'_, PyAny>, depth_left: usize) -> PyResult<ReplyValue> {
        if let Some(leaf) = leaf(object)? {
            return Ok(leaf);
        }
        let Some(depth_left) = depth_left.checked_sub(1) else {
            let message = format!("a reply is at most {DEPTH_MAX} levels deep");
            return Err(usage(object.py(), message));
        };
        if let Ok(map) = object.cast::<PyDict>() {
            return self.pairs(map, depth_left).map(ReplyValue::Map);
        }
        let is_set = object.is_instance_of::<PySet>() || object.is_instance_of::<PyFrozenSet>();
        let is_array = object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>();
        if is_set || is_array {
            let items = self.items(object, depth_left)?;
            return Ok(if is_set { ReplyValue::Set(items) } else { ReplyValue::Array(items) });
        }
        self.special(object, depth_left)
    }

    fn items(&self, object: &Bound<'_, PyAny>, depth_left: usize) -> PyResult<Vec<ReplyValue>> {
        object.try_iter()?.map(|item| self.tree(&item?, depth_left)).collect()
    }

    fn pairs(
        &self,
        map: &Bound<'_, PyDict>,
        depth_left: usize,
    ) -> PyResult<Vec<(ReplyValue, ReplyValue)>> {
        let pairs = map.iter();
        pairs
            .map(|(key, value)| Ok((self.tree(&key, depth_left)?, self.tree(&value, depth_left)?)))
            .collect()
    }

    fn special(&self, object: &Bound<'_, PyAny>, depth_left: usize) -> PyResult<ReplyValue> {
        let py = object.py();
        if object.is_instance(self.status.bind(py))? {
            return Ok(ReplyValue::Status(text(&object.getattr("text")?)?));
        }
        if object.is_instance(self.error.bind(py))? {
            return Ok(ReplyValue::Error(text(&object.getattr("text")?)?));
        }
        if object.is_instance(self.verbatim.bind(py))? {
            let format = text(&object.getattr("format")?)?;
            let format = format.try_into().map_err(|_| {
                usage(py, format!("a verbatim reply's format has three letters: {object}"))
            })?;
            return Ok(ReplyValue::Verbatim(format, text(&object.getattr("text")?)?));
        }
        if object.is_instance(self.push.bind(py))? {
            let items = self.items(&object.getattr("items")?, depth_left)?;
            return Ok(ReplyValue::Push(items));
        }
        if object.is_instance(self.attributed.bind(py))? {
            let pairs = self.pairs(object.getattr("attributes")?.cast()?, depth_left)?;
            let reply = self.tree(&object.getattr("reply")?, depth_left)?;
            return Ok(ReplyValue::Attributed(pairs, Box::new(reply)));
        }
        let name = object.get_type().name()?;
        Err(usage(py, format!("a reply cannot be of this type: {name}")))
    }
}

/// The reply without parts that an object stands for, if it does.
fn leaf(object: &Bound<'_, PyAny>) -> PyResult<Option<ReplyValue>> {
    if object.is_none() {
        return Ok(Some(ReplyValue::Null));
    }
    if let Ok(bytes) = object.cast::<PyBytes>() {
        return Ok(Some(ReplyValue::Bytes(bytes.as_bytes().to_vec())));
    }
    if object.is_instance_of::<PyString>() {
        return Ok(Some(ReplyValue::Bytes(text(object)?)));
    }
    if let Ok(flag) = object.cast::<PyBool>() {
        return Ok(Some(ReplyValue::Boolean(flag.is_true())));
    }
    if object.is_instance_of::<PyInt>() {
        let number: PyResult<i64> = object.extract();
        return Ok(Some(number.map_or_else(
            |_| ReplyValue::BigNumber(object.to_string().into_bytes()),
            ReplyValue::Integer,
        )));
    }
    Ok(object.cast::<PyFloat>().ok().map(|number| ReplyValue::Double(number.value())))
}

/// Text as bytes; what came in as bytes that are no UTF-8 goes out as it came.
fn text(object: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let bytes = object.call_method1("encode", ("utf-8", "surrogateescape"))?;
    Ok(bytes.cast::<PyBytes>()?.as_bytes().to_vec())
}
