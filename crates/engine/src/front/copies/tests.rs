#![allow(clippy::unwrap_used)]

use super::Queue;

#[test]
fn weeding_in_steps_drops_what_is_stale_and_keeps_the_order() {
    let mut queue = Queue::default();
    (0..1000).for_each(|number| queue.push_back(number));
    let mut taken = Vec::new();
    queue.begin_weeding();
    for step in 0..20 {
        queue.weed_some(30, |number| number % 3 == 0);
        // Others go on meanwhile.
        queue.push_back(1000 + step);
        taken.push(queue.pop_front().unwrap());
        queue.begin_weeding();
    }
    queue.weed_some(400, |number| number % 3 == 0);
    assert_eq!(queue.front(), Some(&60));
    while let Some(number) = queue.pop_front() {
        taken.push(number);
    }
    let expected: Vec<i32> = (0..1000).filter(|number| number % 3 == 0).chain(1000..1020).collect();
    assert_eq!(taken, expected);
}

#[test]
fn weeding_again_looks_at_what_was_kept_before() {
    let mut queue = Queue::default();
    (0..10).for_each(|number| queue.push_back(number));
    queue.begin_weeding();
    queue.weed_some(100, |number| number % 2 == 0);
    queue.push_back(11);
    queue.begin_weeding();
    queue.weed_some(100, |number| *number > 4);
    assert_eq!(queue.len(), 3);
    assert_eq!([queue.pop_front(), queue.pop_front()], [Some(6), Some(8)]);
    assert_eq!([queue.pop_front(), queue.pop_front()], [Some(11), None]);
}
