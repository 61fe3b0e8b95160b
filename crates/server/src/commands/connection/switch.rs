//! ON or OFF, as the subcommands of CLIENT take it.

use dwell_engine::Error;

/// Whether a word says on.
pub(super) fn parse(word: &[u8]) -> Result<bool, Error> {
    let is_on = word.eq_ignore_ascii_case(b"on");
    if is_on || word.eq_ignore_ascii_case(b"off") {
        return Ok(is_on);
    }
    Err(Error::invalid("syntax error"))
}
