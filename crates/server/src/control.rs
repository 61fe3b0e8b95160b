//! Messages to the event loop from other threads, and the waker that makes it look.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use dwell_engine::{Error, Gathered};
use dwell_wire::Value;
use mio::Waker;

use crate::clients::{ClientFacts, Handle};
use crate::counters::{Counters, Facts};
use crate::errand::Errand;
use crate::house::{House, Pause};
use crate::settings::ServerSettings;

/// What is done with the counters between two turns.
pub type Look = Box<dyn FnOnce(&mut Counters, &House) + Send>;

/// What the loop can be told.
pub enum Control {
    /// What a command needed from below is here, or could not be read.
    Gathered {
        /// The connection that waits.
        client: Handle,
        /// What was read.
        result: Result<Gathered, Error>,
    },
    /// A part of an errand is done.
    Worked {
        /// The connection that waits.
        client: Handle,
        /// What its command goes on with.
        errand: Box<dyn Errand>,
    },
    /// The log has been synced further, or could not be.
    Synced,
    /// The host has run a command; without a value there is no reply.
    Answer {
        /// The request's number.
        id: u64,
        /// The reply.
        value: Option<Value>,
    },
    /// Change the settings.
    Adjust(Box<dyn FnOnce(&mut ServerSettings) + Send>),
    /// Close these clients, behind the replies that are due; tell how many there were.
    Kill(Vec<u64>, Sender<usize>),
    /// Describe the clients.
    Clients(Sender<Vec<ClientFacts>>),
    /// Tell the counters.
    Facts(Sender<Facts>),
    /// Let commands wait, or end that.
    Pause(Option<Pause>),
    /// Look at what was counted, or change it.
    Look(Look),
    /// Send what is due, close everything, end.
    Stop,
}

/// Where messages are put.
pub struct Mailbox {
    sender: Mutex<Sender<Control>>,
    waker: Arc<Waker>,
}

impl Mailbox {
    /// A mailbox, and the end at which the loop reads it.
    pub fn new(waker: Arc<Waker>) -> (Arc<Self>, Receiver<Control>) {
        let (sender, receiver) = channel();
        (Arc::new(Self { sender: Mutex::new(sender), waker }), receiver)
    }

    /// Puts in a message; one to a loop that has ended is dropped.
    pub fn post(&self, message: Control) {
        let sent = self.sender.lock().unwrap_or_else(PoisonError::into_inner).send(message);
        if sent.is_ok() {
            // It fails only if the poll is gone, and then nobody reads.
            let _ = self.waker.wake();
        }
    }
}
