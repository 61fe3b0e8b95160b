use super::Lifetimes;
use crate::clock::{Deadline, Now};

const NOW: Now = Now { engine_ms: 1000, wall_ms: 50_000 };

#[test]
fn the_average_is_over_both_clocks() {
    let mut lifetimes = Lifetimes::default();
    lifetimes.tally(Deadline { at_ms: 1100, absolute: false }, 1);
    lifetimes.tally(Deadline { at_ms: 50_300, absolute: true }, 1);
    assert_eq!((lifetimes.count(), lifetimes.average_left_ms(NOW)), (2, 200));
    lifetimes.tally(Deadline { at_ms: 1100, absolute: false }, -1);
    assert_eq!((lifetimes.count(), lifetimes.average_left_ms(NOW)), (1, 300));
}

#[test]
fn nothing_has_nothing_left_and_what_is_due_not_less() {
    let mut lifetimes = Lifetimes::default();
    assert_eq!(lifetimes.average_left_ms(NOW), 0);
    lifetimes.tally(Deadline { at_ms: 1, absolute: false }, 1);
    assert_eq!(lifetimes.average_left_ms(NOW), 0);
}

#[test]
fn deadlines_in_the_far_future_can_be_added() {
    let mut lifetimes = Lifetimes::default();
    for _ in 0..1000 {
        lifetimes.tally(Deadline { at_ms: i64::MAX, absolute: false }, 1);
    }
    assert_eq!(lifetimes.average_left_ms(NOW), i64::MAX as u64 - 1000);
}
