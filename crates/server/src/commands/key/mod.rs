//! Keys, whatever they hold: one command, one file. Shared ideas stand beside them: `expiry`,
//! `matching`, `remaining` and `transfer`.

pub(crate) mod copy;
pub(crate) mod del;
pub(crate) mod exists;
pub(crate) mod expire;
pub(crate) mod expireat;
pub(crate) mod expiretime;
mod expiry;
pub(crate) mod keys;
mod matching;
pub(crate) mod r#move;
pub(crate) mod object_encoding;
pub(crate) mod object_freq;
pub(crate) mod object_idletime;
pub(crate) mod object_refcount;
pub(crate) mod persist;
pub(crate) mod pexpire;
pub(crate) mod pexpireat;
pub(crate) mod pexpiretime;
pub(crate) mod pttl;
pub(crate) mod randomkey;
mod remaining;
pub(crate) mod rename;
pub(crate) mod renamenx;
pub(crate) mod scan;
pub(crate) mod touch;
mod transfer;
pub(crate) mod ttl;
pub(crate) mod r#type;
pub(crate) mod unlink;
