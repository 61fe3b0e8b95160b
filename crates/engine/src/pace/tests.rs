//! Claims about the delay of writers: none below half of the bound, more the fuller it is.

#![allow(missing_docs)]

use super::*;

const BOUND: u64 = 1000 << 10;

/// Bytes that a writer who always wants more gets through in ten seconds.
fn admitted(dirty: u64) -> u64 {
    let mut pace = Pace::default();
    pace.measured(1000 * 1024, 1000);
    let mut bytes = 0;
    for now_ms in 0..10_000 {
        while pace.admit(1024, dirty, BOUND, now_ms) == Verdict::Go {
            bytes += 1024;
        }
    }
    bytes
}

#[test]
fn below_half_of_the_bound_nobody_waits() {
    let mut pace = Pace::default();
    for _ in 0..10_000 {
        assert_eq!(pace.admit(1 << 20, BOUND / 2 - 1, BOUND, 0), Verdict::Go);
    }
}

#[test]
fn writers_are_let_in_at_twice_the_rate_of_the_drain_down_to_half_of_it() {
    let drained = 10.0 * 1000.0 * 1024.0;
    let near = |bytes: u64, factor: f64| {
        let ratio = bytes as f64 / drained;
        assert!((ratio - factor).abs() < 0.1, "{ratio} for {factor}");
    };
    near(admitted(BOUND / 2), 2.0);
    near(admitted(BOUND * 3 / 4), 1.25);
    near(admitted(BOUND - 1024), 0.5);
}

#[test]
fn at_the_bound_everybody_waits_and_an_oversized_write_passes_when_nothing_is_dirty() {
    let mut pace = Pace::default();
    assert_eq!(pace.admit(1024, BOUND, BOUND, 0), Verdict::Full);
    assert_eq!(pace.admit(2 * BOUND, 0, BOUND, 0), Verdict::Go);
}
