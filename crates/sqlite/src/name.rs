//! File names for namespaces, whose own names are any bytes, and hostile ones too.
//!
//! Lower-case letters, digits, `-` and `_` stand for themselves and every other byte is `%` and
//! two hexadecimal digits, so that no two namespaces share a file: not on a filesystem that
//! ignores case, nor on one that normalises Unicode. It opens nothing.

use std::fmt::Write;

use sha2::{Digest, Sha256};

/// SQLite appends up to eight bytes (`-journal`) and we four (`.new`) to a name of at most 255.
const NAME_BYTES_MAX: usize = 240;

/// How much of a long name stays readable before its digest.
const PREFIX_BYTES: usize = 64;

/// Stands before the digest; no escape contains it.
const DIGEST_MARK: &str = "%~";

/// What a file name says of its namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileName {
    /// The namespace's name.
    Whole(Vec<u8>),
    /// The name was too long for a file name; the file's own identity tells it.
    Digest,
}

/// The file name of a namespace, with `suffix` (such as `.keys`) at its end.
///
/// It is at most 240 bytes for suffixes up to 32 bytes, made of ASCII, never hidden and never a
/// path. Different namespaces get different names, also where case does not count; a name too
/// long to be escaped in full ends in its SHA-256.
///
/// # Cost
///
/// Linear in the name.
///
/// ```
/// assert_eq!(dwell_sqlite::file_name(b"users", ".keys"), "users.keys");
/// assert_eq!(dwell_sqlite::file_name(b"../Users", ".keys"), "%2e%2e%2f%55sers.keys");
/// ```
pub fn file_name(namespace: &[u8], suffix: &str) -> String {
    let mut name = escaped(namespace);
    if name.len() + suffix.len() > NAME_BYTES_MAX {
        name.truncate(PREFIX_BYTES);
        name.push_str(DIGEST_MARK);
        push_hexadecimal(&mut name, &Sha256::digest(namespace));
    }
    name.push_str(suffix);
    name
}

/// The namespace that a file name made with the same `suffix` stands for, or `None` for a name
/// that [`file_name`] never makes.
///
/// # Cost
///
/// Linear in the name.
///
/// ```
/// use dwell_sqlite::{FileName, parse_file_name};
/// assert_eq!(parse_file_name("a%2fb.keys", ".keys"), Some(FileName::Whole(b"a/b".to_vec())));
/// assert_eq!(parse_file_name("README.md", ".keys"), None);
/// ```
pub fn parse_file_name(name: &str, suffix: &str) -> Option<FileName> {
    let stem = name.strip_suffix(suffix)?;
    if let Some((prefix, digest)) = stem.split_once(DIGEST_MARK) {
        let is_ours = prefix.len() == PREFIX_BYTES
            && prefix.bytes().all(|byte| byte == b'%' || is_plain(byte))
            && digest.len() == 64
            && is_hexadecimal(digest);
        return is_ours.then_some(FileName::Digest);
    }
    let namespace = unescaped(stem)?;
    // Only the one spelling that we write counts, or two files could claim one namespace.
    (file_name(&namespace, suffix) == name).then_some(FileName::Whole(namespace))
}

fn escaped(namespace: &[u8]) -> String {
    if namespace.is_empty() {
        return "%".to_owned();
    }
    let mut name = String::with_capacity(namespace.len());
    for &byte in namespace {
        match byte {
            // A leading hyphen would read as an option to the tools of whoever looks around.
            b'-' if name.is_empty() => name.push_str("%2d"),
            _ if is_plain(byte) => name.push(char::from(byte)),
            _ => {
                name.push('%');
                push_hexadecimal(&mut name, &[byte]);
            }
        }
    }
    name
}

fn unescaped(stem: &str) -> Option<Vec<u8>> {
    if stem == "%" {
        return Some(Vec::new());
    }
    let mut namespace = Vec::with_capacity(stem.len());
    let mut rest = stem.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte == b'%' {
            let (digits, tail) = rest.split_at_checked(2)?;
            let digits = std::str::from_utf8(digits).ok().filter(|text| is_hexadecimal(text))?;
            namespace.push(u8::from_str_radix(digits, 16).ok()?);
            rest = tail;
        } else {
            namespace.push(byte);
        }
    }
    (!namespace.is_empty()).then_some(namespace)
}

fn push_hexadecimal(name: &mut String, bytes: &[u8]) {
    for byte in bytes {
        write!(name, "{byte:02x}").expect("writing into a String does not fail");
    }
}

fn is_plain(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-')
}

fn is_hexadecimal(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests;
