//! State-less search: every schedule of a real program, one execution after another.
//!
//! No state is stored. A [`Program`](allways_stateless_host::Program) is executed along a prefix of choices and then by a default rule
//! ([`executor`]); what happened comes back as an [`Execution`]. A search keeps the choices of the last execution on a stack, decides
//! which other choices are worth trying where ([`Strategy`]), and executes the program again up to the deepest of them
//! ([`search()`]). The strategies differ only in what they find worth trying: [`naive`] everything, [`persistent`] what may be in the way of each other later,
//! [`source`] what the races of the executions seen so far call for, [`bounded`] everything within a bound.
#![forbid(unsafe_code)]

pub mod blind;
mod bounded;
mod difference;
pub mod execution;
pub mod executor;
mod facts;
pub mod happens_before;
pub mod history;
mod identity;
mod knowledge;
pub mod machine_code;
mod naive;
mod parallel;
pub mod persistent;
mod question;
pub mod random;
mod search;
mod shrink;
pub mod source;
mod stack;
mod symbols;
mod unwatched;

pub use allways_stateless_host::{Folder, Isolation, LaunchError, Streams};
pub use allways_stateless_protocol::{
    Earlier, Effect, Fault, Kind, Limit, Misuse, ObjectKind, Operation, Outcome, Race, RacingAccess,
};
pub use bounded::Bound;
pub use difference::{Came, Deed, Difference, Turn};
pub use execution::{Execution, ObjectInfo, Pending, Step, Users, Victim};
pub use executor::{
    Executor, ExecutorOptions, ExitStatuses, Promoted, Run, Timeouts, Tolerance, Visible, World,
};
pub use facts::{Circumstances, Facts, assumptions};
pub use identity::{sha256_of, sha256_of_bytes};
pub use parallel::search_parallel;
pub use question::Question;
pub use search::{
    Control, Finding, PropertyName, SearchKind, SearchOptions, SearchResult, SearchStatistics, Stopped,
    repeat_with_callers, replay, replay_with_callers, search,
};
pub use shrink::{ShrinkLimits, n_switches, shrink};
pub use stack::{Choice, Node, Stack, Strategy};
pub use symbols::{Module, Place, Symbols};
