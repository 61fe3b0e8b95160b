//! Asking the processor for bytes that will be read soon. This is the only unsafe code of the
//! engine; a plain load in its place would do the same, but keeps everything behind it waiting.

/// A line of the processor's caches.
#[cfg(target_arch = "x86_64")]
const LINE_BYTES: usize = 64;

/// Begins to bring a short entry into the nearest cache: its header, key and, if it is short as
/// well, its value.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
pub fn prefetch(entry: &[u8]) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // A slot is not aligned to lines, so that the last byte may lie in one more.
    for at in [0, LINE_BYTES, entry.len().wrapping_sub(1)] {
        if let Some(byte) = entry.get(at) {
            // SAFETY: a prefetch reads nothing and cannot fault, whatever the address; this one
            // is that of a byte which is there.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(byte).cast()) };
        }
    }
}

/// The same by loads, where there is no stable instruction for it.
#[cfg(not(target_arch = "x86_64"))]
pub fn prefetch(entry: &[u8]) {
    std::hint::black_box((entry.first().copied(), entry.get(44).copied(), entry.last().copied()));
}
