//! Who a client claims to be, and whether that is true. There is one user, `default`.

use std::hint::black_box;

use crate::settings::ServerSettings;

#[cfg(test)]
mod tests;

/// The error for whoever is not who it claims to be; it does not tell which half was wrong.
pub(super) const WRONG: &str = "WRONGPASS invalid username-password pair or user is disabled.";

/// Whether this user has this password; without a password, `default` may bring any.
pub(super) fn is_known(user: &[u8], password: &[u8], settings: &ServerSettings) -> bool {
    let secret = settings.password.as_deref();
    // Both are looked at always, so that the time does not tell which was wrong.
    let is_right = secret.is_none_or(|secret| is_equal(password, secret));
    is_equal(user, b"default") & is_right
}

/// Whether a guess is right, in a time that depends on the guess's length alone: an answer that
/// comes sooner for a wrong first byte gives the password away byte by byte.
fn is_equal(guess: &[u8], secret: &[u8]) -> bool {
    let mut difference = usize::from(guess.len() != secret.len());
    for (index, byte) in guess.iter().enumerate() {
        let expected = secret.get(index % secret.len().max(1)).copied().unwrap_or(0);
        difference |= black_box(usize::from(byte ^ expected));
    }
    black_box(difference) == 0
}
