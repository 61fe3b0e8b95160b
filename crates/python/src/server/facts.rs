//! The counters of the event loop, and a connection under the names of Redis's CLIENT LIST.

use std::net::SocketAddr;

use dwell_server::{ClientFacts, Facts};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The counters and states of the loop.
pub fn of_loop<'py>(py: Python<'py>, told: &Facts) -> PyResult<Bound<'py, PyDict>> {
    let facts = PyDict::new(py);
    facts.set_item("is_running", told.is_running)?;
    facts.set_item("reason", &told.reason)?;
    facts.set_item("connections_received", told.connections_received)?;
    facts.set_item("connections_rejected", told.connections_rejected)?;
    facts.set_item("commands_processed", told.commands_processed)?;
    facts.set_item("input_bytes", told.input_bytes)?;
    facts.set_item("output_bytes", told.output_bytes)?;
    facts.set_item("error_replies", told.error_replies)?;
    facts.set_item("dropped_for_output", told.dropped_for_output)?;
    facts.set_item("clients", told.clients)?;
    facts.set_item("clients_parked", told.clients_parked)?;
    facts.set_item("clients_delayed", told.clients_delayed)?;
    facts.set_item("input_waiting_bytes", told.input_waiting_bytes)?;
    facts.set_item("output_waiting_bytes", told.output_waiting_bytes)?;
    let commands = PyDict::new(py);
    for (name, count) in &told.commands {
        let counts = PyDict::new(py);
        counts.set_item("calls", count.calls)?;
        counts.set_item("nanoseconds", count.nanoseconds)?;
        counts.set_item("rejected", count.rejected)?;
        counts.set_item("failed", count.failed)?;
        commands.set_item(name, counts)?;
    }
    facts.set_item("commands", commands)?;
    let errors = PyDict::new(py);
    for (code, count) in &told.errors {
        errors.set_item(code.as_ref(), count)?;
    }
    facts.set_item("errors", errors)?;
    Ok(facts)
}

/// One connection; `unix_path` is the address of those that came that way.
pub fn of_client<'py>(
    py: Python<'py>,
    client: &ClientFacts,
    unix_path: Option<&str>,
) -> PyResult<Bound<'py, PyDict>> {
    let facts = PyDict::new(py);
    facts.set_item("id", client.id)?;
    facts.set_item("addr", address(client.address, unix_path))?;
    facts.set_item("laddr", address(client.local_address, unix_path))?;
    facts.set_item("name", &client.name)?;
    facts.set_item("age", client.age_s)?;
    facts.set_item("idle", client.idle_s)?;
    facts.set_item("flags", flags(client))?;
    facts.set_item("db", client.database)?;
    facts.set_item("multi", client.queued.map_or(-1, |queued| queued as i64))?;
    facts.set_item("watch", client.watched)?;
    facts.set_item("qbuf", client.input_bytes)?;
    facts.set_item("qbuf-free", client.input_free_bytes)?;
    facts.set_item("argv-mem", client.arguments_bytes)?;
    facts.set_item("multi-mem", client.multi_bytes)?;
    facts.set_item("obl", client.output_bytes)?;
    facts.set_item("oll", client.output_pieces)?;
    facts.set_item("omem", client.output_memory_bytes)?;
    facts.set_item("tot-mem", client.memory_bytes)?;
    facts.set_item("cmd", client.last_command)?;
    facts.set_item("resp", client.protocol)?;
    facts.set_item("lib-name", &client.library_name)?;
    facts.set_item("lib-ver", &client.library_version)?;
    Ok(facts)
}

/// An address as Redis writes it.
pub fn address(address: Option<SocketAddr>, unix_path: Option<&str>) -> String {
    let through_unix = || format!("{}:0", unix_path.unwrap_or_default());
    address.map_or_else(through_unix, |address| address.to_string())
}

/// Redis's letters for the states of a connection.
fn flags(client: &ClientFacts) -> String {
    let letters = [
        ('x', client.queued.is_some()),
        ('b', client.is_delayed),
        ('c', client.is_closing),
        ('U', client.address.is_none()),
        ('e', client.is_never_evicted),
        ('T', client.leaves_accesses),
    ];
    let flags: String =
        letters.iter().filter(|(_, holds)| *holds).map(|(letter, _)| letter).collect();
    if flags.is_empty() { "N".to_owned() } else { flags }
}
