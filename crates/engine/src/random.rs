//! A small seeded generator (splitmix64) for sampling: eviction, RANDOMKEY, LFU. Not for
//! secrets. It is passed a seed, so that a run can be repeated.

/// A stream of pseudo-random numbers.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The stream of `seed`.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    ///
    /// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`; zero for a bound of zero.
    pub fn below(&mut self, bound: usize) -> usize {
        if bound == 0 {
            return 0;
        }
        // The bias of a multiply-shift is below 2^-32 for every bound met here.
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }
}
