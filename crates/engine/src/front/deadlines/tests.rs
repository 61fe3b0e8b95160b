//! Claims about which entries end when, on two clocks.

#![allow(clippy::unwrap_used, missing_docs)]

use super::*;
use crate::front::slab::Slab;

#[test]
fn entries_are_due_by_their_own_clock_the_earliest_first() {
    let mut slab = Slab::new();
    let handles: Vec<Handle> = (0..6).map(|_| slab.allocate(24).unwrap()).collect();
    let mut deadlines = Deadlines::default();
    for (at, &handle) in handles.iter().enumerate() {
        let at_ms = 1000 - at as i64 * 100;
        deadlines.add(Deadline { at_ms, absolute: at >= 3 }, handle);
    }
    let mut due = Vec::new();
    deadlines.due(Now { engine_ms: 900, wall_ms: 500 }, 10, &mut due);
    assert_eq!(due, [handles[2], handles[1], handles[5]]);
    // Left on either clock: 1000, 900, 800 less 0, and 700, 600, 500 less 400.
    let order: Vec<_> = deadlines.by_time_left(Now { engine_ms: 0, wall_ms: 400 }).collect();
    assert_eq!(order, [5, 4, 3, 2, 1, 0].map(|at| handles[at]));
    deadlines.remove(Deadline { at_ms: 500, absolute: true }, handles[5]);
    assert_eq!(deadlines.len(), 5);
}
