//! `MGET key [key ...]`
//!
//! Reads several strings; nil for a key that is absent or holds something else.
//!
//! Source: <https://redis.io/docs/latest/commands/mget/>

use dwell_engine::{ErrorKind, Stop};

use super::text;
use crate::call::Call;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let keys = call.args.from(1).iter();
    call.scope.need(keys.clone())?;
    call.reply.array(keys.len());
    for key in keys {
        match call.scope.read(key) {
            Ok(Some(value)) => text::append(call.reply, &value),
            Ok(None) => call.reply.null(),
            Err(Stop::Fail(error)) if error.kind == ErrorKind::WrongType => call.reply.null(),
            Err(stop) => return Err(stop),
        }
    }
    Ok(())
}
