//! `SCAN cursor [MATCH pattern] [COUNT count] [TYPE type]`
//!
//! Walks the keys in bounded steps, COUNT keys in each, in the order of their bytes.
//!
//! A key that is there during the whole walk is told at least once, and exactly once while the
//! cursor is known. A cursor that the server does not know (forgotten among many others, or
//! invented) begins anew, which repeats keys and loses none.
//!
//! Source: <https://redis.io/docs/latest/commands/scan/>

use dwell_engine::glob::Glob;
use dwell_engine::{Range, Stop};
use dwell_wire::Arguments;

use crate::call::Call;
use crate::commands::argument::{self, fail, is_word, syntax_error};

/// Redis's own default.
const COUNT_DEFAULT: usize = 10;
/// The most keys of one step, whatever COUNT says, so that a step stays short (INV-06).
const COUNT_MAX: usize = 10_000;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let after = position(call, &call.args[1])?;
    let options = Options::parse(call.args.from(2))?;
    let page = call.scope.scan(&Range {
        prefix: options.pattern.as_ref().map(Glob::literal_prefix).unwrap_or_default(),
        after,
        reverse: false,
        limit: options.count,
        keys_only: true,
    })?;
    let cursor = page.next.as_deref().map_or(0, |key| call.cursors.remember(key));
    call.reply.array(2);
    call.reply.bulk(cursor.to_string().as_bytes());
    let mark = call.reply.mark();
    let mut count = 0;
    for row in &page.rows {
        if options.accepts(&row.key, row.kind.redis_name()) {
            call.reply.bulk(&row.key);
            count += 1;
        }
    }
    call.reply.array_since(mark, count);
    Ok(())
}

struct Options<'a> {
    pattern: Option<Glob>,
    count: usize,
    kind: Option<&'a [u8]>,
}

impl<'a> Options<'a> {
    fn parse(arguments: Arguments<'a>) -> Result<Self, Stop> {
        let mut options = Self { pattern: None, count: COUNT_DEFAULT, kind: None };
        let mut words = arguments.iter();
        while let (Some(word), value) = (words.next(), words.next()) {
            let value = value.ok_or_else(syntax_error)?;
            if is_word(word, "COUNT") {
                let count = usize::try_from(argument::integer(value)?).ok();
                let count = count.filter(|count| *count > 0).ok_or_else(syntax_error)?;
                options.count = count.min(COUNT_MAX);
            } else if is_word(word, "MATCH") {
                options.pattern = Some(Glob::new(value, false));
            } else if is_word(word, "TYPE") {
                options.kind = Some(value);
            } else {
                return Err(syntax_error());
            }
        }
        Ok(options)
    }

    fn accepts(&self, key: &[u8], kind: &str) -> bool {
        self.pattern.as_ref().is_none_or(|pattern| pattern.matches(key))
            && self.kind.is_none_or(|wanted| is_word(wanted, kind))
    }
}

/// The key after which to continue; the beginning for 0 and for a cursor that is forgotten.
fn position(call: &Call<'_, '_>, cursor: &[u8]) -> Result<Option<Vec<u8>>, Stop> {
    let text = std::str::from_utf8(cursor).ok().filter(|text| !text.starts_with('+'));
    let cursor = text.and_then(|text| text.parse().ok());
    Ok(call.cursors.recall(cursor.ok_or_else(|| fail("invalid cursor"))?))
}
