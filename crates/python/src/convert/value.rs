//! Values: what Python may store, and what it gets back.
//!
//! Strings come back as bytes, and an integer, a float, a flag and a point as what they were.
//! No pickle: what is not in the table is refused by name.

use dwell_engine::{Flag, OwnedValue, SpreadView, Value};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyFloat, PyInt, PyMemoryView};

use super::key::HeldText;
use super::{point, type_name};
use crate::errors::usage;

const ACCEPTED: &str =
    "a value is bytes, bytearray, memoryview, str, int, float, bool, None or Point";

/// The longest string that is kept in one piece.
const PIECE_BYTES_MAX: usize = dwell_engine::limits::CHUNK_BYTES;

/// A value that outlives the call which brought it, as far as possible without a copy.
pub enum Held {
    /// `bytes` or `str` of one piece.
    Text(HeldText),
    /// Anything else.
    Owned(OwnedValue),
}

impl Held {
    /// Holds on to a value.
    pub fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Some(text) = HeldText::of(object)? {
            if text.len() <= PIECE_BYTES_MAX {
                return Ok(Self::Text(text));
            }
            // Cut into chunks here, since a copy of 512 MiB is too long under the engine's lock.
            return Ok(Self::Owned(object.py().detach(|| OwnedValue::from_bytes(&text))));
        }
        scalar(object).map(Self::Owned)
    }

    /// The value as the engine takes it.
    pub fn view(&self) -> Value<'_> {
        match self {
            Self::Text(text) => Value::Bytes(text),
            Self::Owned(value) => value.view(),
        }
    }
}

fn scalar(object: &Bound<'_, PyAny>) -> PyResult<OwnedValue> {
    if object.is_none() {
        return Ok(OwnedValue::Void);
    }
    // A bool is an int too, so it is asked for first.
    if let Ok(flag) = object.cast::<PyBool>() {
        let flag = if flag.is_true() { Flag::True } else { Flag::False };
        return Ok(OwnedValue::Flag(flag));
    }
    if object.is_instance_of::<PyInt>() {
        let number: PyResult<i64> = object.extract();
        return number.map(OwnedValue::Integer).map_err(|_| {
            usage(object.py(), format!("an integer is -2**63 to 2**63 - 1: {object}"))
        });
    }
    if let Ok(number) = object.cast::<PyFloat>() {
        return Ok(OwnedValue::Decimal(number.value()));
    }
    if let Some(coordinates) = point::coordinates(object)? {
        return Ok(OwnedValue::Point(coordinates));
    }
    buffer(object)
}

/// What can change under us is copied, while the interpreter lock keeps it still.
fn buffer(object: &Bound<'_, PyAny>) -> PyResult<OwnedValue> {
    if let Ok(bytes) = object.cast::<PyByteArray>() {
        return Ok(OwnedValue::from_bytes(&bytes.to_vec()));
    }
    if object.is_instance_of::<PyMemoryView>() {
        let bytes = object.call_method0("tobytes")?;
        return Ok(OwnedValue::from_bytes(bytes.cast::<PyBytes>()?.as_bytes()));
    }
    Err(usage(object.py(), format!("{ACCEPTED}: {}", type_name(object))))
}

/// A value on its way to Python.
pub enum Found<'py> {
    /// Already an object.
    Ready(Bound<'py, PyAny>),
    /// To be made one when the engine's lock is free again, because making it calls Python or
    /// copies much. Boxed, since what is passed up through a call is small otherwise.
    Later(Box<OwnedValue>),
}

impl<'py> Found<'py> {
    /// What the engine found; runs under its lock, so it makes plain objects only.
    pub fn new(py: Python<'py>, value: Option<Value<'_>>) -> Self {
        let Some(value) = value else {
            return Self::Ready(py.None().into_bound(py));
        };
        match value {
            Value::Bytes(bytes) => Self::Ready(PyBytes::new(py, bytes).into_any()),
            Value::Point(_) | Value::Spread(_) => Self::Later(Box::new(value.to_owned())),
            Value::Void | Value::Flag(Flag::Null) => Self::Ready(py.None().into_bound(py)),
            Value::Flag(flag) => {
                let flag = PyBool::new(py, flag == Flag::True);
                Self::Ready(flag.to_owned().into_any())
            }
            Value::Integer(number) => Self::Ready(PyInt::new(py, number).into_any()),
            Value::Decimal(number) => Self::Ready(PyFloat::new(py, number).into_any()),
        }
    }

    /// The object.
    pub fn into_object(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::Ready(object) => Ok(object),
            Self::Later(value) => object_of(py, &value),
        }
    }
}

/// The object for a value that was read without the interpreter lock, None for none.
pub fn object<'py>(py: Python<'py>, value: Option<&OwnedValue>) -> PyResult<Bound<'py, PyAny>> {
    value.map_or_else(|| Ok(py.None().into_bound(py)), |value| object_of(py, value))
}

fn object_of<'py>(py: Python<'py>, value: &OwnedValue) -> PyResult<Bound<'py, PyAny>> {
    match value.view() {
        Value::Spread(view) => spread(py, view),
        Value::Point(coordinates) => point::point(py, coordinates),
        other => Found::new(py, Some(other)).into_object(py),
    }
}

fn spread<'py>(py: Python<'py>, view: SpreadView<'_>) -> PyResult<Bound<'py, PyAny>> {
    let length = usize::try_from(view.length())?;
    // A MemoryError is the caller's to handle, so the allocation may fail.
    let bytes = PyBytes::new_with(py, length, |mut room| {
        for piece in view.pieces() {
            let (now, rest) = room.split_at_mut(piece.len());
            now.copy_from_slice(&piece);
            room = rest;
        }
        Ok(())
    })?;
    Ok(bytes.into_any())
}

/// Whether two values are equal in kind and content. Floats are compared by their bits, so that
/// a NaN can be expected too.
pub fn is_same(one: &Value<'_>, other: &Value<'_>) -> bool {
    match (one, other) {
        (Value::Void | Value::Flag(Flag::Null), Value::Void | Value::Flag(Flag::Null)) => true,
        (Value::Flag(one), Value::Flag(other)) => one == other,
        (Value::Integer(one), Value::Integer(other)) => one == other,
        (Value::Decimal(one), Value::Decimal(other)) => one.to_bits() == other.to_bits(),
        (Value::Point(one), Value::Point(other)) => {
            one.iter().zip(other).all(|(one, other)| one.to_bits() == other.to_bits())
        }
        (Value::Bytes(one), Value::Bytes(other)) => one == other,
        (Value::Spread(one), Value::Spread(other)) => {
            one.length() == other.length()
                && one.pieces().zip(other.pieces()).all(|(one, other)| one == other)
        }
        _ => false,
    }
}
