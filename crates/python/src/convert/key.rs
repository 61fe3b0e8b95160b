//! Keys: `bytes` as they are, `str` as its UTF-8 bytes, nothing else.

use std::ops::Deref;

use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyString};

use super::type_name;
use crate::errors::usage;

/// The bytes of a key, borrowed from the object.
pub fn key_bytes<'a>(key: &'a Bound<'_, PyAny>) -> PyResult<&'a [u8]> {
    if let Ok(bytes) = key.cast::<PyBytes>() {
        return Ok(bytes.as_bytes());
    }
    let Ok(text) = key.cast::<PyString>() else {
        return Err(usage(key.py(), format!("a key is bytes or str: {}", type_name(key))));
    };
    text.to_str().map(str::as_bytes).map_err(|_| unencodable(key))
}

/// Text that cannot be UTF-8, because it holds half of a surrogate pair.
pub fn unencodable(text: &Bound<'_, PyAny>) -> PyErr {
    usage(text.py(), format!("text must be encodable as UTF-8: {}", shown(text)))
}

fn shown(text: &Bound<'_, PyAny>) -> String {
    text.repr().map_or_else(|_| "?".to_owned(), |text| text.to_string_lossy().into_owned())
}

/// Bytes or text that outlive the call which brought them, without a copy.
pub enum HeldText {
    /// From `bytes`.
    Bytes(PyBackedBytes),
    /// From `str`.
    Text(PyBackedStr),
}

impl Deref for HeldText {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Text(text) => text.as_bytes(),
        }
    }
}

impl HeldText {
    /// Holds on to a key.
    pub fn key(key: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::of(key)?
            .ok_or_else(|| usage(key.py(), format!("a key is bytes or str: {}", type_name(key))))
    }

    /// Holds on to `bytes` or `str`; `None` for anything else.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Some(Self::Bytes(bytes.clone().into())));
        }
        let Ok(text) = object.cast::<PyString>() else {
            return Ok(None);
        };
        let held = PyBackedStr::try_from(text.clone()).map_err(|_| unencodable(object))?;
        Ok(Some(Self::Text(held)))
    }
}
