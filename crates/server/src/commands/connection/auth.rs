//! `AUTH [username] password`
//!
//! Authenticates the connection.
//!
//! Source: <https://redis.io/docs/latest/commands/auth/>

use dwell_engine::Error;

use super::identity;
use crate::call::SessionCall;

pub(crate) fn run(call: &mut SessionCall<'_>) -> Result<(), Error> {
    let settings = &call.house.settings;
    let (user, password) = match call.args.len() {
        2 if settings.password.is_none() => {
            return Err(Error::invalid(
                "AUTH <password> called without any password configured for the default user. \
                 Are you sure your configuration is correct?",
            ));
        }
        2 => (&b"default"[..], &call.args[1]),
        3 => (&call.args[1], &call.args[2]),
        _ => return Err(Error::invalid("syntax error")),
    };
    if identity::is_known(user, password, settings) {
        call.session.is_authenticated = true;
        call.reply.ok();
    } else {
        call.reply.error(identity::WRONG);
    }
    Ok(())
}
