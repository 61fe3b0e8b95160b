//! `CLIENT SETINFO LIB-NAME name | LIB-VER version`
//!
//! Notes which library speaks here.
//!
//! Source: <https://redis.io/docs/latest/commands/client-setinfo/>

use dwell_engine::Error;

use super::name;
use crate::call::SessionCall;

pub(crate) fn run(call: &mut SessionCall<'_>) -> Result<(), Error> {
    let option = &call.args[2];
    let is_name = option.eq_ignore_ascii_case(b"lib-name");
    if !is_name && !option.eq_ignore_ascii_case(b"lib-ver") {
        let shown = String::from_utf8_lossy(option);
        return Err(Error::invalid(format!("Unrecognized option '{shown}'")));
    }
    let value = name::checked(&call.args[3]).map_err(|()| {
        let option = if is_name { "lib-name" } else { "lib-ver" };
        Error::invalid(format!("{option} cannot contain spaces, newlines or special characters."))
    })?;
    if is_name {
        call.session.library_name = value;
    } else {
        call.session.library_version = value;
    }
    call.reply.ok();
    Ok(())
}
