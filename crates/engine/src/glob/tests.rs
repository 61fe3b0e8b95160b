#![allow(clippy::unwrap_used, missing_docs)]

use super::*;
use proptest::prelude::*;
use std::time::{Duration, Instant};

/// Redis's grammar as plainly as it can be written, exponential where it likes.
fn naive(pattern: &[u8], text: &[u8]) -> bool {
    match next_token(pattern, false) {
        None => text.is_empty(),
        Some((Token::Star, rest)) => (0..=text.len()).any(|taken| naive(rest, &text[taken..])),
        Some((token, rest)) => text.split_first().is_some_and(|(byte, text)| {
            let taken = match token {
                Token::Literal(literal) => literal == *byte,
                Token::Class(class) => class.contains(*byte),
                _ => true,
            };
            taken && naive(rest, text)
        }),
    }
}

#[test]
fn each_sign_means_what_it_means_in_redis() {
    for (pattern, text, expected) in [
        ("", "", true),
        ("", "a", false),
        ("*", "", true),
        ("a*", "a", true),
        ("a*c", "abcbc", true),
        ("a*c", "abcb", false),
        ("*b*", "abc", true),
        ("h?llo", "hello", true),
        ("h?llo", "hllo", false),
        ("h[ae]llo", "hallo", true),
        ("h[ae]llo", "hillo", false),
        ("h[^e]llo", "hallo", true),
        ("h[^e]llo", "hello", false),
        ("h[a-c]llo", "hbllo", true),
        ("h[c-a]llo", "hbllo", true),
        ("h[a-c]llo", "hdllo", false),
        ("[a-]", "a", true),
        ("[a-]", "_", true),
        ("[a-]", "-", false),
        ("[a-]]", "_", true),
        ("[-a]", "-", true),
        ("[]", "a", false),
        ("[^]", "a", true),
        ("[", "a", false),
        ("[^", "a", true),
        ("[abc", "b", true),
        ("[\\]]", "]", true),
        ("[\\", "\\", true),
        ("\\*", "*", true),
        ("\\*", "a", false),
        ("a\\", "a\\", true),
        ("\\a", "a", true),
        ("*[0-9]", "key7", true),
        ("*a*a*", "a", false),
    ] {
        let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
        assert_eq!(matches(pattern, text, false), expected, "{pattern:?} {text:?}");
    }
}

#[test]
fn case_is_ignored_only_when_asked() {
    assert!(matches(b"MAX[A-M]*", b"maxmemory", true));
    assert!(!matches(b"MAX[A-M]*", b"maxmemory", false));
    assert_eq!(Glob::new(b"max*", true).literal_prefix(), b"");
}

/// KEY-04, INV-06.
#[test]
fn a_hostile_pattern_is_answered_within_ten_milliseconds() {
    let key = [&b"a".repeat(30)[..], b"b"].concat();
    for (pattern, expected) in [
        (b"a*".repeat(30), true),
        ([&b"a*".repeat(30)[..], b"c"].concat(), false),
        (b"*a".repeat(30), false),
        (b"*".repeat(60_000), true),
        ([&b"*".repeat(60_000)[..], b"c"].concat(), false),
        (b"*?".repeat(30_000), false),
        (b"[".repeat(60_000), false),
    ] {
        // The best of a few, since a busy machine may stop any of them in its middle.
        let spent = (0..5).map(|_| {
            let begin = Instant::now();
            assert_eq!(matches(&pattern, &key, false), expected);
            begin.elapsed()
        });
        let best = spent.min().unwrap_or_default();
        assert!(best < Duration::from_millis(10), "{best:?} for {:?}", &pattern[..4]);
    }
}

#[test]
fn the_literal_prefix_is_unescaped_and_ends_at_the_first_sign() {
    for (pattern, prefix) in [
        ("user:*", "user:"),
        ("user\\*:*", "user*:"),
        ("plain", "plain"),
        ("*", ""),
        ("a[b]c", "a"),
        ("a?c", "a"),
        ("a\\", "a\\"),
    ] {
        assert_eq!(literal_prefix(pattern.as_bytes()), prefix.as_bytes(), "{pattern}");
    }
}

#[test]
fn several_patterns_are_tried_in_one_pass() {
    let globs = Globs::new([&b"user:*:name"[..], b"user:1*", b"use[rd]:2*"], false);
    assert_eq!(globs.matching(b"user:1:name").collect::<Vec<_>>(), [0, 1]);
    assert!(globs.matches(b"used:2"));
    assert!(!globs.matches(b"used:1"));
    assert_eq!(globs.literal_prefix(), b"use");
    assert!(!Globs::default().matches(b""));
    assert_eq!(Globs::default().literal_prefix(), b"");
}

proptest! {
    #[test]
    fn matching_agrees_with_the_plain_definition(
        pattern in "[ab*?\\[\\]^\\\\-]{0,10}", text in "[ab\\]\\\\-]{0,8}",
    ) {
        let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
        prop_assert_eq!(matches(pattern, text, false), naive(pattern, text));
    }

    #[test]
    fn every_match_begins_with_the_literal_prefix(
        pattern in "[ab\\\\]{0,3}[ab*?\\[]{0,4}", text in "[ab\\\\]{0,6}",
    ) {
        let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
        if matches(pattern, text, false) {
            prop_assert!(text.starts_with(&literal_prefix(pattern)));
        }
    }

    #[test]
    fn any_bytes_are_a_pattern(pattern: Vec<u8>, text: Vec<u8>) {
        let _ = matches(&pattern, &text, true);
    }
}
