//! Points: the host's class and three floats. The class is handed over once, as errors are.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();

#[doc = stub_doc!("set_point")]
#[pyfunction]
#[pyo3(signature = (point, /))]
pub fn set_point(point: &Bound<'_, PyType>) {
    CLASS.get_or_init(point.py(), || point.clone().unbind());
}

/// The coordinates, if `object` is a point.
pub fn coordinates(object: &Bound<'_, PyAny>) -> PyResult<Option<[f64; 3]>> {
    let py = object.py();
    let Some(class) = CLASS.get(py) else {
        return Ok(None);
    };
    if !object.is_instance(class.bind(py))? {
        return Ok(None);
    }
    let axis = |name: &str| object.getattr(name)?.extract::<f64>();
    Ok(Some([axis("x")?, axis("y")?, axis("z")?]))
}

/// The point at `coordinates`; without a class, a tuple. Calls Python.
pub fn point(py: Python<'_>, coordinates: [f64; 3]) -> PyResult<Bound<'_, PyAny>> {
    let axes = coordinates.into_pyobject(py)?.into_any();
    let [x, y, z] = coordinates;
    CLASS.get(py).map_or(Ok(axes), |class| class.bind(py).call1((x, y, z)))
}
