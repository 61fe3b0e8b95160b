//! Redis's globs: `*`, `?`, `[a-z]`, `[^a-z]` and `\` for the next byte itself.
//!
//! Owns the grammar and the matching. It must not know keys or scans. Keeps INV-06: a pattern is
//! compiled once, matching never recurses and remembers one `*` only, so that the worst case is
//! the product of the two lengths and a class costs one look whatever its length.

mod class;
#[cfg(test)]
mod tests;

use class::Class;
use std::ops::ControlFlow;

/// Whether the whole text matches the pattern; compile a [`Glob`] to match many texts.
pub fn matches(pattern: &[u8], text: &[u8], ignore_case: bool) -> bool {
    Glob::new(pattern, ignore_case).matches(text)
}

/// The bytes that every match begins with, for a pattern that does not ignore case.
pub fn literal_prefix(pattern: &[u8]) -> Vec<u8> {
    Glob::new(pattern, false).literal_prefix()
}

/// One compiled pattern.
///
/// Source: Redis's `stringmatchlen`. An unterminated class ends with the pattern, `[]` matches
/// nothing and `[^]` any byte. Unlike there, `*` matches the empty text and bytes are unsigned.
#[derive(Clone, Debug)]
pub struct Glob {
    tokens: Vec<Token>,
    /// Tokens that consume a byte, hence the least length of a match.
    text_length_min: usize,
    ignore_case: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Literal(u8),
    Any,
    Class(Box<Class>),
    Star,
}

impl Glob {
    /// Compiles a pattern. Every pattern means something, as in Redis.
    pub fn new(pattern: &[u8], ignore_case: bool) -> Self {
        let mut tokens = Vec::with_capacity(pattern.len());
        let mut rest = pattern;
        while let Some((token, tail)) = next_token(rest, ignore_case) {
            // A run of stars means one star; keeping one makes 60,000 of them free.
            if token != Token::Star || tokens.last() != Some(&Token::Star) {
                tokens.push(token);
            }
            rest = tail;
        }
        let text_length_min = tokens.iter().filter(|token| **token != Token::Star).count();
        Self { tokens, text_length_min, ignore_case }
    }

    /// Whether the whole text matches.
    ///
    /// # Cost
    /// At most the product of the lengths of pattern and text; linear without a `*` inside.
    pub fn matches(&self, text: &[u8]) -> bool {
        if text.len() < self.text_length_min {
            return false;
        }
        let Some(last_star) = self.tokens.iter().rposition(|token| *token == Token::Star) else {
            return text.len() == self.tokens.len() && self.matches_all(&self.tokens, text);
        };
        // Behind the last star each token takes one byte, so that part can stand in one place only.
        let tail = &self.tokens[last_star + 1..];
        let (text, text_tail) = text.split_at(text.len() - tail.len());
        self.matches_all(tail, text_tail) && self.matches_head(&self.tokens[..=last_star], text)
    }

    /// Steps that comparing texts of so many bytes takes at most.
    pub fn steps_max(&self, text_bytes: usize) -> usize {
        self.tokens.len().saturating_mul(text_bytes)
    }

    /// The bytes that every match begins with; none for a pattern that ignores case.
    pub fn literal_prefix(&self) -> Vec<u8> {
        let literal = |token: &Token| match token {
            Token::Literal(byte) if !self.ignore_case => Some(*byte),
            _ => None,
        };
        self.tokens.iter().map_while(literal).collect()
    }

    /// Whether every text matches.
    pub fn matches_everything(&self) -> bool {
        self.tokens == [Token::Star]
    }

    fn matches_all(&self, tokens: &[Token], text: &[u8]) -> bool {
        tokens.iter().zip(text).all(|(token, byte)| self.takes(token, *byte))
    }

    /// Matches tokens that end with a star. When one fails, the last star takes one byte more;
    /// earlier stars need no second thought, since they took as little as possible.
    fn matches_head(&self, tokens: &[Token], text: &[u8]) -> bool {
        let (mut token, mut position) = (0, 0);
        let mut star: Option<(usize, usize)> = None;
        while token < tokens.len() {
            if tokens[token] == Token::Star {
                star = Some((token + 1, position));
                token += 1;
            } else if text.get(position).is_some_and(|byte| self.takes(&tokens[token], *byte)) {
                token += 1;
                position += 1;
            } else {
                let Some((after_star, taken_from)) = star else { return false };
                if taken_from >= text.len() {
                    return false;
                }
                star = Some((after_star, taken_from + 1));
                (token, position) = (after_star, taken_from + 1);
            }
        }
        true
    }

    fn takes(&self, token: &Token, byte: u8) -> bool {
        let byte = if self.ignore_case { byte.to_ascii_lowercase() } else { byte };
        match token {
            Token::Literal(literal) => *literal == byte,
            Token::Any => true,
            Token::Class(class) => class.contains(byte),
            Token::Star => false,
        }
    }
}

fn next_token(pattern: &[u8], ignore_case: bool) -> Option<(Token, &[u8])> {
    let fold = |byte: u8| if ignore_case { byte.to_ascii_lowercase() } else { byte };
    let (token, tail) = match pattern {
        [] => return None,
        [b'*', tail @ ..] => (Token::Star, tail),
        [b'?', tail @ ..] => (Token::Any, tail),
        [b'[', tail @ ..] => {
            let (class, tail) = Class::parse(tail, ignore_case);
            (Token::Class(Box::new(class)), tail)
        }
        [b'\\', escaped, tail @ ..] => (Token::Literal(fold(*escaped)), tail),
        [byte, tail @ ..] => (Token::Literal(fold(*byte)), tail),
    };
    Some((token, tail))
}

/// Several patterns that are tried together in one pass over the texts.
#[derive(Clone, Debug, Default)]
pub struct Globs(Vec<Glob>);

impl Globs {
    /// Compiles the patterns.
    pub fn new<'p>(patterns: impl IntoIterator<Item = &'p [u8]>, ignore_case: bool) -> Self {
        Self(patterns.into_iter().map(|pattern| Glob::new(pattern, ignore_case)).collect())
    }

    /// Whether any of the patterns matches; none does when there is none.
    pub fn matches(&self, text: &[u8]) -> bool {
        self.0.iter().any(|glob| glob.matches(text))
    }

    /// The positions of the patterns that match, in the order in which they were given.
    pub fn matching<'s>(&'s self, text: &'s [u8]) -> impl Iterator<Item = usize> + 's {
        let tried = self.0.iter().enumerate();
        tried.filter(|(_, glob)| glob.matches(text)).map(|(index, _)| index)
    }

    /// The bytes that every match of any pattern begins with.
    pub fn literal_prefix(&self) -> Vec<u8> {
        let mut prefixes = self.0.iter().map(Glob::literal_prefix);
        let first = prefixes.next().unwrap_or_default();
        let shared = prefixes.try_fold(first, |mut shared, prefix| {
            let length = shared.iter().zip(&prefix).take_while(|(a, b)| a == b).count();
            shared.truncate(length);
            if length == 0 { ControlFlow::Break(shared) } else { ControlFlow::Continue(shared) }
        });
        match shared {
            ControlFlow::Break(shared) | ControlFlow::Continue(shared) => shared,
        }
    }
}
