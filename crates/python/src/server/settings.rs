//! The transport's settings by the names of `dwell.Settings`, from plain Python values.
//!
//! The host documents and validates them; a name that is not the transport's is left alone here,
//! because the engine or the host obeys it.

use std::net::{SocketAddr, ToSocketAddrs};

use dwell_server::{Bind, ServerSettings};
use pyo3::prelude::*;
use pyo3::types::PyMapping;

use crate::errors::usage;
use crate::settings::{eviction, plain};

/// A change of the running loop.
pub type Change = Box<dyn FnOnce(&mut ServerSettings) + Send>;

/// The settings that a server starts with.
pub fn at_start(given: &Bound<'_, PyMapping>) -> PyResult<ServerSettings> {
    let mut settings = ServerSettings::default();
    for change in changes(given)? {
        change(&mut settings);
    }
    let mut port = 0_u16;
    let mut addresses: Vec<String> = Vec::new();
    for entry in given.items()?.iter() {
        let (name, value): (String, Bound<'_, PyAny>) = entry.extract()?;
        match name.as_str() {
            "bind" => addresses = plain(&name, &value)?,
            "port" => port = plain(&name, &value)?,
            "unix_socket" => {
                settings.unix_path = plain::<Option<String>>(&name, &value)?.map(Into::into);
            }
            "unix_socket_mode" => settings.unix_mode = Some(plain(&name, &value)?),
            "backlog_connections" => settings.backlog = plain(&name, &value)?,
            "databases_count" => settings.databases = plain(&name, &value)?,
            "redis_version" => settings.redis_version = plain(&name, &value)?,
            _ => {}
        }
    }
    // Port 0 is Redis's word for no TCP at all.
    if port != 0 {
        for address in &addresses {
            bind(given.py(), address, port, &mut settings.binds)?;
        }
    }
    Ok(settings)
}

/// What the running loop has to change, of all that was changed.
pub fn changes(given: &Bound<'_, PyMapping>) -> PyResult<Vec<Change>> {
    let mut changes = Vec::new();
    for entry in given.items()?.iter() {
        let (name, value): (String, Bound<'_, PyAny>) = entry.extract()?;
        changes.extend(change(&name, &value)?);
    }
    Ok(changes)
}

fn change(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<Change>> {
    /// A change of one field, from a value that is brought into its type first.
    macro_rules! set {
        ($field:ident) => {{
            let value = plain(name, value)?;
            Box::new(move |settings: &mut ServerSettings| settings.$field = value)
        }};
    }
    Ok(Some(match name {
        "clients_max" => set!(clients_max),
        "client_idle_s" => set!(idle_timeout_s),
        "is_protected" => set!(is_protected),
        "output_bytes_max" => set!(output_bytes_hard_max),
        "output_soft_bytes_max" => set!(output_bytes_soft_max),
        "output_soft_s" => set!(output_soft_s),
        "query_bytes_max" => set!(query_bytes_max),
        "value_bytes_max" => set!(bulk_bytes_max),
        "slow_us" => {
            // Below 0 is Redis's word for no slow log at all.
            let slow_us: i64 = plain(name, value)?;
            Box::new(move |settings: &mut ServerSettings| {
                settings.slow_us = u64::try_from(slow_us).ok();
            })
        }
        "slow_calls_max" => set!(slow_calls_max),
        "stall_ms" => set!(stall_ms),
        "password" => {
            let password: String = plain(name, value)?;
            let password = (!password.is_empty()).then(|| password.into_bytes());
            Box::new(move |settings: &mut ServerSettings| settings.password = password)
        }
        "memory_policy" => {
            let policy = eviction(value)?;
            Box::new(move |settings: &mut ServerSettings| settings.eviction = policy)
        }
        _ => return Ok(None),
    }))
}

/// Adds the addresses that a word of `bind` means; a leading `-` lets them be missing.
fn bind(py: Python<'_>, word: &str, port: u16, binds: &mut Vec<Bind>) -> PyResult<()> {
    let (host, is_required) = word.strip_prefix('-').map_or((word, true), |host| (host, false));
    let host = match host {
        "*" => "0.0.0.0",
        "::*" => "::",
        host => host,
    };
    // A name may have to be looked up, which can take its time.
    let found: Vec<SocketAddr> = match py.detach(|| (host, port).to_socket_addrs()) {
        Ok(found) => found.collect(),
        Err(_) if !is_required => Vec::new(),
        Err(error) => return Err(usage(py, format!("bind is no address ({error}): {word}"))),
    };
    binds.extend(found.into_iter().map(|address| Bind { address, is_required }));
    Ok(())
}
