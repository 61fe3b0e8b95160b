//! The module `dwell._core`: what Python sees of the engine and of the server.
//!
//! Owns the conversion of values, the border that no panic crosses, and the rule when the
//! interpreter lock is let go. It is the only crate that knows Python, and it decides nothing:
//! meaning lives in `src/dwell`, bytes and loops in the crates below. Its contract is the stub
//! `src/dwell/_core.pyi`, from which the docstrings come too.

#![allow(
    clippy::doc_markdown,
    clippy::doc_lazy_continuation,
    reason = "the stub's docstrings are for Python's help, and no Markdown"
)]

/// The docstring of `$name` in the stub.
macro_rules! stub_doc {
    ($name:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/", $name))
    };
}

mod batch;
mod call;
mod clock;
mod convert;
mod database;
mod errors;
mod facts;
mod handle;
mod log;
mod queries;
mod server;
mod settings;

use pyo3::pymodule;

/// The native half of Dwell.
#[pymodule]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::batch::Queries;
    #[pymodule_export]
    use crate::clock::ManualClock;
    #[pymodule_export]
    use crate::convert::point::set_point;
    #[pymodule_export]
    use crate::database::Database;
    #[pymodule_export]
    use crate::errors::{WouldBlock, set_errors};
    #[pymodule_export]
    use crate::handle::{after_fork_in_child, close_all};
    #[pymodule_export]
    use crate::log::{replay_log, survey_log};
    #[pymodule_export]
    use crate::server::Server;
    #[pymodule_export]
    use crate::server::request::AdminRequest;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
