//! From the transitions of a process to instructions.

mod actions;
mod d_steps;
mod expressions;

use std::sync::Arc;

use allways_system::{Expr, LocationId, Pid, Place, Proctype, ProctypeId, Scope, Semantics, TransitionId};

use crate::channel::Channel;
use crate::code::{ChannelRef, Edge, InRange, Op, Pc, ReceiveCode, Reg, RunCode, SendCode, Value};
use crate::field::Field;
use crate::instance::{Choice, Instance, Point, Slot};

/// What the code of every process has in common.
pub struct Common {
    pub semantics: Semantics,
    pub globals: Vec<Slot>,
    pub channels: Vec<Channel>,
    pub uses_timeout: bool,
    /// Whether the use of channels that were claimed with `xr` or `xs` is to be noticed.
    pub watch_claims: bool,
}

/// A process at its place: what its code depends on.
pub struct Position {
    pub number: u32,
    pub first_spot: u32,
    pub pid: Pid,
    pub proctype: ProctypeId,
    pub location: Option<Field>,
    pub resting: Arc<[LocationId]>,
    pub priority: Option<Field>,
    pub slots: Vec<Slot>,
    /// Its own channels, and the position of the first one.
    pub own_channels: Vec<Channel>,
    pub first_channel: u32,
}

/// Makes the code of a process. `code` is its proctype with constants folded.
pub fn generate(common: &Common, position: Position, code: Proctype) -> Instance {
    generate_with(common, position, code, &[]).0
}

/// The same, with values that somebody wants to know.
pub fn generate_with(
    common: &Common,
    position: Position,
    code: Proctype,
    wanted: &[Expr],
) -> (Instance, Vec<Value>) {
    let mut channels = common.channels.clone();
    channels.extend(position.own_channels);
    let mut generator = Generator {
        common,
        code: &code,
        slots: &position.slots,
        resting: &position.resting,
        channels: &channels,
        first_channel: position.first_channel,
        ops: Vec::new(),
        tests: Vec::new(),
        labels: Vec::new(),
        sends: Vec::new(),
        receives: Vec::new(),
        polls: Vec::new(),
        runs: Vec::new(),
        remotes: Vec::new(),
        uses: Vec::new(),
        next_register: 0,
        registers: 1,
        is_inside: false,
    };
    let provided = code.provided.as_ref().map(|provided| generator.value(provided));
    let claims = code.exclusive.iter();
    let claims = claims.map(|claim| (claim.receive, generator.value(&claim.channel))).collect();
    let edges: Vec<Edge> =
        (0..code.transitions.len()).map(|i| generator.edge(TransitionId(i as u32))).collect();
    let wanted = wanted.iter().map(|expr| generator.value(expr)).collect();
    generator.resolve_labels();
    let Generator { ops, tests, sends, receives, polls, runs, remotes, uses, registers, .. } = generator;
    let answered =
        edges.iter().filter_map(|edge| edge.receive).map(|receive| &receives[receive as usize].channel);
    let answers = answered.map(|channel| match channel {
        ChannelRef::Known { position, .. } => Some(*position),
        ChannelRef::Handle(_) => None,
    });
    let answers = answers.collect();
    let locations = code.locations.iter().map(|location| point(location, &edges)).collect();
    let instance = Instance {
        number: position.number,
        first_spot: position.first_spot,
        pid: position.pid,
        first_channel: position.first_channel,
        proctype: position.proctype,
        location: position.location,
        resting: position.resting,
        priority: position.priority,
        slots: position.slots,
        locations,
        edges,
        ops,
        tests,
        provided,
        sends,
        receives,
        polls,
        runs,
        remotes,
        channels,
        uses,
        claims,
        answers,
        registers: registers as usize + 1,
        is_plain: provided.is_none() && position.priority.is_none() && !code.deterministic,
        code,
    };
    (instance, wanted)
}

fn point(location: &allways_system::Location, edges: &[Edge]) -> Point {
    let mut choices = Vec::new();
    for group in location.groups.iter().filter(|group| !group.is_empty()) {
        choices.extend(group.iter().enumerate().map(|(at, id)| Choice {
            guard: edges[id.index()].guard,
            edge: id.0,
            ends_group: at + 1 == group.len(),
        }));
    }
    Point {
        receives: choices.iter().any(|choice| edges[choice.edge as usize].receive.is_some()),
        choices: choices.into(),
        is_end: location.is_end,
        is_progress: location.is_progress,
        is_accept: location.is_accept,
    }
}

struct Generator<'g> {
    common: &'g Common,
    code: &'g Proctype,
    slots: &'g [Slot],
    resting: &'g [LocationId],
    channels: &'g [Channel],
    first_channel: u32,
    ops: Vec<Op>,
    tests: Vec<InRange>,
    /// Where the labels are; until [`Generator::resolve_labels`] jumps name labels.
    labels: Vec<Pc>,
    sends: Vec<SendCode>,
    receives: Vec<ReceiveCode>,
    polls: Vec<ReceiveCode>,
    runs: Vec<RunCode>,
    remotes: Vec<(ProctypeId, Place)>,
    uses: Vec<Value>,
    next_register: Reg,
    registers: Reg,
    /// In the middle of a block: another one must be jumped over.
    is_inside: bool,
}

/// A jump target that may not be known yet.
type Label = Pc;

impl Generator<'_> {
    fn here(&self) -> Pc {
        self.ops.len() as Pc
    }

    fn emit(&mut self, op: Op) {
        self.ops.push(op);
    }

    fn label(&mut self) -> Label {
        self.labels.push(Pc::MAX);
        self.labels.len() as Label - 1
    }

    fn place_label(&mut self, label: Label) {
        self.labels[label as usize] = self.here();
    }

    fn register(&mut self) -> Reg {
        let register = self.next_register;
        self.next_register += 1;
        self.registers = self.registers.max(self.next_register);
        register
    }

    /// Emits a block of its own and returns where it starts.
    fn block(&mut self, emit: impl FnOnce(&mut Self)) -> Pc {
        let over = self.is_inside.then(|| {
            let label = self.label();
            self.emit(Op::Jump(label));
            label
        });
        let (outer, registers) = (self.is_inside, self.next_register);
        self.is_inside = true;
        let start = self.here();
        emit(self);
        self.is_inside = outer;
        self.next_register = registers;
        if let Some(label) = over {
            self.place_label(label);
        }
        start
    }

    fn resolve_labels(&mut self) {
        let labels = &self.labels;
        for op in &mut self.ops {
            match op {
                Op::Jump(label)
                | Op::InRange { otherwise: label, .. }
                | Op::Compare { otherwise: label, .. }
                | Op::CompareRegs { otherwise: label, .. }
                | Op::RegInRange { otherwise: label, .. }
                | Op::Timeout { otherwise: label } => *label = labels[*label as usize],
                _ => {}
            }
        }
    }

    /// The slot of a place without run-time indices.
    fn slot(&self, place: &Place) -> Option<Slot> {
        place.indices.is_empty().then(|| match place.scope {
            Scope::Global => self.common.globals[place.base as usize],
            Scope::Local => self.slots[place.base as usize],
        })
    }

    /// The channel that an expression denotes, if it is always the same.
    fn known_channel(&self, expr: &Expr) -> Option<(u32, u32)> {
        let Value::Const(handle) = self.simple(expr)? else { return None };
        let position = u32::try_from(handle).ok()?.checked_sub(1)?;
        let globals = self.common.channels.len() as u32;
        if position < globals {
            return Some((position, position));
        }
        let own = position.checked_sub(self.first_channel)?;
        ((globals + own) < self.channels.len() as u32).then_some((globals + own, position))
    }

    fn channel(&mut self, expr: &Expr) -> ChannelRef {
        match self.known_channel(expr) {
            Some((at, position)) => ChannelRef::Known { at, position },
            None => ChannelRef::Handle(self.value(expr)),
        }
    }

    /// The first transition of a `d_step`.
    fn first_of(&self, entry: LocationId) -> Option<TransitionId> {
        self.code.location(entry).groups.first()?.first().copied()
    }
}
