//! What happens when the disk is full: the reserve is released, so that deletions, drain and
//! checkpoints have room; writes are refused by name; and when there is room for the reserve
//! again, all goes on (LOG-04).

use crate::engine::Engine;
use crate::error::{Error, ErrorKind};
use crate::store::Store;

impl Engine {
    /// Notes a failed write: if the disk is full, only deletions go on.
    pub(crate) fn note_full_disk(&self, store: &Store, error: &Error) {
        if error.kind != ErrorKind::Full {
            return;
        }
        // Without a reserve the state is the same, only tighter.
        let _ = store.log.release_reserve();
        self.shared().state.lock().disk_full = Some(error.clone());
        self.shared().background.want_drain();
    }

    /// Makes the reserve anew; when that works there is room, and writes are let in again.
    pub(crate) fn mend_reserve(&self, store: &Store) {
        let is_whole = store.log.has_reserve().unwrap_or(true);
        let is_full = self.shared().state.lock().disk_full.is_some();
        if is_whole && !is_full {
            return;
        }
        if store.log.restore_reserve().is_ok() {
            self.shared().state.lock().disk_full = None;
        }
    }
}
