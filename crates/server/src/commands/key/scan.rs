//! `SCAN cursor [MATCH pattern] [COUNT count] [TYPE type]`
//!
//! Walks the keys in bounded steps, COUNT keys in each but no more than a turn has time for, in
//! the order of their bytes.
//!
//! A key that is there during the whole walk is told at least once, and exactly once while the
//! cursor is known. A cursor that the server does not know (forgotten among many others, or
//! invented) begins anew, which repeats keys and loses none.
//!
//! Source: <https://redis.io/docs/latest/commands/scan/>

use dwell_engine::glob::Glob;
use dwell_engine::{Page, Range, Sight, Stop};
use dwell_wire::Arguments;

use super::matching;
use crate::call::Call;
use crate::commands::argument::{self, fail, is_word, syntax_error};
use crate::errand::{self, Errand, Next};

/// Redis's own default.
const COUNT_DEFAULT: usize = 10;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    let after = position(call, &call.args[1])?;
    let options = Options::parse(call.args.from(2))?;
    errand::begin(Walk { after, options, page: None, sight: None }, call)
}

/// One step of a scan: its keys, which are compared with the pattern elsewhere if that takes long.
struct Walk {
    after: Option<Vec<u8>>,
    options: Options,
    page: Option<Page>,
    sight: Option<Sight>,
}

impl Errand for Walk {
    fn step(&mut self, call: &mut Call<'_, '_>) -> Result<Next, Stop> {
        let stands = self.sight.as_ref().is_some_and(|sight| call.scope.recall(sight));
        if let Some(page) = self.page.as_ref().filter(|_| stands) {
            answer(call, page);
            return Ok(Next::Done);
        }
        let pattern = self.options.pattern.as_ref();
        let page = call.scope.scan(&Range {
            prefix: pattern.map(Glob::literal_prefix).unwrap_or_default(),
            after: self.after.clone(),
            reverse: false,
            limit: self.options.count,
            keys_only: true,
        })?;
        let is_quick = pattern.is_none_or(|pattern| matching::is_quick(pattern, &page.rows));
        self.page = Some(page);
        self.sight = Some(call.scope.sight());
        if !is_quick {
            return Ok(Next::Work);
        }
        self.work();
        if let Some(page) = &self.page {
            answer(call, page);
        }
        Ok(Next::Done)
    }

    fn work(&mut self) {
        let Self { options, page, .. } = self;
        if let Some(page) = page {
            page.rows.retain(|row| options.accepts(&row.key, row.kind.redis_name()));
        }
    }
}

fn answer(call: &mut Call<'_, '_>, page: &Page) {
    let cursor = page.next.as_deref().map_or(0, |key| call.cursors.remember(key));
    call.reply.array(2);
    call.reply.bulk(cursor.to_string().as_bytes());
    call.reply.array(page.rows.len());
    page.rows.iter().for_each(|row| call.reply.bulk(&row.key));
}

struct Options {
    pattern: Option<Glob>,
    count: usize,
    kind: Option<Vec<u8>>,
}

impl Options {
    fn parse(arguments: Arguments<'_>) -> Result<Self, Stop> {
        let mut options = Self { pattern: None, count: COUNT_DEFAULT, kind: None };
        let mut words = arguments.iter();
        while let (Some(word), value) = (words.next(), words.next()) {
            let value = value.ok_or_else(syntax_error)?;
            if is_word(word, "COUNT") {
                let count = usize::try_from(argument::integer(value)?).ok();
                let count = count.filter(|count| *count > 0).ok_or_else(syntax_error)?;
                options.count = count;
            } else if is_word(word, "MATCH") {
                options.pattern = Some(Glob::new(value, false));
            } else if is_word(word, "TYPE") {
                options.kind = Some(value.to_vec());
            } else {
                return Err(syntax_error());
            }
        }
        Ok(options)
    }

    fn accepts(&self, key: &[u8], kind: &str) -> bool {
        self.pattern.as_ref().is_none_or(|pattern| pattern.matches(key))
            && self.kind.as_ref().is_none_or(|wanted| is_word(wanted, kind))
    }
}

/// The key after which to continue; the beginning for 0 and for a cursor that is forgotten.
fn position(call: &Call<'_, '_>, cursor: &[u8]) -> Result<Option<Vec<u8>>, Stop> {
    let text = std::str::from_utf8(cursor).ok().filter(|text| !text.starts_with('+'));
    let cursor = text.and_then(|text| text.parse().ok());
    Ok(call.cursors.recall(cursor.ok_or_else(|| fail("invalid cursor"))?))
}
