//! Reading ahead: the keys that the next commands of a turn name are looked for all at once, so
//! that the waits for memory overlap. Commands one by one would each wait for their own. What it
//! has split of the requests is executed; what it has missed is left to the parser.

use std::ops::Range;

use dwell_wire::{Request, WholeRequests};

use crate::clients::Clients;
use crate::execute::Executor;
use crate::input::{Arena, Source};
use crate::turn::Work;

/// Commands that are looked at together: what they bring fits into the nearest cache.
const COMMANDS_AHEAD: usize = 32;

/// The requests of the connections that were looked at last.
#[derive(Debug, Default)]
pub struct Lookahead {
    requests: WholeRequests,
    /// Which of them each of these connections has, one connection behind the other.
    shares: Vec<Range<usize>>,
    /// Connections of the turn before these.
    before: usize,
}

/// Requests of one connection that were split already, in order.
pub struct Ahead<'a> {
    requests: &'a WholeRequests,
    share: Range<usize>,
}

impl Lookahead {
    /// Looks at the commands of the first few connections in `work`, where `before` others have
    /// been; tells where the first stands that it has not looked at.
    pub(crate) fn run(
        &mut self,
        (work, before): (&[Work], usize),
        arena: &Arena,
        clients: &Clients,
        executor: &mut Executor<'_>,
    ) -> usize {
        self.requests.clear();
        self.shares.clear();
        self.before = before;
        let mut keys = 0;
        for Work { client, source } in work {
            let first = self.requests.len();
            let session = clients.peek(*client).map(|connection| &connection.session);
            if let (Source::Arena(range), Some(session)) = (source, session) {
                let namespace = executor.house.databases[session.database];
                let limits = executor.house.limits(session);
                self.requests.split(arena.slice(range), &limits, COMMANDS_AHEAD, |arguments| {
                    if let Some(key) = arguments.get(1) {
                        executor.turn.get().expect(namespace, key);
                        keys += 1;
                    }
                });
            }
            self.shares.push(first..self.requests.len());
            if self.requests.len() >= COMMANDS_AHEAD {
                break;
            }
        }
        if keys > 0 {
            executor.turn.get().prefetch_expected();
        }
        before + self.shares.len()
    }

    /// What was split of a connection's requests; nothing if it was not looked at.
    pub(crate) fn of(&self, position: usize) -> Ahead<'_> {
        let place = position.checked_sub(self.before);
        let share = place.and_then(|place| self.shares.get(place)).cloned().unwrap_or_default();
        Ahead { requests: &self.requests, share }
    }
}

impl<'a> Ahead<'a> {
    /// Whether nothing was split.
    pub fn is_empty(&self) -> bool {
        self.share.is_empty()
    }

    /// The next request, which stands at the beginning of `buffer`.
    pub fn next(&mut self, buffer: &'a [u8]) -> Option<Request<'a>> {
        self.requests.get(self.share.next()?, buffer)
    }
}
