//! The same steps as the interpreter, fast: packed state vectors, and instructions instead of expressions.
//!
//! A [`Machine`] is a system made ready to run. For every process that is met, at its place in the state and with what
//! never changes in it, code is made once (`generate.rs`); so variables have fixed places, `q[i]` of a ring node is a
//! known channel, and what the model does all the time is one instruction (`code.rs`). States are words of 64 bits in which
//! every variable has just the bits it needs (`field.rs`, `channel.rs`); which processes there are is one number in the
//! state, the *shape* (`instance.rs`). A [`Worker`] holds one state; [`Worker::expand`] finds the steps, takes each of them,
//! tells what came out, and goes back. Start reading there. How steps are found and taken is in `steps.rs`; most are not, because
//! what processes do is remembered (`recall.rs`).
//!
//! The interpreter remains the meaning: `tests/lockstep.rs` compares the two on every state of many models.

mod atomic;
mod channel;
mod code;
mod expand;
mod extract;
mod field;
mod generate;
mod instance;
mod machine;
mod met;
mod observed;
mod packed;
mod quick;
mod recall;
mod recollect;
mod records;
mod run;
mod snapshot;
mod steps;
mod watcher;
mod worker;

pub use expand::{Arrival, Chooser, Everything, Expanded, Recalled, StepsTo, Visitor, Wrong};
pub use instance::{Instance, Shape, Slot};
pub use machine::{Machine, Options, Unsupported};
pub use observed::{Observed, Owner};
pub use recollect::{Recollected, Recollection, Source};
pub use records::SHORT;
pub use snapshot::{Snapshot, SnapshotProcess};
pub use watcher::Watcher;
pub use worker::{StartError, TooLarge, Trap, Worker};
