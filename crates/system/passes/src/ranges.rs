//! Inferred ranges: an interval for every slot and every field of a message that contains all it can ever hold.
//!
//! Interval analysis without regard to the flow of control: every assignment, message, parameter and start is applied
//! to the intervals found so far until nothing changes. A slot that goes on growing gets the whole range of its type.
//! So `n++` under a guard becomes the whole type, but flags, states of a protocol, `(i + 1) % N`, symbolic names and
//! channel handles get what they need; a packed state has a few bits for them instead of bytes.
//!
//! 0 is always in the range: slots begin with it, are reset to it, and unused room in a buffer holds it.
//!
//! Which kinds of channels an expression can denote is found in the same way. A handle of a channel that a process
//! created can outlive it, and then means whatever channel has the number next, so as soon as such a handle is passed
//! on it stands for every channel that processes create.

use allways_system::{
    Action, ChannelTest, Expr, Initial, Pattern, Place, Proctype, ProctypeId, Scalar, Scope, Start, System,
};

use rustc_hash::FxHashMap;

use crate::effort::Effort;
use crate::instances::{Constants, constants, global_values};
use crate::interval::Interval;
use crate::slots::for_each_slot;

/// The smallest and the largest value that each slot or field can hold; 0 is between them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ranges {
    /// Per slot of the globals.
    pub globals: Vec<(i32, i32)>,
    /// Per proctype and slot of its frame.
    pub locals: Vec<Vec<(i32, i32)>>,
    /// Per kind of channel and field of its messages.
    pub fields: Vec<Vec<(i32, i32)>>,
}

/// Finds the ranges of a system.
pub fn ranges(system: &System) -> Ranges {
    let mut analysis = Analysis::new(system);
    let n_transitions: usize = system.proctypes.iter().map(|proctype| proctype.transitions.len()).sum();
    let mut effort = Effort::new();
    loop {
        if !effort.pay(n_transitions, 32) {
            analysis.give_up();
            break;
        }
        analysis.changed = false;
        for id in (0..system.proctypes.len() as u32).map(ProctypeId) {
            analysis.proctype(id, system.proctype(id));
        }
        if !analysis.changed {
            break;
        }
        analysis.round += 1;
    }
    let pairs =
        |slots: &Vec<Slot>| slots.iter().map(|slot| (slot.value.range.low, slot.value.range.high)).collect();
    Ranges {
        globals: pairs(&analysis.globals),
        locals: analysis.locals.iter().map(pairs).collect(),
        fields: analysis.alike.iter().map(|kind| pairs(&analysis.fields[*kind])).collect(),
    }
}

/// After so many rounds what still grows is given the range of its type.
const PATIENCE: u32 = 6;
/// No process has a number beyond this, no channel one beyond the next.
const MAX_PID: i32 = 0xffff;
const MAX_HANDLE: i32 = 0xffff;

/// A set of kinds of channels: bit `i` for kind `i`, the last bit for all others.
type Kinds = u128;
const ALL_KINDS: Kinds = Kinds::MAX;

/// What is known of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Value {
    range: Interval,
    /// If it is the handle of a channel: of one of these kinds.
    kinds: Kinds,
}

/// What is known of a slot.
#[derive(Clone, Copy, Debug)]
struct Slot {
    scalar: Scalar,
    value: Value,
}

struct Analysis<'a> {
    system: &'a System,
    globals: Vec<Slot>,
    locals: Vec<Vec<Slot>>,
    fields: Vec<Vec<Slot>>,
    /// Per kind of channel: the first that cannot be told from it here.
    alike: Vec<usize>,
    /// Those that are the first, with the number of their fields.
    told_apart: Vec<(usize, usize)>,
    /// What was last stored in a place with indices: once is enough.
    stored: FxHashMap<*const Place, Value>,
    constants: Constants,
    /// The kinds of the channels that exist at the start as globals, in order of their handles.
    global_channels: Vec<Kinds>,
    /// The kinds that processes create.
    created: Kinds,
    /// Whether processes are created while the system runs.
    runs: bool,
    round: u32,
    changed: bool,
}

impl Value {
    fn number(range: Interval) -> Value {
        Value { range, kinds: ALL_KINDS }
    }

    fn join(self, other: Value) -> Value {
        Value { range: self.range.join(other.range), kinds: self.kinds | other.kinds }
    }
}

fn bit(kind: usize) -> Kinds {
    1 << kind.min(Kinds::BITS as usize - 1)
}

/// Per kind of channel: the first one with the same bit and the same fields.
fn alike(system: &System) -> Vec<usize> {
    let mut first = FxHashMap::default();
    let kinds = system.channels.iter().enumerate();
    kinds.map(|(kind, declared)| *first.entry((bit(kind), &declared.fields)).or_insert(kind)).collect()
}

/// What slots of these types hold before anything happens.
fn empty(scalars: &[Scalar]) -> Vec<Slot> {
    let value = Value { range: Interval::ZERO, kinds: 0 };
    scalars.iter().map(|scalar| Slot { scalar: *scalar, value }).collect()
}

impl<'a> Analysis<'a> {
    fn new(system: &'a System) -> Analysis<'a> {
        let mut created = 0;
        let mut runs = false;
        for proctype in &system.proctypes {
            for start in &proctype.start {
                if let Start::Channel(_, kind) = start {
                    created |= bit(kind.index());
                }
            }
            runs |= proctype.transitions.iter().any(|it| matches!(it.action, Action::Run { .. }));
        }
        let initials = system.globals.variables.iter().flat_map(|variable| &variable.initial);
        let global_channels = initials.filter_map(|initial| match initial {
            Initial::Channel(kind) => Some(bit(kind.index())),
            Initial::Value(_) => None,
        });
        let alike = alike(system);
        let first = alike.iter().enumerate().filter(|(kind, first)| kind == *first);
        let told_apart = first.map(|(kind, _)| (kind, system.channels[kind].fields.len())).collect();
        let mut analysis = Analysis {
            system,
            alike,
            told_apart,
            stored: FxHashMap::default(),
            globals: empty(&system.globals.scalars()),
            locals: system.proctypes.iter().map(|proctype| empty(&proctype.frame.scalars())).collect(),
            fields: system.channels.iter().map(|kind| empty(&kind.fields)).collect(),
            constants: constants(system),
            global_channels: global_channels.collect(),
            created,
            runs,
            round: 0,
            changed: false,
        };
        for (slot, value) in global_values(system).into_iter().enumerate() {
            let value = analysis.constant(value);
            let known = &mut analysis.globals[slot].value;
            *known = known.join(value);
        }
        analysis
    }

    /// Everything can be anything.
    fn give_up(&mut self) {
        let slots = self.globals.iter_mut().chain(self.locals.iter_mut().flatten());
        for slot in slots.chain(self.fields.iter_mut().flatten()) {
            let all = Value { range: Interval::of_scalar(slot.scalar), kinds: ALL_KINDS };
            slot.value = slot.value.join(all);
        }
    }

    /// A number, or the handle of a global channel.
    fn constant(&self, value: i32) -> Value {
        let kinds = match usize::try_from(value) {
            Ok(0) => 0,
            Ok(handle) => self.global_channels.get(handle - 1).copied().unwrap_or(ALL_KINDS),
            Err(_) => 0,
        };
        Value { range: Interval::of(value), kinds }
    }

    fn proctype(&mut self, id: ProctypeId, proctype: &Proctype) {
        for start in &proctype.start {
            match start {
                Start::Assign(place, value) => self.assign(id, place, value),
                Start::Channel(slot, kind) => {
                    let high = if self.runs { MAX_HANDLE } else { self.n_channels_at_start() };
                    let value = Value { range: Interval::new(1, high.max(1)), kinds: bit(kind.index()) };
                    // As long as nobody else can hold it, the process that created it is there and so is the channel.
                    if self.constants.locals[id.index()][*slot as usize] {
                        let known = &mut self.locals[id.index()][*slot as usize].value;
                        self.changed |= known.join(value) != *known;
                        *known = known.join(value);
                    } else {
                        self.store_local(id, *slot, value);
                    }
                }
            }
        }
        for transition in &proctype.transitions {
            self.action(id, &transition.action);
        }
    }

    fn n_channels_at_start(&self) -> i32 {
        let created = |process: &allways_system::InitialProcess| {
            let start = &self.system.proctype(process.proctype).start;
            start.iter().filter(|start| matches!(start, Start::Channel(..))).count()
        };
        let of_processes: usize = self.system.processes.iter().map(created).sum();
        (self.global_channels.len() + of_processes) as i32
    }

    fn action(&mut self, id: ProctypeId, action: &Action) {
        match action {
            Action::Assign(place, value) => self.assign(id, place, value),
            Action::AssignAll(assignments) => {
                assignments.iter().for_each(|(place, value)| self.assign(id, place, value));
            }
            Action::Send { channel, values, .. } => {
                let values: Vec<Value> = values.iter().map(|value| self.value(id, value)).collect();
                for kind in self.kinds(id, channel, values.len()) {
                    for (field, value) in values.iter().enumerate() {
                        let stored = self.passed_on(*value);
                        grow(&mut self.fields[kind][field], stored, self.round, &mut self.changed);
                    }
                }
            }
            Action::Receive { channel, patterns, .. } => {
                let kinds = self.kinds(id, channel, patterns.len());
                for (field, pattern) in patterns.iter().enumerate() {
                    if let Pattern::Store(place) = pattern {
                        let values = kinds.iter().map(|kind| self.fields[*kind][field].value);
                        if let Some(value) = values.reduce(Value::join) {
                            self.store(id, place, value);
                        }
                    }
                }
            }
            Action::Run { proctype, arguments, result, .. } => {
                for (slot, argument) in arguments.iter().enumerate() {
                    let value = self.value(id, argument);
                    self.store_local(*proctype, slot as u32, value);
                }
                if let Some(place) = result {
                    self.store(id, place, Value::number(Interval::new(0, MAX_PID)));
                }
            }
            Action::Skip
            | Action::Condition(_)
            | Action::Else
            | Action::Assert(_)
            | Action::Print { .. }
            | Action::SetPriority { .. }
            | Action::DStep { .. }
            | Action::Terminate => {}
        }
    }

    fn assign(&mut self, id: ProctypeId, place: &Place, value: &Expr) {
        let value = self.value(id, value);
        self.store(id, place, value);
    }

    fn store(&mut self, id: ProctypeId, place: &Place, value: Value) {
        let value = self.passed_on(value);
        if !place.indices.is_empty() && self.stored.insert(place, value) == Some(value) {
            return;
        }
        let slots = match place.scope {
            Scope::Global => &mut self.globals,
            Scope::Local => &mut self.locals[id.index()],
        };
        for_each_slot(place, &mut |slot| {
            grow(&mut slots[slot as usize], value, self.round, &mut self.changed);
        });
    }

    fn store_local(&mut self, id: ProctypeId, slot: u32, value: Value) {
        let value = self.passed_on(value);
        grow(&mut self.locals[id.index()][slot as usize], value, self.round, &mut self.changed);
    }

    /// A value in other hands than those of the process that created the channel.
    fn passed_on(&self, value: Value) -> Value {
        let kinds = if value.kinds & self.created != 0 { value.kinds | self.created } else { value.kinds };
        Value { kinds, ..value }
    }

    /// The kinds of channels with so many fields that an expression can denote, as far as they are told apart.
    fn kinds(&self, id: ProctypeId, channel: &Expr, n_fields: usize) -> Vec<usize> {
        let kinds = self.value(id, channel).kinds;
        let told_apart = self.told_apart.iter();
        told_apart
            .filter(|(kind, fields)| kinds & bit(*kind) != 0 && *fields == n_fields)
            .map(|(kind, _)| *kind)
            .collect()
    }

    /// What the place holds, for a process of the proctype.
    fn load(&self, id: ProctypeId, place: &Place) -> Value {
        let slots = match place.scope {
            Scope::Global => &self.globals,
            Scope::Local => &self.locals[id.index()],
        };
        let mut value = Value { range: slots[place.base as usize].value.range, kinds: 0 };
        for_each_slot(place, &mut |slot| value = value.join(slots[slot as usize].value));
        value
    }

    fn value(&self, id: ProctypeId, expr: &Expr) -> Value {
        match expr {
            Expr::Constant(value) => self.constant(*value),
            Expr::Load(place) => self.load(id, place),
            Expr::Conditional(parts) => match self.value(id, &parts.0).range.truth() {
                Some(true) => self.value(id, &parts.1),
                Some(false) => self.value(id, &parts.2),
                None => self.value(id, &parts.1).join(self.value(id, &parts.2)),
            },
            Expr::Remote { proctype, place, .. } => {
                self.passed_on(self.load(*proctype, place).join(self.constant(0)))
            }
            expr => Value::number(self.range(id, expr)),
        }
    }

    /// The range of an expression that is no handle of a channel.
    fn range(&self, id: ProctypeId, expr: &Expr) -> Interval {
        let inner = |expr: &Expr| self.value(id, expr).range;
        match expr {
            Expr::Unary(op, operand) => inner(operand).unary(*op),
            Expr::Binary(op, operands) => inner(&operands.0).binary(*op, inner(&operands.1)),
            Expr::Channel(ChannelTest::Len, channel) => {
                let kinds = self.value(id, channel).kinds;
                let declared = self.system.channels.iter().enumerate();
                let possible = declared.filter(|(kind, _)| kinds & bit(*kind) != 0);
                let longest = possible.map(|(_, declared)| declared.capacity).max().unwrap_or(0);
                Interval::new(0, i32::try_from(longest).unwrap_or(i32::MAX))
            }
            Expr::Channel(..)
            | Expr::Poll { .. }
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::Accepting
            | Expr::Enabled(_)
            | Expr::At { .. } => Interval::TRUTH,
            Expr::PcValue(_) => {
                let largest = self.system.proctypes.iter().map(|proctype| proctype.locations.len()).max();
                Interval::new(0, largest.unwrap_or(0) as i32)
            }
            Expr::Priority(_) => Interval::new(0, 255),
            Expr::Pid => self.pids(id),
            Expr::ProcessCount | Expr::Last if self.runs => Interval::new(0, MAX_PID),
            Expr::ProcessCount | Expr::Last => Interval::new(0, self.system.processes.len() as i32),
            Expr::Constant(_) | Expr::Load(_) | Expr::Conditional(_) | Expr::Remote { .. } => inner(expr),
        }
    }

    /// The numbers of the processes of a proctype.
    fn pids(&self, id: ProctypeId) -> Interval {
        let is_instance = |process: &allways_system::InitialProcess| process.proctype == id;
        let processes = &self.system.processes;
        match (processes.iter().position(is_instance), processes.iter().rposition(is_instance)) {
            (Some(first), Some(last)) if !self.runs => Interval::new(first as i32, last as i32),
            _ => Interval::new(0, MAX_PID),
        }
    }
}

/// Adds a value to what a slot can hold.
fn grow(slot: &mut Slot, value: Value, round: u32, changed: &mut bool) {
    if value.range.is_within(slot.value.range) && value.kinds & !slot.value.kinds == 0 {
        return;
    }
    let range = value.range.truncate(slot.scalar);
    // What was cut off is another number and perhaps another channel.
    let kinds = if value.range.is_within(range) { value.kinds } else { ALL_KINDS };
    let mut grown = slot.value.join(Value { range, kinds });
    if round >= PATIENCE {
        let all = Interval::of_scalar(slot.scalar);
        if grown.range.low < slot.value.range.low {
            grown.range.low = all.low;
        }
        if grown.range.high > slot.value.range.high {
            grown.range.high = all.high;
        }
    }
    *changed |= grown != slot.value;
    slot.value = grown;
}
