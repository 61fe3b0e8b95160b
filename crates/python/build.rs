//! Lifts the docstrings out of `src/dwell/_core.pyi`, one file for each, so that `help()` shows
//! what an editor shows and nothing is written twice (STYLE 7: the stub is the contract).
//!
//! It reads the shape that ruff gives the stub: four spaces, and a docstring right behind its
//! `class` or `def`. It is no parser of Python.

use std::path::Path;
use std::{env, fs, io};

#[expect(clippy::disallowed_methods, reason = "Cargo speaks to a build script this way")]
fn main() -> io::Result<()> {
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    let stub = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../src/dwell/_core.pyi");
    println!("cargo::rerun-if-changed={}", stub.display());
    for (name, text) in docstrings(&fs::read_to_string(stub)?) {
        fs::write(Path::new(&out).join(name), text)?;
    }
    Ok(())
}

/// Every docstring with its name: `Class`, `Class.method` or `function`.
fn docstrings(stub: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut class = String::new();
    let mut owner = None;
    let mut lines = stub.lines();
    while let Some(line) = lines.next() {
        let text = line.trim_start();
        let is_nested = line.len() > text.len();
        if let Some(name) = declared(text, "class ") {
            class.clone_from(&name);
            owner = Some(name);
        } else if let Some(name) = declared(text, "def ") {
            owner = Some(if is_nested { format!("{class}.{name}") } else { name });
        } else if let Some(first) = text.strip_prefix("\"\"\"") {
            let doc = docstring(first, line.len() - text.len(), &mut lines);
            found.extend(owner.take().map(|name| (name, doc)));
        }
    }
    found
}

/// The name behind `keyword`, if the line declares one.
fn declared(text: &str, keyword: &str) -> Option<String> {
    let rest = text.strip_prefix(keyword)?;
    Some(rest.chars().take_while(|&letter| letter.is_alphanumeric() || letter == '_').collect())
}

/// The docstring that begins with `first`, without the stub's own indentation.
fn docstring<'a>(first: &str, indent: usize, lines: &mut impl Iterator<Item = &'a str>) -> String {
    if let Some(whole) = first.strip_suffix("\"\"\"") {
        return whole.to_owned();
    }
    let mut doc = first.to_owned();
    for line in lines.take_while(|line| line.trim() != "\"\"\"") {
        doc.push('\n');
        doc.push_str(line.get(indent..).unwrap_or_default());
    }
    doc
}
