//! One open engine as Python holds it, shared by all its views.
//!
//! Owns who may still use it: nobody after `close`, nobody in a forked child (LITE-07), and
//! nobody once a panic has shown that a promise was broken (STYLE 6). A database that was never
//! closed is closed when its last view goes or when the interpreter exits.

use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use dwell_engine::{Engine, Error, ErrorKind, Place, Settings, Sources};
use pyo3::prelude::*;

use crate::errors::exception;

/// How often this process has been the child of a fork.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// What `close_all` closes. Locked only while the interpreter lock is held, under which a fork
/// happens too, so that no child inherits it locked.
static OPEN: Mutex<Vec<Weak<Handle>>> = Mutex::new(Vec::new());

/// How often a call that waits looks for signals.
const SIGNAL_PAUSE: Duration = Duration::from_millis(50);

/// An engine, and whether it may be used.
pub struct Handle {
    engine: ManuallyDrop<Engine>,
    path: Option<PathBuf>,
    forks: u32,
    opener_process_id: u32,
    is_closed: AtomicBool,
    is_broken: AtomicBool,
}

impl Handle {
    /// Opens the engine; what may take long happens without the interpreter lock.
    pub fn open(
        py: Python<'_>,
        path: Option<PathBuf>,
        settings: Settings,
        sources: Sources,
    ) -> PyResult<Arc<Self>> {
        let place = path.clone().map_or(Place::Memory, Place::Directory);
        let opened =
            py.detach(|| catch_unwind(AssertUnwindSafe(|| Engine::open(place, settings, sources))));
        let engine = opened
            .unwrap_or_else(|panic| Err(broken(panic.as_ref())))
            .map_err(|error| exception(py, &error))?;
        let handle = Arc::new(Self {
            engine: ManuallyDrop::new(engine),
            path,
            forks: FORKS.load(Ordering::Relaxed),
            opener_process_id: std::process::id(),
            is_closed: AtomicBool::new(false),
            is_broken: AtomicBool::new(false),
        });
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|other| other.strong_count() > 0);
        open.push(Arc::downgrade(&handle));
        Ok(handle)
    }

    /// The directory; `None` for memory alone.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Whether calls are answered.
    pub fn is_open(&self) -> bool {
        self.refusal().is_none()
    }

    /// The engine, unless it may no longer be used.
    pub fn engine(&self, py: Python<'_>) -> PyResult<&Engine> {
        match self.refusal() {
            None => Ok(&self.engine),
            Some(error) => Err(exception(py, &error)),
        }
    }

    fn refusal(&self) -> Option<Error> {
        if self.is_inherited() {
            let message = format!(
                "the database was opened before a fork, and belongs to process {}",
                self.opener_process_id
            );
            let hint = "open it after the fork, or start processes by \"spawn\"";
            return Some(Error::new(ErrorKind::Closed, message).with_hint(hint));
        }
        if self.is_broken.load(Ordering::Relaxed) {
            let message = "the database broke a promise of its own earlier, and refuses since";
            return Some(Error::internal(message));
        }
        self.is_closed.load(Ordering::Relaxed).then(Error::closed)
    }

    /// Whether this process is a child that got the handle through a fork.
    pub fn is_inherited(&self) -> bool {
        self.forks != FORKS.load(Ordering::Relaxed)
    }

    /// Runs `work`; a panic in it becomes an error and closes the handle for good.
    ///
    /// The error is boxed, since the result passes through every call and is copied on its way.
    pub fn guard<T>(&self, work: impl FnOnce() -> T) -> Result<T, Box<Error>> {
        catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
            self.is_broken.store(true, Ordering::Relaxed);
            Box::new(broken(panic.as_ref()))
        })
    }

    /// Runs what may take long without the interpreter lock, behind the same border.
    pub fn detached<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Engine) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let engine = self.engine(py)?;
        py.detach(|| self.guard(|| work(engine).map_err(Box::new)).flatten())
            .map_err(|error| exception(py, &error))
    }

    /// Runs what may take long on a thread of its own, so that Ctrl-C is noticed meanwhile. The
    /// work then goes on to its end, with nobody to tell: an fsync cannot be broken off, and the
    /// engine is whole at each moment.
    pub fn awaited(
        self: &Arc<Self>,
        py: Python<'_>,
        work: fn(&Engine) -> Result<(), Error>,
    ) -> PyResult<()> {
        self.engine(py)?;
        self.on_a_thread(py, work)
    }

    fn on_a_thread(
        self: &Arc<Self>,
        py: Python<'_>,
        work: fn(&Engine) -> Result<(), Error>,
    ) -> PyResult<()> {
        let handle = Arc::clone(self);
        let (done, outcome) = mpsc::channel();
        let run = move || {
            let result = handle.guard(|| work(&handle.engine).map_err(Box::new)).flatten();
            // Let go first: whoever was told may be about to open the directory again.
            drop(handle);
            // Nobody listens any more after a Ctrl-C.
            let _ = done.send(result);
        };
        thread::Builder::new().name("dwell-wait".to_owned()).spawn(run).map_err(|cause| {
            let message = format!("cannot start a thread: {cause}");
            exception(py, &Error::new(ErrorKind::Unavailable, message))
        })?;
        let outcome = Mutex::new(outcome);
        let wait =
            || outcome.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(SIGNAL_PAUSE);
        loop {
            match py.detach(wait) {
                Ok(result) => return result.map_err(|error| exception(py, &error)),
                Err(RecvTimeoutError::Timeout) => py.check_signals()?,
                Err(RecvTimeoutError::Disconnected) => {
                    let error = Error::internal("a thread of the core ended without an answer");
                    return Err(exception(py, &error));
                }
            }
        }
    }

    /// Closes the engine; a second time, in a child, or broken, it does nothing.
    pub fn close(self: &Arc<Self>, py: Python<'_>) -> PyResult<()> {
        if self.is_inherited() || self.is_closed.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        if self.is_broken.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.on_a_thread(py, Engine::close)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // The threads that the engine would wait for do not exist in a child, and its files are
        // the parent's: there the engine is left as it is.
        if self.is_inherited() {
            return;
        }
        let is_closed = self.is_closed.load(Ordering::Relaxed);
        let is_usable = !is_closed && !self.is_broken.load(Ordering::Relaxed);
        // SAFETY: `self` is being dropped, so the engine is neither taken nor used again.
        let engine = unsafe { ManuallyDrop::take(&mut self.engine) };
        let mut engine = Some(engine);
        let mut finish = || {
            let engine = engine.take();
            if let Some(engine) = engine.as_ref().filter(|_| is_usable) {
                // Nobody is left who could be told; what was acknowledged is in the log.
                let _ = catch_unwind(AssertUnwindSafe(|| engine.close()));
            }
        };
        // The engine's threads may be waited for, which must not be done with the interpreter
        // lock held. At the very end of an interpreter there is none to let go.
        if Python::try_attach(|py| py.detach(&mut finish)).is_none() {
            finish();
        }
    }
}

/// The error that a panic becomes.
fn broken(panic: &(dyn std::any::Any + Send)) -> Error {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    Error::internal(format!("the core broke a promise of its own: {text}"))
}

#[doc = stub_doc!("after_fork_in_child")]
#[pyfunction]
pub fn after_fork_in_child() {
    FORKS.fetch_add(1, Ordering::Relaxed);
    // The parent's threads do not exist here, so whoever holds the list will never let it go; but
    // nobody can, since it is only held with the interpreter lock, as the fork was made.
    let Ok(open) = OPEN.try_lock() else {
        return;
    };
    for handle in open.iter().filter_map(Weak::upgrade) {
        handle.engine.leave_after_fork();
    }
}

#[doc = stub_doc!("close_all")]
#[pyfunction]
pub fn close_all(py: Python<'_>) -> PyResult<()> {
    let open: Vec<_> = {
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        open.drain(..).filter_map(|handle| handle.upgrade()).collect()
    };
    let mut outcome = Ok(());
    for handle in open {
        // All are closed, whatever happens to one; the first failure is told.
        outcome = outcome.and(handle.close(py));
    }
    outcome
}
