//! `KEYS pattern`
//!
//! Lists the keys that match a glob; SCAN and DWELL.SCAN do not hold up others.
//!
//! The literal prefix of the pattern narrows the walk: `user:*` costs the keys below `user:`.
//!
//! Source: <https://redis.io/docs/latest/commands/keys/>

use dwell_engine::glob::Glob;
use dwell_engine::{Range, Stop};

use crate::call::Call;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let glob = Glob::new(&call.args[1], false);
    let mut range = Range {
        prefix: glob.literal_prefix(),
        after: None,
        reverse: false,
        limit: usize::MAX,
        keys_only: true,
    };
    let mark = call.reply.mark();
    let mut count = 0;
    loop {
        let page = call.scope.scan(&range)?;
        for row in page.rows.iter().filter(|row| glob.matches(&row.key)) {
            call.reply.bulk(&row.key);
            count += 1;
        }
        if page.next.is_none() {
            break;
        }
        range.after = page.next;
    }
    call.reply.array_since(mark, count);
    Ok(())
}
