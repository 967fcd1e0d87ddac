//! System-to-system rewriting: what an engine may assume or forget, decided once, before the search.
//!
//! The ids of proctypes, locations and transitions never change, so a step of a rewritten system is a step of the
//! original one, and a trail found on the one is a trail of the other.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod simplify;

mod dead_variables;
mod instances;
mod merge;
mod never_read;
mod ranges;
mod unwatched;

mod effort;
mod fold;
mod interval;
mod slot_set;
mod slots;
mod uses;

pub use instances::{Constants, constants, global_values, instantiate, slot_with, with_locals};
pub use never_read::hidden_reads;
pub use ranges::{Ranges, ranges};
pub use simplify::{PassOptions, Report, simplify};
