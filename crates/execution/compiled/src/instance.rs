//! The code of one process, and the shape of a state: which processes and channels there are, and where they lie.
//!
//! Processes come and go like a stack, so a shape is a path in a tree: the shape before the youngest process was created,
//! and that process. What never changes during the life of a process (its number, parameters that are never assigned,
//! handles of its channels) is part of the shape and folded into the code, not stored in the state.

use std::sync::Arc;

use allways_system::{LocationId, Pid, Proctype, ProctypeId, TransitionId};

use crate::channel::Channel;
use crate::code::{Edge, Guard, InRange, Op, ReceiveCode, RunCode, SendCode, Value};
use crate::field::Field;
use crate::packed::Packed;
use crate::recall::Row;

/// A slot of a frame.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Slot {
    Field(Field),
    Constant(i32),
}

impl Slot {
    #[inline(always)]
    pub fn get(self, state: &Packed) -> i32 {
        match self {
            Slot::Field(field) => state.get(field),
            Slot::Constant(value) => value,
        }
    }
}

/// A process at its place in the state, with its constants: its code.
#[derive(Debug)]
pub struct Instance {
    /// Instances are numbered in the order in which they were met.
    pub number: u32,
    /// The number of its first location among those of all instances.
    pub first_spot: u32,
    pub pid: Pid,
    /// How many channels there were before it created its own.
    pub first_channel: u32,
    pub proctype: ProctypeId,
    /// The proctype with its constants folded.
    pub code: Proctype,
    /// Where the location is kept, as an index into `resting`; none if there is only one.
    pub location: Option<Field>,
    /// The locations where it can be between steps, ascending.
    pub resting: Arc<[LocationId]>,
    pub priority: Option<Field>,
    pub slots: Vec<Slot>,
    pub locations: Vec<Point>,
    pub edges: Vec<Edge>,
    pub ops: Vec<Op>,
    pub tests: Vec<InRange>,
    pub provided: Option<Value>,
    pub sends: Vec<SendCode>,
    pub receives: Vec<ReceiveCode>,
    /// The same as `receives`, for questions.
    pub polls: Vec<ReceiveCode>,
    pub runs: Vec<RunCode>,
    /// Variables of other processes.
    pub remotes: Vec<(ProctypeId, allways_system::Place)>,
    /// Channels that are known by name: those of the globals, then its own.
    pub channels: Vec<Channel>,
    /// Channels whose use is watched, for [`Op::Exclusive`].
    pub uses: Vec<Value>,
    /// `xr` (true) and `xs` claims.
    pub claims: Vec<(bool, Value)>,
    /// The positions of the channels on which it could take part in a rendezvous; none if that is not known.
    pub answers: Option<Box<[u32]>>,
    pub registers: usize,
    /// Nothing but its location decides which of its choices are looked at: no `provided`, no priorities, and it may have
    /// a choice.
    pub is_plain: bool,
}

/// An edge as it is found at its location.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    pub guard: Guard,
    /// Index into [`Instance::edges`].
    pub edge: u32,
    /// The next one, if any, belongs to another group.
    pub ends_group: bool,
}

/// A location.
#[derive(Clone, Debug, Default)]
pub struct Point {
    /// What can be done here, group by group.
    pub choices: Box<[Choice]>,
    /// Whether some edge begins with a receive that a rendezvous could use.
    pub receives: bool,
    pub is_end: bool,
    pub is_progress: bool,
    pub is_accept: bool,
}

impl Instance {
    #[inline(always)]
    pub fn at(&self, words: &[u64]) -> LocationId {
        self.resting[self.location.map_or(0, |location| location.get(words) as usize)]
    }

    /// The same, as something that is looked at.
    pub(crate) fn location_in(&self, state: &Packed) -> LocationId {
        self.resting[self.location.map_or(0, |location| state.get(location) as usize)]
    }

    /// The index of a location where it can be between steps.
    pub(crate) fn resting_index(&self, location: LocationId) -> i32 {
        index_among(&self.resting, location)
    }

    pub fn edge(&self, transition: TransitionId) -> &Edge {
        // Edges are numbered like the transitions.
        &self.edges[transition.index()]
    }
}

/// The index of a location in a list that has it; 0 if it has not.
pub(crate) fn index_among(resting: &[LocationId], location: LocationId) -> i32 {
    resting.binary_search(&location).map_or(0, |index| index as i32)
}

/// A shape of states.
#[derive(Debug)]
pub struct Shape {
    pub number: u32,
    /// The shape before the youngest process was created; itself if there is none.
    pub parent: u32,
    pub processes: Vec<Arc<Instance>>,
    pub channels: Vec<Channel>,
    /// Where the processes are, for [`Recall`](crate::recall::Recall).
    pub(crate) rows: Vec<Row>,
    /// The first bit that is not in use.
    pub end: u32,
    /// How many registers the code of its processes needs.
    pub(crate) registers: usize,
}

impl Shape {
    /// For each process a number that says which instance it is, and where.
    pub fn spots<'s>(&'s self, words: &'s [u64]) -> impl Iterator<Item = usize> + 's {
        self.rows.iter().map(|row| row.spot(words))
    }

    pub fn words(&self) -> usize {
        self.end.div_ceil(64) as usize
    }
}
