//! What a client may call itself: printable and without blanks, so that CLIENT LIST stays readable.

/// The name, if it is one; an empty one is none.
pub(super) fn checked(name: &[u8]) -> Result<Option<Box<str>>, ()> {
    if !name.iter().all(u8::is_ascii_graphic) {
        return Err(());
    }
    match std::str::from_utf8(name) {
        Ok("") => Ok(None),
        Ok(name) => Ok(Some(name.into())),
        Err(_) => Err(()),
    }
}

/// The error for what is not a name.
pub(super) const REFUSED: &str =
    "Client names cannot contain spaces, newlines or special characters.";
