//! Explicit-state search: every reachable state is visited once and remembered.
//!
//! Four parts with a seam each: *successors* (compiled steps, [`allways_compiled`]), *reduction* (which of them suffice),
//! the *keeper* of states (`keeper.rs`: how they are kept on the stack and among the visited ones), and the *search* that
//! connects them: `depth_first.rs` and, if it turns out to be large, `batches.rs`, or `breadth_first.rs`, or `preemptions.rs`, which leaves out runs
//! in which processes are interrupted often. `explore.rs` plugs them together; start reading there. `several.rs` repeats searches that lose states, and begins anew where memory was used up and the search could not go on.
//! `reference.rs` is the same without any cleverness.
#![forbid(unsafe_code)]

mod batches;
mod breadth_first;
mod choose;
mod collapse;
pub mod cycles;
mod depth_first;
mod explore;
mod forest;
mod jobs;
mod keeper;
mod look;
mod members;
mod nodes;
mod order;
mod preemptions;
pub mod reference;
mod several;
mod stack;
mod tally;
mod trail;

use std::ops::ControlFlow;

use allways_system::{Alarm, Fault, Halt, ProctypeId, Step, TransitionId};
use allways_verdict::{Limits, PropertyKind, Statistics};

pub use explore::explore_cycles;
pub use keeper::Loss;
pub use several::explore;

/// In which order states are visited.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// One path as far as it goes, then the next.
    #[default]
    DepthFirst,
    /// All states at one distance from the start before those further away: trails are shortest. By one thread and
    /// without reduction, because that may leave out the shortest run.
    BreadthFirst,
    /// Depth first, the successors of a state in an order that the seed decides.
    Random(u64),
    /// By the number of *preemptions* that lead to a state, and only as far as so many: switches from the process that moved last
    /// to another one although the last could go on. Trails have the fewest preemptions. By one
    /// thread and without reduction; a depth limit is not looked at.
    Preemptions(u32),
}

impl Order {
    /// Whether it asks for the best run in some sense, so that none may be left out because others stand for it.
    pub fn needs_every_run(self) -> bool {
        matches!(self, Order::BreadthFirst | Order::Preemptions(_))
    }
}

/// When a search in which violations are found is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Until {
    /// At the first violation.
    FirstViolation,
    /// When each property that was asked about is violated: nothing is left to be decided.
    #[default]
    AllDecided,
    /// When everything is explored.
    AllExplored,
}

/// How visited states are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Keep {
    /// All of them, without loss.
    #[default]
    Exact,
    /// A hash of 64 bits of each.
    Compact,
    /// A few bits of each, in a table of fixed size.
    Bitstate {
        bytes: u64,
        /// Bits per state; none for a good choice.
        bits: Option<u32>,
        /// Chooses the hash function.
        seed: u64,
    },
}

/// What to look for, and when to stop.
#[derive(Clone, Debug, Default)]
pub struct Question {
    pub assertions: bool,
    pub deadlock: bool,
    pub exclusive: bool,
    pub order: Order,
    /// When it is over, if violations are found.
    pub until: Until,
    pub keep: Keep,
    /// How often a search whose store loses states is repeated, each time with the next seed; 0 counts as 1.
    pub searches: u32,
    /// Where to go on, or else to begin anew, when the memory limit is reached in the exact store; none to stop there.
    pub on_full: Option<Keep>,
    /// Leave out runs that others stand for.
    pub reduce: bool,
    /// How many threads, if so many can be started; 0 counts as 1.
    pub threads: usize,
    /// Do in a small search, too, what pays only in a large one: for tests.
    pub eager: bool,
    /// `limits.time` is the caller's to watch, through the monitor.
    pub limits: Limits,
}

/// Hears how the search goes and may end it.
pub trait Monitor {
    /// Called every few thousand steps.
    fn tick(&mut self, statistics: &Statistics) -> ControlFlow<Stopped>;

    /// What is looked at where a single step of the search is long: it rings when [`Monitor::tick`] would end the search.
    fn alarm(&self) -> Alarm {
        Alarm::default()
    }
}

/// Why a search ended before everything was explored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stopped {
    /// At a violation that left nothing to be decided, or at the first if that was asked for.
    Violation,
    /// The time is up.
    Time,
    /// Stored states and the stack take as much memory as allowed.
    Memory,
    /// The user interrupted it.
    Interrupt,
}

impl From<Halt> for Stopped {
    fn from(halt: Halt) -> Stopped {
        match halt {
            Halt::Time => Stopped::Time,
            Halt::Memory => Stopped::Memory,
            Halt::Interrupt | Halt::Cancelled => Stopped::Interrupt,
        }
    }
}

/// What was found.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    pub kind: PropertyKind,
    pub what: What,
    /// From the initial state; the last step is the violation itself, except for a deadlock, which is in the state
    /// that the steps lead to.
    pub steps: Vec<Step>,
    /// The time was up before all steps were worked out: some are missing.
    pub is_cut: bool,
    /// How often the search met a violation of this property.
    pub count: u64,
    /// How many preemptions the run has, if the search goes by that; no run to a violation of this property has fewer.
    pub preemptions: Option<u32>,
}

/// How a property was violated.
#[derive(Clone, PartialEq, Debug)]
pub enum What {
    AssertionFailed,
    /// Which fault it is, the interpreter knows, if nobody else does.
    Fault(Option<Fault>),
    /// A process that must have no choice had one.
    Nondeterminism,
    InvalidEnd,
    ExclusiveViolated,
}

/// The outcome of a search.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The first violation of each property.
    pub found: Vec<Found>,
    /// None if everything was explored.
    pub stopped: Option<Stopped>,
    /// Some paths were not followed because they became too long.
    pub depth_cut: bool,
    /// Some paths ended at a run-time error of the model.
    pub fault_cut: bool,
    /// Something can be reached only with more preemptions than allowed.
    pub bound_cut: bool,
    /// The system grew beyond what can be represented.
    pub too_large: Option<String>,
    pub statistics: Statistics,
    pub coverage: Coverage,
    /// The store that was used at last.
    pub keep: Keep,
    /// What may have been lost, if that store forgets; by all searches together, if there were several.
    pub loss: Option<Loss>,
    /// One by one, if there were several.
    pub searches: Vec<OneSearch>,
    /// How many states the exact store had when the memory limit was reached, if the search did not stop then.
    pub full_after: Option<u64>,
    /// It began anew then.
    pub begun_anew: bool,
    /// Runs may have been left out because others stand for them.
    pub reduced: bool,
    /// How many threads there were, 0 for one; fewer than were asked for if the others could not be started.
    pub threads: usize,
}

/// One of several searches.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OneSearch {
    pub seed: u64,
    pub statistics: Statistics,
    pub loss: Loss,
}

/// Which transitions were taken.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Coverage {
    taken: Vec<Vec<bool>>,
}

impl Coverage {
    fn mark(&mut self, proctype: ProctypeId, transition: TransitionId) {
        grow(&mut self.taken, proctype.index());
        let transitions = &mut self.taken[proctype.index()];
        grow(transitions, transition.index());
        transitions[transition.index()] = true;
    }

    fn merge(&mut self, other: &Coverage) {
        for (proctype, transitions) in other.taken.iter().enumerate() {
            for (transition, _) in transitions.iter().enumerate().filter(|(_, taken)| **taken) {
                self.mark(ProctypeId(proctype as u32), TransitionId(transition as u32));
            }
        }
    }

    pub fn contains(&self, proctype: ProctypeId, transition: TransitionId) -> bool {
        let transitions = self.taken.get(proctype.index());
        transitions.and_then(|taken| taken.get(transition.index())).copied().unwrap_or(false)
    }
}

fn grow<T: Default + Clone>(list: &mut Vec<T>, index: usize) {
    if list.len() <= index {
        list.resize(index + 1, T::default());
    }
}
