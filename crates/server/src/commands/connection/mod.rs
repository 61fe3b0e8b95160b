//! The connection itself: protocol, identity, database. One command, one file; `identity` holds
//! what AUTH and HELLO share, `name` what HELLO and CLIENT share, `switch` what takes ON and OFF.

pub(crate) mod auth;
pub(crate) mod client_getname;
pub(crate) mod client_id;
pub(crate) mod client_no_evict;
pub(crate) mod client_no_touch;
pub(crate) mod client_reply;
pub(crate) mod client_setinfo;
pub(crate) mod client_setname;
pub(crate) mod client_unblock;
pub(crate) mod echo;
pub(crate) mod hello;
mod identity;
mod name;
pub(crate) mod ping;
pub(crate) mod quit;
pub(crate) mod reset;
pub(crate) mod select;
mod switch;
