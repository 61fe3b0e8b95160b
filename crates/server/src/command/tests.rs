#![allow(clippy::unwrap_used, missing_docs)]
use super::{COMMANDS, Handler, find, find_subcommand};

#[test]
fn every_command_is_found_by_its_name_in_any_case() {
    for command in &COMMANDS {
        assert_eq!(find(command.name.as_bytes()).unwrap().index, command.index);
        assert_eq!(find(command.name.to_uppercase().as_bytes()).unwrap().index, command.index);
    }
    for name in ["", "get ", "ge", "gett", "\0"] {
        assert!(find(name.as_bytes()).is_none());
    }
}

#[test]
fn a_subcommand_is_found_only_behind_its_container() {
    assert_eq!(find_subcommand(b"CLIENT", b"Id").unwrap().name, "client|id");
    assert!(find_subcommand(b"config", b"id").is_none());
    assert!(find_subcommand(b"", b"client|id").is_none());
    assert!(find_subcommand(b"client", &[b'x'; 1000]).is_none());
}

#[test]
fn every_supported_command_has_a_function() {
    // A name in `spec/commands` with `where = "rust"` but without a file becomes a refusal, which
    // its family's name tells from those of `refused.toml`.
    for family in ["string", "key", "server", "dwell", "connection", "transactions"] {
        let missing: Vec<&str> = COMMANDS
            .iter()
            .filter(|command| matches!(command.handler, Handler::Refused(of) if of == family))
            .filter(|command| !is_refused_on_purpose(command.name))
            .map(|command| command.name)
            .collect();
        assert!(missing.is_empty(), "{family}: {missing:?}");
    }
}

fn is_refused_on_purpose(name: &str) -> bool {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/commands/refused.toml");
    std::fs::read_to_string(path).unwrap().contains(&format!("{name:?}"))
}
