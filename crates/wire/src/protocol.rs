//! The two versions of the protocol that a connection may speak.

/// What a connection has agreed to by `HELLO`; it starts as [`Protocol::Resp2`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// RESP2: five types; maps, sets and doubles arrive as arrays and strings.
    #[default]
    Resp2,
    /// RESP3: typed replies.
    Resp3,
}

impl Protocol {
    /// The number that `HELLO` takes and returns.
    pub const fn version(self) -> u8 {
        match self {
            Self::Resp2 => 2,
            Self::Resp3 => 3,
        }
    }

    /// The protocol with this number, if there is one.
    pub const fn from_version(version: i64) -> Option<Self> {
        match version {
            2 => Some(Self::Resp2),
            3 => Some(Self::Resp3),
            _ => None,
        }
    }
}
