//! EXPIRE and its twins: a lifetime or a moment, in either unit, on a condition.

use std::cmp::Ordering;

use dwell_engine::{Deadline, Facts, Now, Stop};
use dwell_wire::Arguments;

use crate::call::Call;
use crate::commands::argument::{self, fail, invalid_expire_time, is_word};

/// What the number of a command means.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given {
    ms_per_unit: i64,
    is_moment: bool,
}

impl Given {
    pub(super) const SECONDS: Self = Self { ms_per_unit: 1000, is_moment: false };
    pub(super) const MILLISECONDS: Self = Self { ms_per_unit: 1, is_moment: false };
    pub(super) const UNIX_SECONDS: Self = Self { ms_per_unit: 1000, is_moment: true };
    pub(super) const UNIX_MILLISECONDS: Self = Self { ms_per_unit: 1, is_moment: true };

    /// The deadline, which may be past; `None` if it is beyond what can be counted.
    fn deadline(self, number: i64, now: Now) -> Option<Deadline> {
        let ms = number.checked_mul(self.ms_per_unit)?;
        if self.is_moment { Some(now.at_wall_ms(ms)) } else { now.after_ms(ms) }
    }
}

/// Runs the command: 1 if the key got the deadline or was deleted by it, else 0.
pub(super) fn expire(call: &mut Call<'_, '_>, given: Given, command: &str) -> Result<(), Stop> {
    let conditions = Conditions::parse(call.args.from(3))?;
    let number = argument::integer(&call.args[2])?;
    let now = call.scope.now();
    let deadline = given.deadline(number, now).ok_or_else(|| invalid_expire_time(command))?;
    let key = &call.args[1];
    let is_met =
        call.scope.facts(key)?.is_some_and(|facts| conditions.are_met(&facts, deadline, now));
    if is_met {
        call.scope.set_deadline(key, Some(deadline))?;
    }
    call.reply.integer(i64::from(is_met));
    Ok(())
}

/// What is asked of the deadline that the key has.
#[derive(Clone, Copy, Debug)]
struct Conditions {
    /// `XX` wants one, `NX` wants none.
    presence: Option<bool>,
    /// `GT` wants the new one to be later, `LT` sooner.
    order: Option<Ordering>,
}

impl Conditions {
    fn parse(arguments: Arguments<'_>) -> Result<Self, Stop> {
        let is_known = |word: &&[u8]| ["NX", "XX", "GT", "LT"].iter().any(|it| is_word(word, it));
        if let Some(word) = arguments.iter().find(|word| !is_known(word)) {
            let option = String::from_utf8_lossy(word);
            return Err(fail(format!("Unsupported option {option}")));
        }
        let has = |option| arguments.iter().any(|word| is_word(word, option));
        let (absent, present, later, sooner) = (has("NX"), has("XX"), has("GT"), has("LT"));
        if absent && (present || later || sooner) {
            return Err(fail("NX and XX, GT or LT options at the same time are not compatible"));
        }
        if later && sooner {
            return Err(fail("GT and LT options at the same time are not compatible"));
        }
        let presence = (absent || present).then_some(present);
        let order = match (later, sooner) {
            (true, _) => Some(Ordering::Greater),
            (_, true) => Some(Ordering::Less),
            _ => None,
        };
        Ok(Self { presence, order })
    }

    fn are_met(self, facts: &Facts, deadline: Deadline, now: Now) -> bool {
        let is_present_as_asked =
            self.presence.is_none_or(|presence| presence == facts.deadline.is_some());
        // A key without a deadline lives for ever, and every moment is sooner than that.
        let found = facts.deadline.map_or(Ordering::Less, |current| {
            now.wall_ms_of(deadline).cmp(&now.wall_ms_of(current))
        });
        is_present_as_asked && self.order.is_none_or(|order| order == found)
    }
}
