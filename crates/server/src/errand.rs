//! Commands that are too long for one turn (INV-06): they do their work in parts, one under the
//! engine's lock and one without, and everybody else is served in between.
//!
//! Inside MULTI, where everything happens at one moment, there are no errands: a command does its
//! work at once there, within a bound, or refuses.

use dwell_engine::Stop;

use crate::call::Call;

/// What a long command carries from one of its parts to the next.
pub trait Errand: Send {
    /// The next part under the engine's lock. Like a command it may be run again after a gather,
    /// so it changes itself only as the last thing before `Ok`, and writes a reply only then.
    ///
    /// # Errors
    /// As those of a command.
    fn step(&mut self, call: &mut Call<'_, '_>) -> Result<Next, Stop>;

    /// A part of any length without the lock, on a thread of its own.
    fn work(&mut self);
}

/// How an errand goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// It has `work` to do, then a step.
    Work,
    /// Not at all: the reply was written.
    Done,
}

/// An errand on its way.
pub type Carried = Option<Box<dyn Errand>>;

/// Sends a command on its errand; without `carried`, inside MULTI, it is done here and now.
///
/// # Errors
/// As those of a step.
pub fn begin(mut errand: impl Errand + 'static, call: &mut Call<'_, '_>) -> Result<(), Stop> {
    while errand.step(call)? == Next::Work {
        if let Some(carried) = call.errand.as_deref_mut() {
            *carried = Some(Box::new(errand));
            return Ok(());
        }
        errand.work();
    }
    Ok(())
}
