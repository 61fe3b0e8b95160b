//! A range of keys in byte order, and the statement that reads it.

use std::ops::Bound;

use crate::row::{head, whole};

/// Which keys to read, and in which order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    /// Where the smallest keys begin.
    pub from: Bound<Vec<u8>>,
    /// Where the greatest keys end.
    pub to: Bound<Vec<u8>>,
    /// From the greatest key to the smallest.
    pub reverse: bool,
}

impl Range {
    /// All keys that begin with `prefix`, in ascending order.
    ///
    /// ```
    /// use std::ops::Bound;
    /// let range = dwell_sqlite::Range::prefix(b"user:");
    /// assert_eq!(range.from, Bound::Included(b"user:".to_vec()));
    /// assert_eq!(range.to, Bound::Excluded(b"user;".to_vec()));
    /// ```
    pub fn prefix(prefix: &[u8]) -> Range {
        let to = successor(prefix).map_or(Bound::Unbounded, Bound::Excluded);
        Range { from: Bound::Included(prefix.to_vec()), to, reverse: false }
    }

    /// The statement: `?1` and `?2` are the bounds and `?3` the limit.
    pub(super) fn statement(&self, keys_only: bool) -> String {
        let select = if keys_only { head!("WHERE") } else { whole!("WHERE") };
        let from = match self.from {
            Bound::Included(_) => "key >= ?1",
            Bound::Excluded(_) => "key > ?1",
            Bound::Unbounded => "?1 IS NULL",
        };
        let to = match self.to {
            Bound::Included(_) => "key <= ?2",
            Bound::Excluded(_) => "key < ?2",
            Bound::Unbounded => "?2 IS NULL",
        };
        let order = if self.reverse { "DESC" } else { "ASC" };
        format!("{select} {from} AND {to} ORDER BY key {order} LIMIT ?3")
    }
}

/// What stands in a bound.
pub(super) fn value(bound: &Bound<Vec<u8>>) -> Option<&[u8]> {
    match bound {
        Bound::Included(key) | Bound::Excluded(key) => Some(key),
        Bound::Unbounded => None,
    }
}

/// The smallest key greater than every key that begins with `prefix`, if there is one.
pub(super) fn successor(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|&byte| byte != u8::MAX)?;
    let mut successor = prefix[..=last].to_vec();
    successor[last] += 1;
    Some(successor)
}
