//! What the explorer and the library inside the program both know.
//!
//! The two sides never exchange messages while the program runs: they share one [`Region`] of memory. The explorer writes a
//! prefix of a schedule into it, the program follows it and logs every [`Event`]. Which operations are *dependent*, that
//! is, for which the order can matter, is defined here once ([`dependent`]), because the program needs it for sleep sets
//! while it runs and the explorer for the analysis afterwards.
#![no_std]
#![forbid(unsafe_code)]

mod dependency;
mod memory;
mod misuse;
mod operation;
mod region;
mod surroundings;
mod thread_set;

pub use dependency::{Access, Footprint, accesses, conflict, dependent, file_access};
pub use memory::{
    FILE_KEY, GRANULE, Memory, OBJECT_KEY, PROMOTED, RACES, Race, RaceCell, RacingAccess, is_memory_key,
    is_object_key,
};
pub use misuse::{Earlier, Fault, Misuse, Misuses};
pub use operation::{Effect, Kind, ObjectKind, Operation, SemOp, use_of_file};
pub use region::{
    Choice, Event, Failures, Header, Limit, Message, Module, NONE, Object, OperationCell, Outcome, Policy,
    Process, Region, Rounds, Thread, held, limits, load_set, state, store_set,
};
pub use surroundings::{ChangedNames, Names, Presence, WrittenFiles};
pub use thread_set::ThreadSet;

/// Where the region is mapped in the program, the same in every process.
pub const REGION_ADDRESS: usize = 0x3000_0000_0000;

/// The environment variable that holds the descriptor of the region.
pub const REGION_VARIABLE: &str = "ALLWAYS_REGION";

/// The space of names, found by their hash.
pub const NAMES: u32 = 0x5000_0000;

/// The space of what operations on files touch; what `list` holds of such an object is the same under every schedule.
pub const FILE_USES: u32 = 0x4900_0000;

/// The space of texts: what the numbers mean that such objects have in `list`, if somebody wants to show the execution. The bytes are in the pool.
pub const FILE_NAMES: u32 = 0x4b00_0000;

/// Added to the space of a mapping that processes share.
pub const SHARED: u32 = 0x8000_0000;

/// A change of the layout changes this number; the runtime refuses a region of another version.
pub const VERSION: u32 = 11;
