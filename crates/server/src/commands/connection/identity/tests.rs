#![allow(clippy::unwrap_used, missing_docs)]
use super::{is_equal, is_known};
use crate::settings::ServerSettings;

#[test]
fn only_the_whole_password_is_right() {
    assert!(is_equal(b"secret", b"secret"));
    for guess in [&b""[..], b"secre", b"secretx", b"secretsecret", b"Secret"] {
        assert!(!is_equal(guess, b"secret"));
    }
    assert!(is_equal(b"", b""));
    assert!(!is_equal(b"\0", b""));
}

#[test]
fn the_only_user_is_default() {
    let open = ServerSettings::default();
    assert!(is_known(b"default", b"anything", &open));
    assert!(!is_known(b"root", b"anything", &open));
    let closed = ServerSettings { password: Some(b"secret".to_vec()), ..open };
    assert!(is_known(b"default", b"secret", &closed));
    assert!(!is_known(b"default", b"anything", &closed));
}
