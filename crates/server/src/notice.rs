//! What is worth a line in a log, told to whoever holds the log.

use crate::stream::Peer;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// A browser was lured into speaking to us; nothing it sent was executed.
    Attack {
        /// Where it is.
        peer: Peer,
    },
    /// A client broke the protocol and was closed.
    ProtocolError {
        /// Where it is.
        peer: Peer,
        /// How.
        reason: String,
    },
    /// A peer from elsewhere was refused, because no password is set.
    Protected {
        /// Where it is.
        peer: Peer,
    },
    /// A client was refused for want of room.
    ClientsMax {
        /// Where it is.
        peer: Peer,
    },
    /// A client was closed because it did not read its replies.
    OutputMax {
        /// Where it is.
        peer: Peer,
        /// How much it left unread.
        waiting_bytes: usize,
    },
    /// A client was closed because its request grew too large.
    QueryMax {
        /// Where it is.
        peer: Peer,
    },
    /// A client was closed because it was silent for too long.
    Idle {
        /// Where it is.
        peer: Peer,
    },
    /// A connection could not be accepted; it is tried again.
    AcceptFailed {
        /// The system's reason.
        reason: String,
    },
}

/// Whoever wants to be told. It is called by the event loop, so it must not block.
pub struct Notices(Box<dyn Fn(Notice) + Send>);

impl Notices {
    /// Tells `listener` everything.
    pub fn new(listener: impl Fn(Notice) + Send + 'static) -> Self {
        Self(Box::new(listener))
    }

    /// Tells one thing.
    pub fn tell(&self, notice: Notice) {
        (self.0)(notice);
    }
}

impl Default for Notices {
    /// Tells nobody.
    fn default() -> Self {
        Self::new(drop)
    }
}
