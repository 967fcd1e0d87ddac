//! The seam between what a system can do and how it is explored.

use std::fmt;

use crate::{Halt, Pid, ProctypeId, TransitionId};

/// What a model leaves open.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Semantics {
    /// A send to a full buffer succeeds and the message is lost.
    pub lossy: bool,
    /// A proper end also needs empty channels.
    pub strict_end: bool,
    /// A value that does not fit its variable is a fault instead of being truncated.
    pub check_overflow: bool,
}

/// A process taking a transition; for a rendezvous, the sender's, with the receiver's beside it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Step {
    /// Who moves.
    pub pid: Pid,
    /// Along which transition of its proctype.
    pub transition: TransitionId,
    /// The process that takes the message in the same step, and its transition.
    pub partner: Option<(Pid, TransitionId)>,
}

/// What can be said of a state once its steps are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Expansion {
    /// The steps exist only because nothing else could happen.
    pub timeout: bool,
    /// Some process offered a message on a rendezvous channel and nobody could take it.
    pub refused_handshake: bool,
    /// The second of two enabled steps of a process that must never have a choice.
    pub nondeterminism: Option<Step>,
}

fn counted(n: usize, unit: &str) -> String {
    if n == 1 { format!("1 {unit}") } else { format!("{n} {unit}s") }
}

/// Why a step could not be carried out: an error of the model.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Fault {
    /// An index outside its array.
    #[error("array index {index} is out of range (the array has {})", counted(*.bound as usize, "element"))]
    Index {
        /// The index.
        index: i32,
        /// The length of the array.
        bound: u32,
    },
    /// `x / 0` or `x % 0`.
    #[error("division by zero")]
    DivisionByZero,
    /// A channel operation on a variable that holds no channel.
    #[error("use of an uninitialised channel")]
    NoChannel,
    /// A channel operation on a channel that vanished with the process that created it.
    #[error("use of a channel that no longer exists")]
    DeadChannel,
    /// More or fewer fields than the channel's messages have.
    #[error("{} {done} for a message of {}", counted(*.given, .unit), counted(*.expected, "field"))]
    Arity {
        /// "value" or "field".
        unit: &'static str,
        /// "sent", "received" or "polled".
        done: &'static str,
        /// How many.
        given: usize,
        /// How many the channel has.
        expected: usize,
    },
    /// `c?[…]` or `c?<…>` on a rendezvous channel.
    #[error("a rendezvous channel cannot be polled")]
    RendezvousPoll,
    /// No transition was enabled inside a `d_step`.
    #[error("blocked inside a d_step, at `{at}`")]
    DStepBlocked {
        /// The statement that could not be executed.
        at: String,
    },
    /// A `d_step` that cannot end: it came to a state in which it was before.
    #[error("a d_step never ends: within {steps} steps it came back to a state in which it had been")]
    DStepDiverges {
        /// How many were made until that was noticed.
        steps: u64,
    },
    /// A rendezvous inside a `d_step`.
    #[error("a rendezvous inside a d_step")]
    DStepRendezvous,
    /// A value that does not fit, when the user asked to be told.
    #[error("the value {value} does not fit and becomes {stored}")]
    Overflow {
        /// Before.
        value: i64,
        /// After.
        stored: i32,
    },
    /// A priority outside 1 to 255.
    #[error("{priority} is not a priority (1 to 255)")]
    Priority {
        /// The value given.
        priority: i32,
    },
    /// Two transitions of a process that must have no choice were enabled.
    #[error("a choice between `{first}` and `{second}` in a D_proctype")]
    Nondeterminism {
        /// One.
        first: String,
        /// The other.
        second: String,
    },
    /// `enabled` asks, perhaps by a detour, about the process that asks.
    #[error("`enabled` asks about the process itself")]
    CircularEnabled,
    /// The system grew beyond what can be represented.
    #[error("{0}")]
    TooLarge(String),
    /// The step was not carried out to its end: nothing is wrong with the model.
    #[error("{}", why_halted(*.0))]
    Halted(Halt),
}

fn why_halted(halt: Halt) -> &'static str {
    match halt {
        Halt::Time => "the time limit was reached inside a step",
        Halt::Interrupt => "interrupted inside a step",
        Halt::Memory => "the memory limit was reached inside a step",
        Halt::Cancelled => "cancelled inside a step",
    }
}

/// What is worth telling about a step that was carried out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// An assertion was false.
    AssertionFailed,
    /// Text was printed.
    Printed(String),
    /// A message entered a channel (or, on a rendezvous channel, was handed over).
    Sent {
        /// The channel's number, from 1.
        channel: u32,
        /// Its fields.
        message: Vec<i32>,
        /// It was thrown away: the buffer was full.
        lost: bool,
    },
    /// A message was taken from a channel, or copied.
    Received {
        /// Who received: differs from the step's process for a rendezvous.
        pid: Pid,
        /// The channel's number, from 1.
        channel: u32,
        /// Its fields.
        message: Vec<i32>,
    },
    /// Another process claimed this channel for itself.
    ExclusiveViolated {
        /// The process that made the claim.
        owner: Pid,
        /// `xr`; otherwise `xs`.
        receive: bool,
    },
    /// A process was created.
    Started(Pid),
    /// The process ended.
    Ended,
}

/// Something that has states and steps: the interpreter, or a reduction around it.
///
/// The order of the steps is part of the contract: youngest process first, then the order of the transitions.
pub trait Successors {
    /// A full valuation.
    type State: Clone;

    /// The state at the start.
    fn initial(&self) -> Result<Self::State, Fault>;

    /// Finds the steps that are possible in `state` and appends them to `steps`. A step whose guard cannot be
    /// evaluated counts as possible; [`Successors::apply`] then reports the fault.
    fn steps(&self, state: &Self::State, steps: &mut Vec<Step>) -> Expansion;

    /// Carries out a step that [`Successors::steps`] found. After a fault the state is unspecified.
    /// `events` hears what happened; pass `None` where nobody listens.
    fn apply(
        &self,
        state: &mut Self::State,
        step: Step,
        events: Option<&mut Vec<Event>>,
    ) -> Result<Applied, Fault>;

    /// What kind of process that is.
    fn proctype_of(&self, state: &Self::State, pid: Pid) -> ProctypeId;

    /// Whether some process is inside an atomic sequence and alone may move.
    fn is_exclusive(&self, state: &Self::State) -> bool;

    /// Lets everybody move again: what happens when the process inside an atomic sequence is blocked.
    fn release(&self, state: &mut Self::State);

    /// Whether a system that stops in `state` has come to a proper end.
    fn is_valid_end(&self, state: &Self::State) -> bool;

    /// Writes `state` into `bytes` (which is cleared first) and returns how many of the leading bytes distinguish
    /// it from others; the rest is hidden from the search but restored by [`Successors::unpack`].
    fn pack(&self, state: &Self::State, bytes: &mut Vec<u8>) -> usize;

    /// The reverse of [`Successors::pack`].
    fn unpack(&self, bytes: &[u8], state: &mut Self::State);
}

/// The outcome of a step, as far as a search needs it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Applied {
    /// An assertion was false.
    pub assertion_failed: bool,
    /// A channel that another process claimed for itself was used.
    pub exclusive_violated: bool,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.pid, self.transition.0)?;
        match self.partner {
            Some((pid, transition)) => write!(f, "+{pid}:{}", transition.0),
            None => Ok(()),
        }
    }
}
