//! `dwell._core.Database`: one open database, seen through one of its namespaces.
//!
//! Owns the methods that Python calls, each a conversion around one function of `queries`. They
//! are native and inherited by `dwell.Database` as they are, since a Python frame costs more than
//! a read. Docstrings come from the stub.
#![allow(
    clippy::redundant_closure_for_method_calls,
    reason = "as paths, the methods of a scope are not general enough in its lifetime"
)]

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dwell_engine::{Engine, NamespaceId, OwnedValue, Range, Settings, Sources};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyMapping};

use crate::call::Call;
use crate::clock::ManualClock;
use crate::convert::key::key_bytes;
use crate::convert::lifetime::Lifetime;
use crate::convert::step::Step;
use crate::convert::value::{self, Found, Held};
use crate::errors::usage;
use crate::handle::Handle;
use crate::{queries, settings};

#[doc = stub_doc!("Database")]
#[pyclass(subclass, frozen, module = "dwell._core")]
pub struct Database {
    pub(crate) handle: Arc<Handle>,
    pub(crate) namespace: NamespaceId,
    pub(crate) waits: bool,
    name: Vec<u8>,
}

/// The namespace that a database opens with, which is database 0 of Redis's clients.
const MAIN: &[u8] = b"0";

type Object<'py> = Bound<'py, PyAny>;

#[pymethods]
impl Database {
    #[new]
    #[pyo3(signature = (place, settings=None, namespace=None, *, waits=true, clock=None))]
    fn new(
        py: Python<'_>,
        place: &Object<'_>,
        settings: Option<&Bound<'_, PyMapping>>,
        namespace: Option<&Object<'_>>,
        waits: bool,
        clock: Option<&ManualClock>,
    ) -> PyResult<Self> {
        let handle = if let Ok(open) = place.cast::<Self>() {
            if settings.is_some_and(|given| !given.is_empty().unwrap_or(false)) {
                let message = "a further view takes no settings: adjust the database";
                return Err(usage(py, message.to_owned()));
            }
            Arc::clone(&open.get().handle)
        } else {
            let mut chosen = Settings::default();
            settings.map_or(Ok(()), |given| settings::apply(&mut chosen, given))?;
            let path = place.extract::<Option<PathBuf>>();
            let path =
                path.map_err(|_| usage(py, format!("a place is a path or None: {place}")))?;
            Handle::open(
                py,
                path,
                chosen,
                clock.map_or_else(Sources::default, ManualClock::sources),
            )?
        };
        let namespace = namespace.map_or(Ok(MAIN), key_bytes)?;
        let id = handle.detached(py, |engine| engine.namespace(namespace))?;
        Ok(Self { handle, namespace: id, waits, name: namespace.to_vec() })
    }

    #[doc = stub_doc!("Database.is_open")]
    #[getter]
    fn is_open(&self) -> bool {
        self.handle.is_open()
    }

    #[doc = stub_doc!("Database.name")]
    #[getter]
    fn name(&self) -> &[u8] {
        &self.name
    }

    #[doc = stub_doc!("Database.path")]
    #[getter]
    fn path(&self) -> Option<&OsStr> {
        self.handle.path().map(Path::as_os_str)
    }

    #[doc = stub_doc!("Database.read")]
    fn read<'py>(&self, py: Python<'py>, key: &Object<'py>) -> PyResult<Object<'py>> {
        let key = key_bytes(key)?;
        let call = Call::look(key);
        if let Some(found) = self.quick(py, &call, |scope| Ok(Found::new(py, scope.read(key)?)))? {
            return found.into_object(py);
        }
        let found = self.found(py, &call, key)?;
        value::object(py, found.as_ref())
    }

    #[doc = stub_doc!("Database.write")]
    #[pyo3(signature = (key, value, *, ttl=None, expires_at=None, durability=None))]
    fn write(
        &self,
        py: Python<'_>,
        key: &Object<'_>,
        value: &Object<'_>,
        ttl: Option<&Object<'_>>,
        expires_at: Option<&Object<'_>>,
        durability: Option<&Object<'_>>,
    ) -> PyResult<()> {
        let key = key_bytes(key)?;
        let value = Held::new(value)?;
        let lifetime = Lifetime::of_write(py, ttl, expires_at)?;
        let mut call = Call::change(key);
        call.options.durability = durability.map(settings::durability).transpose()?;
        self.call(py, &call, |scope| queries::write(scope, key, value.view(), lifetime))
    }

    #[doc = stub_doc!("Database.delete")]
    fn delete(&self, py: Python<'_>, key: &Object<'_>) -> PyResult<bool> {
        let key = key_bytes(key)?;
        self.call(py, &Call::change(key), |scope| scope.delete(key))
    }

    #[doc = stub_doc!("Database.exists")]
    fn exists(&self, py: Python<'_>, key: &Object<'_>) -> PyResult<bool> {
        let key = key_bytes(key)?;
        self.call(py, &Call::look(key), |scope| queries::exists(scope, key))
    }

    #[doc = stub_doc!("Database.increment")]
    #[pyo3(signature = (key, by=Step(1)), text_signature = "($self, key, by=1)")]
    fn increment(&self, py: Python<'_>, key: &Object<'_>, by: Step) -> PyResult<i64> {
        let key = key_bytes(key)?;
        self.call(py, &Call::change(key), |scope| queries::increment(scope, key, by.0))
    }

    #[doc = stub_doc!("Database.compare_and_set")]
    #[pyo3(signature = (key, expected, value, *, ttl=None, expires_at=None))]
    fn compare_and_set(
        &self,
        py: Python<'_>,
        key: &Object<'_>,
        expected: &Object<'_>,
        value: &Object<'_>,
        ttl: Option<&Object<'_>>,
        expires_at: Option<&Object<'_>>,
    ) -> PyResult<bool> {
        let key = key_bytes(key)?;
        let (expected, value) = (Held::new(expected)?, Held::new(value)?);
        let lifetime = Lifetime::of_write(py, ttl, expires_at)?;
        self.call(py, &Call::change(key), |scope| {
            let holds = queries::reads_as(scope, key, &expected.view())?;
            if holds {
                queries::write(scope, key, value.view(), lifetime)?;
            }
            Ok(holds)
        })
    }

    #[doc = stub_doc!("Database.compare_and_delete")]
    fn compare_and_delete(
        &self,
        py: Python<'_>,
        key: &Object<'_>,
        expected: &Object<'_>,
    ) -> PyResult<bool> {
        let key = key_bytes(key)?;
        let expected = Held::new(expected)?;
        self.call(py, &Call::change(key), |scope| {
            Ok(queries::reads_as(scope, key, &expected.view())? && scope.delete(key)?)
        })
    }

    #[doc = stub_doc!("Database.ttl")]
    fn ttl(&self, py: Python<'_>, key: &Object<'_>) -> PyResult<Option<f64>> {
        let key = key_bytes(key)?;
        self.call(py, &Call::look(key), |scope| queries::seconds_left(scope, key))
    }

    #[doc = stub_doc!("Database.expire")]
    fn expire(&self, py: Python<'_>, key: &Object<'_>, ttl: &Object<'_>) -> PyResult<bool> {
        let key = key_bytes(key)?;
        let lifetime = Lifetime::of_ttl(ttl)?;
        self.call(py, &Call::change(key), |scope| queries::expire(scope, key, lifetime))
    }

    #[doc = stub_doc!("Database.persist")]
    fn persist(&self, py: Python<'_>, key: &Object<'_>) -> PyResult<bool> {
        let key = key_bytes(key)?;
        self.call(py, &Call::change(key), |scope| queries::persist(scope, key))
    }

    #[doc = stub_doc!("Database.version")]
    fn version(&self, py: Python<'_>, key: &Object<'_>) -> PyResult<u64> {
        let key = key_bytes(key)?;
        self.call(py, &Call::look(key), |scope| scope.version(key))
    }

    #[doc = stub_doc!("Database.count")]
    fn count(&self, py: Python<'_>) -> PyResult<u64> {
        self.call(py, &Call::look(b"").about_all(), |scope| scope.count())
    }

    #[doc = stub_doc!("Database.clear")]
    fn clear(&self, py: Python<'_>) -> PyResult<()> {
        self.call(py, &Call::change(b"").about_all(), |scope| scope.clear())
    }

    #[doc = stub_doc!("Database.flush")]
    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        self.blocking(py)?;
        self.handle.awaited(py, Engine::sync)
    }

    #[doc = stub_doc!("Database.drain")]
    fn drain(&self, py: Python<'_>) -> PyResult<()> {
        self.blocking(py)?;
        self.handle.awaited(py, Engine::drain_all)
    }

    #[doc = stub_doc!("Database.make_base")]
    fn make_base(&self, py: Python<'_>) -> PyResult<()> {
        self.blocking(py)?;
        self.handle.awaited(py, Engine::make_base)
    }

    #[doc = stub_doc!("Database.close")]
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.handle.close(py)
    }

    #[doc = stub_doc!("Database.adjust")]
    #[pyo3(signature = (changes, /))]
    fn adjust(&self, py: Python<'_>, changes: &Bound<'_, PyMapping>) -> PyResult<()> {
        settings::refuse_static(changes)?;
        let mut chosen = self.handle.engine(py)?.settings();
        settings::apply(&mut chosen, changes)?;
        self.handle.detached(py, |engine| engine.adjust(|settings| *settings = chosen))
    }

    #[doc = stub_doc!("Database.__getitem__")]
    fn __getitem__<'py>(&self, py: Python<'py>, key: &Object<'py>) -> PyResult<Object<'py>> {
        let found = self.read(py, key)?;
        if found.is_none() && !self.exists(py, key)? {
            return Err(PyKeyError::new_err(key.clone().unbind()));
        }
        Ok(found)
    }

    #[doc = stub_doc!("Database.__setitem__")]
    fn __setitem__(&self, py: Python<'_>, key: &Object<'_>, value: &Object<'_>) -> PyResult<()> {
        self.write(py, key, value, None, None, None)
    }

    #[doc = stub_doc!("Database.__delitem__")]
    fn __delitem__(&self, py: Python<'_>, key: &Object<'_>) -> PyResult<()> {
        if self.delete(py, key)? {
            return Ok(());
        }
        Err(PyKeyError::new_err(key.clone().unbind()))
    }

    #[doc = stub_doc!("Database.__contains__")]
    fn __contains__(&self, py: Python<'_>, key: &Object<'_>) -> PyResult<bool> {
        self.exists(py, key)
    }

    /// One page of a scan, and where the next one begins.
    #[pyo3(signature = (prefix, after, limit, reverse, keys_only, /))]
    fn _page<'py>(
        &self,
        py: Python<'py>,
        prefix: &Object<'py>,
        after: Option<&Object<'py>>,
        limit: usize,
        reverse: bool,
        keys_only: bool,
    ) -> PyResult<(Bound<'py, PyList>, Option<Vec<u8>>)> {
        let range = Range {
            prefix: key_bytes(prefix)?.to_vec(),
            after: after.map(key_bytes).transpose()?.map(<[u8]>::to_vec),
            reverse,
            limit,
            keys_only,
        };
        let page = self.call(py, &Call::look(b"").about_all(), |scope| scope.scan(&range))?;
        let rows = PyList::empty(py);
        for row in page.rows {
            let key = PyBytes::new(py, &row.key);
            if keys_only {
                rows.append(key)?;
            } else {
                rows.append((key, value::object(py, row.value.as_ref())?))?;
            }
        }
        Ok((rows, page.next))
    }

    /// What is known of a key's place.
    #[pyo3(signature = (key, /))]
    fn _where<'py>(
        &self,
        py: Python<'py>,
        key: &Object<'py>,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let key = key_bytes(key)?;
        let found = self.call(py, &Call::look(key), |scope| {
            let now = scope.now();
            Ok(scope.where_is(key)?.map(|found| (found, now)))
        })?;
        found.map(|(found, now)| crate::facts::whereabouts(py, &found, now)).transpose()
    }

    /// Builds what is in memory anew from what is on disk.
    fn _reload(&self, py: Python<'_>) -> PyResult<()> {
        self.handle.detached(py, dwell_engine::Engine::reload)
    }

    /// The engine's numbers.
    fn _stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let told =
            self.handle.detached(py, |engine| Ok((engine.stats(), engine.opening().notices())))?;
        let facts = crate::facts::statistics(py, &told.0)?;
        facts.set_item("opening_notices", told.1)?;
        Ok(facts)
    }
}

impl Database {
    fn found(&self, py: Python<'_>, call: &Call<'_>, key: &[u8]) -> PyResult<Option<OwnedValue>> {
        self.patient(py, call, |scope| Ok(scope.read(key)?.map(|value| value.to_owned())))
    }

    /// Refuses on a handle that does not wait what always does.
    fn blocking(&self, py: Python<'_>) -> PyResult<()> {
        self.handle.engine(py)?;
        self.gives_way().map(|_: Option<()>| ())
    }
}
