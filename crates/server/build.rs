//! Makes the table of commands from `spec/commands/*.toml`, so that no fact is written twice.
//!
//! A command whose facts say `where = "rust"` is `src/commands/<family>/<command>.rs`, with a
//! `pub fn run`; in the file's name `|`, `.` and `-` become `_`, and the family's own prefix is
//! left out.
#![allow(clippy::disallowed_methods, reason = "cargo tells a build script its paths so")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use toml::{Table, Value};

#[path = "src/name_hash.rs"]
mod name_hash;

/// Slots of the hash table; a power of two, at most half full.
const SLOTS: usize = 1024;
/// What MULTI does not queue, though no fact of Redis says so.
const NEVER_QUEUED: [&str; 6] = ["multi", "exec", "discard", "watch", "quit", "reset"];
/// Words of HTTP: whoever sends them is a browser that was lured into it.
const ATTACKS: [&str; 2] = ["post", "host:"];

/// One line of the table.
struct Entry {
    name: String,
    text: String,
}

fn main() {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let spec = root.join("../../spec/commands");
    println!("cargo::rerun-if-changed={}", spec.display());
    println!("cargo::rerun-if-changed={}", root.join("src/commands").display());
    let mut entries = Vec::new();
    for path in families(&spec) {
        let text = fs::read_to_string(&path).expect("a family file can be read");
        let table: Table = text.parse().expect("a family file is TOML");
        let family = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
        if family == "refused" {
            entries.extend(table.iter().flat_map(|(family, table)| refused(family, table)));
        } else {
            let commands = table["command"].as_array().expect("a family has commands");
            entries.extend(commands.iter().map(|facts| supported(&root, &family, facts)));
        }
    }
    entries.extend(ATTACKS.map(|name| entry(name, -1, "Flags::NO_AUTH", false, "Handler::Attack")));
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("command_table.rs"), table(&entries)).expect("the build can write");
}

fn families(spec: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(spec)
        .expect("spec/commands is there")
        .map(|file| file.expect("a folder can be listed").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    paths.sort();
    paths
}

fn refused(family: &str, table: &Value) -> Vec<Entry> {
    let names = table["refused"].as_array().expect("a family of refused names is a list");
    let handler = format!("Handler::Refused({family:?})");
    names
        .iter()
        .map(|name| entry(name.as_str().expect("a name"), -1, "Flags::NONE", false, &handler))
        .collect()
}

fn supported(root: &Path, family: &str, facts: &Value) -> Entry {
    let name = facts["name"].as_str().expect("a command has a name");
    let arity = facts["arity"].as_integer().expect("a command has an arity");
    let is_container = facts["reply"].as_array().is_some_and(Vec::is_empty) || name == "command";
    let handler = match facts["where"].as_str() {
        Some("rust") if !is_container => handler(root, family, name),
        _ => "Handler::Host".to_owned(),
    };
    entry(name, arity, &flags(name, facts), is_container, &handler)
}

/// The function of a command in Rust; a command without a file yet is refused by name.
fn handler(root: &Path, family: &str, name: &str) -> String {
    let own_name = name.strip_prefix(&format!("{family}.")).unwrap_or(name);
    let module = own_name.replace(['|', '.', '-'], "_");
    if !root.join(format!("src/commands/{family}/{module}.rs")).exists() {
        return format!("Handler::Refused({family:?})");
    }
    let kind = match family {
        "connection" => "Session",
        "transactions" => "Transaction",
        _ => "Data",
    };
    format!("Handler::{kind}(crate::commands::{family}::r#{module}::run)")
}

fn flags(name: &str, facts: &Value) -> String {
    let listed = facts["flags"].as_array().expect("a command has flags");
    let mut bits = 0;
    for (flag, bit) in [("no_auth", 1), ("no_multi", 2), ("write", 8)] {
        if listed.iter().any(|listed| listed.as_str() == Some(flag)) {
            bits |= bit;
        }
    }
    if NEVER_QUEUED.contains(&name) {
        bits |= 4;
    }
    if facts["complexity"].as_str() == Some("O(1)") {
        bits |= 16;
    }
    format!("Flags({bits})")
}

fn entry(name: &str, arity: i64, flags: &str, is_container: bool, handler: &str) -> Entry {
    let text = format!(
        "name: {name:?}, arity: {arity}, flags: {flags}, is_container: {is_container}, \
         handler: {handler}"
    );
    Entry { name: name.to_owned(), text }
}

fn table(entries: &[Entry]) -> String {
    assert!(entries.len() * 2 <= SLOTS, "more commands than the hash table is made for");
    let mut slots = [0_usize; SLOTS];
    let mut text = String::new();
    let length = entries.len();
    writeln!(text, "/// Every name that is known.\npub static COMMANDS: [Command; {length}] = [")
        .expect("a string takes every write");
    for (index, entry) in entries.iter().enumerate() {
        let mut slot = name_hash::hash(entry.name.as_bytes()) as usize % SLOTS;
        while slots[slot] != 0 {
            slot = (slot + 1) % SLOTS;
        }
        slots[slot] = index + 1;
        writeln!(text, "    Command {{ {}, index: {index} }},", entry.text)
            .expect("a string takes every write");
    }
    writeln!(text, "];\n/// Places in `COMMANDS` by hash, from 1; 0 is an empty slot.")
        .expect("a string takes every write");
    writeln!(text, "static SLOTS: [u16; {SLOTS}] = {slots:?};")
        .expect("a string takes every write");
    text
}
