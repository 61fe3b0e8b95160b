//! Commands that cannot be answered now: their connections execute nothing further until what
//! they wait for has come, and nobody else waits with them (INV-06).
//!
//! Reads from below run on threads of their own, which hold no lock and touch no connection.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use dwell_engine::{Engine, Error, Gathered, Missing};
use dwell_wire::{OwnedArguments, Value};

use crate::clients::Handle;
use crate::command::Command;
use crate::control::{Control, Mailbox};
use crate::errand::{Carried, Errand};

/// Threads that read from below and go on errands; a few, because `SQLite` reads in parallel and
/// disks serve few.
const GATHERERS: usize = 4;

/// Reads from below for one command, after which it fails: each means that others have changed its
/// keys meanwhile, or that it goes on finding more.
pub const GATHERS_MAX: u32 = 1000;

/// A command and what it waits for.
pub struct Parked {
    /// Its facts.
    pub command: &'static Command,
    /// Its words.
    pub arguments: OwnedArguments,
    /// What was read for it so far.
    pub tried: Tried,
    /// What it waits for.
    pub wait: Wait,
}

/// What is carried from one attempt at a command to the next.
#[derive(Default)]
pub struct Tried {
    /// What was read from below.
    pub gathered: Gathered,
    /// How often something was.
    pub gathers: u32,
    /// What the command does in parts.
    pub errand: Carried,
    /// When it was first found that it has to wait.
    pub since: Option<Instant>,
}

/// What a command waits for, or what has come.
pub enum Wait {
    /// Reads from below, or a part of its work without the lock.
    Elsewhere,
    /// A while, because the drain is behind.
    Delay,
    /// The host's answers.
    Host,
    /// Nothing any more: it is to be run again.
    Ready,
    /// Nothing any more: this is the reply, or there is to be none.
    Answered(Option<Value>),
    /// Nothing any more: it failed.
    Failed(Error),
}

impl Wait {
    /// Whether what was waited for has come.
    pub const fn is_over(&self) -> bool {
        matches!(self, Self::Ready | Self::Answered(_) | Self::Failed(_))
    }
}

/// What is done for a connection on another thread.
pub enum Job {
    /// Read from below.
    Gather {
        /// The connection.
        client: Handle,
        /// What to read.
        missing: Box<Missing>,
        /// What was read before.
        gathered: Gathered,
    },
    /// Do the part of an errand that needs no lock.
    Work {
        /// The connection.
        client: Handle,
        /// Its command's errand.
        errand: Box<dyn Errand>,
    },
}

/// The threads that read from below and go on errands.
pub struct Gatherers {
    jobs: Option<Sender<Job>>,
    threads: Vec<JoinHandle<()>>,
}

impl Gatherers {
    /// Starts them.
    ///
    /// # Errors
    /// The system's, when it has no thread to give.
    pub fn start(engine: &Engine, mailbox: &Arc<Mailbox>) -> io::Result<Self> {
        let (jobs, queue) = channel();
        let queue = Arc::new(Mutex::new(queue));
        let threads = (0..GATHERERS)
            .map(|_| {
                let (engine, mailbox) = (engine.clone(), Arc::clone(mailbox));
                let queue = Arc::clone(&queue);
                thread::Builder::new()
                    .name("dwell-gather".to_owned())
                    .spawn(move || work(&engine, &mailbox, &queue))
            })
            .collect::<io::Result<_>>()?;
        Ok(Self { jobs: Some(jobs), threads })
    }

    /// Has a job done; its result comes as a message.
    pub fn submit(&self, job: Job) {
        if let Some(jobs) = &self.jobs {
            // Only a thread that panicked does not receive; then the command is never answered,
            // which the host's supervisor sees.
            let _ = jobs.send(job);
        }
    }
}

impl Drop for Gatherers {
    fn drop(&mut self) {
        self.jobs = None;
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

fn work(engine: &Engine, mailbox: &Mailbox, queue: &Mutex<Receiver<Job>>) {
    loop {
        let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        mailbox.post(match job {
            Job::Gather { client, missing, mut gathered } => {
                let result = engine.gather(&missing, &mut gathered).map(|()| gathered);
                Control::Gathered { client, result }
            }
            Job::Work { client, mut errand } => {
                errand.work();
                Control::Worked { client, errand }
            }
        });
    }
}
