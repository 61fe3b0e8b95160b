//! The engine's fixed bounds, and how they relate. Settings that a user may choose stand in
//! `settings.rs`; what is derived or part of the format stands here.

/// Longest key, in bytes.
pub const KEY_BYTES_MAX: usize = 64 * 1024;

/// Longest value, in bytes (Redis's own bound for a string).
pub const VALUE_BYTES_MAX: u64 = 512 * 1024 * 1024;

/// A string longer than this is *spread*: kept, logged and drained in chunks of this size.
pub const CHUNK_BYTES: usize = 64 * 1024;

/// A value up to this size lies inside its entry; a longer one in an allocation of its own.
pub const INLINE_BYTES_MAX: usize = 512;

/// Most keys that one slice of background work looks at under the engine's lock. With cold
/// caches a key costs about 0.2 µs, so a slice stays near one millisecond.
pub const SLICE_KEYS: usize = 2048;

/// Most keys that one slice puts into an ordered index: each is compared with some twenty others.
pub const SLICE_INSERTIONS: usize = SLICE_KEYS / 2;

/// Most keys that one batch of active expiry removes: each is logged, and leaves every index.
pub const SLICE_REMOVALS: usize = SLICE_KEYS / 4;

/// Most rows that a page of a scan holds, whatever its caller asks for: a slice or two.
pub const PAGE_ROWS_MAX: usize = 2 * SLICE_KEYS;

/// Bytes of keys and values at which a page ends: they are copied under the engine's lock.
pub const PAGE_BYTES_MAX: usize = 1 << 20;

/// Namespaces are numbered in 24 bits inside an entry.
pub const NAMESPACES_MAX: u32 = 1 << 24;

const _: () = assert!(INLINE_BYTES_MAX < CHUNK_BYTES);
const _: () = assert!(VALUE_BYTES_MAX.is_multiple_of(CHUNK_BYTES as u64));
