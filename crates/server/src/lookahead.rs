//! Reading ahead: the keys that the next commands of a turn name are looked for all at once, so
//! that the waits for memory overlap. Commands one by one would each wait for their own. It only
//! reads, and what it gets wrong costs nothing but its time.

use dwell_wire::{RequestLimits, RequestParser};

use crate::clients::Clients;
use crate::execute::Executor;
use crate::input::{Arena, Source};
use crate::turn::Work;

/// Commands that are looked at together: what they bring fits into the nearest cache.
const COMMANDS_AHEAD: usize = 32;

/// A parser of its own, since what it reads will be read again.
#[derive(Debug, Default)]
pub struct Lookahead {
    parser: RequestParser,
}

impl Lookahead {
    /// Looks at the commands of the first few connections in `work`; tells how many these were.
    pub(crate) fn run(
        &mut self,
        work: &[Work],
        arena: &Arena,
        clients: &Clients,
        executor: &mut Executor<'_>,
    ) -> usize {
        let mut commands = 0;
        let mut keys = 0;
        let mut connections = 0;
        for Work { client, source } in work {
            connections += 1;
            let session = clients.peek(*client).map(|connection| &connection.session);
            if let (Source::Arena(range), Some(session)) = (source, session) {
                let namespace = executor.house.databases[session.database];
                commands += self.expect(arena.slice(range), |key| {
                    executor.turn.get().expect(namespace, key);
                    keys += 1;
                });
            }
            if commands >= COMMANDS_AHEAD {
                break;
            }
        }
        if keys > 0 {
            executor.turn.get().prefetch_expected();
        }
        connections
    }

    /// Names the first argument of each command in `buffer`; tells how many there were.
    fn expect(&mut self, mut buffer: &[u8], mut expect: impl FnMut(&[u8])) -> usize {
        let limits = RequestLimits::default();
        let mut commands = 0;
        while commands < COMMANDS_AHEAD {
            let Ok(Some(request)) = self.parser.parse(buffer, &limits) else {
                // Whatever it stopped in the middle of will be read again from its beginning.
                self.parser.reset();
                break;
            };
            commands += 1;
            if let Some(key) = request.arguments.get(1) {
                expect(key);
            }
            buffer = &buffer[request.consumed..];
        }
        commands
    }
}
