//! Redis's grammar of integers: no sign but `-`, no leading zero, no blank, 64 bits.

#[cfg(test)]
mod tests;

/// The integer that `text` spells, if it spells one in the only form that Redis accepts.
///
/// `+5`, `010`, `-0`, ` 1`, an empty text and what exceeds 64 bits are not integers.
///
/// # Source
/// `string2ll` of Redis 7.0.15.
pub fn parse_integer(text: &[u8]) -> Option<i64> {
    let (is_negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    match digits {
        [b'0'] if !is_negative => return Some(0),
        [b'1'..=b'9', ..] => {}
        _ => return None,
    }
    // Summed up as a negative number, because i64 reaches one further on that side.
    let mut value: i64 = 0;
    for &digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value.checked_mul(10)?.checked_sub(i64::from(digit - b'0'))?;
    }
    if is_negative { Some(value) } else { value.checked_neg() }
}
