//! The number of a record, and so the version of all that it changed: an epoch in the upper
//! 16 bits, a counter in the lower 48. No number is ever given twice, whatever was lost.

use std::fmt;

const COUNTER_BITS: u32 = 48;
const COUNTER_MAX: u64 = (1 << COUNTER_BITS) - 1;

/// A record's number. [`Sequence::NONE`] stands before the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sequence(u64);

impl Sequence {
    /// Smaller than the number of any record.
    pub const NONE: Self = Self(0);
    /// Greater than or equal to any number.
    pub const MAX: Self = Self(u64::MAX);

    /// From both parts; of the counter only the lower 48 bits count.
    pub const fn new(epoch: u16, counter: u64) -> Self {
        Self(((epoch as u64) << COUNTER_BITS) | (counter & COUNTER_MAX))
    }

    /// From the form that is stored.
    pub const fn from_u64(number: u64) -> Self {
        Self(number)
    }

    /// The form that is stored.
    pub const fn as_u64(self) -> u64 {
        self.0
    }

    /// How many unclean stops came before.
    pub const fn epoch(self) -> u16 {
        (self.0 >> COUNTER_BITS) as u16
    }

    /// Counts the records of the epoch.
    pub const fn counter(self) -> u64 {
        self.0 & COUNTER_MAX
    }

    /// The next number of this epoch. At one record a nanosecond an epoch lasts three days; at
    /// the million a second that one machine may reach, nine years.
    ///
    /// # Panics
    /// When the epoch's counter is used up.
    #[must_use]
    pub const fn next(self) -> Self {
        assert!(self.counter() < COUNTER_MAX, "the counter of the epoch is used up");
        Self(self.0 + 1)
    }

    /// The number of the gap record that opens the next epoch; `None` after the last one.
    #[must_use]
    pub const fn next_epoch(self) -> Option<Self> {
        match self.epoch().checked_add(1) {
            Some(epoch) => Some(Self::new(epoch, 0)),
            None => None,
        }
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}", self.epoch(), self.counter())
    }
}
