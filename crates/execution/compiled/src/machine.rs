//! A system made ready to run: where everything lies, and the code of every process met so far.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use allways_passes::{Constants, Ranges, constants, global_values, instantiate, ranges};
use allways_system::{
    Action, Alarm, ChannelKindId, Expr, Frame, Initial, LocationId, Pid, Proctype, ProctypeId, Scalar,
    Semantics, Start, System, TransitionId,
};

use crate::channel::{Channel, Messages};
use crate::field::{Field, Room, bits_for};
use crate::generate::{Common, Position, generate};
use crate::instance::{Instance, Shape, Slot};
use crate::observed::{Observed, Width};
use crate::recall::Row;
use crate::worker::TooLarge;

/// What can be chosen.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub semantics: Semantics,
    /// Notice when a channel is used that another process claimed with `xr` or `xs`.
    pub watch_claims: bool,
    /// Bits for the number of a state's shape. More shapes than that cannot be told apart.
    pub shape_bits: u32,
    /// How many bits of a word to use: up to 64.
    pub per_word: u32,
    /// Keep parameters that never change out of the state. Not worth it if they take ever new values.
    pub fold_parameters: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            semantics: Semantics::default(),
            watch_claims: true,
            shape_bits: 6,
            per_word: 64,
            fold_parameters: true,
        }
    }
}

/// A system made ready to run; shared by all who run it.
pub struct Machine<'s> {
    pub system: &'s System,
    pub options: Options,
    /// What workers look at inside of long steps.
    pub(crate) alarm: Alarm,
    pub(crate) common: Common,
    pub(crate) shape_field: Field,
    pub(crate) last: Option<Field>,
    facts: Arc<Facts>,
    widths: Widths,
    messages: Vec<Arc<Messages>>,
    own_channels: Vec<Vec<ChannelKindId>>,
    /// Per proctype, see [`Instance::resting`].
    resting: Vec<Arc<[LocationId]>>,
    known: Mutex<Known>,
    n_instances: AtomicUsize,
}

/// What is known of a system before it is run, however it is laid out.
struct Facts {
    ranges: Ranges,
    constants: Constants,
    global_values: Vec<i32>,
}

/// What was met so far.
#[derive(Default)]
struct Known {
    shapes: Vec<Arc<Shape>>,
    children: HashMap<(u32, ProctypeId, Box<[i32]>), u32>,
    instances: HashMap<InstanceKey, Arc<Instance>>,
    by_number: Vec<Arc<Instance>>,
    /// How many locations they have together.
    n_spots: u32,
    /// How many processes and channels the shapes have together.
    weight: usize,
}

/// Systems whose shapes are more or larger than this are left to the interpreter.
const MAX_WEIGHT: usize = 20_000_000;
/// The same if there are so many processes at a time: every one of them makes a shape, and those that come by the thousand mostly never
/// end to come.
const MOST_PROCESSES: usize = 1_200;

#[derive(PartialEq, Eq, Hash)]
struct InstanceKey {
    proctype: ProctypeId,
    pid: Pid,
    bit: u32,
    first_channel: u32,
    constants: Box<[i32]>,
}

/// Why a system is left to the interpreter.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unsupported {
    #[error("hidden variables")]
    Hidden,
    #[error("an unusual initial value")]
    Start,
    #[error("too many kinds of states")]
    Shapes,
}

impl<'s> Machine<'s> {
    /// Variables get the bits that can be proved to suffice or, if something was observed, those that sufficed then.
    pub fn new(
        system: &'s System,
        options: Options,
        observed: Option<&Observed>,
    ) -> Result<Machine<'s>, Unsupported> {
        check(system)?;
        let facts = Facts {
            ranges: ranges(system),
            constants: constants(system),
            global_values: global_values(system),
        };
        Ok(Machine::with(system, Arc::new(facts), options, observed))
    }

    /// The same system, laid out in another way. Nothing has been met yet.
    pub fn again(&self, options: Options, observed: Option<&Observed>) -> Machine<'s> {
        let again = Machine::with(self.system, self.facts.clone(), options, observed);
        again.with_alarm(self.alarm.clone())
    }

    /// Workers look at an alarm, also inside of long steps, which then end with [`TooLarge::Halted`].
    pub fn with_alarm(self, alarm: Alarm) -> Machine<'s> {
        Machine { alarm, ..self }
    }

    fn with(
        system: &'s System,
        facts: Arc<Facts>,
        options: Options,
        observed: Option<&Observed>,
    ) -> Machine<'s> {
        let widths = Widths::new(system, &facts.ranges, observed);
        let messages: Vec<Arc<Messages>> = system
            .channels
            .iter()
            .zip(&widths.fields)
            .enumerate()
            .map(|(number, (kind, fields))| Arc::new(Messages::new(number as u32, kind, fields)))
            .collect();
        let mut room = Room { next: 0, per_word: options.per_word };
        let shape_field = room.field(options.shape_bits, false);
        let last = system.tracks_last.then(|| room.field(16, false));
        let globals = (0..system.globals.slots() as usize)
            .map(|slot| match facts.constants.globals[slot] {
                true => Slot::Constant(facts.global_values[slot]),
                false => slot_in(&mut room, widths.globals[slot]),
            })
            .collect();
        let channels = system.globals.variables.iter().flat_map(|variable| &variable.initial);
        let channels = channels.filter_map(|initial| match initial {
            Initial::Channel(kind) => Some(Channel::new(&messages[kind.index()], &mut room)),
            Initial::Value(_) => None,
        });
        let channels: Vec<Channel> = channels.collect();
        let own_channels = system.proctypes.iter().map(|proctype| {
            let starts = proctype.start.iter();
            starts.filter_map(|start| match start {
                Start::Channel(_, kind) => Some(*kind),
                Start::Assign(..) => None,
            })
        });
        let own_channels = own_channels.map(Iterator::collect).collect();
        let watch_claims =
            options.watch_claims && system.proctypes.iter().any(|proctype| !proctype.exclusive.is_empty());
        let root = Shape {
            number: 0,
            parent: 0,
            processes: Vec::new(),
            channels: channels.clone(),
            rows: Vec::new(),
            end: room.next,
            registers: 0,
        };
        let common = Common {
            semantics: options.semantics,
            globals,
            channels,
            uses_timeout: system.uses_timeout(),
            watch_claims,
        };
        let known = Known { shapes: vec![Arc::new(root)], ..Known::default() };
        Machine {
            system,
            options,
            alarm: Alarm::default(),
            common,
            shape_field,
            last,
            facts,
            widths,
            messages,
            own_channels,
            resting: system.proctypes.iter().map(|code| resting_places(code).into()).collect(),
            known: Mutex::new(known),
            n_instances: AtomicUsize::new(0),
        }
    }

    /// All instances met so far, in order of their numbers.
    pub fn instances(&self) -> Vec<Arc<Instance>> {
        self.lock().by_number.clone()
    }

    /// The bits of the largest states met so far.
    pub fn most_bits(&self) -> u32 {
        self.lock().shapes.iter().map(|shape| shape.end).max().unwrap_or(0)
    }

    /// How many shapes were met so far.
    pub fn n_shapes(&self) -> u32 {
        self.lock().shapes.len() as u32
    }

    /// How many processes and channels the shapes that were met so far have together.
    pub fn weight(&self) -> usize {
        self.lock().weight
    }

    pub fn n_instances(&self) -> usize {
        self.n_instances.load(Ordering::Acquire)
    }

    /// The deaths of processes at places where somebody has been, whether or not anybody has died there.
    pub fn deaths_in_reach(&self) -> Vec<(ProctypeId, TransitionId)> {
        let mut deaths = Vec::new();
        for instance in self.instances() {
            let taken = instance.edges.iter().filter(|edge| edge.taken.load(Ordering::Relaxed));
            let code = &instance.code;
            for place in taken.map(|edge| edge.target).chain([code.initial]) {
                let ways = code.locations[place.index()].groups.iter().flatten();
                let is_death = |way: &&TransitionId| code.transition(**way).action == Action::Terminate;
                deaths.extend(ways.filter(is_death).map(|way| (instance.proctype, *way)));
            }
        }
        deaths
    }

    /// Which transitions of which proctypes were taken by anybody so far.
    pub fn coverage(&self) -> Vec<(ProctypeId, TransitionId)> {
        let instances = self.instances();
        let taken = instances.iter().flat_map(|instance| {
            let taken = instance.edges.iter().filter(|edge| edge.taken.load(Ordering::Relaxed));
            taken.map(|edge| (instance.proctype, edge.transition))
        });
        taken.collect()
    }

    pub(crate) fn initial_globals(&self) -> &[i32] {
        &self.facts.global_values
    }

    pub(crate) fn shape(&self, number: u32) -> Arc<Shape> {
        self.lock().shapes[number as usize].clone()
    }

    /// The channels that an instance of a proctype creates.
    pub fn own_channels(&self, proctype: ProctypeId) -> &[ChannelKindId] {
        &self.own_channels[proctype.index()]
    }

    /// The types of the slots of a frame.
    pub(crate) fn scalars(&self, proctype: ProctypeId) -> impl Iterator<Item = Scalar> {
        self.widths.locals[proctype.index()].iter().map(|(_, scalar)| *scalar)
    }

    /// What a process with this frame has for life, and its shape knows.
    pub(crate) fn constants(&self, proctype: ProctypeId, frame: &[i32]) -> impl Iterator<Item = i32> {
        let is_constant = &self.facts.constants.locals[proctype.index()];
        let n_slots = if self.options.fold_parameters { frame.len() } else { 0 };
        frame[..n_slots].iter().zip(is_constant).filter(|(_, is)| **is).map(|(value, _)| *value)
    }

    /// The shape after a process with this frame was created.
    pub(crate) fn extend(
        &self,
        shape: &Shape,
        proctype: ProctypeId,
        frame: &[i32],
    ) -> Result<Arc<Shape>, TooLarge> {
        let mut known = self.lock();
        let key = (shape.number, proctype, self.constants(proctype, frame).collect());
        if let Some(number) = known.children.get(&key) {
            return Ok(known.shapes[*number as usize].clone());
        }
        let number = known.shapes.len() as u32;
        if bits_for(number) > self.options.shape_bits {
            return Err(TooLarge::Shapes);
        }
        known.weight += shape.processes.len() + shape.channels.len();
        if known.weight > MAX_WEIGHT || shape.processes.len() >= MOST_PROCESSES {
            return Err(TooLarge::TooManyShapes);
        }
        let instance = self.instance(&mut known, shape, proctype, &key.2, frame);
        let mut room = Room { next: shape.end, per_word: self.options.per_word };
        self.place(&mut room, proctype, frame);
        let mut channels = shape.channels.clone();
        channels.extend(instance.channels[self.common.channels.len()..].iter().cloned());
        let mut rows = shape.rows.clone();
        rows.push(Row::new(instance.location, instance.first_spot));
        let registers = shape.registers.max(instance.registers);
        let mut processes = shape.processes.clone();
        processes.push(instance);
        let (parent, end) = (shape.number, room.next);
        let extended = Arc::new(Shape { number, parent, processes, channels, rows, end, registers });
        known.shapes.push(extended.clone());
        known.children.insert(key, number);
        Ok(extended)
    }

    fn instance(
        &self,
        known: &mut Known,
        shape: &Shape,
        proctype: ProctypeId,
        constants: &[i32],
        frame: &[i32],
    ) -> Arc<Instance> {
        let pid = shape.processes.len() as Pid;
        let first_channel = shape.channels.len() as u32;
        let key = InstanceKey { proctype, pid, bit: shape.end, first_channel, constants: constants.into() };
        if let Some(instance) = known.instances.get(&key) {
            return instance.clone();
        }
        let mut room = Room { next: shape.end, per_word: self.options.per_word };
        let placed = self.place(&mut room, proctype, frame);
        let position = Position {
            number: known.by_number.len() as u32,
            first_spot: known.n_spots,
            pid,
            proctype,
            location: placed.location,
            resting: self.resting[proctype.index()].clone(),
            priority: placed.priority,
            slots: placed.slots,
            own_channels: placed.channels,
            first_channel,
        };
        let mut folded = Cow::Borrowed(&self.facts.constants);
        if !self.options.fold_parameters {
            folded.to_mut().locals[proctype.index()].fill(false);
        }
        let code = instantiate(
            self.system,
            &folded,
            &self.facts.global_values,
            proctype,
            pid,
            frame,
            self.options.semantics.check_overflow,
        );
        let instance = Arc::new(generate(&self.common, position, code));
        known.n_spots += instance.locations.len() as u32;
        known.by_number.push(instance.clone());
        self.n_instances.store(known.by_number.len(), Ordering::Release);
        known.instances.insert(key, instance.clone());
        instance
    }

    fn place(&self, room: &mut Room, proctype: ProctypeId, frame: &[i32]) -> Placed {
        let location_bits = bits_for(self.resting[proctype.index()].len().saturating_sub(1) as u32);
        let widths = &self.widths.locals[proctype.index()];
        let is_constant =
            |slot: usize| self.options.fold_parameters && self.facts.constants.locals[proctype.index()][slot];
        // A process that fits into a word lies in one.
        let own: u64 =
            (0..widths.len()).filter(|slot| !is_constant(*slot)).map(|slot| widths[slot].0.bits as u64).sum();
        let total = own + location_bits as u64 + if self.system.priorities { 8 } else { 0 };
        if total <= 64 {
            room.fit(total as u32);
        }
        let location = (location_bits > 0).then(|| room.field(location_bits, false));
        let priority = self.system.priorities.then(|| room.field(8, false));
        let slots = (0..widths.len())
            .map(|slot| match is_constant(slot) {
                true => Slot::Constant(frame[slot]),
                false => slot_in(room, widths[slot]),
            })
            .collect();
        let kinds = self.own_channels(proctype).iter();
        let channels = kinds.map(|kind| Channel::new(&self.messages[kind.index()], room)).collect();
        Placed { location, priority, slots, channels }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// The locations where a process can be between steps, ascending. Not those inside a `d_step`, or in the middle of what was merged.
fn resting_places(code: &Proctype) -> Vec<LocationId> {
    let mut is_resting = vec![false; code.locations.len()];
    is_resting[code.initial.index()] = true;
    let mut todo = vec![code.initial];
    while let Some(location) = todo.pop() {
        for transition in code.locations[location.index()].groups.iter().flatten() {
            let target = code.transitions[transition.index()].target;
            if !std::mem::replace(&mut is_resting[target.index()], true) {
                todo.push(target);
            }
        }
    }
    (0..is_resting.len() as u32).map(LocationId).filter(|location| is_resting[location.index()]).collect()
}

struct Placed {
    location: Option<Field>,
    priority: Option<Field>,
    slots: Vec<Slot>,
    channels: Vec<Channel>,
}

fn slot_in(room: &mut Room, (width, scalar): (Width, Scalar)) -> Slot {
    match width.bits {
        0 => Slot::Constant(0),
        bits => Slot::Field(width.field(room.bits(bits), scalar)),
    }
}

/// How many bits everything gets.
struct Widths {
    globals: Vec<(Width, Scalar)>,
    locals: Vec<Vec<(Width, Scalar)>>,
    fields: Vec<Vec<Width>>,
}

impl Widths {
    fn new(system: &System, proven: &Ranges, observed: Option<&Observed>) -> Widths {
        let slots = |frame: &Frame, proven: &[(i32, i32)], seen: &dyn Fn(usize) -> Option<(i32, i32)>| {
            let scalars = frame.scalars();
            (0..scalars.len()).map(|slot| (Width::new(proven[slot], seen(slot)), scalars[slot])).collect()
        };
        let locals = system.proctypes.iter().enumerate().map(|(number, proctype)| {
            let seen = |slot| observed.map(|observed| observed.local(number, slot));
            slots(&proctype.frame, &proven.locals[number], &seen)
        });
        let fields = proven.fields.iter().enumerate().map(|(kind, fields)| {
            let seen = |field: usize| observed.map(|observed| observed.ranges.fields[kind][field]);
            fields.iter().enumerate().map(|(field, proven)| Width::new(*proven, seen(field))).collect()
        });
        let seen = |slot| observed.map(|observed| observed.global(slot));
        Widths {
            globals: slots(&system.globals, &proven.globals, &seen),
            locals: locals.collect(),
            fields: fields.collect(),
        }
    }
}

fn check(system: &System) -> Result<(), Unsupported> {
    let frames = system.proctypes.iter().map(|proctype| &proctype.frame);
    let mut variables = frames.chain([&system.globals]).flat_map(|frame| &frame.variables);
    if variables.any(|variable| variable.hidden) {
        return Err(Unsupported::Hidden);
    }
    let starts = system.proctypes.iter().flat_map(|proctype| &proctype.start);
    let mut unusual = false;
    for start in starts {
        if let Start::Assign(place, value) = start {
            let mut look = |expr: &Expr| {
                unusual |= matches!(
                    expr,
                    Expr::Poll { .. }
                        | Expr::Channel(..)
                        | Expr::Priority(_)
                        | Expr::Enabled(_)
                        | Expr::PcValue(_)
                        | Expr::At { .. }
                        | Expr::Remote { .. }
                        | Expr::NonProgress
                        | Expr::Accepting
                        | Expr::Timeout
                );
            };
            place.walk(&mut look);
            value.walk(&mut look);
        }
    }
    if unusual { Err(Unsupported::Start) } else { Ok(()) }
}
