//! What only Dwell has: one command, one file.

pub(crate) mod scan;
pub(crate) mod r#where;
