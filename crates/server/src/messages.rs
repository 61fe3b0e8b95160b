//! What the loop does when it is told something by another thread: a gather or an fsync has ended,
//! the host has answered, asks or commands.

use std::time::{Duration, Instant};

use dwell_wire::Value;

use crate::admin::Asker;
use crate::clients::{Handle, awaits_host, facts, is_delayed};
use crate::control::Control;
use crate::counters::Facts;
use crate::delivery::settle;
use crate::event_loop::EventLoop;
use crate::house::Pause;
use crate::park::{Parked, Wait};

/// How long a stop waits for clients to take their last replies.
const STOP_TIME_MAX: Duration = Duration::from_secs(5);

impl EventLoop {
    pub(crate) fn take_messages(&mut self) {
        while let Ok(message) = self.messages.try_recv() {
            match message {
                Control::Gathered { client, result } => {
                    self.end_wait(client, |parked| match result {
                        Ok(gathered) => {
                            parked.tried.gathered = gathered;
                            parked.wait = Wait::Ready;
                        }
                        Err(error) => parked.wait = Wait::Failed(error),
                    });
                }
                Control::Worked { client, errand } => self.end_wait(client, |parked| {
                    parked.tried.errand = Some(errand);
                    parked.wait = Wait::Ready;
                }),
                Control::Synced => self.settle_gated(),
                Control::Answer { id, value } => {
                    if let Some(asker) = self.desk.take(id) {
                        self.answer(asker, value);
                    }
                }
                Control::Adjust(change) => {
                    change(&mut self.house.settings);
                    self.counters.stall_min = self.house.settings.stall_min();
                }
                Control::Kill(ids, told) => {
                    let count = self.kill(&ids);
                    let _ = told.send(count);
                }
                Control::Clients(told) => {
                    let now = Instant::now();
                    let all = self.clients.iter().map(|(_, connection)| facts(connection, now));
                    let _ = told.send(all.collect());
                }
                Control::Facts(told) => {
                    let _ = told.send(self.facts());
                }
                Control::Pause(pause) => self.pause(pause),
                Control::Look(look) => look(&mut self.counters, &self.house),
                Control::Stop => self.stop(),
            }
        }
    }

    /// Notes that what a connection waited for has come.
    pub(crate) fn end_wait(&mut self, client: Handle, note: impl FnOnce(&mut Parked)) {
        if let Some(parked) = self.clients.get(client).and_then(|it| it.parked.as_deref_mut()) {
            note(parked);
            self.queue(client.place);
        }
    }

    /// Brings the host's answer to the command that waits for it.
    pub(crate) fn answer(&mut self, asker: Asker, value: Option<Value>) {
        let Some(place) = asker.place else {
            return self.end_wait(asker.client, |parked| parked.wait = Wait::Answered(value));
        };
        let Some(connection) = self.clients.get(asker.client) else { return };
        let Some(transaction) = &mut connection.session.transaction else { return };
        if let Some(queued) = transaction.queued.get_mut(place) {
            queued.answer = Some(value.unwrap_or(Value::Null));
        }
        if !transaction.awaits_host() {
            self.end_wait(asker.client, |parked| parked.wait = Wait::Ready);
        }
    }

    /// Lets commands wait, longer if they do already; or ends that for those who do.
    fn pause(&mut self, pause: Option<Pause>) {
        let now = Instant::now();
        let former = self.house.pause.filter(|former| former.until > now);
        self.house.pause = pause.map(|pause| former.map_or(pause, |former| former.join(pause)));
        if pause.is_some() {
            return;
        }
        let clients: Vec<Handle> = self
            .clients
            .iter()
            .filter(|(_, connection)| is_delayed(connection))
            .map(|(place, connection)| Handle { place, id: connection.session.id })
            .collect();
        for client in clients {
            self.end_wait(client, |parked| parked.wait = Wait::Ready);
        }
    }

    fn settle_gated(&mut self) {
        for place in std::mem::take(&mut self.gated) {
            let Some(connection) = self.clients.at(place) else { continue };
            let delivered = settle(connection, &self.engine);
            self.counters.output_bytes += delivered.sent_bytes as u64;
            if delivered.is_gated {
                self.gated.push(place);
            }
            self.queue(place);
        }
        self.want_sync();
    }

    /// Has the log synced if replies wait for that; one fsync serves all of them.
    pub(crate) fn want_sync(&self) {
        if !self.gated.is_empty() {
            self.engine.want_sync();
        }
    }

    /// Closes clients behind the answer that is due; tells how many there were.
    fn kill(&mut self, ids: &[u64]) -> usize {
        let found: Vec<usize> = self
            .clients
            .iter()
            .filter(|(_, connection)| ids.contains(&connection.session.id))
            .map(|(place, _)| place)
            .collect();
        for place in &found {
            let Some(connection) = self.clients.at(*place) else { continue };
            if awaits_host(connection) {
                connection.session.is_closing = true;
            } else {
                connection.is_doomed = true;
                self.queue(*place);
            }
        }
        found.len()
    }

    fn facts(&self) -> Facts {
        let mut facts = self.counters.facts(&self.house.own_commands);
        facts.clients = self.clients.len();
        for (_, connection) in self.clients.iter() {
            facts.clients_parked += usize::from(connection.parked.is_some());
            facts.clients_delayed += usize::from(is_delayed(connection));
            facts.input_waiting_bytes +=
                connection.input.as_deref().map_or(0, |input| input.rest.len());
            facts.output_waiting_bytes += connection.output.waiting_bytes();
        }
        facts
    }

    /// Accepts nobody any more, and lets every client have what is due to it.
    fn stop(&mut self) {
        self.listeners.clear();
        self.stop_until = Some(Instant::now() + STOP_TIME_MAX);
        let is_paused = self.house.pause.is_some();
        for place in 0..self.clients.places() {
            let Some(connection) = self.clients.at(place) else { continue };
            connection.session.is_closing = true;
            // The host is who stops us, and whoever paused commands does not want them run now.
            if awaits_host(connection) || (is_paused && is_delayed(connection)) {
                connection.parked = None;
            }
            if connection.is_finished() {
                self.clients.remove(place);
            }
        }
    }
}
