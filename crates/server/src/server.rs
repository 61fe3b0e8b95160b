//! The handle by which the host starts, asks, adjusts and stops the transport.

use std::io;
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use dwell_engine::{Engine, Error, ErrorKind};
use dwell_wire::Value;

use crate::admin::{AdminRequest, Desk, Requests};
use crate::clients::ClientFacts;
use crate::command;
use crate::control::{Control, Mailbox};
use crate::counters::{Counters, Facts, Recorded};
use crate::cursors::Cursors;
use crate::event_loop::EventLoop;
use crate::house::{House, Pause};
use crate::listener;
use crate::notice::Notices;
use crate::settings::ServerSettings;
use crate::slow::StallKind;

/// How long a question to the loop may take; it answers between two turns.
const QUESTION_TIME_MAX: Duration = Duration::from_secs(5);

/// What a pause is at most; a moment further away than a century need not be one for the system.
const PAUSE_TIME_MAX: Duration = Duration::from_hours(100 * 365 * 24);

/// A running transport on an engine. Dropping it stops it.
pub struct Server {
    mailbox: Arc<Mailbox>,
    requests: Requests,
    addresses: Vec<SocketAddr>,
    thread: Mutex<Option<JoinHandle<()>>>,
    end: Arc<Mutex<Option<String>>>,
}

impl Server {
    /// Opens the sockets and starts the event loop.
    ///
    /// # Errors
    /// An address that cannot be had, in one sentence that names it; or the system's reason.
    pub fn start(
        engine: Engine,
        settings: ServerSettings,
        notices: Notices,
    ) -> Result<Self, Error> {
        let listeners = listener::open_all(&settings)?;
        let addresses = listeners.iter().filter_map(listener::Listener::address).collect();
        let databases = (0..settings.databases)
            .map(|number| engine.namespace(number.to_string().as_bytes()))
            .collect::<Result<_, _>>()?;
        let own_commands = command::of_host(&settings.host_commands);
        let cursors = Cursors::default();
        let house = House { settings, databases, cursors, own_commands, pause: None };
        let (desk, requests) = Desk::new();
        let (event_loop, mailbox) = EventLoop::new(engine, house, listeners, desk, notices)
            .map_err(|error| no_loop(&error))?;
        let end = Arc::new(Mutex::new(None));
        let told = Arc::clone(&end);
        let thread = thread::Builder::new()
            .name("dwell-loop".to_owned())
            .spawn(move || run(event_loop, &told))
            .map_err(|error| no_loop(&error))?;
        let thread = Mutex::new(Some(thread));
        Ok(Self { mailbox, requests, addresses, thread, end })
    }

    /// The TCP addresses, with the ports that the kernel chose.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Waits for a command that the host is to run; `None` if none came in time.
    pub fn take_admin_request(&self, timeout: Duration) -> Option<AdminRequest> {
        self.requests.take(timeout)
    }

    /// Answers a command; without a value its client gets no reply and goes on waiting for none.
    /// An answer that comes too late is dropped.
    pub fn answer(&self, id: u64, value: Option<Value>) {
        self.mailbox.post(Control::Answer { id, value });
    }

    /// Counters and states. Of a loop that has ended, only that and why.
    pub fn facts(&self) -> Facts {
        self.ask(Control::Facts).unwrap_or_else(|| {
            let end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
            Facts { reason: end.clone().unwrap_or_default(), ..Facts::default() }
        })
    }

    /// Begins all counters anew; what took long stays.
    pub fn reset_counters(&self) {
        self.look(|counters, _| counters.reset());
    }

    /// What is known of time.
    pub fn recorded(&self) -> Recorded {
        self.look(|counters, house| counters.recorded(&house.own_commands)).unwrap_or_default()
    }

    /// Forgets the slow calls.
    pub fn forget_slow_calls(&self) {
        self.look(|counters, _| counters.slow.forget_calls());
    }

    /// Forgets the stalls of the kind of this name.
    pub fn forget_stalls(&self, name: &str) {
        if let Some(kind) = StallKind::ALL.into_iter().find(|kind| kind.name() == name) {
            self.look(move |counters, _| counters.slow.forget_stalls(kind));
        }
    }

    /// Every open connection.
    pub fn clients(&self) -> Vec<ClientFacts> {
        self.ask(Control::Clients).unwrap_or_default()
    }

    /// Closes connections, each behind the answer that it waits for; tells how many were open.
    pub fn kill_clients(&self, ids: Vec<u64>) -> usize {
        self.ask(|told| Control::Kill(ids, told)).unwrap_or(0)
    }

    /// Lets commands wait for a while, those that only read too or not; without one, ends the wait.
    pub fn pause_clients(&self, pause: Option<(Duration, bool)>) {
        let pause = pause.map(|(time, is_for_all)| Pause {
            until: Instant::now() + time.min(PAUSE_TIME_MAX),
            is_for_all,
        });
        self.mailbox.post(Control::Pause(pause));
    }

    /// Changes settings from the next turn on. Addresses and databases stay as they are.
    pub fn adjust(&self, change: impl FnOnce(&mut ServerSettings) + Send + 'static) {
        self.mailbox.post(Control::Adjust(Box::new(change)));
    }

    /// Accepts nobody any more, sends what is due, closes everything; returns when that is done.
    pub fn stop(&self) {
        self.mailbox.post(Control::Stop);
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            // A loop that panicked has told why already.
            let _ = thread.join();
        }
    }

    /// Looks at what was counted, or changes it, between two turns; not of a loop that has ended.
    fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&mut Counters, &House) -> T + Send + 'static,
    ) -> Option<T> {
        self.ask(|told| {
            Control::Look(Box::new(move |counters, house| {
                let _ = told.send(look(counters, house));
            }))
        })
    }

    fn ask<T>(&self, question: impl FnOnce(std::sync::mpsc::Sender<T>) -> Control) -> Option<T> {
        let (told, answer) = channel();
        self.mailbox.post(question(told));
        answer.recv_timeout(QUESTION_TIME_MAX).ok()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

fn no_loop(error: &io::Error) -> Error {
    let reason = listener::in_words(error);
    Error::new(ErrorKind::Unavailable, format!("cannot start the event loop: {reason}"))
}

/// Runs the loop to its end, and notes an end that nobody asked for.
fn run(mut event_loop: EventLoop, end: &Mutex<Option<String>>) {
    let result = catch_unwind(AssertUnwindSafe(|| event_loop.run()));
    let reason = match result {
        Ok(Ok(())) => "it was stopped".to_owned(),
        Ok(Err(error)) => format!("the poll failed: {error}"),
        Err(panic) => panic_text(panic.as_ref()),
    };
    *end.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason);
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("a mistake of ours: {}", text.unwrap_or_else(|| "a panic without words".to_owned()))
}
