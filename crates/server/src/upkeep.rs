//! What the loop does by the clock: commands tried again, answers given up, and a look at each
//! client now and then.

use std::time::{Duration, Instant};

use dwell_wire::Value;

use crate::delivery::is_over_limit;
use crate::event_loop::EventLoop;
use crate::notice::Notice;
use crate::park::Wait;
use crate::timers::CLIENTS_PER_TICK;

impl EventLoop {
    /// Does what is due by the clock.
    pub(crate) fn take_due(&mut self) {
        let now = Instant::now();
        while let Some(client) = self.timers.take_due(now) {
            self.end_wait(client, |parked| {
                // A pause may have ended sooner, and the client may wait for something else by now.
                if matches!(parked.wait, Wait::Delay) {
                    parked.wait = Wait::Ready;
                }
            });
        }
        if !self.timers.take_tick(now, self.clients.places()) {
            return;
        }
        self.house.pause = self.house.pause.filter(|pause| pause.until > now);
        while let Some(asker) = self.desk.take_late(now) {
            let error = Value::Error(b"BUSY the command took too long and was given up".to_vec());
            self.answer(asker, Some(error));
        }
        for listener in &mut self.listeners {
            // What failed for want of descriptors may be possible now.
            listener.is_ready |= std::mem::take(&mut listener.is_starved);
        }
        let places = self.clients.places();
        for _ in 0..places.min(CLIENTS_PER_TICK) {
            self.looked_at = (self.looked_at + 1) % places;
            self.look_at(self.looked_at, now);
        }
    }

    /// Closes a client that has been silent, or has not read, for too long.
    fn look_at(&mut self, place: usize, now: Instant) {
        let Some(connection) = self.clients.at(place) else { return };
        let settings = &self.house.settings;
        let over = is_over_limit(connection, settings, now);
        let idle_max = Duration::from_secs(settings.idle_timeout_s);
        let is_idle = settings.idle_timeout_s > 0
            && connection.parked.is_none()
            && now.saturating_duration_since(connection.heard) > idle_max;
        let notice = over.or(is_idle.then_some(Notice::Idle { peer: connection.peer }));
        if let Some(notice) = notice {
            self.doom(place, notice);
        }
        if self.stop_until.is_some_and(|until| now >= until) {
            self.clients.remove(place);
        }
    }

    /// Tells why a connection must go, and lets the next turn close it.
    pub(crate) fn doom(&mut self, place: usize, notice: Notice) {
        if let Some(connection) = self.clients.at(place) {
            connection.is_doomed = true;
            self.counters.dropped_for_output +=
                u64::from(matches!(notice, Notice::OutputMax { .. }));
            self.notices.tell(notice);
            self.queue(place);
        }
    }
}
