//! The one word that FLUSHDB and FLUSHALL take.

use dwell_engine::Stop;

use crate::call::Call;
use crate::commands::argument::{is_word, syntax_error};

/// Accepts nothing, `SYNC` or `ASYNC`: clearing takes the same short time however it is asked for.
pub(super) fn check(call: &Call<'_, '_>) -> Result<(), Stop> {
    let mut words = call.args.from(1).iter();
    match (words.next(), words.next()) {
        (None, _) => Ok(()),
        (Some(word), None) if is_word(word, "SYNC") || is_word(word, "ASYNC") => Ok(()),
        _ => Err(syntax_error()),
    }
}
