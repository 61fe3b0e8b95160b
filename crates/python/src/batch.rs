//! `dwell._core.Queries`: what a batch collects, and its one crossing into the engine.
//!
//! Owns the list of queries and of expectations, from their collection to their results. Keys and
//! values are held and not copied, so that collecting a query costs what a `list.append` costs.

mod answers;
mod plan;

use dwell_engine::{BatchOptions, Durability};
use pyo3::exceptions::{PyBaseException, PyIndexError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyList;

use self::answers::Answers;
use self::plan::{Condition, Plan, Query, Task};
use crate::call::Call;
use crate::convert::key::HeldText;
use crate::convert::lifetime::Lifetime;
use crate::convert::step::Step;
use crate::convert::value::Held;
use crate::database::Database;
use crate::errors::{WouldBlock, usage};
use crate::settings;

/// Up to so many queries a batch runs at once and keeps the interpreter lock; a longer one lets
/// it go, since it is no longer short beside what that costs.
const QUICK_QUERIES_MAX: usize = 32;

type Object<'py> = Bound<'py, PyAny>;

#[doc = stub_doc!("Queries")]
#[pyclass(subclass, module = "dwell._core")]
pub struct Queries {
    plan: Plan,
    durability: Option<Durability>,
    results: Option<Py<PyList>>,
    is_spent: bool,
    /// Whether it is spent only until a handle comes that may wait.
    awaits_patience: bool,
}

/// What `expect` was given for its value, None included.
struct Given<'py>(Option<Object<'py>>);

impl<'py> FromPyObject<'_, 'py> for Given<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(Some(object.to_owned())))
    }
}

#[pymethods]
impl Queries {
    #[new]
    #[pyo3(signature = (*, atomic=false, durability=None))]
    fn new(atomic: bool, durability: Option<&Object<'_>>) -> PyResult<Self> {
        Ok(Self {
            plan: Plan::new(atomic),
            durability: durability.map(settings::durability).transpose()?,
            results: None,
            is_spent: false,
            awaits_patience: false,
        })
    }

    #[doc = stub_doc!("Queries.__len__")]
    fn __len__(&self, py: Python<'_>) -> usize {
        self.results.as_ref().map_or(self.plan.tasks.len(), |results| results.bind(py).len())
    }

    #[doc = stub_doc!("Queries.__getitem__")]
    fn __getitem__<'py>(&self, py: Python<'py>, place: isize) -> PyResult<Object<'py>> {
        let results = self.results(py)?;
        let length = results.len();
        let place = if place < 0 { place + length as isize } else { place };
        let place = usize::try_from(place).ok().filter(|place| *place < length);
        let place = place.ok_or_else(|| PyIndexError::new_err("the batch has no such query"))?;
        let result = results.get_item(place)?;
        if result.is_instance_of::<PyBaseException>() {
            return Err(PyErr::from_value(result));
        }
        Ok(result)
    }

    #[doc = stub_doc!("Queries.results")]
    #[getter]
    fn results<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let results = self.results.as_ref().map(|results| results.bind(py).clone());
        results.ok_or_else(|| usage(py, "the batch has no results yet".to_owned()))
    }

    #[doc = stub_doc!("Queries.expect")]
    #[pyo3(signature = (key, *, version=None, value=Given(None), absent=false))]
    fn expect(
        &mut self,
        py: Python<'_>,
        key: &Object<'_>,
        version: Option<&Object<'_>>,
        value: Given<'_>,
        absent: bool,
    ) -> PyResult<()> {
        let number = |given: &Object<'_>| {
            let refused = |_| usage(py, format!("a version is a whole number from 0 on: {given}"));
            given.extract::<u64>().map_err(refused)
        };
        let condition = match (version.map(number).transpose()?, value.0, absent) {
            (Some(version), None, false) => Condition::Version(version),
            (None, Some(value), false) => Condition::Reads(Held::new(&value)?),
            (None, None, true) => Condition::Version(0),
            _ => {
                let message = "expect one of version=, value= and absent=True";
                return Err(usage(py, message.to_owned()));
            }
        };
        self.refuse_spent(py)?;
        self.plan.expectations.push((HeldText::key(key)?, condition));
        Ok(())
    }

    #[doc = stub_doc!("Queries.read")]
    fn read(&mut self, py: Python<'_>, key: &Object<'_>) -> PyResult<usize> {
        self.push(py, key, Query::Read)
    }

    #[doc = stub_doc!("Queries.write")]
    #[pyo3(signature = (key, value, *, ttl=None, expires_at=None))]
    fn write(
        &mut self,
        py: Python<'_>,
        key: &Object<'_>,
        value: &Object<'_>,
        ttl: Option<&Object<'_>>,
        expires_at: Option<&Object<'_>>,
    ) -> PyResult<usize> {
        let lifetime = Lifetime::of_write(py, ttl, expires_at)?;
        self.push(py, key, Query::Write(Held::new(value)?, lifetime))
    }

    #[doc = stub_doc!("Queries.delete")]
    fn delete(&mut self, py: Python<'_>, key: &Object<'_>) -> PyResult<usize> {
        self.push(py, key, Query::Delete)
    }

    #[doc = stub_doc!("Queries.exists")]
    fn exists(&mut self, py: Python<'_>, key: &Object<'_>) -> PyResult<usize> {
        self.push(py, key, Query::Exists)
    }

    #[doc = stub_doc!("Queries.increment")]
    #[pyo3(signature = (key, by=Step(1)), text_signature = "($self, key, by=1)")]
    fn increment(&mut self, py: Python<'_>, key: &Object<'_>, by: Step) -> PyResult<usize> {
        self.push(py, key, Query::Increment(by.0))
    }

    #[doc = stub_doc!("Queries.ttl")]
    fn ttl(&mut self, py: Python<'_>, key: &Object<'_>) -> PyResult<usize> {
        self.push(py, key, Query::Ttl)
    }

    #[doc = stub_doc!("Queries.expire")]
    fn expire(&mut self, py: Python<'_>, key: &Object<'_>, ttl: &Object<'_>) -> PyResult<usize> {
        self.push(py, key, Query::Expire(Lifetime::of_ttl(ttl)?))
    }

    #[doc = stub_doc!("Queries.persist")]
    fn persist(&mut self, py: Python<'_>, key: &Object<'_>) -> PyResult<usize> {
        self.push(py, key, Query::Persist)
    }

    #[doc = stub_doc!("Queries.version")]
    fn version(&mut self, py: Python<'_>, key: &Object<'_>) -> PyResult<usize> {
        self.push(py, key, Query::Version)
    }

    // The plan is taken out of the object meanwhile: another thread finds it spent.
    #[doc = stub_doc!("Queries.run")]
    #[pyo3(signature = (database, /))]
    fn run<'py>(
        slf: &Bound<'py, Self>,
        database: &Bound<'py, Database>,
    ) -> PyResult<Bound<'py, PyList>> {
        let py = slf.py();
        let (plan, durability) = {
            let mut queries = slf.borrow_mut();
            if !std::mem::take(&mut queries.awaits_patience) {
                queries.refuse_spent(py)?;
            }
            queries.is_spent = true;
            (std::mem::take(&mut queries.plan), queries.durability)
        };
        let outcome = execute(py, database.get(), &plan, durability);
        let mut queries = slf.borrow_mut();
        match outcome {
            Ok(results) => {
                queries.results = Some(results.clone().unbind());
                Ok(results)
            }
            Err(failure) => {
                if failure.is_instance_of::<WouldBlock>(py) {
                    // An impatient handle has done nothing, so a patient one may go on with it.
                    queries.awaits_patience = true;
                    queries.plan = plan;
                }
                Err(failure)
            }
        }
    }

    // An error among the results knows, by its traceback, the frame that knows this batch.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.results)
    }

    fn __clear__(&mut self) {
        self.results = None;
    }
}

impl Queries {
    fn push(&mut self, py: Python<'_>, key: &Object<'_>, query: Query) -> PyResult<usize> {
        self.refuse_spent(py)?;
        let place = self.plan.tasks.len();
        self.plan.tasks.push(Task { key: HeldText::key(key)?, query });
        Ok(place)
    }

    fn refuse_spent(&self, py: Python<'_>) -> PyResult<()> {
        if self.is_spent {
            return Err(usage(py, "a batch is executed once: begin another".to_owned()));
        }
        Ok(())
    }
}

/// Runs the plan, quickly if it is short, and makes the results into objects.
fn execute<'py>(
    py: Python<'py>,
    database: &Database,
    plan: &Plan,
    durability: Option<Durability>,
) -> PyResult<Bound<'py, PyList>> {
    let call = Call {
        key: None,
        options: BatchOptions { durability },
        is_change: plan.tasks.iter().any(|task| task.query.is_change()),
    };
    let mut answers = Answers::new(plan.tasks.len());
    let is_short = plan.tasks.len() <= QUICK_QUERIES_MAX;
    let outcome = if is_short || !database.waits {
        database.call(py, &call, |scope| plan.run(scope, &mut answers))
    } else {
        database.patient(py, &call, |scope| plan.run(scope, &mut answers))
    };
    if let Err(failure) = outcome {
        return Err(answers.about_key(py, failure));
    }
    answers.into_list(py, plan)
}
