//! What a verdict rests on.

use crate::Location;

/// Something that was not looked at and was taken to be so: `holds` is true only as far as this is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumption {
    /// What kind of assumption it is.
    pub kind: AssumptionKind,
    /// A sentence for people, without a full stop.
    pub text: String,
    /// The property whose verdict rests on it; none if all do.
    pub property: Option<String>,
    /// Where in the model or program it begins to matter, if that is known.
    pub location: Option<Location>,
    /// The user asked for it with an option, so a verdict need not repeat it.
    pub asked: bool,
}

/// The kinds of assumptions; their words are part of the contract of the JSON output.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum AssumptionKind {
    /// Threads or processes share memory, and some accesses to it were not seen.
    MemoryNotVisible,
    /// An atomic operation that is weaker than sequentially consistent was taken as if it were not.
    SequentialConsistency,
    /// Random numbers came from one stream.
    RandomStream,
    /// A long time limit was taken not to pass as long as anything else can happen.
    LateTimeouts,
}

impl AssumptionKind {
    /// Every kind.
    pub const ALL: [AssumptionKind; 4] = [
        AssumptionKind::MemoryNotVisible,
        AssumptionKind::SequentialConsistency,
        AssumptionKind::RandomStream,
        AssumptionKind::LateTimeouts,
    ];

    /// The word used in JSON.
    pub fn word(self) -> &'static str {
        match self {
            AssumptionKind::MemoryNotVisible => "memory-not-visible",
            AssumptionKind::SequentialConsistency => "sequential-consistency",
            AssumptionKind::RandomStream => "random-stream",
            AssumptionKind::LateTimeouts => "late-timeouts",
        }
    }

    /// What is assumed, to follow "holds, assuming".
    pub fn phrase(self) -> &'static str {
        match self {
            AssumptionKind::MemoryNotVisible => "that unseen memory does not matter",
            AssumptionKind::SequentialConsistency => "sequential consistency",
            AssumptionKind::RandomStream => "one stream of random numbers",
            AssumptionKind::LateTimeouts => "late timeouts",
        }
    }

    /// Can it hide exactly what was asked? Then a verdict that rests on it does not count as `holds` for the exit code.
    pub fn hides_violations(self) -> bool {
        matches!(self, AssumptionKind::MemoryNotVisible)
    }
}
