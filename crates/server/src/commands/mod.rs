//! The commands, one in each file, by family. Their facts are in `spec/commands`.
#![allow(clippy::unnecessary_wraps, reason = "all commands of a kind have one type")]

pub(crate) mod argument;
pub(crate) mod connection;
pub(crate) mod dwell;
pub(crate) mod key;
pub(crate) mod server;
pub(crate) mod string;
pub(crate) mod transactions;
