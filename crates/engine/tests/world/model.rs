//! The keyspace as a plain map, and batches that can be run on it and on an engine alike.

use std::collections::BTreeMap;
use std::sync::Arc;

use dwell_engine::{Deadline, Error, Flag, Kind, NamespaceId, Now, OwnedValue, Range, Scope, Stop};

use super::Chance;

/// How many namespaces the batches use.
pub const SPACES: usize = 3;

/// When a key is to end.
#[derive(Debug, Clone, Copy)]
pub enum Life {
    Forever,
    AfterMs(i64),
    AtWallMs(i64),
}

impl Life {
    fn deadline(self, now: Now) -> Option<Deadline> {
        match self {
            Self::Forever => None,
            Self::AfterMs(ms) => now.after_ms(ms),
            Self::AtWallMs(ms) => Some(now.at_wall_ms(now.wall_ms + ms)),
        }
    }
}

/// One step of a batch.
#[derive(Debug, Clone)]
pub enum Op {
    Put(Vec<u8>, OwnedValue, Life),
    Patch(Vec<u8>, u64, Vec<u8>),
    Append(Vec<u8>, Vec<u8>),
    Delete(Vec<u8>),
    SetDeadline(Vec<u8>, Life),
    Rename { from: Vec<u8>, to: Vec<u8>, space: usize, keeps_source: bool },
    Clear,
    ClearAll,
    Read(Vec<u8>),
    ReadRange(Vec<u8>, u64, u64),
    Facts(Vec<u8>),
    Version(Vec<u8>),
    Touch(Vec<u8>),
    Random,
    Count,
    Page { prefix: Vec<u8>, after: Option<Vec<u8>>, reverse: bool },
    Select(usize),
    Attempt(Vec<Op>, bool),
}

/// What a step answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    Done,
    Is(bool),
    Length(u64),
    Text(Option<Vec<u8>>),
    Known(Option<(Kind, u64, Option<Deadline>)>),
    Key(Option<Vec<u8>>),
    Count(u64),
    Keys(Vec<Vec<u8>>),
    All(Vec<Answer>),
    Failed,
}

/// A batch, and whether it is to fail at its end.
#[derive(Debug, Clone)]
pub struct Batch {
    pub space: usize,
    pub ops: Vec<Op>,
    pub fails: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Held {
    pub kind: Kind,
    pub text: Arc<[u8]>,
    pub deadline: Option<Deadline>,
}

/// The keyspace as a plain map. Expired keys stay until they are met, as in the engine.
#[derive(Debug, Clone, Default)]
pub struct Model {
    pub spaces: [BTreeMap<Vec<u8>, Held>; SPACES],
}

const PAGE_ROWS: usize = 4;

impl Model {
    /// Runs a whole batch.
    pub fn run(&mut self, batch: &Batch, now: Now) -> Option<Vec<Answer>> {
        let before = batch.fails.then(|| self.clone());
        let mut space = batch.space;
        let answers = batch.ops.iter().map(|op| self.apply(&mut space, op, now)).collect();
        if let Some(before) = before {
            *self = before;
            return None;
        }
        Some(answers)
    }

    /// The key if it is there and has not ended.
    pub fn live(&self, space: usize, key: &[u8], now: Now) -> Option<&Held> {
        self.spaces[space].get(key).filter(|held| !is_past(held, now))
    }

    /// All keys of a namespace that have not ended.
    pub fn live_keys(&self, space: usize, now: Now) -> Vec<Vec<u8>> {
        let all = self.spaces[space].iter();
        all.filter(|(_, held)| !is_past(held, now)).map(|(key, _)| key.clone()).collect()
    }

    fn meet(&mut self, space: usize, key: &[u8], now: Now) -> Option<&mut Held> {
        if self.spaces[space].get(key).is_some_and(|held| is_past(held, now)) {
            self.spaces[space].remove(key);
        }
        self.spaces[space].get_mut(key)
    }

    fn put(&mut self, space: usize, key: &[u8], held: Held, now: Now) {
        if is_past(&held, now) {
            self.spaces[space].remove(key);
        } else {
            self.spaces[space].insert(key.to_vec(), held);
        }
    }

    fn patch(&mut self, space: usize, key: &[u8], offset: u64, data: &[u8], now: Now) -> u64 {
        let length = self.meet(space, key, now).map_or(0, |held| held.text.len());
        if data.is_empty() {
            return length as u64;
        }
        let found = self.meet(space, key, now);
        let mut text = found.as_ref().map_or(Vec::new(), |held| held.text.to_vec());
        let end = offset as usize + data.len();
        text.resize(text.len().max(end), 0);
        text[offset as usize..end].copy_from_slice(data);
        let deadline = found.and_then(|held| held.deadline);
        let length = text.len() as u64;
        let held = Held { kind: Kind::String, text: text.into(), deadline };
        self.spaces[space].insert(key.to_vec(), held);
        length
    }

    fn apply(&mut self, space: &mut usize, op: &Op, now: Now) -> Answer {
        let at = *space;
        match op {
            Op::Put(key, value, life) => {
                let value = value.view();
                let (kind, text) = (value.kind(), value.to_vec().into());
                self.put(at, key, Held { kind, text, deadline: life.deadline(now) }, now);
                Answer::Done
            }
            Op::Patch(key, offset, data) => Answer::Length(self.patch(at, key, *offset, data, now)),
            Op::Append(key, data) => {
                let length = self.meet(at, key, now).map(|held| held.text.len() as u64);
                if length.is_none() && data.is_empty() {
                    let held = Held { kind: Kind::String, text: Arc::from([]), deadline: None };
                    self.put(at, key, held, now);
                }
                Answer::Length(self.patch(at, key, length.unwrap_or(0), data, now))
            }
            Op::Delete(key) => {
                let is_there = self.meet(at, key, now).is_some();
                self.spaces[at].remove(key);
                Answer::Is(is_there)
            }
            Op::SetDeadline(key, life) => {
                let Some(held) = self.meet(at, key, now) else {
                    return Answer::Is(false);
                };
                held.deadline = life.deadline(now);
                self.meet(at, key, now);
                Answer::Is(true)
            }
            Op::Rename { from, to, space: target, keeps_source } => {
                let Some(held) = self.meet(at, from, now).map(|held| held.clone()) else {
                    return Answer::Is(false);
                };
                if !keeps_source {
                    self.spaces[at].remove(from);
                }
                self.spaces[*target].insert(to.clone(), held);
                Answer::Is(true)
            }
            Op::Clear => {
                self.spaces[at].clear();
                Answer::Done
            }
            Op::ClearAll => {
                self.spaces = Default::default();
                Answer::Done
            }
            Op::Select(space_now) => {
                *space = *space_now;
                Answer::Done
            }
            Op::Attempt(ops, fails) => self.attempt(space, ops, *fails, now),
            asks => self.answer(at, asks, now),
        }
    }

    fn attempt(&mut self, space: &mut usize, ops: &[Op], fails: bool, now: Now) -> Answer {
        let at = *space;
        let before = fails.then(|| self.clone());
        let answers = ops.iter().map(|op| self.apply(space, op, now)).collect();
        match before {
            Some(before) => {
                *self = before;
                *space = at;
                Answer::Failed
            }
            None => Answer::All(answers),
        }
    }

    /// What an operation that changes nothing answers.
    fn answer(&mut self, at: usize, op: &Op, now: Now) -> Answer {
        match op {
            Op::Read(key) => Answer::Text(self.meet(at, key, now).map(|held| held.text.to_vec())),
            Op::ReadRange(key, start, end) => Answer::Text(self.meet(at, key, now).map(|held| {
                let end = (*end as usize).min(held.text.len());
                held.text[(*start as usize).min(end)..end].to_vec()
            })),
            Op::Facts(key) => Answer::Known(
                self.meet(at, key, now)
                    .map(|held| (held.kind, held.text.len() as u64, held.deadline)),
            ),
            Op::Version(key) | Op::Touch(key) => Answer::Is(self.meet(at, key, now).is_some()),
            // Which key it is and how many that ended are still counted is the engine's choice.
            Op::Random => Answer::Is(!self.live_keys(at, now).is_empty()),
            Op::Count => Answer::Count(self.live_keys(at, now).len() as u64),
            Op::Page { prefix, after, reverse } => {
                let range = page_range(prefix, after.as_deref(), *reverse);
                Answer::Keys(self.page(at, &range, now))
            }
            change => unreachable!("{change:?} changes something"),
        }
    }

    fn page(&self, space: usize, range: &Range, now: Now) -> Vec<Vec<u8>> {
        let mut keys = self.live_keys(space, now);
        if range.reverse {
            keys.reverse();
        }
        let fits = |key: &Vec<u8>| {
            let is_beyond = range
                .after
                .as_ref()
                .is_none_or(|after| if range.reverse { key < after } else { key > after });
            is_beyond && key.starts_with(&range.prefix)
        };
        keys.into_iter().filter(fits).collect()
    }
}

fn is_past(held: &Held, now: Now) -> bool {
    held.deadline.is_some_and(|deadline| now.is_past(deadline))
}

fn page_range(prefix: &[u8], after: Option<&[u8]>, reverse: bool) -> Range {
    Range {
        prefix: prefix.to_vec(),
        after: after.map(<[u8]>::to_vec),
        reverse,
        limit: PAGE_ROWS,
        keys_only: true,
    }
}

/// Whether the engine's answer is one that the model allows. `ended` tells how many keys that
/// have ended may still be counted.
pub fn agrees(found: &Answer, expected: &Answer, ended: u64) -> bool {
    match (found, expected) {
        (Answer::Key(key), Answer::Is(is_any)) => key.is_some() == *is_any,
        (Answer::Count(found), Answer::Count(least)) => (*least..=*least + ended).contains(found),
        // A page may be shorter than its limit, but not empty unless it is the last.
        (Answer::Keys(found), Answer::Keys(all)) => all.starts_with(found),
        (Answer::All(found), Answer::All(expected)) => {
            found.len() == expected.len()
                && found.iter().zip(expected).all(|(one, other)| agrees(one, other, ended))
        }
        (found, expected) => found == expected,
    }
}

/// Runs a batch on an engine.
pub fn perform(
    scope: &mut Scope<'_>,
    names: &[NamespaceId],
    batch: &Batch,
) -> Result<Vec<Answer>, Stop> {
    let answers = perform_all(scope, names, &batch.ops)?;
    if batch.fails { Err(wanted().into()) } else { Ok(answers) }
}

/// The error that a batch is to fail with.
pub fn wanted() -> Error {
    Error::invalid("as wanted")
}

fn perform_all(
    scope: &mut Scope<'_>,
    names: &[NamespaceId],
    ops: &[Op],
) -> Result<Vec<Answer>, Stop> {
    ops.iter().map(|op| perform_one(scope, names, op)).collect()
}

fn perform_one(scope: &mut Scope<'_>, names: &[NamespaceId], op: &Op) -> Result<Answer, Stop> {
    Ok(match op {
        Op::Put(key, value, life) => {
            let deadline = life.deadline(scope.now());
            scope.put(key, value.view(), deadline)?;
            Answer::Done
        }
        Op::Patch(key, offset, data) => Answer::Length(scope.patch(key, *offset, data)?),
        Op::Append(key, data) => Answer::Length(scope.append(key, data)?),
        Op::Delete(key) => Answer::Is(scope.delete(key)?),
        Op::SetDeadline(key, life) => {
            let deadline = life.deadline(scope.now());
            Answer::Is(scope.set_deadline(key, deadline)?)
        }
        Op::Rename { from, to, space, keeps_source } => {
            Answer::Is(scope.rename(from, to, names[*space], *keeps_source)?)
        }
        Op::Clear => {
            scope.clear()?;
            Answer::Done
        }
        Op::ClearAll => {
            scope.clear_all()?;
            Answer::Done
        }
        Op::Read(key) => Answer::Text(scope.read(key)?.map(|value| value.to_vec())),
        Op::ReadRange(key, start, end) => Answer::Text(scope.read_range(key, *start, *end)?),
        Op::Facts(key) => {
            Answer::Known(scope.facts(key)?.map(|facts| (facts.kind, facts.length, facts.deadline)))
        }
        Op::Version(key) => Answer::Is(scope.version(key)? != 0),
        Op::Touch(key) => Answer::Is(scope.touch(key)?),
        Op::Random => Answer::Key(scope.random_key()?),
        Op::Count => Answer::Count(scope.count()?),
        Op::Page { prefix, after, reverse } => {
            let page = scope.scan(&page_range(prefix, after.as_deref(), *reverse))?;
            Answer::Keys(page.rows.into_iter().map(|row| row.key).collect())
        }
        Op::Select(space) => {
            scope.select(names[*space]);
            Answer::Done
        }
        Op::Attempt(ops, fails) => {
            let result = scope.attempt(|scope| {
                let answers = perform_all(scope, names, ops)?;
                if *fails { Err(wanted().into()) } else { Ok(answers) }
            });
            match result {
                Ok(answers) => Answer::All(answers),
                Err(Stop::Fail(error)) if error == wanted() => Answer::Failed,
                Err(other) => return Err(other),
            }
        }
    })
}

/// Makes batches up.
pub struct Maker {
    pub keys: u64,
    /// Longest value, in bytes.
    pub length_max: usize,
}

impl Maker {
    pub fn key(&self, chance: &mut Chance) -> Vec<u8> {
        key_of(chance.below(self.keys))
    }

    pub fn batch(&self, chance: &mut Chance) -> Batch {
        let count = 1 + chance.below(4);
        let ops = (0..count).map(|_| self.op(chance, 0)).collect();
        Batch { space: chance.below(SPACES as u64) as usize, ops, fails: chance.one_in(12) }
    }

    fn op(&self, chance: &mut Chance, depth: u32) -> Op {
        match chance.below(100) {
            0..=27 => Op::Put(self.key(chance), self.value(chance), life(chance)),
            28..=36 => Op::Patch(self.key(chance), self.offset(chance), self.part(chance)),
            37..=43 => Op::Append(self.key(chance), self.part(chance)),
            44..=53 => Op::Delete(self.key(chance)),
            54..=61 => Op::SetDeadline(self.key(chance), life(chance)),
            62..=65 => Op::Rename {
                from: self.key(chance),
                to: self.key(chance),
                space: chance.below(SPACES as u64) as usize,
                keeps_source: chance.one_in(2),
            },
            66 if chance.one_in(4) => Op::Clear,
            66 if chance.one_in(4) => Op::ClearAll,
            66..=72 => Op::Read(self.key(chance)),
            73..=76 => {
                let start = self.offset(chance);
                Op::ReadRange(self.key(chance), start, start + chance.below(80_000))
            }
            77..=80 => Op::Facts(self.key(chance)),
            81..=82 => Op::Version(self.key(chance)),
            83..=84 => Op::Touch(self.key(chance)),
            85..=86 => Op::Random,
            87..=88 => Op::Count,
            89..=92 => Op::Page {
                prefix: chance.pick(&[&b""[..], b"k", b"k0", b"huge"]).to_vec(),
                after: chance.one_in(2).then(|| self.key(chance)),
                reverse: chance.one_in(2),
            },
            93..=94 => Op::Select(chance.below(SPACES as u64) as usize),
            _ if depth > 1 => Op::Read(self.key(chance)),
            _ => {
                let count = 1 + chance.below(3);
                let ops = (0..count).map(|_| self.op(chance, depth + 1)).collect();
                Op::Attempt(ops, chance.one_in(2))
            }
        }
    }

    fn value(&self, chance: &mut Chance) -> OwnedValue {
        match chance.below(12) {
            0 => OwnedValue::Void,
            1 => OwnedValue::Flag(*chance.pick(&[Flag::False, Flag::True, Flag::Null])),
            2 | 3 => OwnedValue::Integer(chance.next() as i64),
            4 => OwnedValue::Decimal(chance.below(1000) as f64 / 8.0),
            5 => OwnedValue::Point([1.5, chance.below(9) as f64, -2.0]),
            _ => OwnedValue::from_bytes(&self.bytes(chance)),
        }
    }

    fn bytes(&self, chance: &mut Chance) -> Vec<u8> {
        let usual = [0, 1, 8, 30, 100, 255, 256, 257, 400, 511, 512, 513, 2000, 9000];
        let large = [65_535, 65_536, 65_537, 131_072, 200_000, 300_000];
        let length = if chance.one_in(6) { *chance.pick(&large) } else { *chance.pick(&usual) };
        let fill = chance.next().to_le_bytes();
        fill.iter().copied().cycle().take(length.min(self.length_max)).collect()
    }

    fn part(&self, chance: &mut Chance) -> Vec<u8> {
        let length = *chance.pick(&[0, 1, 3, 20, 300, 5000, 70_000]);
        let fill = chance.next().to_le_bytes();
        fill.iter().copied().cycle().take(length.min(self.length_max / 2)).collect()
    }

    fn offset(&self, chance: &mut Chance) -> u64 {
        let offset = *chance.pick(&[0, 2, 100, 250, 500, 3000, 65_530, 65_536, 131_072, 250_000]);
        offset.min(self.length_max as u64)
    }
}

fn life(chance: &mut Chance) -> Life {
    match chance.below(8) {
        0..=3 => Life::Forever,
        4 | 5 => Life::AfterMs(chance.below(20_000) as i64 - 200),
        6 => Life::AfterMs(100_000 + chance.below(9) as i64),
        _ => Life::AtWallMs(chance.below(20_000) as i64 - 200),
    }
}

/// The key of a number.
pub fn key_of(number: u64) -> Vec<u8> {
    // Some keys are long, so that entries of all sizes and pages of their own occur.
    match number % 11 {
        0 => format!("long:{number:03}:{}", "x".repeat(300)).into_bytes(),
        1 => format!("huge:{number:03}:{}", "y".repeat(5000)).into_bytes(),
        _ => format!("k{number:03}").into_bytes(),
    }
}
