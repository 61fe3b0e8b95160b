#![allow(clippy::unwrap_used, missing_docs)]
use super::append_double;
use proptest::prelude::*;

fn spelled(value: f64) -> String {
    let mut out = Vec::new();
    append_double(&mut out, value);
    String::from_utf8(out).unwrap()
}

#[test]
fn doubles_are_spelled_as_printf_with_17_digits_spells_them() {
    for (value, text) in [
        (0.0, "0"),
        (-0.0, "-0"),
        (3.0, "3"),
        (-1.5, "-1.5"),
        (0.1, "0.10000000000000001"),
        (100.0, "100"),
        (1e16, "10000000000000000"),
        (1e17, "1e+17"),
        (1.5e300, "1.5000000000000001e+300"),
        (0.0001, "0.0001"),
        (0.00001, "1.0000000000000001e-05"),
        (5e-324, "4.9406564584124654e-324"),
        (f64::MAX, "1.7976931348623157e+308"),
        (f64::INFINITY, "inf"),
        (f64::NEG_INFINITY, "-inf"),
        (f64::NAN, "nan"),
    ] {
        assert_eq!(spelled(value), text);
    }
}

proptest! {
    #[test]
    fn every_double_is_read_back_exactly(bits in any::<u64>()) {
        let value = f64::from_bits(bits);
        prop_assume!(!value.is_nan());
        prop_assert_eq!(spelled(value).parse::<f64>().unwrap().to_bits(), value.to_bits());
    }
}
