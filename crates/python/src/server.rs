//! `dwell._core.Server`: the event loop as the host starts, asks, adjusts and stops it.
//!
//! Owns the crossing alone. Every question to the loop waits for its answer without the
//! interpreter lock, and the loop itself never takes that lock.

mod facts;
mod notices;
mod recorded;
mod reply;
pub mod request;
mod settings;

use std::sync::Arc;
use std::time::Duration;

use dwell_server::{HostCommand, ReplyValue};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMapping};

use self::notices::Kept;
use self::reply::ReplyTypes;
use self::request::AdminRequest;
use crate::database::Database;
use crate::errors::exception;
use crate::handle::Handle;

#[doc = stub_doc!("Server")]
#[pyclass(frozen, module = "dwell._core")]
pub struct Server {
    running: Arc<dwell_server::Server>,
    handle: Arc<Handle>,
    unix_path: Option<String>,
    reply_types: ReplyTypes,
    notices: Arc<Kept>,
}

#[pymethods]
impl Server {
    #[new]
    #[pyo3(signature = (database, settings, reply_types, own_commands=Vec::new()))]
    fn new(
        py: Python<'_>,
        database: &Bound<'_, Database>,
        settings: &Bound<'_, PyMapping>,
        reply_types: &Bound<'_, PyMapping>,
        own_commands: Vec<(String, i32, bool)>,
    ) -> PyResult<Self> {
        let reply_types = ReplyTypes::new(reply_types)?;
        let mut chosen = settings::at_start(settings)?;
        chosen.host_commands = own_commands
            .into_iter()
            .map(|(name, arity, is_readonly)| HostCommand { name, arity, is_readonly })
            .collect();
        let unix_path = chosen.unix_path.as_ref().map(|path| path.display().to_string());
        let handle = Arc::clone(&database.get().handle);
        let notices = Arc::new(Kept::default());
        let listener = Arc::clone(&notices);
        let running = handle.detached(py, move |engine| {
            let notices = dwell_server::Notices::new(move |notice| listener.push(&notice));
            dwell_server::Server::start(engine.clone(), chosen, notices).map(Arc::new)
        })?;
        Ok(Self { running, handle, unix_path, reply_types, notices })
    }

    #[doc = stub_doc!("Server.addresses")]
    fn addresses(&self) -> Vec<String> {
        let addresses = self.running.addresses().iter().map(ToString::to_string);
        addresses.chain(self.unix_path.clone()).collect()
    }

    #[doc = stub_doc!("Server.take_admin_request")]
    fn take_admin_request(&self, py: Python<'_>, timeout_ms: u64) -> Option<AdminRequest> {
        let timeout = Duration::from_millis(timeout_ms);
        let request = py.detach(|| self.running.take_admin_request(timeout))?;
        Some(AdminRequest::new(request, self.unix_path.clone()))
    }

    #[doc = stub_doc!("Server.answer")]
    fn answer(&self, request_id: u64, value: &Bound<'_, PyAny>) -> PyResult<()> {
        match self.reply_types.reply(value) {
            Ok(reply) => {
                self.running.answer(request_id, Some(reply));
                Ok(())
            }
            Err(failure) => {
                // The client waits, whatever the command made of its answer.
                let text = b"ERR internal the command's reply cannot be sent".to_vec();
                self.running.answer(request_id, Some(ReplyValue::Error(text)));
                Err(failure)
            }
        }
    }

    #[doc = stub_doc!("Server.facts")]
    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let told = py.detach(|| self.running.facts());
        facts::of_loop(py, &told)
    }

    #[doc = stub_doc!("Server.clients")]
    fn clients<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let clients = py.detach(|| self.running.clients());
        let told = clients
            .iter()
            .map(|client| facts::of_client(py, client, self.unix_path.as_deref()))
            .collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, told)
    }

    #[doc = stub_doc!("Server.kill_clients")]
    fn kill_clients(&self, py: Python<'_>, ids: Vec<u64>) -> usize {
        py.detach(|| self.running.kill_clients(ids))
    }

    #[doc = stub_doc!("Server.recorded")]
    fn recorded<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let told = py.detach(|| self.running.recorded());
        recorded::all(py, &told, self.unix_path.as_deref())
    }

    #[doc = stub_doc!("Server.forget")]
    #[pyo3(signature = (what, /))]
    fn forget(&self, py: Python<'_>, what: &str) {
        py.detach(|| match what {
            "counters" => self.running.reset_counters(),
            "slow_calls" => self.running.forget_slow_calls(),
            name => self.running.forget_stalls(name),
        });
    }

    #[doc = stub_doc!("Server.pause_clients")]
    #[pyo3(signature = (timeout_ms, *, is_for_all=false))]
    fn pause_clients(&self, timeout_ms: Option<u64>, is_for_all: bool) {
        let pause = timeout_ms.map(|timeout_ms| (Duration::from_millis(timeout_ms), is_for_all));
        self.running.pause_clients(pause);
    }

    #[doc = stub_doc!("Server.take_notices")]
    fn take_notices(&self) -> Vec<String> {
        self.notices.take()
    }

    #[doc = stub_doc!("Server.adjust")]
    #[pyo3(signature = (changes, /))]
    fn adjust(&self, py: Python<'_>, changes: &Bound<'_, PyMapping>) -> PyResult<()> {
        let loop_changes = settings::changes(changes)?;
        let mut chosen = self.handle.engine(py)?.settings();
        if crate::settings::apply_live(&mut chosen, changes)? {
            self.handle.detached(py, |engine| engine.adjust(|settings| *settings = chosen))?;
        }
        self.running.adjust(move |settings| {
            for change in loop_changes {
                change(settings);
            }
        });
        Ok(())
    }

    #[doc = stub_doc!("Server.stop")]
    fn stop(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.handle.guard(|| self.running.stop()))
            .map_err(|error| exception(py, &error))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Stopping waits for the loop's thread, which a forked child does not have.
        if self.handle.is_inherited() {
            std::mem::forget(Arc::clone(&self.running));
        }
    }
}
