//! The engine of Dwell: one keyspace over memory and disk, one log, indivisible batches. It knows
//! no socket, no protocol and no Python.
//!
//! Read in this order: `engine` (opening, and when a reply may leave), `turn` and `scope` (what a
//! batch is and sees), `front` (the keyspace in memory), `gather` and `fetch` (what lies below),
//! `log`, `drain` and `recover` (how it lasts).
//!
//! ```
//! use dwell_engine::{BatchOptions, Engine, Place, Settings, Sources, Value};
//!
//! # fn main() -> Result<(), dwell_engine::Error> {
//! let engine = Engine::open(Place::Memory, Settings::default(), Sources::default())?;
//! let main = engine.namespace(b"0")?;
//!
//! // A batch is a function of what it sees; it happens whole or not at all.
//! let visits = engine.run(main, &BatchOptions::default(), |scope| {
//!     let lifetime = scope.now().after_ms(60_000);
//!     scope.put(b"session:7", Value::Bytes(b"ada"), lifetime)?;
//!     scope.append(b"log", b"ada came by\n")
//! })?;
//! assert_eq!(visits, 12);
//!
//! let name = engine.run(main, &BatchOptions::default(), |scope| {
//!     Ok(scope.read(b"session:7")?.map(|value| value.to_vec()))
//! })?;
//! assert_eq!(name.as_deref(), Some(&b"ada"[..]));
//! engine.close()
//! # }
//! ```

#![deny(unsafe_code)]

mod arrivals;
mod background;
mod base;
mod below;
mod clock;
mod directory;
pub mod disk;
mod drain;
mod effect;
mod engine;
mod error;
mod evict;
mod expire;
mod fetch;
mod front;
mod full_disk;
mod gather;
pub mod glob;
mod history;
pub mod limits;
pub mod log;
mod namespace;
pub mod number;
mod pace;
mod random;
mod range;
mod recover;
mod registry;
mod reload;
mod scan;
mod scope;
mod select;
mod settings;
mod state;
mod stats;
mod store;
mod turn;
mod undo;
mod value;

pub use clock::{Clock, Deadline, ManualClock, Now, Reading, SystemClock, WatchedClock};
pub use effect::Home;
pub use engine::{Engine, Opening, Settled};
pub use error::{Error, ErrorKind};
pub use gather::{Gathered, Missing};
pub use history::{Point, points, restore};
pub use namespace::NamespaceId;
pub use range::Range;
pub use scan::{Page, ScanRow};
pub use scope::{Facts, Scope, Sight, Stop, Watch, Whereabouts};
pub use settings::{Durability, Eviction, Place, Placement, Settings, Sources};
pub use state::Counters;
pub use stats::{SpaceStats, Stats};
pub use turn::{BatchOptions, Ticket, Turn};
pub use value::{Flag, Kind, OwnedValue, SpreadView, Text, TextScratch, Value};
