//! The engine's own threads: one that syncs, one that drains, one that expires, trims and indexes,
//! one that prepares segments and makes bases. Their number is fixed, whatever the number of
//! namespaces. Each does its work in bounded steps through the same methods that anyone may call,
//! so that tests run the same steps by hand.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::drain::Drainer;
use crate::engine::{Engine, Shared};
use crate::error::{Error, ErrorKind};
use crate::limits::SLICE_KEYS;
use crate::log::Sequence;

/// Pause of the thread that expires, in milliseconds.
const EXPIRE_PAUSE_MS: u64 = 50;
/// Its pause while it has an ordered index to complete.
const INDEX_PAUSE_MS: u64 = 5;
/// Pause of the thread that drains, when nothing is urgent.
const DRAIN_PAUSE_MS: u64 = 50;
/// Pause of the thread that prepares segments and makes bases.
const KEEP_PAUSE_MS: u64 = 100;
/// Longest that a sync is put off for the sake of more company.
const COMPANY_MAX: Duration = Duration::from_micros(300);
/// Slices per call of a background step: about 30 ms of work at most, none longer than a slice.
const SLICES_MAX: usize = 16;
/// Pause after an error of the drain or of a base, so that a broken disk is not hammered.
const ERROR_PAUSE: Duration = Duration::from_secs(1);

/// What wakes the threads.
#[derive(Default)]
struct Signals {
    state: Mutex<Wanted>,
    changed: Condvar,
}

#[derive(Default)]
struct Wanted {
    stop: bool,
    sync: bool,
    drain: bool,
}

/// The threads of one engine, and what they have to report.
pub struct Background {
    signals: Arc<Signals>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    has_failed: AtomicBool,
    /// The drain's last error, until it succeeds.
    pub drain_error: Mutex<Option<Error>>,
    /// When the oldest dirty key was noticed, in engine milliseconds; 0 when nothing waits.
    pub dirty_since_ms: AtomicU64,
    /// For an engine without a directory.
    pub no_drainer: Mutex<Drainer>,
}

impl Default for Background {
    fn default() -> Self {
        Self {
            signals: Arc::default(),
            threads: Mutex::default(),
            has_failed: AtomicBool::new(false),
            drain_error: Mutex::default(),
            dirty_since_ms: AtomicU64::new(0),
            no_drainer: Mutex::new(Drainer::new(1)),
        }
    }
}

impl Background {
    /// Asks for an fsync now.
    pub fn want_sync(&self) {
        self.signals.state.lock().sync = true;
        self.signals.changed.notify_all();
    }

    /// Asks for a drain now.
    pub fn want_drain(&self) {
        self.signals.state.lock().drain = true;
        self.signals.changed.notify_all();
    }

    /// Whether any batch was ever undone because of the log: the rare case is asked for first.
    pub fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Acquire)
    }

    /// Notes that batches were undone.
    pub fn note_failure(&self) {
        self.has_failed.store(true, Ordering::Release);
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.signals.state.lock().stop = true;
        self.signals.changed.notify_all();
    }
}

impl Signals {
    /// Sleeps until something that `takes` wants happens, or the time is over; `false` to stop.
    fn sleep(&self, pause: Duration, takes: impl Fn(&mut Wanted) -> bool) -> bool {
        let mut wanted = self.state.lock();
        let end = Instant::now() + pause;
        loop {
            if wanted.stop {
                return false;
            }
            if takes(&mut wanted) || self.changed.wait_until(&mut wanted, end).timed_out() {
                return !wanted.stop;
            }
        }
    }
}

impl Engine {
    pub(crate) fn start_background(&self) -> Result<(), Error> {
        self.spawn("dwell-sync", sync_loop)?;
        self.spawn("dwell-expire", expire_loop)?;
        if self.store().is_some() {
            self.spawn("dwell-drain", drain_loop)?;
            self.spawn("dwell-keep", keep_loop)?;
        }
        Ok(())
    }

    /// Stops the threads and waits for the step that each is in.
    pub(crate) fn stop_background(&self) {
        let background = &self.shared().background;
        background.signals.state.lock().stop = true;
        background.signals.changed.notify_all();
        let threads = std::mem::take(&mut *background.threads.lock());
        for thread in threads {
            // A thread that panicked has nothing to wait for.
            let _ = thread.join();
        }
    }

    fn spawn(&self, name: &str, run: fn(&Weak<Shared>, &Signals)) -> Result<(), Error> {
        let shared = Arc::downgrade(self.shared());
        let signals = Arc::clone(&self.shared().background.signals);
        let thread = thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || run(&shared, &signals))
            .map_err(|cause| {
                let message = format!("cannot start the thread {name}: {cause}");
                Error::new(ErrorKind::Unavailable, message)
            })?;
        self.shared().background.threads.lock().push(thread);
        Ok(())
    }

    /// Hands over everything and makes it durable.
    ///
    /// # Errors
    /// As `settle`.
    pub fn sync(&self) -> Result<(), Error> {
        let Some(store) = self.store() else {
            return Ok(());
        };
        self.hand_over_all()?;
        store.log.sync(Sequence::MAX).map_err(|cause| self.refuse(cause))?;
        self.wake_listeners();
        store.log.mark();
        Ok(())
    }

    /// Drains until nothing waits that was there when it was called.
    ///
    /// # Errors
    /// Those of the drain.
    pub fn drain_all(&self) -> Result<(), Error> {
        if self.store().is_none() {
            return Ok(());
        }
        self.hand_over_all()?;
        let upto = self.shared().state.lock().sequence;
        loop {
            let first = self.shared().state.lock().first_needed(u64::MAX);
            if first > upto {
                return Ok(());
            }
            self.drain_once()?;
        }
    }

    /// What the thread that drains does at a time.
    fn drain_step(&self) -> Result<(), Error> {
        let Some(store) = self.store() else {
            return Ok(());
        };
        if self.has_full_disk() {
            return self.regain_room(store);
        }
        let result = self.drain_once().map(drop);
        if let Err(error) = &result {
            self.note_full_disk(store, error);
        }
        result
    }

    /// Whether the drain should run now.
    fn drain_is_due(&self) -> bool {
        if self.has_full_disk() {
            return true;
        }
        let background = &self.shared().background;
        let state = self.shared().state.lock();
        if state.first_needed(u64::MAX) == u64::MAX {
            background.dirty_since_ms.store(0, Ordering::Relaxed);
            return false;
        }
        let now_ms = state.now(self.clock()).engine_ms.max(1) as u64;
        let since_ms = match background.dirty_since_ms.load(Ordering::Relaxed) {
            0 => {
                background.dirty_since_ms.store(now_ms, Ordering::Relaxed);
                now_ms
            }
            since_ms => since_ms,
        };
        let is_old = now_ms.saturating_sub(since_ms) >= state.settings.drain_after_ms;
        // Few keys written often are few dirty bytes, but a restart reads every record of them.
        let log_bytes_max = state.settings.dirty_bytes_max / 2;
        let is_long = self.store().is_some_and(|it| it.grown_since_drain() >= log_bytes_max);
        is_old || is_long || state.front.dirty_bytes >= state.settings.dirty_bytes_max / 4
    }

    /// Removes what has expired, evicts what is beyond the bound of memory, lets copies go and
    /// frees what was flushed, for a few slices.
    ///
    /// # Errors
    /// Those of expiring and evicting.
    pub fn tidy_some(&self) -> Result<(), Error> {
        for _ in 0..SLICES_MAX {
            if !self.expire_some()? {
                break;
            }
        }
        self.expire_rows_some()?;
        for _ in 0..SLICES_MAX {
            if !self.shrink_some()? {
                break;
            }
        }
        for _ in 0..SLICES_MAX {
            let mut turn = self.lock();
            let now = turn.now();
            let state = turn.state();
            state.trim_copies(now);
            let is_more = state.free_buried();
            turn.give_way();
            if !is_more {
                break;
            }
        }
        Ok(())
    }

    /// Evicts a slice of what is beyond the bound of memory; whether there may be more.
    fn shrink_some(&self) -> Result<bool, Error> {
        let mut turn = self.lock();
        if turn.state().refusing.is_some() {
            return Ok(false);
        }
        let result = turn.shrink();
        self.end_slice(turn, result)
    }

    /// Goes on with the ordered indexes that scans have begun, for a few slices; whether there
    /// is more to do.
    pub fn order_some(&self) -> bool {
        for _ in 0..SLICES_MAX {
            let mut turn = self.lock();
            let goes_on = turn.state().order_behind();
            let is_more = !turn.state().ordering.is_empty();
            turn.give_way();
            if !goes_on {
                return is_more;
            }
        }
        true
    }

    /// Lets every copy of a disk key go, so that the next read of each asks its file.
    pub fn forget_copies(&self) {
        self.in_slices(|state| (0..SLICE_KEYS).all(|_| state.drop_any_copy()));
    }

    /// Mends the reserve, prewrites the next segment, and makes a base when the log has grown.
    ///
    /// # Errors
    /// What the disk says.
    pub fn keep_some(&self) -> Result<(), Error> {
        let Some(store) = self.store() else {
            return Ok(());
        };
        if self.has_full_disk() {
            // The thread that drains sees to that.
            return Ok(());
        }
        store.log.restore_reserve()?;
        store.log.prepare_spare()?;
        let grown =
            store.look_at_log().saturating_sub(store.log_bytes_at_base.load(Ordering::Relaxed));
        if grown >= self.settings().base_after_bytes {
            self.make_base()?;
        }
        Ok(())
    }
}

/// Lets the threads that answer somebody go first wherever both could run. Best effort.
fn lower_priority() {
    /// A tenth of the weight of an ordinary thread.
    #[cfg(target_os = "linux")]
    const NICENESS: i32 = 10;
    // On Linux priorities are those of threads, whatever the standard says.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), NICENESS);
}

fn engine(shared: &Weak<Shared>) -> Option<Engine> {
    shared.upgrade().map(Engine::from_shared)
}

fn sync_loop(shared: &Weak<Shared>, signals: &Signals) {
    loop {
        let Some(pause_ms) = engine(shared).map(|one| one.settings().sync_interval_ms) else {
            return;
        };
        let takes = |wanted: &mut Wanted| std::mem::take(&mut wanted.sync);
        if !signals.sleep(Duration::from_millis(pause_ms.max(1)), takes) {
            return;
        }
        let Some(engine) = engine(shared) else {
            return;
        };
        let began = Instant::now();
        // The failure is kept in the state, where every write meets it.
        let _ = engine.sync();
        let took = began.elapsed();
        if signals.state.lock().sync {
            await_company(took / 2);
        }
    }
}

/// Lets those who were just answered ask again before the next sync begins for those who waited
/// meanwhile: else the two would take turns for ever, each waiting for two syncs.
fn await_company(patience: Duration) {
    let end = Instant::now() + patience.min(COMPANY_MAX);
    while Instant::now() < end {
        // Shorter than the system's shortest sleep; whoever has work goes first.
        thread::yield_now();
    }
}

fn drain_loop(shared: &Weak<Shared>, signals: &Signals) {
    lower_priority();
    let mut pause = Duration::from_millis(DRAIN_PAUSE_MS);
    loop {
        let asked = std::cell::Cell::new(false);
        let takes = |wanted: &mut Wanted| {
            asked.set(std::mem::take(&mut wanted.drain));
            asked.get()
        };
        if !signals.sleep(pause, takes) {
            return;
        }
        let Some(engine) = engine(shared) else {
            return;
        };
        pause = Duration::from_millis(DRAIN_PAUSE_MS);
        if !asked.get() && !engine.drain_is_due() {
            continue;
        }
        let result = engine.drain_step();
        engine.shared().background.dirty_since_ms.store(0, Ordering::Relaxed);
        if result.is_err() {
            pause = ERROR_PAUSE;
        }
        *engine.shared().background.drain_error.lock() = result.err();
    }
}

fn expire_loop(shared: &Weak<Shared>, signals: &Signals) {
    lower_priority();
    let mut pause = Duration::from_millis(EXPIRE_PAUSE_MS);
    while signals.sleep(pause, |_| false) {
        let Some(engine) = engine(shared) else {
            return;
        };
        // A refused write is met by everyone who writes; expiry goes on when it can.
        let _ = engine.tidy_some();
        let is_more = engine.order_some();
        pause = Duration::from_millis(if is_more { INDEX_PAUSE_MS } else { EXPIRE_PAUSE_MS });
    }
}

fn keep_loop(shared: &Weak<Shared>, signals: &Signals) {
    lower_priority();
    let mut pause = Duration::from_millis(KEEP_PAUSE_MS);
    while signals.sleep(pause, |_| false) {
        let Some(engine) = engine(shared) else {
            return;
        };
        let failed = engine.keep_some().is_err();
        pause = if failed { ERROR_PAUSE } else { Duration::from_millis(KEEP_PAUSE_MS) };
    }
}
