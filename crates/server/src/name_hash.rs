//! The hash of a command's name; the build places names by it and the dispatch finds them by it.

/// A hash that does not tell upper from lower case.
pub const fn hash(name: &[u8]) -> u32 {
    let mut value: u32 = 0x811c_9dc5;
    let mut index = 0;
    while index < name.len() {
        // FNV-1a. The bit that tells the cases apart is set; that a few other bytes fall together
        // too costs a comparison at most.
        value = (value ^ (name[index] | 0x20) as u32).wrapping_mul(0x0100_0193);
        index += 1;
    }
    value ^ (value >> 15)
}
