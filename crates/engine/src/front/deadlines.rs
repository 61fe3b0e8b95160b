//! Which entries end when: exact, ordered, one element per entry with a deadline. An exact set
//! costs more than a wheel with stale elements, but an update can confuse nothing (TTL-06) and
//! memory follows the number of keys, not of writes.

use std::collections::BTreeSet;

use super::slab::Handle;
use crate::clock::{Deadline, Now};

/// Handles by deadline; relative and absolute ones run on different clocks.
#[derive(Default)]
pub struct Deadlines {
    relative: BTreeSet<(i64, Handle)>,
    absolute: BTreeSet<(i64, Handle)>,
    is_put_off: bool,
}

impl Deadlines {
    /// Entries with a deadline.
    pub fn len(&self) -> usize {
        self.relative.len() + self.absolute.len()
    }

    /// Memory held, in bytes. A B-tree node is about two thirds full.
    pub fn size_bytes(&self) -> usize {
        self.len() * size_of::<(i64, Handle)>() * 3 / 2
    }

    /// Notes nothing until [`Deadlines::take_up`]: to sort all of them at the end of a recovery
    /// costs a fraction of keeping them in order during it.
    pub fn put_off(&mut self) {
        self.is_put_off = true;
    }

    /// Takes up all the deadlines there are.
    pub fn take_up(&mut self, all: impl Iterator<Item = (Deadline, Handle)>) {
        let elements = |(deadline, handle): (Deadline, Handle)| (deadline.at_ms, handle);
        let (absolute, relative): (Vec<_>, Vec<_>) = all.partition(|(one, _)| one.absolute);
        self.relative = relative.into_iter().map(elements).collect();
        self.absolute = absolute.into_iter().map(elements).collect();
        self.is_put_off = false;
    }

    /// Notes a deadline.
    pub fn add(&mut self, deadline: Deadline, handle: Handle) {
        if !self.is_put_off {
            self.of(deadline).insert((deadline.at_ms, handle));
        }
    }

    /// Forgets a deadline.
    pub fn remove(&mut self, deadline: Deadline, handle: Handle) {
        self.of(deadline).remove(&(deadline.at_ms, handle));
    }

    /// Up to `limit` entries whose deadline has come, the earliest first of either clock.
    pub fn due(&self, now: Now, limit: usize, out: &mut Vec<Handle>) {
        let sides = [(&self.relative, now.engine_ms), (&self.absolute, now.wall_ms)];
        for (side, now_ms) in sides {
            let come = side.iter().take_while(|(at_ms, _)| *at_ms <= now_ms);
            out.extend(come.take(limit).map(|(_, handle)| *handle));
        }
    }

    /// All of them, those that end first leading.
    pub fn by_time_left(&self, now: Now) -> impl Iterator<Item = Handle> + '_ {
        let mut relative = self.relative.iter().peekable();
        let mut absolute = self.absolute.iter().peekable();
        std::iter::from_fn(move || {
            let left = relative.peek().map(|(at_ms, _)| at_ms.saturating_sub(now.engine_ms));
            let other = absolute.peek().map(|(at_ms, _)| at_ms.saturating_sub(now.wall_ms));
            let takes_relative = match (left, other) {
                (Some(left), Some(other)) => left <= other,
                (left, _) => left.is_some(),
            };
            let side = if takes_relative { &mut relative } else { &mut absolute };
            side.next().map(|(_, handle)| *handle)
        })
    }

    fn of(&mut self, deadline: Deadline) -> &mut BTreeSet<(i64, Handle)> {
        if deadline.absolute { &mut self.absolute } else { &mut self.relative }
    }
}

#[cfg(test)]
mod tests;
