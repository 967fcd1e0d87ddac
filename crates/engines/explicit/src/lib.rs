//! Explicit-state search: every reachable state is visited once and remembered.
//!
//! Three parts with a seam each: *successors* (anything that implements [`allways_system::Successors`]), the *store*
//! of visited states, and the *search* that connects them: `depth_first.rs` or `breadth_first.rs`. What both do with a
//! state they arrive at is in `exploration.rs`; start reading there.
#![forbid(unsafe_code)]

mod breadth_first;
mod depth_first;
mod exploration;
pub mod store;

use std::ops::ControlFlow;

use allways_system::{Fault, ProctypeId, Step, Successors, TransitionId};
use allways_verdict::{Limits, PropertyKind, Statistics};

/// In which order states are visited.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// One path as far as it goes, then the next.
    #[default]
    DepthFirst,
    /// All states at one distance from the start before those further away: trails are shortest.
    BreadthFirst,
}

/// What to look for, and when to stop.
#[derive(Clone, Debug, Default)]
pub struct Question {
    pub assertions: bool,
    pub deadlock: bool,
    pub exclusive: bool,
    pub order: Order,
    /// Go on after a violation.
    pub keep_going: bool,
    /// `limits.time` is the caller's to watch, through the monitor.
    pub limits: Limits,
}

/// Hears how the search goes and may end it.
pub trait Monitor {
    /// Called every few thousand steps.
    fn tick(&mut self, statistics: &Statistics) -> ControlFlow<Stopped>;
}

/// Why a search ended before everything was explored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stopped {
    /// At a violation, and nobody asked to go on.
    Violation,
    /// The time is up.
    Time,
    /// Stored states and the stack take as much memory as allowed.
    Memory,
    /// The user interrupted it.
    Interrupt,
}

/// What was found.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    pub kind: PropertyKind,
    pub what: What,
    /// From the initial state; the last step is the violation itself, except for a deadlock, which is in the state
    /// that the steps lead to.
    pub steps: Vec<Step>,
    /// How often the search met a violation of this property.
    pub count: u64,
}

/// How a property was violated.
#[derive(Clone, PartialEq, Debug)]
pub enum What {
    AssertionFailed,
    Fault(Fault),
    /// A process that must have no choice had one.
    Nondeterminism,
    InvalidEnd,
    ExclusiveViolated,
}

/// The outcome of a search.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The first violation of each property.
    pub found: Vec<Found>,
    /// None if everything was explored.
    pub stopped: Option<Stopped>,
    /// Some paths were not followed because they became too long.
    pub depth_cut: bool,
    /// Some paths ended at an error of the model that was not asked for.
    pub fault_cut: Option<Fault>,
    /// The system grew beyond what can be represented.
    pub too_large: Option<String>,
    pub statistics: Statistics,
    pub coverage: Coverage,
}

/// Which transitions were taken.
#[derive(Clone, Debug, Default)]
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

/// Explores everything that can be reached, or as much as the question allows.
pub fn search<S: Successors>(
    model: &S,
    question: &Question,
    monitor: &mut dyn Monitor,
) -> Result<Outcome, Fault> {
    match question.order {
        Order::DepthFirst => depth_first::search(model, question, monitor),
        Order::BreadthFirst => breadth_first::search(model, question, monitor),
    }
}
