//! The engine's lock for one turn of the loop: taken at the first command that needs it, and held
//! for all that follow, so that a turn without such commands never asks for it.

use dwell_engine::{Engine, Ticket, Turn};

/// The lock, perhaps not taken yet.
pub struct LazyTurn<'engine> {
    engine: &'engine Engine,
    turn: Option<Turn<'engine>>,
}

impl<'engine> LazyTurn<'engine> {
    /// A turn that holds nothing.
    pub const fn new(engine: &'engine Engine) -> Self {
        Self { engine, turn: None }
    }

    /// The engine's turn.
    pub fn get(&mut self) -> &mut Turn<'engine> {
        self.turn.get_or_insert_with(|| self.engine.lock())
    }

    /// What the batches since the last call have to wait for, if there were any.
    pub fn take_ticket(&mut self) -> Option<Ticket> {
        self.turn.as_mut().map(Turn::take_ticket)
    }
}
