//! How one call meets the engine: at once with the interpreter lock held, or patiently without.
//!
//! The quick way never waits: it tries the engine's lock, and gives up where something would have
//! to be read from below. It is worth its code, since letting the interpreter lock go and taking
//! it again costs as much as a read. Nothing that runs under the engine's lock may call Python.

use std::sync::{Mutex, PoisonError};

use dwell_engine::{
    BatchOptions, Durability, Engine, Error, ErrorKind, Gathered, Scope, Settled, Stop, Ticket,
};
use pyo3::prelude::*;

use crate::database::Database;
use crate::errors::{WouldBlock, exception_about};

/// What a call is about to do.
pub struct Call<'a> {
    /// The key that an error names.
    pub key: Option<&'a [u8]>,
    /// What the engine is told.
    pub options: BatchOptions,
    /// Whether something may change, which under `always` ends in an fsync.
    pub is_change: bool,
}

impl<'a> Call<'a> {
    /// Looks at `key`.
    pub fn look(key: &'a [u8]) -> Self {
        Self { key: Some(key), options: BatchOptions::default(), is_change: false }
    }

    /// Changes `key`.
    pub fn change(key: &'a [u8]) -> Self {
        Self { key: Some(key), options: BatchOptions::default(), is_change: true }
    }

    /// The same, about no single key.
    pub fn about_all(self) -> Self {
        Self { key: None, ..self }
    }

    /// The exception for an error of this call.
    fn exception(&self, py: Python<'_>, error: &Error) -> PyErr {
        exception_about(py, error, self.key)
    }
}

impl Database {
    /// Runs `work` at once, or answers `None` where it would have to wait.
    pub fn quick<T>(
        &self,
        py: Python<'_>,
        call: &Call<'_>,
        work: impl FnOnce(&mut Scope<'_>) -> Result<T, Stop>,
    ) -> PyResult<Option<T>> {
        let engine = self.handle.engine(py)?;
        if !self.waits && call.is_change && must_sync(engine, call) {
            return self.gives_way();
        }
        // Boxed on its rare way out, so that the common way copies little.
        let turn = self.handle.guard(|| {
            let mut turn = engine.try_lock()?;
            let mut gathered = Gathered::default();
            let answer = turn.batch(self.namespace, &call.options, &mut gathered, work);
            Some((answer.map_err(Box::new), turn.take_ticket()))
        });
        let Some((answer, ticket)) = turn.map_err(|error| call.exception(py, &error))? else {
            return self.gives_way();
        };
        match answer {
            Ok(answer) => {
                self.settle(py, engine, call, &ticket)?;
                Ok(Some(answer))
            }
            Err(stop) => match *stop {
                Stop::Gather(_) | Stop::Delay { .. } => self.gives_way(),
                Stop::Fail(error) => {
                    // An error tells what was seen as much as an answer does.
                    self.settle(py, engine, call, &ticket)?;
                    Err(call.exception(py, &error))
                }
            },
        }
    }

    /// Runs `work` without the interpreter lock, and waits for whatever it needs.
    pub fn patient<T: Send>(
        &self,
        py: Python<'_>,
        call: &Call<'_>,
        work: impl FnMut(&mut Scope<'_>) -> Result<T, Stop> + Send,
    ) -> PyResult<T> {
        let engine = self.handle.engine(py)?;
        let raised = Mutex::new(None);
        let run = || {
            let run = engine.run_unless(self.namespace, &call.options, work, || signal(&raised));
            run.map_err(Box::new)
        };
        let outcome = py.detach(|| self.handle.guard(run).flatten());
        let raised = raised.into_inner().unwrap_or_else(PoisonError::into_inner);
        outcome.map_err(|error| raised.unwrap_or_else(|| call.exception(py, &error)))
    }

    /// Runs `work` at once if that can be, else patiently.
    pub fn call<T: Send>(
        &self,
        py: Python<'_>,
        call: &Call<'_>,
        mut work: impl FnMut(&mut Scope<'_>) -> Result<T, Stop> + Send,
    ) -> PyResult<T> {
        match self.quick(py, call, &mut work)? {
            Some(answer) => Ok(answer),
            None => self.patient(py, call, work),
        }
    }

    /// `None` for a handle that waits, else the refusal to.
    pub fn gives_way<T>(&self) -> PyResult<Option<T>> {
        if self.waits { Ok(None) } else { Err(WouldBlock::new_err("this would have to wait")) }
    }

    /// Keeps the answer back until what it tells of is as durable as was asked for. A database
    /// that is being closed meanwhile still gives it.
    fn settle(
        &self,
        py: Python<'_>,
        engine: &Engine,
        call: &Call<'_>,
        ticket: &Ticket,
    ) -> PyResult<()> {
        let failed = |error: &Error| call.exception(py, error);
        match engine.is_settled(ticket) {
            Settled::Yes => return Ok(()),
            Settled::Failed(error) => return Err(failed(&error)),
            Settled::NotYet => {}
        }
        // Handing over is one write into the page cache, which an event loop can afford; an fsync
        // is not.
        let wait = if self.waits { Engine::settle } else { Engine::hand_over };
        let run = || wait(engine, ticket).map_err(Box::new);
        py.detach(|| self.handle.guard(run).flatten()).map_err(|error| failed(&error))?;
        if self.waits {
            return Ok(());
        }
        match engine.is_settled(ticket) {
            Settled::Yes => Ok(()),
            Settled::Failed(error) => Err(failed(&error)),
            // Only a look gets here: its answer waits for somebody else's fsync.
            Settled::NotYet => self.gives_way().map(|_: Option<()>| ()),
        }
    }
}

/// Looks for a signal, Ctrl-C above all, and keeps what its handler raises for the caller.
fn signal(raised: &Mutex<Option<PyErr>>) -> Result<(), Error> {
    let asked = Python::try_attach(|py| {
        py.check_signals().map_err(|error| {
            *raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            Error::new(ErrorKind::Busy, "a signal came while the call was waiting")
        })
    });
    asked.unwrap_or(Ok(()))
}

/// Whether the call ends in an fsync.
fn must_sync(engine: &Engine, call: &Call<'_>) -> bool {
    let own = engine.settings().durability;
    call.options.durability.map_or(own, |asked| asked.max(own)) == Durability::Always
}
