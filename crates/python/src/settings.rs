//! The engine's settings by name, from plain Python values.
//!
//! The host documents and validates them (`src/dwell/settings.py`); here each is only found by its
//! name and brought into its type. An unknown name is refused (INV-10).

use dwell_engine::{Durability, Eviction, Placement, Settings};
use pyo3::prelude::*;
use pyo3::types::PyMapping;

use crate::errors::usage;

/// What may change while the engine runs.
const LIVE: [&str; 11] = [
    "is_expiry_active",
    "dirty_bytes_max",
    "drain_after_ms",
    "durability",
    "history_ms",
    "log_resident",
    "memory_bytes_max",
    "memory_policy",
    "promote_ms",
    "promoted_bytes_max",
    "sync_interval_ms",
];

/// Applies every entry of `given` to `settings`.
pub fn apply(settings: &mut Settings, given: &Bound<'_, PyMapping>) -> PyResult<()> {
    for entry in given.items()?.iter() {
        let (name, value): (String, Bound<'_, PyAny>) = entry.extract()?;
        if !set(settings, &name, &value)? {
            return Err(usage(given.py(), format!("the engine has no such setting: {name}")));
        }
    }
    Ok(())
}

/// Applies those entries that may change while the engine runs; whether there were any. The
/// others belong to the transport or the host.
pub fn apply_live(settings: &mut Settings, given: &Bound<'_, PyMapping>) -> PyResult<bool> {
    let mut has_changed = false;
    for entry in given.items()?.iter() {
        let (name, value): (String, Bound<'_, PyAny>) = entry.extract()?;
        has_changed |= LIVE.contains(&name.as_str()) && set(settings, &name, &value)?;
    }
    Ok(has_changed)
}

/// Refuses what only counts when the engine is opened.
pub fn refuse_static(given: &Bound<'_, PyMapping>) -> PyResult<()> {
    for name in given.keys()?.iter() {
        let name: String = name.extract()?;
        if !LIVE.contains(&name.as_str()) {
            let message = format!("this setting counts when the database is opened: {name}");
            return Err(usage(given.py(), message));
        }
    }
    Ok(())
}

/// Sets one by its name; `false` if the engine has no such setting.
fn set(settings: &mut Settings, name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    match name {
        "placement" => settings.placement = placement(value)?,
        "durability" => settings.durability = durability(value)?,
        "memory_policy" => settings.eviction = eviction(value)?,
        "log_resident" => settings.log_resident = plain(name, value)?,
        "background" => settings.background = plain(name, value)?,
        "is_expiry_active" => settings.active_expire = plain(name, value)?,
        "sync_interval_ms" => settings.sync_interval_ms = plain(name, value)?,
        "dirty_bytes_max" => settings.dirty_bytes_max = plain(name, value)?,
        "memory_bytes_max" => settings.memory_bytes_max = plain(name, value)?,
        "probation_bytes_max" => settings.probation_bytes_max = plain(name, value)?,
        "promoted_bytes_max" => settings.promoted_bytes_max = plain(name, value)?,
        "drain_after_ms" => settings.drain_after_ms = plain(name, value)?,
        "promote_ms" => settings.promote_ms = plain(name, value)?,
        "segment_bytes" => settings.segment_bytes = plain(name, value)?,
        "base_after_bytes" => settings.base_after_bytes = plain(name, value)?,
        "history_ms" => settings.history_ms = plain(name, value)?,
        "open_files_max" => settings.open_files_max = plain(name, value)?,
        "database_file_name" => {
            let file_name: String = plain(name, value)?;
            settings.main_file = (!file_name.is_empty()).then_some(file_name);
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// A value in the type that is wanted.
pub fn plain<'py, T: FromPyObjectOwned<'py>>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<T> {
    value.extract().map_err(|_| usage(value.py(), format!("{name} cannot be this: {value}")))
}

fn placement(value: &Bound<'_, PyAny>) -> PyResult<Placement> {
    let word: String = plain("placement", value)?;
    Ok(match word.as_str() {
        "lifetime" => Placement::Lifetime,
        "memory" => Placement::Memory,
        "disk" => Placement::Disk,
        _ => {
            let message = format!("placement is lifetime, memory or disk: {word}");
            return Err(usage(value.py(), message));
        }
    })
}

/// The durability that a word names.
pub fn durability(value: &Bound<'_, PyAny>) -> PyResult<Durability> {
    let word: String = plain("durability", value)?;
    Ok(match word.as_str() {
        "none" => Durability::None,
        "interval" => Durability::Interval,
        "always" => Durability::Always,
        _ => {
            let message = format!("durability is none, interval or always: {word}");
            return Err(usage(value.py(), message));
        }
    })
}

/// The policy that a word names.
pub fn eviction(value: &Bound<'_, PyAny>) -> PyResult<Eviction> {
    let word: String = plain("memory_policy", value)?;
    Ok(match word.as_str() {
        "noeviction" => Eviction::None,
        "allkeys-lru" => Eviction::AllkeysLru,
        "allkeys-lfu" => Eviction::AllkeysLfu,
        "allkeys-random" => Eviction::AllkeysRandom,
        "volatile-lru" => Eviction::VolatileLru,
        "volatile-lfu" => Eviction::VolatileLfu,
        "volatile-random" => Eviction::VolatileRandom,
        "volatile-ttl" => Eviction::VolatileTtl,
        _ => {
            let message = format!("memory_policy is none of Redis's eight: {word}");
            return Err(usage(value.py(), message));
        }
    })
}
