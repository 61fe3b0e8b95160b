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
        // First, or writers would take what the reserve gives.
        self.shared().state.lock().disk_full = Some(error.clone());
        // Without a reserve the state is the same, only tighter.
        let _ = store.log.release_reserve();
        self.shared().background.want_drain();
    }

    /// Whether a full disk was met, and there has been no room for the reserve since.
    pub(crate) fn has_full_disk(&self) -> bool {
        self.shared().state.lock().disk_full.is_some()
    }

    /// Tries to get by with a full disk: drains deletions, and the rest as far as the files have
    /// room inside, and lets go of the log what is drained. When the reserve can be made anew
    /// there is room again, and writes are let in.
    ///
    /// # Errors
    /// There is still no room; what the disk says.
    pub(crate) fn regain_room(&self, store: &Store) -> Result<(), Error> {
        // Each of these may want more room than there is, and still the next one may help.
        let _ = self.make_base();
        let _ = self.drain_once();
        let _ = self.make_base();
        store.log.restore_reserve()?;
        self.shared().state.lock().disk_full = None;
        Ok(())
    }
}
