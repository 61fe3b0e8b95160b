//! The arguments of one command: slices of a buffer that somebody else owns.
//!
//! A view instead of a `Vec<&[u8]>`, because a vector of borrowed slices cannot be kept from one
//! command to the next and would cost an allocation each.

use std::ops::Index;

#[cfg(test)]
mod tests;

/// Where an argument lies in its buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset behind the last byte.
    pub end: usize,
}

/// The arguments of a command, the name first. Copying it copies two references.
#[derive(Clone, Copy)]
pub struct Arguments<'a> {
    buffer: &'a [u8],
    spans: &'a [Span],
}

/// One command as it lies in the buffer.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The arguments; none for a blank line or an empty multibulk, which get no reply.
    pub arguments: Arguments<'a>,
    /// How many bytes of the buffer it took.
    pub consumed: usize,
}

impl<'a> Arguments<'a> {
    /// A view of the spans in `buffer`, each of which must lie within it.
    pub const fn new(buffer: &'a [u8], spans: &'a [Span]) -> Self {
        Self { buffer, spans }
    }

    /// Number of arguments, the command's name included.
    pub const fn len(self) -> usize {
        self.spans.len()
    }

    /// Whether there is nothing at all: a blank inline line or an empty multibulk.
    pub const fn is_empty(self) -> bool {
        self.spans.is_empty()
    }

    /// The argument at `index`, where 0 is the command's name.
    pub fn get(self, index: usize) -> Option<&'a [u8]> {
        let span = self.spans.get(index)?;
        self.buffer.get(span.start..span.end)
    }

    /// The arguments from `index` on; none if there are fewer.
    #[must_use]
    pub fn from(self, index: usize) -> Self {
        Self { buffer: self.buffer, spans: self.spans.get(index..).unwrap_or(&[]) }
    }

    /// All arguments in order.
    pub fn iter(self) -> impl ExactSizeIterator<Item = &'a [u8]> + DoubleEndedIterator + Clone {
        let buffer = self.buffer;
        self.spans.iter().map(move |span| &buffer[span.start..span.end])
    }

    /// Sum of the lengths of all arguments.
    pub fn size_bytes(self) -> usize {
        self.spans.iter().map(|span| span.end - span.start).sum()
    }

    /// A copy that outlives the buffer.
    pub fn to_owned(self) -> OwnedArguments {
        let mut bytes = Vec::with_capacity(self.size_bytes());
        let mut spans = Vec::with_capacity(self.spans.len());
        for argument in self.iter() {
            let start = bytes.len();
            bytes.extend_from_slice(argument);
            spans.push(Span { start, end: bytes.len() });
        }
        OwnedArguments { bytes, spans }
    }
}

impl Index<usize> for Arguments<'_> {
    type Output = [u8];

    /// The argument at `index`; the arity check of the dispatch makes the fixed ones safe to name.
    fn index(&self, index: usize) -> &[u8] {
        let span = self.spans[index];
        &self.buffer[span.start..span.end]
    }
}

/// Arguments that were kept: a command queued by `MULTI`, or one that waits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnedArguments {
    bytes: Vec<u8>,
    spans: Vec<Span>,
}

impl OwnedArguments {
    /// The view that commands take.
    pub fn view(&self) -> Arguments<'_> {
        Arguments::new(&self.bytes, &self.spans)
    }

    /// Memory that the copy takes, for limits.
    pub fn memory_bytes(&self) -> usize {
        self.bytes.capacity() + self.spans.capacity() * size_of::<Span>()
    }
}

impl<T: AsRef<[u8]>> FromIterator<T> for OwnedArguments {
    fn from_iter<I: IntoIterator<Item = T>>(arguments: I) -> Self {
        let mut owned = Self::default();
        for argument in arguments {
            let start = owned.bytes.len();
            owned.bytes.extend_from_slice(argument.as_ref());
            owned.spans.push(Span { start, end: owned.bytes.len() });
        }
        owned
    }
}
