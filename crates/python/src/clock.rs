//! A clock for tests of the host: lifetimes pass when the test says so (STYLE 1.15).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dwell_engine::{Clock, Sources};
use pyo3::prelude::*;

#[doc = stub_doc!("ManualClock")]
#[pyclass(frozen, module = "dwell._core")]
pub struct ManualClock(Arc<Inner>);

struct Inner {
    clock: dwell_engine::ManualClock,
    fails: AtomicBool,
}

impl Clock for Inner {
    fn monotonic_ms(&self) -> i64 {
        assert!(!self.fails.swap(false, Ordering::Relaxed), "the clock was told to fail");
        self.clock.monotonic_ms()
    }

    fn wall_ms(&self) -> i64 {
        self.clock.wall_ms()
    }
}

#[pymethods]
impl ManualClock {
    #[new]
    fn new(wall_ms: i64) -> Self {
        let clock = dwell_engine::ManualClock::at(wall_ms);
        Self(Arc::new(Inner { clock, fails: AtomicBool::new(false) }))
    }

    #[doc = stub_doc!("ManualClock.advance")]
    fn advance(&self, ms: i64) {
        self.0.clock.advance(ms);
    }

    #[doc = stub_doc!("ManualClock.step_wall")]
    fn step_wall(&self, ms: i64) {
        self.0.clock.step_wall(ms);
    }

    #[doc = stub_doc!("ManualClock.fail")]
    fn fail(&self) {
        self.0.fails.store(true, Ordering::Relaxed);
    }
}

impl ManualClock {
    /// The machine's own sources, but for the clock.
    pub fn sources(&self) -> Sources {
        Sources { clock: Arc::<Inner>::clone(&self.0), ..Sources::default() }
    }
}
