//! Strings: one command, one file. Shared ideas stand beside them: `counter`, `lifetime`, `pairs`,
//! `set_options`, `subsequence` and `text`.

pub(crate) mod append;
mod counter;
pub(crate) mod decr;
pub(crate) mod decrby;
pub(crate) mod delex;
pub(crate) mod delifeq;
pub(crate) mod get;
pub(crate) mod getdel;
pub(crate) mod getex;
pub(crate) mod getrange;
pub(crate) mod getset;
pub(crate) mod incr;
pub(crate) mod incrby;
pub(crate) mod incrbyfloat;
pub(crate) mod lcs;
mod lifetime;
pub(crate) mod mget;
pub(crate) mod mset;
pub(crate) mod msetnx;
mod pairs;
pub(crate) mod psetex;
pub(crate) mod set;
mod set_options;
pub(crate) mod setex;
pub(crate) mod setnx;
pub(crate) mod setrange;
pub(crate) mod strlen;
mod subsequence;
pub(crate) mod substr;
pub(crate) mod text;
