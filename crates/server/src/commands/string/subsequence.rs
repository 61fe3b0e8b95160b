//! The longest common subsequence of two byte strings, 64 cells of its table at a time.
//!
//! Each row of the table grows by 0 or 1 from cell to cell, so a row is one bit a cell and the next
//! row is a sum of words. That keeps INV-06: what Redis computes in a third of a second within its
//! bound takes milliseconds here, and the memory is a 32nd of Redis's.
//!
//! Source: Hyyrö, "Bit-parallel LCS-length computation revisited", 2004.

#[cfg(test)]
mod tests;

/// Cells of the table that Redis would fill, four bytes each within its 512 MiB.
pub(super) const CELLS_MAX: usize = 128 * 1024 * 1024;

const WORD_BITS: usize = u64::BITS as usize;

/// A table from which the subsequence can be read.
pub(super) struct Subsequence<'t> {
    a: &'t [u8],
    b: &'t [u8],
    /// For each byte of `a` one row, in which a clear bit marks a step along `b`.
    rows: Vec<u8>,
    row_bytes: usize,
    /// How long the subsequence is.
    pub(super) length: usize,
}

/// A stretch of the subsequence that is contiguous in both strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) in_a: usize,
    pub(super) in_b: usize,
    pub(super) length: usize,
}

/// The cells that two strings of these lengths fill; `None` for more than can be counted.
pub(super) fn cells([a, b]: [u64; 2]) -> Option<usize> {
    usize::try_from((a + 1).checked_mul(b + 1)?).ok()
}

/// The length of the longest common subsequence.
pub(super) fn length(a: &[u8], b: &[u8]) -> usize {
    let mut row = Row::new(b.len());
    let masks = Masks::new(a, b);
    for byte in a {
        row.advance(masks.of(*byte));
    }
    row.steps()
}

impl<'t> Subsequence<'t> {
    /// Fills the table. The lengths must be within the bound.
    pub(super) fn of(a: &'t [u8], b: &'t [u8]) -> Self {
        let row_bytes = b.len().div_ceil(8);
        let mut rows = Vec::with_capacity(a.len() * row_bytes);
        let mut row = Row::new(b.len());
        let masks = Masks::new(a, b);
        for byte in a {
            row.advance(masks.of(*byte));
            let end = rows.len() + row_bytes;
            for word in &row.0 {
                rows.extend_from_slice(&word.to_le_bytes());
            }
            rows.truncate(end);
        }
        Self { a, b, rows, row_bytes, length: row.steps() }
    }

    /// The subsequence itself.
    pub(super) fn text(&self) -> Vec<u8> {
        let mut text: Vec<u8> = self.pairs().map(|(in_a, _)| self.a[in_a]).collect();
        text.reverse();
        text
    }

    /// Its contiguous stretches, the last first as in Redis.
    pub(super) fn places(&self) -> Vec<Place> {
        let mut places: Vec<Place> = Vec::new();
        for (in_a, in_b) in self.pairs() {
            match places.last_mut() {
                Some(place) if place.in_a == in_a + 1 && place.in_b == in_b + 1 => {
                    *place = Place { in_a, in_b, length: place.length + 1 };
                }
                _ => places.push(Place { in_a, in_b, length: 1 }),
            }
        }
        places
    }

    /// The positions of the bytes in common, from the end, by Redis's choice among equals.
    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let (mut a_length, mut b_length) = (self.a.len(), self.b.len());
        std::iter::from_fn(move || {
            while a_length > 0 && b_length > 0 {
                if self.a[a_length - 1] == self.b[b_length - 1] {
                    a_length -= 1;
                    b_length -= 1;
                    return Some((a_length, b_length));
                }
                // A step into this cell means that the cell to the left is worth less, so the one
                // above is worth more than it; without a step the left one is at least as good.
                if self.has_step(a_length - 1, b_length - 1) {
                    a_length -= 1;
                } else {
                    b_length -= 1;
                }
            }
            None
        })
    }

    fn has_step(&self, row: usize, column: usize) -> bool {
        self.rows[row * self.row_bytes + column / 8] & (1 << (column % 8)) == 0
    }
}

/// One row of the table; a clear bit marks a cell that is worth one more than the cell before.
struct Row(Vec<u64>);

impl Row {
    fn new(columns: usize) -> Self {
        Self(vec![u64::MAX; columns.div_ceil(WORD_BITS)])
    }

    /// Makes it the next row, given where the next byte of `a` occurs in `b`.
    fn advance(&mut self, mask: &[u64]) {
        let mut carry = false;
        for (word, mask) in self.0.iter_mut().zip(mask) {
            let (sum, first) = word.overflowing_add(*word & mask);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            carry = first || second;
            *word = sum | (*word & !mask);
        }
    }

    fn steps(&self) -> usize {
        self.0.iter().map(|word| word.count_zeros() as usize).sum()
    }
}

/// Where each byte of `a` occurs in `b`, one bit for each byte of `b`.
struct Masks {
    words: Vec<u64>,
    words_per_mask: usize,
    /// For each byte the number of its mask, if it occurs in `a`.
    numbers: [Option<u8>; 256],
}

impl Masks {
    fn new(a: &[u8], b: &[u8]) -> Self {
        let mut numbers = [None; 256];
        let mut count = 0;
        for byte in a {
            let number = &mut numbers[usize::from(*byte)];
            if number.is_none() {
                *number = Some(count as u8);
                count += 1;
            }
        }
        let words_per_mask = b.len().div_ceil(WORD_BITS);
        let mut words = vec![0; count * words_per_mask];
        for (column, byte) in b.iter().enumerate() {
            if let Some(number) = numbers[usize::from(*byte)] {
                let word = usize::from(number) * words_per_mask + column / WORD_BITS;
                words[word] |= 1 << (column % WORD_BITS);
            }
        }
        Self { words, words_per_mask, numbers }
    }

    /// The mask of a byte of `a`.
    fn of(&self, byte: u8) -> &[u64] {
        let number = usize::from(self.numbers[usize::from(byte)].unwrap_or(0));
        &self.words[number * self.words_per_mask..(number + 1) * self.words_per_mask]
    }
}
