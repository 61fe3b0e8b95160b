//! `MSET key value [key value ...]`
//!
//! Writes several strings in one step; lifetimes are taken away.
//!
//! Source: <https://redis.io/docs/latest/commands/mset/>

use dwell_engine::Stop;

use super::pairs;
use crate::call::Call;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    pairs::check(call, "mset")?;
    pairs::put_all(call)?;
    call.reply.ok();
    Ok(())
}
