#![allow(clippy::unwrap_used, missing_docs)]
use super::{BUCKETS, Histogram, bound, place};

#[test]
fn each_bucket_holds_its_bound_and_not_what_is_longer() {
    for bucket in 0..BUCKETS - 1 {
        assert_eq!(place(bound(bucket)), bucket);
        assert_eq!(place(bound(bucket) + 1), bucket + 1);
    }
}

#[test]
fn a_bound_is_within_an_eighth_of_what_it_stands_for() {
    for nanoseconds in [200_u64, 999, 12_345, 1_000_000, 987_654_321] {
        let told = bound(place(nanoseconds));
        assert!(told >= nanoseconds && told - nanoseconds <= nanoseconds / 8, "{nanoseconds}");
    }
}

#[test]
fn the_shortest_and_the_longest_are_in_the_outer_buckets() {
    assert_eq!(place(0), 0);
    assert_eq!(place(u64::MAX), BUCKETS - 1);
}

#[test]
fn only_buckets_that_hold_something_are_told() {
    let mut histogram = Histogram::default();
    histogram.add(100, 3);
    histogram.add(120, 1);
    histogram.add(1_000_000, 2);
    let told = histogram.buckets();
    assert_eq!(told.iter().map(|bucket| bucket.count).collect::<Vec<_>>(), [4, 2]);
    assert!(told[1].up_to_ns >= 1_000_000);
}
