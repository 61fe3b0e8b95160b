//! The 80-bit number of x86, which is C's `long double` in Redis's INCRBYFLOAT on that machine.
//!
//! Owns reading, adding and printing one, rounded to the nearest, ties to even, as the machine and
//! its C library do. It must not know commands.

use super::DECIMAL_TEXT_BYTES_MAX;
use super::big::Big;

const MANTISSA_BITS: i32 = 64;
const EXPONENT_MIN: i32 = -16_445;
const EXPONENT_MAX: i32 = 16_320;
/// Digits before the point from which on a number is beyond the largest, which has 4933.
const INTEGER_DIGITS_MAX: i64 = 4_933;
/// Zeros after the point from which on a number is below half of the smallest, 3.6e-4951.
const LEADING_ZEROS_MAX: i64 = 4_952;
/// More bits than a mantissa and its two guard bits, so that rounding sees every one it needs.
const QUOTIENT_BITS: usize = 68;
const FRACTION_DIGITS: usize = 17;
const TEN_TO_17: u128 = 100_000_000_000_000_000;

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parsed {
    Finite(Extended),
    Infinite,
    Invalid,
}

/// `mantissa × 2^exponent`; the mantissa's top bit is set unless the exponent is the smallest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extended {
    is_negative: bool,
    mantissa: u64,
    exponent: i32,
}

/// A magnitude before rounding: `bits × 2^exponent`, and a little more if `is_inexact`.
struct Unrounded {
    bits: u128,
    exponent: i32,
    is_inexact: bool,
}

/// A decimal text taken apart: `digits × 10^exponent`, without zeros at either end.
struct Digits {
    digits: Vec<u8>,
    exponent: i64,
}

impl Extended {
    pub(super) fn parse(text: &[u8]) -> Parsed {
        let (is_negative, unsigned) = match text {
            _ if text.len() > DECIMAL_TEXT_BYTES_MAX => return Parsed::Invalid,
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            _ => (false, text),
        };
        if [&b"inf"[..], b"infinity"].iter().any(|name| unsigned.eq_ignore_ascii_case(name)) {
            return Parsed::Infinite;
        }
        let Some(digits) = Digits::parse(unsigned) else { return Parsed::Invalid };
        if digits.digits.is_empty() {
            let exponent = EXPONENT_MIN;
            return Parsed::Finite(Self { is_negative, mantissa: 0, exponent });
        }
        match digits.to_binary().and_then(|binary| binary.round(is_negative)) {
            Some(number) if number.mantissa > 0 => Parsed::Finite(number),
            // Out of range, in either direction, is refused as the C library's ERANGE is.
            _ => Parsed::Invalid,
        }
    }

    /// The sum, or `None` if it is beyond the largest number.
    pub(super) fn plus(self, other: Self) -> Option<Self> {
        let (large, small) = if (self.exponent, self.mantissa) >= (other.exponent, other.mantissa) {
            (self, other)
        } else {
            (other, self)
        };
        // Two bits are left above for the carry; the 62 below are the guard.
        let guard_bits = 62;
        let high = u128::from(large.mantissa) << guard_bits;
        let wide = u128::from(small.mantissa) << guard_bits;
        let shift = large.exponent.abs_diff(small.exponent);
        let low = wide.checked_shr(shift).unwrap_or(0);
        let is_inexact = low.checked_shl(shift).unwrap_or(0) != wide;
        let bits = if large.is_negative == small.is_negative {
            high + low
        } else {
            // What was shifted out is taken away too: one less, and a little more than that.
            high - low - u128::from(is_inexact)
        };
        let exponent = large.exponent - guard_bits;
        Unrounded { bits, exponent, is_inexact }.round(large.is_negative)
    }

    /// What `printf("%.17Lf")` writes, without the zeros at the end, and never `-0`.
    pub(super) fn to_text(self) -> Vec<u8> {
        let mut text = match self.exponent {
            0.. => Big::from_u64(self.mantissa).shifted_left(self.exponent as usize).into_text(),
            _ => self.fraction_to_text(),
        };
        if self.is_negative && text != b"0" {
            text.insert(0, b'-');
        }
        text
    }

    fn fraction_to_text(self) -> Vec<u8> {
        let scaled = u128::from(self.mantissa) * TEN_TO_17;
        let scaled = shift_right_rounded(scaled, self.exponent.unsigned_abs(), false);
        let (whole, fraction) = (scaled / TEN_TO_17, scaled % TEN_TO_17);
        let text = format!("{whole}.{fraction:0FRACTION_DIGITS$}");
        text.trim_end_matches('0').trim_end_matches('.').as_bytes().to_vec()
    }
}

impl Unrounded {
    fn round(self, is_negative: bool) -> Option<Extended> {
        let width = 128 - self.bits.leading_zeros() as i32;
        let shift = (width - MANTISSA_BITS).max(EXPONENT_MIN - self.exponent);
        let rounded = match shift {
            ..=0 => self.bits << shift.unsigned_abs().min(127),
            _ => shift_right_rounded(self.bits, shift.unsigned_abs(), self.is_inexact),
        };
        let has_carried = rounded >> MANTISSA_BITS != 0;
        let mantissa = (rounded >> u32::from(has_carried)) as u64;
        let exponent = match mantissa {
            0 => EXPONENT_MIN,
            _ => self.exponent + shift + i32::from(has_carried),
        };
        (exponent <= EXPONENT_MAX).then_some(Extended { is_negative, mantissa, exponent })
    }
}

impl Digits {
    fn parse(text: &[u8]) -> Option<Self> {
        let mantissa_length = text.iter().position(|byte| byte.eq_ignore_ascii_case(&b'e'));
        let (mantissa, exponent) = match mantissa_length {
            Some(length) => (&text[..length], parse_exponent(&text[length + 1..])?),
            None => (text, 0),
        };
        let point = mantissa.iter().position(|byte| *byte == b'.').unwrap_or(mantissa.len());
        let fraction = mantissa.get(point + 1..).unwrap_or_default();
        let mut digits = [&mantissa[..point], fraction].concat();
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let zeros_behind = digits.iter().rev().take_while(|digit| **digit == b'0').count();
        digits.truncate(digits.len() - zeros_behind);
        let zeros_before = digits.iter().take_while(|digit| **digit == b'0').count();
        digits.drain(..zeros_before);
        let exponent = exponent - fraction.len() as i64 + zeros_behind as i64;
        Some(Self { digits, exponent })
    }

    /// The same number in base two, or `None` where it is far out of range.
    fn to_binary(&self) -> Option<Unrounded> {
        let point = self.digits.len() as i64 + self.exponent;
        if !(-LEADING_ZEROS_MAX..=INTEGER_DIGITS_MAX).contains(&point) {
            return None;
        }
        let power = u32::try_from(self.exponent.unsigned_abs()).ok()?;
        if self.exponent >= 0 {
            let mut big = Big::from_digits(&self.digits);
            big.multiply_by_power_of_ten(power);
            let (bits, below, is_inexact) = big.top_bits();
            return Some(Unrounded { bits, exponent: below as i32, is_inexact });
        }
        Some(self.to_binary_short(power).unwrap_or_else(|| self.to_binary_long(power)))
    }

    /// The everyday case, in machine words: at most 19 digits over at most 10^18.
    fn to_binary_short(&self, power: u32) -> Option<Unrounded> {
        if self.digits.len() > 19 || power > 18 {
            return None;
        }
        let value =
            self.digits.iter().fold(0, |value, digit| value * 10 + u128::from(digit - b'0'));
        let shift = value.leading_zeros();
        let (dividend, divisor) = (value << shift, 10_u128.pow(power));
        let (bits, is_inexact) = (dividend / divisor, dividend % divisor != 0);
        Some(Unrounded { bits, exponent: -(shift as i32), is_inexact })
    }

    fn to_binary_long(&self, power: u32) -> Unrounded {
        let (dividend, divisor) = (Big::from_digits(&self.digits), Big::power_of_ten(power));
        let shift =
            QUOTIENT_BITS as i32 + divisor.bit_length() as i32 - dividend.bit_length() as i32;
        let (dividend, divisor) = match shift {
            0.. => (dividend.shifted_left(shift as usize), divisor),
            _ => (dividend, divisor.shifted_left(shift.unsigned_abs() as usize)),
        };
        // One bit more, since the quotient of such a pair may reach 2^QUOTIENT_BITS.
        let (bits, is_inexact) = dividend.divide(&divisor, QUOTIENT_BITS + 1);
        Unrounded { bits, exponent: -shift, is_inexact }
    }
}

/// A power of ten in text; one too long to matter is cut to a bound that is out of range anyway.
fn parse_exponent(text: &[u8]) -> Option<i64> {
    let (sign, digits) = match text {
        [b'-', rest @ ..] => (-1, rest),
        [b'+', rest @ ..] => (1, rest),
        _ => (1, text),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let add = |value: i64, digit: &u8| (value * 10 + i64::from(digit - b'0')).min(1_000_000);
    Some(sign * digits.iter().fold(0, add))
}

/// `bits / 2^shift` to the nearest, ties to even; `is_inexact` says that `bits` is a little short.
fn shift_right_rounded(bits: u128, shift: u32, is_inexact: bool) -> u128 {
    let kept = bits.checked_shr(shift).unwrap_or(0);
    let half = shift.checked_sub(1).and_then(|bit| 1_u128.checked_shl(bit)).unwrap_or(0);
    let lost = bits - kept.checked_shl(shift).unwrap_or(0);
    let rounds_up = half > 0 && (lost > half || (lost == half && (is_inexact || kept & 1 == 1)));
    kept + u128::from(rounds_up)
}
