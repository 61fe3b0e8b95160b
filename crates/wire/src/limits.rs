//! What a client may send: the bounds that the request parser is given with each call.

/// What a client may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestLimits {
    /// Largest bulk; Redis calls it `proto-max-bulk-len`.
    pub bulk_bytes_max: usize,
    /// Most arguments of one command.
    pub arguments_max: usize,
    /// Whether the client has proved who it is; if not, it gets 10 arguments of 16 KiB.
    pub is_authenticated: bool,
}

impl Default for RequestLimits {
    fn default() -> Self {
        Self {
            bulk_bytes_max: 512 * 1024 * 1024,
            arguments_max: i32::MAX as usize,
            is_authenticated: true,
        }
    }
}
