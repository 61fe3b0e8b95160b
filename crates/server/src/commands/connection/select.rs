//! `SELECT index`
//!
//! Chooses the database that the connection speaks to.
//!
//! Source: <https://redis.io/docs/latest/commands/select/>

use dwell_engine::Error;

use crate::call::SessionCall;
use crate::commands::argument::database_number;

pub(crate) fn run(call: &mut SessionCall<'_>) -> Result<(), Error> {
    match usize::try_from(database_number(&call.args[1])?) {
        Ok(database) if database < call.house.databases.len() => {
            call.session.database = database;
            call.reply.ok();
            Ok(())
        }
        _ => Err(Error::invalid("DB index is out of range")),
    }
}
