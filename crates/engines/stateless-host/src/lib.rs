//! The explorer's side of a running program: the shared region, the program as a server of executions, the kernel's help.
//!
//! The program is started once, with the runtime library loaded into it, and then asked for one execution after another. It lives in
//! namespaces of its own where the kernel permits that, so that everything it makes dies with it; and it dies with the explorer.

mod launch;
mod limits;
mod program;
mod scratch;
mod shared;
mod standstill;

pub use launch::{Isolation, LaunchError, Streams};
pub use program::{Ended, Folder, Program, ProgramOptions, Standstill};
pub use shared::{pin_to_one_cpu, usable_processors};

/// The library that is loaded into programs.
const RUNTIME: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/runtime.so"));
