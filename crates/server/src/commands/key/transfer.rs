//! COPY and MOVE: a value and its lifetime under another key or in another database.

use dwell_engine::{NamespaceId, Scope, Stop};

use crate::commands::argument::fail;

/// What goes where.
pub(super) struct Transfer<'a> {
    pub(super) from: &'a [u8],
    pub(super) to: &'a [u8],
    pub(super) to_namespace: NamespaceId,
    pub(super) keeps_source: bool,
    pub(super) replaces: bool,
}

/// Whether it was done: not without a source, and not over a key that is there.
pub(super) fn run(scope: &mut Scope<'_>, transfer: &Transfer<'_>) -> Result<bool, Stop> {
    let &Transfer { from, to, to_namespace, keeps_source, replaces } = transfer;
    let here = scope.namespace();
    if here == to_namespace && from == to {
        return Err(fail("source and destination objects are the same"));
    }
    if scope.facts(from)?.is_none() {
        return Ok(false);
    }
    scope.select(to_namespace);
    let target = scope.facts(to);
    scope.select(here);
    if target?.is_some() && !replaces {
        return Ok(false);
    }
    scope.rename(from, to, to_namespace, keeps_source)
}
