//! The transition-system form in which front ends and engines meet.
//!
//! A [`System`] is plain data: typed global variables, kinds of channels, proctypes whose bodies are control-flow
//! graphs, the processes that exist at the start, and the properties that were stated about it. Nothing in it is
//! specific to the language it came from, nothing knows how it will be explored. What it *means* is defined by the
//! interpreter crate alone.
//!
//! The shape of the control graph:
//!
//! * A process is at a [`Location`]. A location lists the transitions that leave it, in *groups*: the first group
//!   in which any transition is enabled is the one that counts. That is how `unless` is expressed: the escapes are
//!   earlier groups than the statement they guard.
//! * A [`Transition`] is one statement. Several locations may share it (the state in front of a block and the state
//!   inside it offer the same statements). [`Transition::atomic`] says that the process keeps control afterwards.
//! * A `d_step` is one transition with [`Action::DStep`], whose inner graph uses locations of the same proctype at
//!   which no process ever rests.
//!
//! Structs and arrays are flattened into *slots*, one per scalar. [`Shape`] remembers the structure for display.
//!
//! `print::print` and `parse::parse` give a text form that round-trips; `verify::verify` checks every rule the
//! engines rely on.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod alarm;
mod data;
mod expr;
mod ids;
mod lists;
mod observer;
pub mod parse;
pub mod print;
mod scalar;
mod successors;
pub mod verify;

pub use alarm::*;
pub use data::*;
pub use expr::*;
pub use ids::*;
pub use lists::*;
pub use observer::*;
pub use scalar::*;
pub use successors::*;
