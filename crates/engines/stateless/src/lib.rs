//! State-less search: every schedule of a real program, one execution after another.
//!
//! No state is stored. A [`Program`](allways_stateless_host::Program) is executed along a prefix of choices and then by a default rule
//! ([`executor`]); what happened comes back as an [`Execution`]. A search keeps the choices of the last execution on a stack, decides
//! which other choices are worth trying where ([`Strategy`]), and executes the program again up to the deepest of them
//! ([`search()`]). The strategies differ only in what they find worth trying: [`naive`] everything, [`source`] what the races of
//! the executions seen so far call for.
#![forbid(unsafe_code)]

pub mod execution;
pub mod executor;
pub mod happens_before;
pub mod history;
mod identity;
pub mod naive;
pub mod random;
mod search;
pub mod source;
mod stack;

pub use allways_stateless_host::{Isolation, LaunchError, Streams};
pub use allways_stateless_protocol::{Outcome, Race, RacingAccess};
pub use execution::{Execution, Pending, Step};
pub use executor::{Executor, ExecutorOptions, Run, Visible};
pub use identity::sha256_of;
pub use search::{
    Control, Finding, PropertyName, SearchKind, SearchOptions, SearchResult, SearchStatistics, Stopped,
    replay, search,
};
pub use stack::{Choice, Node, Stack, Strategy};
