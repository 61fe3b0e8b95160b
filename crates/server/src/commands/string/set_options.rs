//! The options of SET, which may stand in any order.

use dwell_engine::Stop;
use dwell_wire::Arguments;

use super::lifetime::{self, Lifetime};
use crate::commands::argument::{is_word, syntax_error};

/// When to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Condition<'a> {
    None,
    /// `NX`
    Absent,
    /// `XX`
    Present,
    /// `IFEQ`
    Equal(&'a [u8]),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct SetOptions<'a> {
    pub(super) condition: Condition<'a>,
    /// `GET`: the reply is what was there before.
    pub(super) answers_old: bool,
    pub(super) lifetime: Lifetime<'a>,
}

impl<'a> SetOptions<'a> {
    /// Reads what stands behind the value.
    pub(super) fn parse(arguments: Arguments<'a>) -> Result<Self, Stop> {
        let mut condition = Condition::None;
        let mut lifetime = None;
        let mut answers_old = false;
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            if is_word(word, "NX") {
                choose(&mut condition, Condition::Absent)?;
            } else if is_word(word, "XX") {
                choose(&mut condition, Condition::Present)?;
            } else if is_word(word, "IFEQ") {
                let expected = words.next().ok_or_else(syntax_error)?;
                choose(&mut condition, Condition::Equal(expected))?;
            } else if is_word(word, "GET") {
                answers_old = true;
            } else if is_word(word, "KEEPTTL") {
                lifetime::choose(&mut lifetime, Lifetime::Keep)?;
            } else {
                let option = Lifetime::parse(word, &mut words)?;
                lifetime::choose(&mut lifetime, option)?;
            }
        }
        Ok(Self { condition, answers_old, lifetime: lifetime.unwrap_or(Lifetime::None) })
    }
}

/// Chooses a condition; as in Redis the same one may be said again, another may not.
fn choose<'a>(chosen: &mut Condition<'a>, condition: Condition<'a>) -> Result<(), Stop> {
    if *chosen != Condition::None && *chosen != condition {
        return Err(syntax_error());
    }
    *chosen = condition;
    Ok(())
}
