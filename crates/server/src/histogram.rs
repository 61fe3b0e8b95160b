//! How long the calls of one command took, in buckets that grow with what they hold: eight to each
//! doubling, so that a percentile is told within an eighth of itself.

#[cfg(test)]
mod tests;

/// Buckets to a doubling, as a power of two.
const STEPS_LOG2: u32 = 3;
/// What is shorter, in nanoseconds, is in the first bucket. As a power of two.
const SHORTEST_LOG2: u32 = 7;
/// What is longer is in the last one: a minute and more. As a power of two.
const LONGEST_LOG2: u32 = 36;
/// All buckets.
const BUCKETS: usize = ((LONGEST_LOG2 - SHORTEST_LOG2) << STEPS_LOG2) as usize + 1;

/// Counts by duration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram(Box<[u64; BUCKETS]>);

/// Durations up to a bound, and how many there were between it and the bound before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// The bound, in nanoseconds.
    pub up_to_ns: u64,
    /// How many.
    pub count: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self(Box::new([0; BUCKETS]))
    }
}

impl Histogram {
    /// Counts calls that took this long each.
    pub fn add(&mut self, nanoseconds: u64, calls: u64) {
        self.0[place(nanoseconds)] += calls;
    }

    /// The buckets that hold something, the shortest durations first.
    pub fn buckets(&self) -> Vec<Bucket> {
        let all = self.0.iter().enumerate().filter(|(_, count)| **count > 0);
        all.map(|(place, count)| Bucket { up_to_ns: bound(place), count: *count }).collect()
    }
}

/// The bucket of a duration. A bucket ends where its bound says, the bound itself included.
fn place(nanoseconds: u64) -> usize {
    let below = nanoseconds.saturating_sub(1);
    let Some(doubling) = below.checked_ilog2().filter(|it| *it >= SHORTEST_LOG2) else { return 0 };
    let step = (below >> (doubling - STEPS_LOG2)) & ((1 << STEPS_LOG2) - 1);
    let place = (u64::from(doubling - SHORTEST_LOG2) << STEPS_LOG2) + step + 1;
    (place as usize).min(BUCKETS - 1)
}

/// The longest duration of a bucket.
const fn bound(place: usize) -> u64 {
    let Some(behind_first) = (place as u64).checked_sub(1) else { return 1 << SHORTEST_LOG2 };
    let doubling = SHORTEST_LOG2 + (behind_first >> STEPS_LOG2) as u32;
    let step = behind_first & ((1 << STEPS_LOG2) - 1);
    (1 << doubling) + ((step + 1) << (doubling - STEPS_LOG2))
}
