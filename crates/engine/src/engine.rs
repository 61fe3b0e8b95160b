//! The engine: a cheap handle to one open instance. It opens and closes it, hands records over to
//! the log, and says when a reply may leave. What happens under the lock is in `turn` and
//! `scope`; what happens behind it in `background`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Mutex, RwLock};

use crate::background::Background;
use crate::below::DiskTier;
use crate::clock::Clock;
use crate::directory::lock_directory;
use crate::drain::Drainer;
use crate::error::{Error, ErrorKind};
use crate::front::Floor;
use crate::gather::Gathered;
use crate::history::Origin;
use crate::log::{LogError, Sequence, seal};
use crate::namespace::NamespaceId;
use crate::recover::{Found, Surroundings, recover};
use crate::registry::Registry;
use crate::scope::{Scope, Stop};
use crate::settings::{Durability, Place, Settings, Sources};
use crate::state::State;
use crate::store::Store;
use crate::turn::{BatchOptions, Ticket, Turn};

/// An open instance. Clones are handles to the same one; all methods may be called by any thread.
#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
}

pub(crate) struct Shared {
    pub state: Mutex<State>,
    clock: Arc<dyn Clock>,
    store: Option<Store>,
    registry: RwLock<Registry>,
    listeners: RwLock<Vec<Box<dyn Fn() + Send + Sync>>>,
    pub background: Background,
    is_closing: AtomicBool,
    opening: Opening,
}

/// What opening the instance found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Opening {
    /// Whether the last stop was a clean one, or the instance is new.
    pub was_clean: bool,
    /// Records of the log that were replayed.
    pub records: u64,
    /// The torn end of the log that was cut off, in words.
    pub torn_tail: Option<String>,
    /// What is wrong with a newer base that was passed over for an older one, in words.
    pub damaged_base: Option<String>,
}

impl Opening {
    /// What an operator should read: what was cut off, and what was passed over.
    pub fn notices(&self) -> Vec<String> {
        let tail =
            self.torn_tail.iter().map(|tail| format!("the torn end of the log was cut: {tail}"));
        let base = self.damaged_base.iter();
        tail.chain(base.map(|base| format!("a damaged base was passed over: {base}"))).collect()
    }
}

/// Whether a reply may leave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settled {
    /// It may.
    Yes,
    /// Not before the next sync.
    NotYet,
    /// The batch was undone, or its outcome is unknown: say this instead.
    Failed(Error),
}

/// Tries of a batch whose needs move under it before it is called busy.
const GATHERS_MAX: usize = 1000;

impl Engine {
    /// Opens an instance, making it if there is none.
    ///
    /// # Errors
    /// `Busy` if another process has it open, naming it; `Corrupt` with file and offset for
    /// damage; what the file system says.
    ///
    /// # Cost
    /// Reads the newest base and the log after it; of the files of the namespaces, after an
    /// unclean stop alone, how much of the log they have applied.
    pub fn open(place: Place, settings: Settings, sources: Sources) -> Result<Self, Error> {
        Self::open_from(&place, settings, sources, None)
    }

    pub(crate) fn open_from(
        place: &Place,
        settings: Settings,
        sources: Sources,
        origin: Option<&Origin>,
    ) -> Result<Self, Error> {
        let (has_log, has_disk) = match place {
            Place::Memory => (false, false),
            Place::Directory(_) => (true, true),
        };
        let clock = sources.clock.as_ref();
        let mut state = State::new(settings, sources.seed, has_log, has_disk, clock);
        let (store, registry, opening) = match place {
            Place::Memory => (None, Registry::in_memory(), Opening::default()),
            Place::Directory(directory) => {
                open_store(&fixed(directory)?, &mut state, &sources, origin)?
            }
        };
        let runs = state.settings.background;
        let engine = Self {
            shared: Arc::new(Shared {
                state: Mutex::new(state),
                clock: sources.clock,
                store,
                registry: RwLock::new(registry),
                listeners: RwLock::new(Vec::new()),
                background: Background::default(),
                is_closing: AtomicBool::new(false),
                opening,
            }),
        };
        if !engine.settings().log_resident {
            engine.forget_residents_of_log()?;
        }
        if runs {
            engine.start_background()?;
        }
        Ok(engine)
    }

    /// Drains, saves the residents, syncs and lets go of the directory. Later calls answer
    /// `Closed`; a second call does nothing.
    ///
    /// # Errors
    /// What could not be saved. The instance is closed all the same.
    pub fn close(&self) -> Result<(), Error> {
        if self.shared.is_closing.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        self.stop_background();
        let result = self.save_for_close();
        self.shared.state.lock().is_closed = true;
        result
    }

    fn save_for_close(&self) -> Result<(), Error> {
        let Some(store) = &self.shared.store else {
            return Ok(());
        };
        let saved = store
            .lock
            .check()
            .and_then(|()| self.drain_all())
            .and_then(|()| self.make_whole_base())
            .and_then(|()| self.use_up_numbers());
        // Whatever failed before, files and log are closed as well as they can be.
        let closed = store.drainer.lock().close();
        store.tier.close_idle();
        let (now, last) = {
            let state = self.shared.state.lock();
            (state.now(self.clock()), Sequence::from_u64(state.sequence))
        };
        let ended = store.log.close(last, now.engine_ms.max(0) as u64, now.wall_ms);
        let unlocked = store.lock.unlock();
        saved?;
        closed?;
        ended?;
        unlocked.map_err(|cause| {
            Error::new(ErrorKind::Unavailable, format!("cannot unlock the directory: {cause}"))
        })
    }

    /// What opening it found.
    pub fn opening(&self) -> &Opening {
        &self.shared.opening
    }

    /// The present settings.
    pub fn settings(&self) -> Settings {
        self.shared.state.lock().settings.clone()
    }

    /// Changes settings while it runs. Place, files and the size of segments stay as opened.
    ///
    /// # Errors
    /// Those of noting in the log that residents are logged from now on, or no longer.
    pub fn adjust(&self, change: impl FnOnce(&mut Settings)) -> Result<(), Error> {
        let (before, after) = {
            let mut state = self.shared.state.lock();
            let before = state.settings.clone();
            change(&mut state.settings);
            (before, state.settings.clone())
        };
        match (before.log_resident, after.log_resident) {
            (true, false) => self.forget_residents_of_log(),
            (false, true) => self.make_base(),
            _ => Ok(()),
        }
    }

    /// The namespace of a name, made if there is none. Redis's database n is the one named "n".
    ///
    /// # Errors
    /// `Invalid` for a name that is too long; what the disk says to a new one.
    pub fn namespace(&self, name: &[u8]) -> Result<NamespaceId, Error> {
        if let Some(namespace) = self.shared.registry.read().find(name) {
            return Ok(namespace);
        }
        let mut registry = self.shared.registry.write();
        let namespace = registry.register(name)?;
        let mut floor = Floor::Empty;
        if let Some(store) = &self.shared.store {
            store.tier.add_name(namespace, name);
            if store.tier.path(namespace).exists() {
                floor = Floor::Rows;
            }
        }
        let mut state = self.shared.state.lock();
        if !state.front.has_space(namespace) {
            state.front.add_space(namespace, floor);
        }
        Ok(namespace)
    }

    /// The names of all namespaces, by number.
    pub fn namespaces(&self) -> Vec<(NamespaceId, Vec<u8>)> {
        let registry = self.shared.registry.read();
        registry.names().map(|(namespace, name)| (namespace, name.to_vec())).collect()
    }

    /// Takes the engine's lock. Hold it for bounded work, and wait for nothing meanwhile.
    pub fn lock(&self) -> Turn<'_> {
        Turn::new(self, self.shared.state.lock())
    }

    /// Takes the engine's lock if nobody holds it.
    pub fn try_lock(&self) -> Option<Turn<'_>> {
        Some(Turn::new(self, self.shared.state.try_lock()?))
    }

    /// Runs a batch to its end: gathers, waits for the drain and for the log as needed.
    ///
    /// # Errors
    /// Those of the batch; `Busy` when the drain or other writers do not let it through.
    pub fn run<T>(
        &self,
        namespace: NamespaceId,
        options: &BatchOptions,
        batch: impl FnMut(&mut Scope<'_>) -> Result<T, Stop>,
    ) -> Result<T, Error> {
        self.run_unless(namespace, options, batch, || Ok(()))
    }

    /// As `run`, but gives up when `interruption` is an error. It is asked whenever the batch has
    /// waited for the drain, which may take long; nothing of the batch has happened then.
    ///
    /// # Errors
    /// As `run`, and the interruption's own.
    pub fn run_unless<T>(
        &self,
        namespace: NamespaceId,
        options: &BatchOptions,
        mut batch: impl FnMut(&mut Scope<'_>) -> Result<T, Stop>,
        interruption: impl Fn() -> Result<(), Error>,
    ) -> Result<T, Error> {
        let mut gathered = Gathered::default();
        let mut gathers = 0;
        while gathers < GATHERS_MAX {
            let (result, ticket) = {
                let mut turn = self.lock();
                let result = turn.batch(namespace, options, &mut gathered, &mut batch);
                (result, turn.take_ticket())
            };
            match result {
                Ok(value) => return self.settle(&ticket).map(|()| value),
                Err(Stop::Fail(error)) => return Err(error),
                Err(Stop::Gather(missing)) => {
                    gathers += 1;
                    self.gather(&missing, &mut gathered)?;
                }
                Err(Stop::Delay { ms }) => {
                    std::thread::sleep(std::time::Duration::from_millis(ms));
                    interruption()?;
                }
            }
        }
        Err(Error::new(ErrorKind::Busy, "the keys of the batch keep changing under it"))
    }

    /// Hands the records up to a ticket's to the operating system, with all others that wait.
    ///
    /// # Errors
    /// The log could not be written: every batch that was not handed over has been undone.
    pub fn hand_over(&self, ticket: &Ticket) -> Result<(), Error> {
        let Some(store) = &self.shared.store else {
            return Ok(());
        };
        if store.log.written().as_u64() >= ticket.sequence {
            return self.failure_of(ticket);
        }
        let mut spare = store.handing.lock();
        if store.log.written().as_u64() < ticket.sequence {
            self.write_pending(store, &mut spare)?;
        }
        self.failure_of(ticket)
    }

    fn write_pending(&self, store: &Store, spare: &mut Vec<u8>) -> Result<(), Error> {
        let (mut buffer, mut undo, last, sequence) = {
            let mut state = self.shared.state.lock();
            let buffer = std::mem::replace(&mut state.buffer, std::mem::take(spare));
            (buffer, state.undo.take(), state.logged_sequence, state.sequence)
        };
        let written = if buffer.is_empty() {
            Ok(())
        } else {
            seal(&mut buffer, store.log.salt())
                .and_then(|()| store.log.write(&buffer, Sequence::from_u64(last)))
        };
        buffer.clear();
        // A buffer that one huge batch has grown is not kept.
        if buffer.capacity() <= 4 << 20 {
            *spare = buffer;
        }
        let Err(cause) = written else {
            store.look_at_log();
            let spaces = undo.forget();
            let mut state = self.shared.state.lock();
            state.undo.reuse(undo);
            state.final_sequence = sequence;
            if !spaces.is_empty() {
                state.bury(spaces);
            }
            return Ok(());
        };
        let is_final = matches!(cause, LogError::Poisoned);
        let error = Error::from(cause);
        let mut state = self.shared.state.lock();
        // What was executed meanwhile stands on what failed, so it goes first.
        state.undo.prepend(undo);
        self.shared.background.note_failure();
        state.undo_pending(store.log.written().as_u64(), &error);
        if is_final {
            state.refusing = Some(error.clone());
        }
        drop(state);
        self.wake_listeners();
        self.note_full_disk(store, &error);
        Err(error)
    }

    /// Whether a reply may leave. Never waits.
    pub fn is_settled(&self, ticket: &Ticket) -> Settled {
        let Some(store) = &self.shared.store else {
            return Settled::Yes;
        };
        if let Err(error) = self.failure_of(ticket) {
            return Settled::Failed(error);
        }
        let reached = match ticket.durability {
            Durability::None => return Settled::Yes,
            Durability::Interval => store.log.written(),
            Durability::Always => store.log.synced(),
        };
        if reached.as_u64() >= self.loggable(ticket) {
            return Settled::Yes;
        }
        if store.log.is_poisoned() {
            return Settled::Failed(Error::from(LogError::Poisoned));
        }
        Settled::NotYet
    }

    /// Waits until a reply may leave: hands over, and waits for the fsync if that was asked for.
    ///
    /// # Errors
    /// As `hand_over`; `Unavailable` when an fsync failed, so that the outcome is unknown.
    pub fn settle(&self, ticket: &Ticket) -> Result<(), Error> {
        let Some(store) = &self.shared.store else {
            return Ok(());
        };
        if ticket.durability == Durability::None {
            return Ok(());
        }
        self.hand_over(ticket)?;
        if ticket.awaits_sync() {
            let up_to = Sequence::from_u64(ticket.sequence);
            store.log.sync(up_to).map_err(|cause| self.refuse(cause))?;
        }
        Ok(())
    }

    /// Calls `wake` whenever something may have been settled: after each fsync or failure.
    pub fn on_synced(&self, wake: Box<dyn Fn() + Send + Sync>) {
        self.shared.listeners.write().push(wake);
    }

    /// Asks the background for an fsync now, for replies that wait for one.
    pub fn want_sync(&self) {
        self.shared.background.want_sync();
    }

    pub(crate) fn wake_listeners(&self) {
        for wake in self.shared.listeners.read().iter() {
            wake();
        }
    }

    /// Refuses writes from now on: what the log holds is unknown.
    pub(crate) fn refuse(&self, cause: LogError) -> Error {
        let error = Error::from(cause);
        self.shared.state.lock().refusing = Some(error.clone());
        self.wake_listeners();
        error
    }

    /// The sequence of the last record that a ticket can wait for: batches that changed nothing
    /// logged have numbers that the log never reaches.
    fn loggable(&self, ticket: &Ticket) -> u64 {
        let Some(store) = &self.shared.store else {
            return 0;
        };
        let written = store.log.written().as_u64();
        if written >= ticket.sequence {
            return ticket.sequence;
        }
        self.shared.state.lock().logged_sequence.min(ticket.sequence)
    }

    fn failure_of(&self, ticket: &Ticket) -> Result<(), Error> {
        if ticket.sequence == 0 || !self.shared.background.has_failed() {
            return Ok(());
        }
        let state = self.shared.state.lock();
        match state.failure_of(ticket.sequence) {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        }
    }

    /// Hands over everything there is.
    pub(crate) fn hand_over_all(&self) -> Result<(), Error> {
        let Some(store) = &self.shared.store else {
            return Ok(());
        };
        self.write_pending(store, &mut store.handing.lock())
    }

    /// Notes in the log that residents are not logged: what it holds of them is outdated.
    pub(crate) fn forget_residents_of_log(&self) -> Result<(), Error> {
        let options = BatchOptions { durability: Some(Durability::Interval) };
        let namespace = self.namespace(b"0")?;
        self.run(namespace, &options, |scope| {
            scope.forget_residents();
            Ok(())
        })
    }

    /// Makes the log go on behind every number that was given: after a clean stop the next one
    /// follows the log's last, and entries, rows and bases may bear numbers that it never reached.
    fn use_up_numbers(&self) -> Result<(), Error> {
        let namespace = self.namespace(b"0")?;
        let options = BatchOptions { durability: Some(Durability::Interval) };
        self.run(namespace, &options, |scope| {
            scope.log_nothing();
            Ok(())
        })
    }

    /// Leaves the directory in a forked child, so that it does not stay locked when the parent
    /// has died. The engine must not be used there any more.
    pub fn leave_after_fork(&self) {
        if let Some(store) = &self.shared.store {
            store.lock.leave();
        }
    }

    pub(crate) fn from_shared(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        self.shared.clock.as_ref()
    }

    pub(crate) fn store(&self) -> Option<&Store> {
        self.shared.store.as_ref()
    }

    pub(crate) fn disk_tier(&self) -> Option<&DiskTier> {
        self.shared.store.as_ref().map(|store| &store.tier)
    }

    pub(crate) fn drainer(&self) -> &Mutex<Drainer> {
        match &self.shared.store {
            Some(store) => &store.drainer,
            None => &self.shared.background.no_drainer,
        }
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }
}

/// The directory wherever the process may go later.
fn fixed(directory: &Path) -> Result<PathBuf, Error> {
    std::path::absolute(directory).map_err(|cause| {
        Error::invalid(format!("this is no directory: '{}' ({cause})", directory.display()))
    })
}

fn open_store(
    directory: &Path,
    state: &mut State,
    sources: &Sources,
    origin: Option<&Origin>,
) -> Result<(Option<Store>, Registry, Opening), Error> {
    let lock = lock_directory(directory)?;
    let mut lineage = [0; 16];
    lineage[..8].copy_from_slice(&state.random.next_u64().to_le_bytes());
    lineage[8..].copy_from_slice(&state.random.next_u64().to_le_bytes());
    let around = Surroundings {
        directory,
        disk: Arc::clone(&sources.disk),
        wall_ms: sources.clock.wall_ms(),
        new_lineage: lineage,
        origin,
    };
    let Found { log, tier, registry, recovery, base_sequence, records, damaged_base } =
        recover(state, &around)?;
    let last =
        (recovery.last != Sequence::NONE).then_some((recovery.time_ms as i64, recovery.raw_ms));
    state.resume_time(sources.clock.as_ref(), last);
    let opening = Opening {
        was_clean: recovery.was_clean,
        records,
        torn_tail: recovery.tail.as_ref().map(ToString::to_string),
        damaged_base: damaged_base.as_ref().map(ToString::to_string),
    };
    let writers_max = (state.settings.open_files_max / 8).max(1);
    let disk = Arc::clone(&sources.disk);
    let store = Store::new(directory, disk, log, tier, lock, writers_max);
    store.note_base(base_sequence);
    Ok((Some(store), registry, opening))
}
