//! Which copies of disk keys stay in memory (DESIGN.md 5). What was read once waits in a bounded
//! first-in first-out queue, *probation*; a second read promotes it for a minute. So a scan over
//! cold data pushes out only what was read once. The marks stand in the entries; the queues
//! hold handles and may hold stale ones, which are passed over.

use std::collections::VecDeque;

use super::entry::Header;
use super::slab::Handle;

/// The two queues and the bytes of what is marked.
#[derive(Default)]
pub struct Copies {
    pub probation: VecDeque<Handle>,
    /// In the order of promotion, which is that of leaving: all stay equally long.
    pub promoted: VecDeque<(i64, Handle)>,
    pub probation_bytes: u64,
    pub promoted_bytes: u64,
    /// Marked entries, so that queues full of stale handles are noticed.
    marked: u64,
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

    /// Whether so many handles are stale that the queues are worth a sweep.
    pub fn is_littered(&self) -> bool {
        (self.probation.len() + self.promoted.len()) as u64 > 2 * self.marked + 4096
    }
}
