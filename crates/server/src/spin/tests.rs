#![allow(clippy::unwrap_used, missing_docs)]

use std::time::Duration;

use super::{SLEEPS_PER_PROBE, SPIN_MAX, Spin};

#[test]
fn a_loop_with_nothing_to_do_sleeps_but_for_a_probe_now_and_then() {
    let mut spin = Spin::default();
    let mut probes = 0;
    for _ in 0..SLEEPS_PER_PROBE * 10 {
        if spin.budget() > Duration::ZERO {
            probes += 1;
            spin.learn(false);
        }
    }
    assert_eq!(probes, 10);
}

#[test]
fn a_busy_loop_stays_awake_and_stops_soon_after_the_last_request() {
    let mut spin = Spin::default();
    for _ in 0..100 {
        spin.learn(true);
    }
    assert_eq!(spin.budget(), SPIN_MAX);
    let misses = (0..100).take_while(|_| {
        let is_awake = spin.credit > 0;
        spin.learn(false);
        is_awake
    });
    assert_eq!(misses.count(), 8);
}
