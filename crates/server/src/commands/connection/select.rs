//! `SELECT index`
//!
//! Chooses the database that the connection speaks to.
//!
//! Source: <https://redis.io/docs/latest/commands/select/>

use dwell_engine::Error;
use dwell_wire::number::parse_integer;

use crate::call::SessionCall;

pub(crate) fn run(call: &mut SessionCall<'_>) -> Result<(), Error> {
    let index = parse_integer(&call.args[1])
        .ok_or_else(|| Error::invalid("value is not an integer or out of range"))?;
    let index = i32::try_from(index).map_err(|_| {
        let (low, high) = (i32::MIN, i32::MAX);
        Error::invalid(format!("value is out of range, value must between {low} and {high}"))
    })?;
    match usize::try_from(index) {
        Ok(database) if database < call.house.databases.len() => {
            call.session.database = database;
            call.reply.ok();
            Ok(())
        }
        _ => Err(Error::invalid("DB index is out of range")),
    }
}
