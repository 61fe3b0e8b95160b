//! A glob's `[…]`: a set of bytes, asked in one step however it was written.

/// One bit for each byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Class {
    bits: [u64; 4],
}

impl Class {
    /// Reads what follows a `[`, and returns it with what follows the `]`.
    pub(super) fn parse(text: &[u8], ignore_case: bool) -> (Self, &[u8]) {
        let (is_negated, mut rest) = match text {
            [b'^', rest @ ..] => (true, rest),
            _ => (false, text),
        };
        let mut class = Self { bits: [0; 4] };
        loop {
            rest = match rest {
                [] => break,
                [b']', tail @ ..] => {
                    rest = tail;
                    break;
                }
                [b'\\', escaped, tail @ ..] => {
                    class.insert(*escaped, ignore_case);
                    tail
                }
                // As in Redis the end of a range is taken as it stands, be it `]` or a backslash.
                [start, b'-', end, tail @ ..] => {
                    let (low, high) = (start.min(end), start.max(end));
                    (*low..=*high).for_each(|byte| class.insert(byte, ignore_case));
                    tail
                }
                [byte, tail @ ..] => {
                    class.insert(*byte, ignore_case);
                    tail
                }
            };
        }
        if is_negated {
            class.bits = class.bits.map(|word| !word);
        }
        (class, rest)
    }

    /// Whether the byte is in the set; one that ignores case must be asked in lower case.
    pub(super) fn contains(&self, byte: u8) -> bool {
        self.bits[usize::from(byte / 64)] & (1 << (byte % 64)) != 0
    }

    fn insert(&mut self, byte: u8, ignore_case: bool) {
        let byte = if ignore_case { byte.to_ascii_lowercase() } else { byte };
        self.bits[usize::from(byte / 64)] |= 1 << (byte % 64);
    }
}
