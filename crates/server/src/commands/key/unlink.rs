//! `UNLINK key [key ...]`
//!
//! Deletes keys and counts those that existed; no deletion of Dwell's waits for memory to be freed.
//!
//! Source: <https://redis.io/docs/latest/commands/unlink/>

pub(crate) use super::del::run;
