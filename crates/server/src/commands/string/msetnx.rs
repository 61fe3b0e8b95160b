//! `MSETNX key value [key value ...]`
//!
//! Writes several strings only if none of their keys exists: 1, else 0 and nothing is written.
//!
//! Source: <https://redis.io/docs/latest/commands/msetnx/>

use dwell_engine::Stop;

use super::pairs;
use crate::call::Call;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    pairs::check(call, "msetnx")?;
    let keys = call.args.from(1).iter().step_by(2);
    call.scope.need(keys.clone())?;
    for key in keys {
        if call.scope.facts(key)?.is_some() {
            call.reply.integer(0);
            return Ok(());
        }
    }
    pairs::put_all(call)?;
    call.reply.integer(1);
    Ok(())
}
