#![allow(clippy::unwrap_used, missing_docs)]

use super::*;

/// The table as Redis fills it, and its way back through it.
fn redis(a: &[u8], b: &[u8]) -> (usize, Vec<(usize, usize)>) {
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            table[i][j] = if a[i - 1] == b[j - 1] {
                table[i - 1][j - 1] + 1
            } else {
                table[i - 1][j].max(table[i][j - 1])
            };
        }
    }
    let (mut i, mut j, mut pairs) = (a.len(), b.len(), Vec::new());
    while i > 0 && j > 0 {
        if a[i - 1] == b[j - 1] {
            (i, j) = (i - 1, j - 1);
            pairs.push((i, j));
        } else if table[i - 1][j] > table[i][j - 1] {
            i -= 1;
        } else {
            j -= 1;
        }
    }
    (table[a.len()][b.len()], pairs)
}

fn random_text(state: &mut u64, length: usize, letters: u64) -> Vec<u8> {
    let mut next = || {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        b'a' + ((*state >> 33) % letters) as u8
    };
    (0..length).map(|_| next()).collect()
}

#[test]
fn every_step_back_is_the_one_that_redis_takes() {
    let mut state = 7;
    for round in 0..400 {
        let letters = 1 + round % 7;
        let a = random_text(&mut state, (round % 150) as usize, letters);
        let b = random_text(&mut state, (round * 7 % 200) as usize, letters);
        let (expected, pairs) = redis(&a, &b);
        let found = Subsequence::of(&a, &b);
        assert_eq!(found.length, expected);
        assert_eq!(length(&a, &b), expected);
        assert_eq!(found.pairs().collect::<Vec<_>>(), pairs);
        assert_eq!(found.text().len(), expected);
        assert_eq!(found.places().iter().map(|place| place.length).sum::<usize>(), expected);
    }
}

#[test]
fn contiguous_stretches_are_told_from_the_last() {
    let found = Subsequence::of(b"ohmytext", b"mynewtext");
    assert_eq!(found.text(), b"mytext");
    let expected = [Place { in_a: 4, in_b: 5, length: 4 }, Place { in_a: 2, in_b: 0, length: 2 }];
    assert_eq!(found.places(), expected);
}

#[test]
fn an_empty_string_shares_nothing() {
    for (a, b) in [(&b""[..], &b""[..]), (b"", b"abc"), (b"abc", b"")] {
        assert_eq!((length(a, b), Subsequence::of(a, b).text()), (0, Vec::new()));
    }
}

#[test]
fn all_256_bytes_have_masks_of_their_own() {
    let all: Vec<u8> = (0..=255).collect();
    assert_eq!(length(&all, &all), 256);
    assert_eq!(Subsequence::of(&all, &all).text(), all);
}

/// INV-06.
#[test]
fn the_bound_is_that_of_redis_and_a_cell_takes_a_bit() {
    assert!(cells([11_584, 11_584]).is_some_and(|cells| cells <= CELLS_MAX));
    assert!(cells([11_585, 11_585]).is_some_and(|cells| cells > CELLS_MAX));
    assert_eq!(cells([u64::MAX - 1, 2]), None);
    let (a, b) = (random_text(&mut 1, 1_000, 26), random_text(&mut 2, 3_001, 26));
    let found = Subsequence::of(&a, &b);
    assert_eq!(found.rows.len(), 1_000 * 376);
    assert_eq!(found.text().len(), length(&a, &b));
}
