//! Question and answer as plain data: what is checked, within which limits, with what verdict, shown by which trail.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod assumption;

use std::time::Duration;

pub use assumption::{Assumption, AssumptionKind};

/// What kind of property a property is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum PropertyKind {
    /// No assertion fails and no step faults (division by zero, index out of range, …).
    Assertions,
    /// The system never stops where it must not.
    Deadlock,
    /// Channels claimed with `xr` or `xs` are used by one process only.
    Exclusive,
    /// Every cycle passes a progress label.
    Progress,
    /// No cycle passes an accept label.
    Acceptance,
    /// A formula of linear temporal logic.
    Ltl,
    /// A never claim.
    Never,
    /// An automaton that was given.
    Automaton,
    /// A `trace` or `notrace`.
    Trace,
}

impl PropertyKind {
    /// Every kind.
    pub const ALL: [PropertyKind; 9] = [
        PropertyKind::Assertions,
        PropertyKind::Deadlock,
        PropertyKind::Exclusive,
        PropertyKind::Progress,
        PropertyKind::Acceptance,
        PropertyKind::Ltl,
        PropertyKind::Never,
        PropertyKind::Automaton,
        PropertyKind::Trace,
    ];

    /// The word used in reports.
    pub fn word(self) -> &'static str {
        match self {
            PropertyKind::Assertions => "assertions",
            PropertyKind::Deadlock => "deadlock",
            PropertyKind::Exclusive => "exclusive",
            PropertyKind::Progress => "progress",
            PropertyKind::Acceptance => "acceptance",
            PropertyKind::Ltl => "ltl",
            PropertyKind::Never => "never",
            PropertyKind::Automaton => "automaton",
            PropertyKind::Trace => "trace",
        }
    }
}

/// Something that can be checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// What the user calls it.
    pub name: String,
    /// What it is.
    pub kind: PropertyKind,
}

/// What bounds a search; nothing else does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Wall time.
    pub time: Option<Duration>,
    /// Bytes that stored states and the stack may take together.
    pub memory: Option<u64>,
    /// Steps from the initial state.
    pub depth: Option<u64>,
}

impl Limits {
    /// The longest atomic sequence that the depth limit allows, where a rendezvous counts as two steps.
    pub fn longest_sequence(&self) -> u64 {
        self.depth.map_or(u64::MAX, |depth| depth.saturating_add(1).saturating_mul(2))
    }
}

/// The answer.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// True of every run: the search was complete and lost nothing.
    Holds,
    /// Not true of the run that the trail describes.
    Violated(Violation),
    /// Unknown.
    Inconclusive {
        /// Why.
        reason: String,
        /// What to try next.
        advice: Option<String>,
    },
}

impl Verdict {
    /// The word used in reports.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Violated(_) => "violated",
            Verdict::Inconclusive { .. } => "inconclusive",
        }
    }
}

/// How a property fails.
#[derive(Clone, PartialEq, Debug)]
pub struct Violation {
    /// In words, e.g. `assertion violated: x == 1`.
    pub reason: String,
    /// Where in the model.
    pub location: Option<Location>,
    /// How to get there.
    pub trail: Trail,
    /// How often it was met, if the search went on.
    pub count: u64,
    /// How many preemptions the run has, if the search went by that: there is none with fewer.
    pub preemptions: Option<u32>,
}

/// A place in a text.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Location {
    /// As given on the command line or in an include.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
}

/// The choices that make one run, enough to repeat it on the same model.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trail {
    /// In order.
    pub steps: Vec<TrailStep>,
    /// For a lasso, the index of the step at which the cycle starts.
    pub cycle: Option<usize>,
}

/// One choice: which process takes which of its transitions, and with whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TrailStep {
    /// The process.
    pub pid: u32,
    /// The transition, by its number in the proctype.
    pub transition: u32,
    /// The receiver of a rendezvous: process and transition.
    pub partner: Option<(u32, u32)>,
}

/// What a search did.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Statistics {
    /// Distinct states.
    pub states: u64,
    /// Arrivals at a state that was known.
    pub matched: u64,
    /// Steps that left their process inside an atomic sequence.
    pub atomic_steps: u64,
    /// Length of the longest path looked at.
    pub depth: u64,
    /// Bytes of the largest packed state.
    pub state_bytes: u64,
    /// Bytes taken by the store.
    pub store_bytes: u64,
    /// Wall time of the search alone.
    pub search: Duration,
    /// Trails that the interpreter repeated and confirmed.
    pub replayed: u64,
}

impl Statistics {
    /// States stored and matched together.
    pub fn transitions(&self) -> u64 {
        self.states + self.matched
    }
}
