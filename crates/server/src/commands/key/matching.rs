//! Where keys are compared with a pattern: here and now, or on another thread. A pattern with many
//! stars against keys of 64 KiB takes seconds, and the loop has none to spare (INV-06).

use dwell_engine::ScanRow;
use dwell_engine::glob::Glob;

/// Steps that are taken at once: some hundred microseconds.
const STEPS_AT_ONCE_MAX: usize = 256 * 1024;

/// Whether the comparison is too short to be worth a thread.
pub(super) fn is_quick(pattern: &Glob, rows: &[ScanRow]) -> bool {
    let bytes = rows.iter().map(|row| row.key.len()).sum();
    pattern.steps_max(bytes) <= STEPS_AT_ONCE_MAX
}
