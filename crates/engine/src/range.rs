//! A range of keys in the order of a scan, and what a page of it needs.

use std::ops::Bound;

use crate::namespace::NamespaceId;

/// What to scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    /// Keys that start with this.
    pub prefix: Vec<u8>,
    /// Beyond this key, which is not returned: above it, or below it when `reverse`.
    pub after: Option<Vec<u8>>,
    /// From the greatest key downwards.
    pub reverse: bool,
    /// Most rows of a page; one may have fewer and still not be the last.
    pub limit: usize,
    /// Without the values.
    pub keys_only: bool,
}

impl Range {
    /// The least key that may match.
    fn lower(&self) -> Bound<Vec<u8>> {
        match &self.after {
            Some(after) if !self.reverse && *after >= self.prefix => Bound::Excluded(after.clone()),
            _ => Bound::Included(self.prefix.clone()),
        }
    }

    /// The bound above all keys that may match.
    pub(crate) fn upper(&self) -> Bound<Vec<u8>> {
        let end = end_of_prefix(&self.prefix);
        match &self.after {
            Some(after) if self.reverse && end.as_ref().is_none_or(|end| after < end) => {
                Bound::Excluded(after.clone())
            }
            _ => end.map_or(Bound::Unbounded, Bound::Excluded),
        }
    }

    /// The range as SQLite is asked for it.
    pub(crate) fn rows(&self) -> dwell_sqlite::Range {
        dwell_sqlite::Range { from: self.lower(), to: self.upper(), reverse: self.reverse }
    }

    /// Whether a key is of this range.
    pub(crate) fn contains(&self, key: &[u8]) -> bool {
        let beyond = self
            .after
            .as_deref()
            .is_none_or(|after| if self.reverse { key < after } else { key > after });
        beyond && key.starts_with(&self.prefix)
    }

    /// Whether a key comes before another.
    pub(crate) fn is_before(&self, one: &[u8], other: &[u8]) -> bool {
        if self.reverse { one > other } else { one < other }
    }
}

/// The least key above every key with this prefix; `None` if there is none.
fn end_of_prefix(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|&byte| byte != 0xFF)?;
    let mut end = prefix[..=last].to_vec();
    end[last] += 1;
    Some(end)
}

/// What a page needs of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RangeNeed {
    pub namespace: NamespaceId,
    pub range: Range,
    pub drains: u64,
    /// There may be rows.
    pub is_below: bool,
    /// There is no ordered index: the keys in memory have to be selected by a walk.
    pub selects: bool,
}

impl RangeNeed {
    /// Whether both are about the same keys, whatever has happened in between.
    pub fn is_same_range(&self, other: &Self) -> bool {
        self.namespace == other.namespace && self.range == other.range
    }
}
