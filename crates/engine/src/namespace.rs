//! Numbers of namespaces. Names and files are the registry's and the disk tier's business.

/// The number under which the log and the front know a namespace. Numbers are given in the order
/// of first use and never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NamespaceId(u32);

impl NamespaceId {
    /// The namespace of `number`.
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    /// The number.
    pub const fn number(self) -> u32 {
        self.0
    }

    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}
