//! A natural number of any size, with the few operations that reading and printing decimals need.
//!
//! It must not know signs, points or rounding. Callers bound the size.

use std::cmp::Ordering;
use std::fmt::Write as _;

/// Ten to the nineteenth, the largest power of ten in a limb.
const TEN_TO_19: u64 = 10_000_000_000_000_000_000;
const DIGITS_PER_LIMB: usize = 19;
const LIMB_BITS: usize = 64;

/// Limbs, lowest first, none of them zero at the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Big(Vec<u64>);

impl Big {
    pub(super) fn from_u64(value: u64) -> Self {
        let mut big = Self(vec![value]);
        big.trim();
        big
    }

    pub(super) fn from_digits(digits: &[u8]) -> Self {
        let mut big = Self(Vec::new());
        for chunk in digits.chunks(DIGITS_PER_LIMB) {
            let value = chunk.iter().fold(0, |value, digit| value * 10 + u64::from(digit - b'0'));
            big.multiply_and_add(10_u64.pow(chunk.len() as u32), value);
        }
        big
    }

    pub(super) fn power_of_ten(exponent: u32) -> Self {
        let mut big = Self(vec![1]);
        big.multiply_by_power_of_ten(exponent);
        big
    }

    pub(super) fn multiply_by_power_of_ten(&mut self, exponent: u32) {
        for _ in 0..exponent / DIGITS_PER_LIMB as u32 {
            self.multiply_and_add(TEN_TO_19, 0);
        }
        self.multiply_and_add(10_u64.pow(exponent % DIGITS_PER_LIMB as u32), 0);
    }

    fn multiply_and_add(&mut self, factor: u64, addend: u64) {
        let mut carry = addend;
        for limb in &mut self.0 {
            let product = u128::from(*limb) * u128::from(factor) + u128::from(carry);
            *limb = product as u64;
            carry = (product >> LIMB_BITS) as u64;
        }
        if carry > 0 {
            self.0.push(carry);
        }
    }

    pub(super) fn bit_length(&self) -> usize {
        self.0.last().map_or(0, |top| self.0.len() * LIMB_BITS - top.leading_zeros() as usize)
    }

    pub(super) fn shifted_left(&self, bits: usize) -> Self {
        let (limbs, bits) = (bits / LIMB_BITS, bits % LIMB_BITS);
        let mut big = Self(vec![0; limbs]);
        let mut carry = 0;
        for &limb in &self.0 {
            let wide = (u128::from(limb) << bits) | carry;
            big.0.push(wide as u64);
            carry = wide >> LIMB_BITS;
        }
        big.0.push(carry as u64);
        big.trim();
        big
    }

    fn halve(&mut self) {
        let mut carry = 0;
        for limb in self.0.iter_mut().rev() {
            let low_bit = *limb & 1;
            *limb = (*limb >> 1) | (carry << (LIMB_BITS - 1));
            carry = low_bit;
        }
        self.trim();
    }

    fn subtract(&mut self, smaller: &Self) {
        let mut borrow = false;
        for (index, limb) in self.0.iter_mut().enumerate() {
            let other = smaller.0.get(index).copied().unwrap_or(0);
            let (difference, first) = limb.overflowing_sub(other);
            let (difference, second) = difference.overflowing_sub(u64::from(borrow));
            *limb = difference;
            borrow = first || second;
        }
        self.trim();
    }

    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    /// The highest 128 bits, the count of bits below them, and whether any of those is set.
    pub(super) fn top_bits(&self) -> (u128, usize, bool) {
        let below = self.bit_length().saturating_sub(128);
        let (limbs, bits) = (below / LIMB_BITS, below % LIMB_BITS);
        let limb = |index: usize| u128::from(self.0.get(limbs + index).copied().unwrap_or(0));
        let low = limb(0) | (limb(1) << LIMB_BITS);
        let top = if bits == 0 { low } else { (low >> bits) | (limb(2) << (128 - bits)) };
        let lost_in_limb = limb(0) & ((1 << bits) - 1) != 0;
        (top, below, lost_in_limb || self.0[..limbs].iter().any(|limb| *limb != 0))
    }

    /// The quotient, which must have fewer than `bits` bits, and whether something remains.
    pub(super) fn divide(mut self, divisor: &Self, bits: usize) -> (u128, bool) {
        let mut divisor = divisor.shifted_left(bits);
        let mut quotient = 0_u128;
        for _ in 0..bits {
            divisor.halve();
            quotient <<= 1;
            if self >= divisor {
                self.subtract(&divisor);
                quotient |= 1;
            }
        }
        (quotient, !self.0.is_empty())
    }

    pub(super) fn into_text(mut self) -> Vec<u8> {
        let mut chunks = Vec::new();
        while !self.0.is_empty() {
            let mut remainder = 0_u64;
            for limb in self.0.iter_mut().rev() {
                let wide = (u128::from(remainder) << LIMB_BITS) | u128::from(*limb);
                *limb = (wide / u128::from(TEN_TO_19)) as u64;
                remainder = (wide % u128::from(TEN_TO_19)) as u64;
            }
            self.trim();
            chunks.push(remainder);
        }
        let mut text = chunks.pop().unwrap_or(0).to_string();
        for chunk in chunks.iter().rev() {
            let _infallible = write!(text, "{chunk:0DIGITS_PER_LIMB$}");
        }
        text.into_bytes()
    }
}

impl PartialOrd for Big {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Big {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_length = self.0.len().cmp(&other.0.len());
        by_length.then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}
