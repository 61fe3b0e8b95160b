//! `SUBSTR key start end`
//!
//! GETRANGE under its first name.
//!
//! Source: <https://redis.io/docs/latest/commands/substr/>

pub(crate) use super::getrange::run;
