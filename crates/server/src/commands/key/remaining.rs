//! TTL and its twins: what a deadline looks like from now.

use dwell_engine::{Deadline, Now, Stop};

use crate::call::Call;

const ABSENT_KEY: i64 = -2;
const NO_DEADLINE: i64 = -1;

/// Answers what `measure` makes of the key's deadline.
pub(super) fn answer(
    call: &mut Call<'_, '_>,
    measure: impl FnOnce(Now, Deadline) -> i64,
) -> Result<(), Stop> {
    let now = call.scope.now();
    let remaining = match call.scope.facts(&call.args[1])? {
        None => ABSENT_KEY,
        Some(facts) => facts.deadline.map_or(NO_DEADLINE, |deadline| measure(now, deadline)),
    };
    call.reply.integer(remaining);
    Ok(())
}

/// Milliseconds as the nearest second, as Redis rounds them.
pub(super) fn seconds(ms: i64) -> i64 {
    ms.saturating_add(500) / 1000
}
