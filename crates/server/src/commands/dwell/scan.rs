//! `DWELL.SCAN prefix [LIMIT limit] [CURSOR cursor] [REV] [KEYSONLY]`
//!
//! Walks the keys under a prefix in the order of their bytes, over both homes, with their values.
//!
//! The reply is a cursor and a list of key, value, key, value. The cursor is nil at the end; else
//! it is the key after which the next call continues, so it is never forgotten and means the same
//! on every connection. A key that is there during the whole walk is told exactly once. LIMIT
//! counts keys, 100 unless said otherwise; a call that would take long has fewer, and a cursor.
//!
//! Source: Dwell's own.

use dwell_engine::{Range, Stop};
use dwell_wire::Arguments;

use crate::call::Call;
use crate::commands::argument::{fail, integer, is_word, syntax_error};
use crate::commands::string::text;

const LIMIT_DEFAULT: usize = 100;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let range = parse(&call.args[1], call.args.from(2))?;
    let page = call.scope.scan(&range)?;
    let reply = &mut *call.reply;
    reply.array(2);
    match &page.next {
        Some(cursor) => reply.bulk(cursor),
        None => reply.null(),
    }
    reply.array(page.rows.len() * if range.keys_only { 1 } else { 2 });
    for row in &page.rows {
        reply.bulk(&row.key);
        if let Some(value) = &row.value {
            text::append(reply, &value.view());
        }
    }
    Ok(())
}

fn parse(prefix: &[u8], arguments: Arguments<'_>) -> Result<Range, Stop> {
    let mut range = Range {
        prefix: prefix.to_vec(),
        after: None,
        reverse: false,
        limit: LIMIT_DEFAULT,
        keys_only: false,
    };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        if is_word(word, "REV") {
            range.reverse = true;
        } else if is_word(word, "KEYSONLY") {
            range.keys_only = true;
        } else if is_word(word, "CURSOR") {
            range.after = Some(words.next().ok_or_else(syntax_error)?.to_vec());
        } else if is_word(word, "LIMIT") {
            let limit = integer(words.next().ok_or_else(syntax_error)?)?;
            let limit = usize::try_from(limit).ok().filter(|limit| *limit > 0);
            range.limit = limit.ok_or_else(|| fail("LIMIT must be positive"))?;
        } else {
            return Err(syntax_error());
        }
    }
    Ok(range)
}
