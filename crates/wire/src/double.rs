//! How a double is spelled in a reply: C's `%.17g`, as Redis 7.0 sends it.

use std::io::Write;

#[cfg(test)]
mod tests;

/// Significant digits; 17 are enough to read every double back exactly.
const DIGITS: usize = 17;

/// Appends `value`: `inf`, `-inf`, `nan`, or up to 17 significant digits without trailing zeros.
pub fn append_double(out: &mut Vec<u8>, value: f64) {
    if value.is_nan() {
        return out.extend_from_slice(b"nan");
    }
    if value.is_infinite() {
        return out.extend_from_slice(if value > 0.0 { b"inf" } else { b"-inf" });
    }
    let scientific = format!("{value:.*e}", DIGITS - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(mantissa) => ("-", mantissa),
        None => ("", mantissa),
    };
    out.extend_from_slice(sign.as_bytes());
    let digits: Vec<u8> = mantissa.bytes().filter(u8::is_ascii_digit).collect();
    let significant = digits.iter().rposition(|digit| *digit != b'0').map_or(1, |last| last + 1);
    append_digits(out, &digits[..significant], exponent);
}

/// Appends the digits `d.ddd` times ten to the exponent, as `%g` chooses the form.
fn append_digits(out: &mut Vec<u8>, digits: &[u8], exponent: i32) {
    if !(-4..DIGITS as i32).contains(&exponent) {
        out.push(digits[0]);
        append_fraction(out, &digits[1..]);
        let sign = if exponent < 0 { '-' } else { '+' };
        write!(out, "e{sign}{:02}", exponent.unsigned_abs()).expect("a vector takes every write");
    } else if exponent < 0 {
        out.extend_from_slice(b"0.");
        out.extend(std::iter::repeat_n(b'0', exponent.unsigned_abs() as usize - 1));
        out.extend_from_slice(digits);
    } else {
        let whole = exponent as usize + 1;
        let present = whole.min(digits.len());
        out.extend_from_slice(&digits[..present]);
        out.extend(std::iter::repeat_n(b'0', whole - present));
        append_fraction(out, &digits[present..]);
    }
}

fn append_fraction(out: &mut Vec<u8>, digits: &[u8]) {
    if !digits.is_empty() {
        out.push(b'.');
        out.extend_from_slice(digits);
    }
}
