//! The `keys` file of a namespace: its one writer and its readers.

mod file;
mod range;
mod reader;
mod sample;
mod writing;

pub use file::KeysFile;
pub use range::Range;
pub use reader::KeysReader;
pub use writing::Writing;

#[cfg(test)]
mod tests;
