//! The log: the one history of an instance and its only commit point (INV-02, INV-03, INV-04).
//!
//! It owns the files of a log directory and of a base directory, byte by byte as in
//! `docs/format.md`. What a record's effects mean it must not know: they are opaque bytes here.
//!
//! Read in this order: `record` (one batch as bytes), `segment` (one file), `scan` and `reader`
//! (from files back to records), `recovery` (what a crash left), `writer` and `sync` (appending).

mod base;
mod error;
mod inspect;
mod open;
mod reader;
mod record;
mod recovery;
mod scan;
mod segment;
mod sequence;
mod spare;
mod sync;
#[cfg(test)]
mod tests;
mod window;
mod writer;

pub use base::{BaseFile, BaseReader, BaseWriter, bases, remove_incomplete_bases};
pub use error::LogError;
pub use inspect::{SegmentSummary, Survey, TailState, survey};
pub use open::{ClosedLog, LogOptions, Recovery};
pub use reader::{RecordPosition, Records};
pub use record::{
    Flags, Namespaces, RECORD_BYTES_MAX, RECORD_HEADER_BYTES, RecordBuilder, RecordHead, RecordRef,
    Salt, seal,
};
pub use recovery::Tail;
pub use segment::{FORMAT_VERSION, Lineage, SEGMENT_HEADER_BYTES, SegmentFile};
pub use sequence::Sequence;
pub use writer::Log;
