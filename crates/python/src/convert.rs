//! Values, keys and lifetimes between Python and the engine.
//!
//! Each kind of thing has its file. None of them knows a call, a lock or a batch.

pub mod key;
pub mod lifetime;
pub mod point;
pub mod step;
pub mod value;

use pyo3::prelude::*;

/// The name of an object's type, for a sentence that refuses it.
fn type_name(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string())
}
