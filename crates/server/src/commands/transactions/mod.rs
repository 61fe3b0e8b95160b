//! Batches as Redis spells them. One command, one file.

pub(crate) mod discard;
pub(crate) mod exec;
pub(crate) mod multi;
pub(crate) mod unwatch;
pub(crate) mod watch;
