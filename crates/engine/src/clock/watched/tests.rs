//! A monotonic clock that stands still is noticed, replaced and reported (TTL-05).

use crate::clock::{Clock, ManualClock, SystemClock, WatchedClock};

/// Reads often enough for the wall clock to be looked at.
fn look(clock: &WatchedClock<ManualClock>) -> i64 {
    (0..20).map(|_| clock.read().monotonic_ms).last().unwrap_or_default()
}

#[test]
fn ttl_05_a_clock_that_stands_still_goes_on_by_the_wall_clock() {
    let clock = WatchedClock::new(ManualClock::at(1_000_000));
    let before_ms = look(&clock);
    for _ in 0..100 {
        clock.source.step_wall(10);
        look(&clock);
    }
    assert!(clock.stands_still());
    assert_eq!(look(&clock), before_ms + 1000);
}

#[test]
fn ttl_05_a_clock_that_moves_again_is_trusted_and_time_does_not_go_back() {
    let clock = WatchedClock::new(ManualClock::at(1_000_000));
    for _ in 0..20 {
        clock.source.step_wall(10);
        look(&clock);
    }
    let stood_ms = look(&clock);
    clock.source.advance(5);
    assert_eq!(look(&clock), stood_ms + 5);
    assert!(!clock.stands_still());
}

#[test]
fn ttl_05_steps_of_the_wall_clock_are_no_sign_of_a_stopped_clock() {
    let clock = WatchedClock::new(ManualClock::at(1_000_000));
    for step_ms in [3_600_000, -7_200_000, 86_400_000, -1] {
        clock.source.step_wall(step_ms);
        look(&clock);
        clock.source.advance(1);
    }
    assert!(!clock.stands_still());
    assert_eq!(look(&clock), 4);
}

#[test]
fn ttl_05_a_step_of_the_wall_clock_while_the_other_stands_ends_few_lifetimes() {
    let clock = WatchedClock::new(ManualClock::at(1_000_000));
    for _ in 0..10 {
        clock.source.step_wall(10);
        look(&clock);
    }
    clock.source.step_wall(86_400_000);
    assert_eq!(look(&clock), 100 + 1000);
}

#[test]
fn a_new_millisecond_brings_a_new_reading_of_the_wall_clock() {
    let clock = WatchedClock::new(ManualClock::at(1_000_000));
    for passed_ms in 1..50 {
        clock.source.advance(1);
        assert_eq!(clock.read().wall_ms, 1_000_000 + passed_ms);
    }
}

#[test]
fn a_reading_of_the_wall_clock_is_not_behind_the_wall_clock() {
    let mut behind = 0;
    // Several clocks, since what matters is at which part of a millisecond they begin.
    for _ in 0..20 {
        let clock = WatchedClock::new(SystemClock::new());
        for _ in 0..100 {
            // So few readings in a millisecond share one of the wall clock.
            std::thread::sleep(std::time::Duration::from_micros(70));
            let before_ms = clock.source.wall_ms();
            behind += u32::from(clock.read().wall_ms < before_ms);
        }
    }
    // The two are begun some nanoseconds one after the other.
    assert!(behind <= 40, "{behind} of 2,000");
}
