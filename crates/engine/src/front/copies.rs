//! Which copies of disk keys stay in memory (DESIGN.md 5). What was read once waits in a bounded
//! first-in first-out queue, *probation*; a second read promotes it for a minute. So a scan over
//! cold data pushes out only what was read once. The marks stand in the entries; the queues
//! hold handles and may hold stale ones, which are passed over.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};

use super::entry::Header;
use super::slab::Handle;

/// First in, first out. Stale elements are weeded out in steps, and the order stays.
pub struct Queue<T> {
    /// The oldest, already weeded.
    kept: VecDeque<T>,
    rest: VecDeque<T>,
    /// How many of the rest the present weeding has yet to look at.
    unweeded: usize,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self { kept: VecDeque::new(), rest: VecDeque::new(), unweeded: 0 }
    }
}

impl<T> Queue<T> {
    /// Elements, stale ones among them.
    pub fn len(&self) -> usize {
        self.kept.len() + self.rest.len()
    }

    /// Adds an element at the end.
    pub fn push_back(&mut self, element: T) {
        self.rest.push_back(element);
    }

    /// The oldest element.
    pub fn front(&self) -> Option<&T> {
        self.kept.front().or_else(|| self.rest.front())
    }

    /// Takes the oldest element out.
    pub fn pop_front(&mut self) -> Option<T> {
        self.kept.pop_front().or_else(|| {
            self.unweeded = self.unweeded.saturating_sub(1);
            self.rest.pop_front()
        })
    }

    /// Begins to weed, unless a weeding is under way.
    pub fn begin_weeding(&mut self) {
        if self.unweeded == 0 {
            self.kept.append(&mut self.rest);
            std::mem::swap(&mut self.kept, &mut self.rest);
            self.unweeded = self.rest.len();
        }
    }

    /// Looks at up to `looks_max` elements and drops those that are stale.
    pub fn weed_some(&mut self, looks_max: usize, mut is_current: impl FnMut(&T) -> bool) {
        let looks = looks_max.min(self.unweeded);
        self.unweeded -= looks;
        self.kept.extend(self.rest.drain(..looks).filter(|element| is_current(element)));
    }
}

/// Keeps all copies where they are, for as long as it is kept itself.
pub type Hold = Arc<()>;

/// The two queues and the bytes of what is marked.
#[derive(Default)]
pub struct Copies {
    pub probation: Queue<Handle>,
    /// In the order of promotion, which is that of leaving: all stay equally long.
    pub promoted: Queue<(i64, Handle)>,
    pub probation_bytes: u64,
    pub promoted_bytes: u64,
    /// Marked entries, so that queues full of stale handles are noticed.
    marked: u64,
    held: Weak<()>,
}

impl Copies {
    /// Follows an entry's marks; `bytes` is negative when it goes.
    pub fn tally(&mut self, header: &Header, bytes: i64) {
        if !header.probation && !header.promoted {
            return;
        }
        self.marked = self.marked.wrapping_add_signed(bytes.signum());
        if header.probation {
            self.probation_bytes = self.probation_bytes.wrapping_add_signed(bytes);
        }
        if header.promoted {
            self.promoted_bytes = self.promoted_bytes.wrapping_add_signed(bytes);
        }
    }

    /// Keeps the copies beyond their bounds while a batch needs them all.
    pub fn hold(&mut self) -> Hold {
        self.held.upgrade().unwrap_or_else(|| {
            let hold = Hold::default();
            self.held = Arc::downgrade(&hold);
            hold
        })
    }

    /// Whether somebody needs them to stay.
    pub fn is_held(&self) -> bool {
        self.held.strong_count() > 0
    }

    /// Whether so many handles are stale that the queues are worth a sweep.
    pub fn is_littered(&self) -> bool {
        (self.probation.len() + self.promoted.len()) as u64 > 2 * self.marked + 4096
    }
}

#[cfg(test)]
mod tests;
