//! The database as a whole, as far as data is concerned. Administration is the host's.

pub(crate) mod dbsize;
mod flush_options;
pub(crate) mod flushall;
pub(crate) mod flushdb;
