//! `KEYS pattern`
//!
//! Lists the keys that match a glob, in slices that hold up nobody.
//!
//! They come in the order of their bytes. Outside MULTI other clients are served in between: a key
//! that is there during the whole walk is told exactly once, one that comes or goes meanwhile may
//! be told or not. Inside MULTI all of it is one moment, and more than 10,000 keys are refused.
//!
//! The literal prefix of the pattern narrows the walk: `user:*` costs the keys below `user:`.
//!
//! Source: <https://redis.io/docs/latest/commands/keys/>

use std::sync::Arc;

use dwell_engine::glob::Glob;
use dwell_engine::{Range, ScanRow, Sight, Stop, limits};
use dwell_wire::Reply;

use super::matching;
use crate::call::Call;
use crate::commands::argument::fail;
use crate::errand::{self, Errand, Next};

/// The most keys that are looked at inside MULTI.
const KEYS_IN_MULTI_MAX: usize = 10_000;
/// Bytes of the reply that make a piece: large enough to be sent without being copied.
const PIECE_BYTES: usize = 64 * 1024;

pub(crate) fn run(call: &mut Call<'_, '_>) -> Result<(), Stop> {
    errand::begin(Walk::new(Glob::new(&call.args[1], false)), call)
}

/// A walk through the keys, and what it has listed.
struct Walk {
    glob: Glob,
    /// What is yet to be walked; `None` at the end.
    ahead: Option<Range>,
    /// Keys that were not compared yet.
    page: Vec<ScanRow>,
    sight: Option<Sight>,
    looks: usize,
    count: usize,
    pieces: Vec<Arc<[u8]>>,
    listed: Reply,
}

impl Walk {
    fn new(glob: Glob) -> Self {
        let ahead = Range {
            prefix: glob.literal_prefix(),
            after: None,
            reverse: false,
            limit: limits::SLICE_KEYS,
            keys_only: true,
        };
        Self {
            glob,
            ahead: Some(ahead),
            page: Vec::new(),
            sight: None,
            looks: 0,
            count: 0,
            pieces: Vec::new(),
            listed: Reply::default(),
        }
    }

    fn reply(&mut self, reply: &mut Reply) {
        reply.array(self.count);
        reply.raw_pieces(self.pieces.drain(..));
        reply.raw(self.listed.bytes());
    }
}

impl Errand for Walk {
    fn step(&mut self, call: &mut Call<'_, '_>) -> Result<Next, Stop> {
        if self.sight.as_ref().is_some_and(|sight| !call.scope.recall(sight)) {
            *self = Self::new(self.glob.clone());
        }
        let Some(ahead) = &mut self.ahead else {
            self.reply(call.reply);
            return Ok(Next::Done);
        };
        let page = call.scope.scan(ahead)?;
        self.looks += page.rows.len();
        if call.is_in_multi && self.looks > KEYS_IN_MULTI_MAX {
            let why = format!("KEYS looks at {KEYS_IN_MULTI_MAX} keys at most inside MULTI");
            return Err(fail(format!("{why}, use it outside, or SCAN")));
        }
        let is_short = page.next.is_none() && matching::is_quick(&self.glob, &page.rows);
        ahead.after = page.next;
        if ahead.after.is_none() {
            self.ahead = None;
        }
        self.page = page.rows;
        self.sight = Some(call.scope.sight());
        if !is_short {
            return Ok(Next::Work);
        }
        self.work();
        self.reply(call.reply);
        Ok(Next::Done)
    }

    fn work(&mut self) {
        for row in self.page.drain(..).filter(|row| self.glob.matches(&row.key)) {
            self.listed.bulk(&row.key);
            self.count += 1;
        }
        if self.listed.size_bytes() >= PIECE_BYTES {
            self.pieces.push(Arc::from(self.listed.bytes()));
            self.listed.clear(2 * PIECE_BYTES);
        }
    }
}
