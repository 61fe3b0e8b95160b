//! A batch as the engine runs it: expectations first, then the queries in order.

use dwell_engine::{Error, Scope, Stop};

use super::answers::{Answer, Answers};
use crate::convert::key::HeldText;
use crate::convert::lifetime::Lifetime;
use crate::convert::value::Held;
use crate::queries;

/// Queries whose keys are looked for together.
const TASKS_AHEAD: usize = 32;

/// One query, apart from its key.
pub enum Query {
    /// The value.
    Read,
    /// A new value.
    Write(Held, Lifetime),
    /// Whether it was there.
    Delete,
    /// Whether it is there.
    Exists,
    /// The sum.
    Increment(i64),
    /// Seconds left.
    Ttl,
    /// Whether it was there.
    Expire(Lifetime),
    /// Whether a lifetime was taken away.
    Persist,
    /// The key's version.
    Version,
}

impl Query {
    /// Whether the query may change something.
    pub fn is_change(&self) -> bool {
        !matches!(self, Self::Read | Self::Exists | Self::Ttl | Self::Version)
    }
}

/// A query and the key that it is about.
pub struct Task {
    /// The key.
    pub key: HeldText,
    /// What is done with it.
    pub query: Query,
}

/// What must hold for a batch to be executed.
pub enum Condition {
    /// The key has this version; 0 is absent.
    Version(u64),
    /// The key reads as this.
    Reads(Held),
}

/// Everything that a batch is to do.
#[derive(Default)]
pub struct Plan {
    /// Whether the first error undoes the batch.
    pub is_atomic: bool,
    /// Looked at before anything is done.
    pub expectations: Vec<(HeldText, Condition)>,
    /// The queries in order.
    pub tasks: Vec<Task>,
}

impl Plan {
    /// An empty batch.
    pub fn new(is_atomic: bool) -> Self {
        Self { is_atomic, ..Self::default() }
    }

    /// Executes the whole. May run several times, when something has to be gathered first.
    pub fn run(&self, scope: &mut Scope<'_>, answers: &mut Answers) -> Result<(), Stop> {
        answers.begin();
        for (key, condition) in &self.expectations {
            if !condition.holds(scope, key)? {
                answers.blame_key(key);
                let key = String::from_utf8_lossy(key);
                let message = format!("the key is not as this batch expects it: {key}");
                return Err(Error::conflict(message).into());
            }
        }
        for tasks in self.tasks.chunks(TASKS_AHEAD) {
            scope.expect(tasks.iter().map(|task| &*task.key));
            for task in tasks {
                self.run_task(task, scope, answers)?;
            }
        }
        Ok(())
    }

    fn run_task(
        &self,
        task: &Task,
        scope: &mut Scope<'_>,
        answers: &mut Answers,
    ) -> Result<(), Stop> {
        // Alone, a query is undone by its own error; an atomic batch is undone as a whole.
        let answer = if self.is_atomic {
            task.run(scope, answers)
        } else {
            scope.attempt(|scope| task.run(scope, answers))
        };
        match answer {
            Ok(answer) => answers.push(answer),
            Err(Stop::Fail(error)) if !self.is_atomic => answers.push(Answer::Failed(error.into())),
            Err(Stop::Gather(missing)) => {
                // One gathering for all that the batch looks at, rather than one for each.
                scope.need(self.keys_looked_at())?;
                return Err(Stop::Gather(missing));
            }
            Err(stop) => {
                answers.blame_key(&task.key);
                return Err(stop);
            }
        }
        Ok(())
    }

    /// A write asks for nothing from below.
    fn keys_looked_at(&self) -> impl Iterator<Item = &[u8]> {
        let looks = self.tasks.iter().filter(|task| !matches!(task.query, Query::Write(..)));
        looks.map(|task| &*task.key)
    }
}

impl Condition {
    fn holds(&self, scope: &mut Scope<'_>, key: &[u8]) -> Result<bool, Stop> {
        match self {
            Self::Version(version) => Ok(scope.version(key)? == *version),
            Self::Reads(expected) => queries::reads_as(scope, key, &expected.view()),
        }
    }
}

impl Task {
    fn run(&self, scope: &mut Scope<'_>, answers: &mut Answers) -> Result<Answer, Stop> {
        let key = &*self.key;
        Ok(match &self.query {
            Query::Read => answers.keep(scope.read(key)?),
            Query::Write(value, lifetime) => {
                queries::write(scope, key, value.view(), *lifetime)?;
                Answer::None
            }
            Query::Delete => Answer::Flag(scope.delete(key)?),
            Query::Exists => Answer::Flag(queries::exists(scope, key)?),
            Query::Increment(by) => Answer::Integer(queries::increment(scope, key, *by)?),
            Query::Ttl => queries::seconds_left(scope, key)?.map_or(Answer::None, Answer::Decimal),
            Query::Expire(lifetime) => Answer::Flag(queries::expire(scope, key, *lifetime)?),
            Query::Persist => Answer::Flag(queries::persist(scope, key)?),
            Query::Version => Answer::Version(scope.version(key)?),
        })
    }
}
