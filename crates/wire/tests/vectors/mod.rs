//! Reads `spec/vectors/resp.txt`: tokens, texts and values. Knows nothing of the parsers.
#![allow(clippy::unwrap_used, missing_docs)]

use dwell_wire::Value;

/// One line of the file.
pub struct Case {
    pub kind: String,
    pub line: String,
    pub tokens: Vec<Token>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    Word(String),
    Text(Vec<u8>),
}

pub fn cases() -> Vec<Case> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/vectors/resp.txt");
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(case).collect()
}

fn case(line: &str) -> Case {
    let mut tokens = tokens(line);
    let Token::Word(kind) = tokens.remove(0) else { panic!("a line starts with its kind: {line}") };
    Case { kind, line: line.to_owned(), tokens }
}

fn tokens(line: &str) -> Vec<Token> {
    let (mut tokens, mut rest) = (Vec::new(), line.trim_start());
    while !rest.is_empty() {
        let (token, after) = if let Some(text) = rest.strip_prefix('"') {
            quoted(text)
        } else {
            let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
            (Token::Word(word.to_owned()), after)
        };
        tokens.push(token);
        rest = after.trim_start();
    }
    tokens
}

fn quoted(mut rest: &str) -> (Token, &str) {
    let mut text = Vec::new();
    loop {
        let byte = rest.as_bytes()[0];
        let width = match byte {
            b'"' => return (Token::Text(text), &rest[1..]),
            b'\\' if rest.as_bytes()[1] == b'x' => {
                text.push(u8::from_str_radix(&rest[2..4], 16).unwrap());
                4
            }
            b'\\' => {
                text.push(match rest.as_bytes()[1] {
                    b'r' => b'\r',
                    b'n' => b'\n',
                    b't' => b'\t',
                    other => other,
                });
                2
            }
            byte => {
                text.push(byte);
                1
            }
        };
        rest = &rest[width..];
    }
}

/// Takes the text at the front.
pub fn text(tokens: &mut &[Token]) -> Vec<u8> {
    let (first, rest) = tokens.split_first().unwrap();
    *tokens = rest;
    let Token::Text(text) = first else { panic!("expected a text, found {first:?}") };
    text.clone()
}

/// Takes the word at the front if it is this one.
pub fn word(tokens: &mut &[Token], expected: &str) -> bool {
    let is_there = tokens.first() == Some(&Token::Word(expected.to_owned()));
    if is_there {
        *tokens = &tokens[1..];
    }
    is_there
}

/// Takes the value at the front.
pub fn value(tokens: &mut &[Token]) -> Value {
    let (first, rest) = tokens.split_first().unwrap();
    *tokens = rest;
    let Token::Word(word) = first else { panic!("expected a value, found {first:?}") };
    match word.split_once(':').unwrap_or((word, "")) {
        ("null", _) => Value::Null,
        ("null-array", _) => Value::NullArray,
        ("true", _) => Value::Boolean(true),
        ("false", _) => Value::Boolean(false),
        ("int", number) => Value::Integer(number.parse().unwrap()),
        ("double", number) => Value::Double(number.parse().unwrap()),
        ("big", digits) => Value::BigNumber(digits.into()),
        ("status", _) => Value::Status(text(tokens)),
        ("error", _) => Value::Error(text(tokens)),
        ("bytes", _) => Value::Bytes(text(tokens)),
        ("verbatim", format) => {
            Value::Verbatim(format.as_bytes().try_into().unwrap(), text(tokens))
        }
        ("array", _) => Value::Array(values(tokens)),
        ("set", _) => Value::Set(values(tokens)),
        ("push", _) => Value::Push(values(tokens)),
        ("map", _) => Value::Map(pairs(tokens)),
        ("attribute", _) => {
            let pairs = pairs(tokens);
            Value::Attributed(pairs, Box::new(value(tokens)))
        }
        other => panic!("no value: {other:?}"),
    }
}

fn values(tokens: &mut &[Token]) -> Vec<Value> {
    assert!(word(tokens, "["));
    let mut found = Vec::new();
    while !word(tokens, "]") {
        found.push(value(tokens));
    }
    found
}

fn pairs(tokens: &mut &[Token]) -> Vec<(Value, Value)> {
    values(tokens).chunks(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect()
}
