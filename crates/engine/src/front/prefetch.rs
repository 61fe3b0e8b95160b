//! Asking the processor for bytes that will be read soon. This is the only unsafe code of the
//! engine; a plain load in its place would do the same, but keeps everything behind it waiting.

/// A line of the processor's caches.
const LINE_BYTES: usize = 64;

/// Begins to bring a short entry into the nearest cache: its header, key and, if it is short as
/// well, its value.
pub fn prefetch(entry: &[u8]) {
    // A slot is not aligned to lines, so that the last byte may lie in one more.
    for at in [0, LINE_BYTES, entry.len().wrapping_sub(1)] {
        if let Some(byte) = entry.get(at) {
            ask_for(byte);
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
fn ask_for(byte: &u8) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a prefetch reads nothing and cannot fault, whatever the address; this one is that
    // of a byte which is there.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(byte).cast()) };
}

/// By a load, where there is no stable instruction for it.
#[cfg(not(target_arch = "x86_64"))]
fn ask_for(byte: &u8) {
    std::hint::black_box(*byte);
}
