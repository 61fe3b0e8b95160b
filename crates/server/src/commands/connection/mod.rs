//! The connection itself: protocol, identity, database. One command, one file; `identity` holds
//! what AUTH and HELLO share, `name` what HELLO and CLIENT share.

pub(crate) mod auth;
pub(crate) mod client_getname;
pub(crate) mod client_id;
pub(crate) mod client_no_evict;
pub(crate) mod client_setinfo;
pub(crate) mod client_setname;
pub(crate) mod echo;
pub(crate) mod hello;
mod identity;
mod name;
pub(crate) mod ping;
pub(crate) mod quit;
pub(crate) mod reset;
pub(crate) mod select;
