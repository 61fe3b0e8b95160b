//! How long the keys of a namespace have left on average: their deadlines added up by clock, so
//! that telling it costs no walk and is exact.

use crate::clock::{Deadline, Now};

/// The deadlines of a namespace's keys, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lifetimes {
    relative: Sum,
    absolute: Sum,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sum {
    count: u64,
    // Wider than a deadline: those of a billion keys in the far future must fit.
    at_ms: i128,
}

impl Lifetimes {
    /// Adds (`sign` 1) or takes away (-1) a deadline.
    pub fn tally(&mut self, deadline: Deadline, sign: i64) {
        let sum = if deadline.absolute { &mut self.absolute } else { &mut self.relative };
        sum.count = sum.count.wrapping_add_signed(sign);
        sum.at_ms += i128::from(deadline.at_ms) * i128::from(sign);
    }

    /// How many there are.
    pub const fn count(&self) -> u64 {
        self.relative.count + self.absolute.count
    }

    /// How long they have left on average, in milliseconds; 0 if there are none.
    pub fn average_left_ms(&self, now: Now) -> u64 {
        let left = self.relative.left_ms(now.engine_ms) + self.absolute.left_ms(now.wall_ms);
        let average = left.checked_div(i128::from(self.count())).unwrap_or(0);
        u64::try_from(average.max(0)).unwrap_or(u64::MAX)
    }
}

impl Sum {
    fn left_ms(&self, now_ms: i64) -> i128 {
        self.at_ms - i128::from(self.count) * i128::from(now_ms)
    }
}

#[cfg(test)]
mod tests;
