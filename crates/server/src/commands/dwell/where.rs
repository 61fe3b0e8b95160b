//! `DWELL.WHERE key [key ...]`
//!
//! Tells where each key lives and why: its home, the tier that a read would be answered from, the
//! rule that put it there, its deadline, size and version. Nil for an absent key. Asking is no
//! access: it keeps nothing in memory that would have left.
//!
//! Source: Dwell's own.

use dwell_engine::{Home, Stop, Whereabouts};
use dwell_wire::Reply;

use crate::call::Call;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let now = call.scope.now();
    let keys = call.args.from(1).iter();
    call.reply.array(keys.len());
    for key in keys {
        match call.scope.where_is(key)? {
            Some(found) => {
                let deadline_ms = found.deadline.map(|deadline| now.wall_ms_of(deadline));
                append(call.reply, &found, deadline_ms);
            }
            None => call.reply.null(),
        }
    }
    Ok(())
}

fn append(reply: &mut Reply, found: &Whereabouts, deadline_ms: Option<i64>) {
    let home = match found.home {
        Home::Memory => "memory",
        Home::Disk => "disk",
    };
    reply.map(7);
    let texts =
        [("home", home), ("tier", found.tier), ("state", found.state), ("reason", found.reason)];
    for (name, text) in texts {
        reply.bulk(name.as_bytes());
        reply.bulk(text.as_bytes());
    }
    reply.bulk(b"deadline_ms");
    match deadline_ms {
        Some(moment_ms) => reply.integer(moment_ms),
        None => reply.null(),
    }
    reply.bulk(b"size_bytes");
    reply.integer(found.length as i64);
    reply.bulk(b"version");
    reply.integer(found.version as i64);
}
