//! `OBJECT FREQ key`
//!
//! Tells how often a key is used, on a logarithmic scale, under an LFU eviction policy.
//!
//! Source: <https://redis.io/docs/latest/commands/object-freq/>

use dwell_engine::Stop;

use crate::call::Call;
use crate::commands::argument::fail;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let Some(frequency) = call.scope.frequency(&call.args[2])? else {
        call.reply.null();
        return Ok(());
    };
    if !call.eviction.is_frequency() {
        return Err(fail(
            "An LFU maxmemory policy is not selected, access frequency not tracked. Please note \
             that when switching between policies at runtime LRU and LFU data will take some time \
             to adjust.",
        ));
    }
    call.reply.integer(i64::from(frequency));
    Ok(())
}
