//! The seeded randomness of the simulated disk: `SplitMix64`, so that a run repeats anywhere.

pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is at least 1.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// True `of` times out of `total`.
    pub(super) fn chance(&mut self, of: u64, total: u64) -> bool {
        self.below(total) < of
    }
}
