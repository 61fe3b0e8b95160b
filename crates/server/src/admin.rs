//! The desk at which commands are handed to the host, which runs them in Python off the loop, and
//! where its answers come back to the connections that wait.

use std::collections::{HashMap, VecDeque};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use dwell_wire::OwnedArguments;

use crate::clients::{ClientFacts, Handle};

/// A command that the host is to run.
#[derive(Debug)]
pub struct AdminRequest {
    /// The number to answer to.
    pub id: u64,
    /// The connection that sent it.
    pub client: ClientFacts,
    /// The words of the command, its name first.
    pub args: OwnedArguments,
    /// Whether it runs inside EXEC.
    pub is_in_multi: bool,
}

/// Where an answer belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asker {
    /// The connection that waits.
    pub client: Handle,
    /// The place among the commands of its transaction, if it is one of them.
    pub place: Option<usize>,
}

/// The loop's side: what was asked and not answered.
pub struct Desk {
    requests: Sender<AdminRequest>,
    askers: HashMap<u64, Asker>,
    deadlines: VecDeque<(Instant, u64)>,
    last_id: u64,
}

/// The host's side: what it is to run.
pub struct Requests(Mutex<Receiver<AdminRequest>>);

impl Desk {
    /// A desk, and the end at which the host takes requests.
    pub fn new() -> (Self, Requests) {
        let (requests, receiver) = channel();
        let desk =
            Self { requests, askers: HashMap::new(), deadlines: VecDeque::new(), last_id: 0 };
        (desk, Requests(Mutex::new(receiver)))
    }

    /// Hands a command up. Without an answer before the deadline, it fails.
    pub fn ask(
        &mut self,
        asker: Asker,
        client: ClientFacts,
        args: OwnedArguments,
        deadline: Instant,
    ) {
        self.last_id += 1;
        let id = self.last_id;
        self.askers.insert(id, asker);
        self.deadlines.push_back((deadline, id));
        let is_in_multi = asker.place.is_some();
        // A host that takes no requests any more is told by the deadline.
        let _ = self.requests.send(AdminRequest { id, client, args, is_in_multi });
    }

    /// Who waits for this answer; nobody, if it came too late.
    pub fn take(&mut self, id: u64) -> Option<Asker> {
        self.askers.remove(&id)
    }

    /// The next one whose deadline has passed.
    pub fn take_late(&mut self, now: Instant) -> Option<Asker> {
        while let Some((deadline, id)) = self.deadlines.front().copied() {
            if deadline > now && self.askers.contains_key(&id) {
                return None;
            }
            self.deadlines.pop_front();
            if let Some(asker) = self.askers.remove(&id) {
                return Some(asker);
            }
        }
        None
    }
}

impl Requests {
    /// Waits for a command to run; `None` if none came in time.
    pub fn take(&self, timeout: Duration) -> Option<AdminRequest> {
        let queue = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match queue.recv_timeout(timeout) {
            Ok(request) => Some(request),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                // The loop has ended; whoever asks again and again must not spin.
                std::thread::sleep(timeout.min(Duration::from_millis(100)));
                None
            }
        }
    }
}
