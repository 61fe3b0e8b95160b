//! `OBJECT IDLETIME key`
//!
//! Tells the seconds since a key was last used.
//!
//! Source: <https://redis.io/docs/latest/commands/object-idletime/>

use dwell_engine::Stop;

use crate::call::Call;
use crate::commands::argument::fail;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let Some(idle_ms) = call.scope.idle_ms(&call.args[2])? else {
        call.reply.null();
        return Ok(());
    };
    if call.eviction.is_frequency() {
        return Err(fail(
            "An LFU maxmemory policy is selected, idle time not tracked. Please note that when \
             switching between policies at runtime LRU and LFU data will take some time to adjust.",
        ));
    }
    call.reply.integer((idle_ms / 1000) as i64);
    Ok(())
}
