//! Running a machine: one state, and the means to change it and to go back.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use allways_system::{Alarm, Expr, Fault, Halt, Pid, Place, ProctypeId, STEPS_UNHEARD, Scope, Start};
use rustc_hash::FxHashMap;

use crate::field::Field;
use crate::instance::{Instance, Shape, Slot};
use crate::machine::Machine;
use crate::observed::Owner;
use crate::packed::Packed;

/// A state and everything needed to find its steps and take them. One per thread.
pub struct Worker<'m, 's> {
    pub machine: &'m Machine<'s>,
    pub(crate) state: Packed,
    pub(crate) shape: OwnShape,
    /// Shapes this worker has seen, by number.
    shapes: Vec<Option<OwnShape>>,
    /// Shapes that this worker made of others by creating a process: of which, and of what kind.
    extended: FxHashMap<(u32, ProctypeId), Vec<Extended>>,
    /// Scratch for the values that a process begins with.
    frame: Vec<i32>,
    /// The process inside an atomic sequence.
    pub(crate) exclusive: Option<Pid>,
    pub(crate) registers: Vec<i32>,
    /// The value of `timeout`.
    pub(crate) timeout: bool,
    /// How many questions whether a process is enabled led here.
    pub(crate) questions: u32,
    /// Steps of a `d_step` so far, and after how many to look at it.
    pub(crate) ticks: u64,
    pub(crate) look_at_tick: u64,
    /// An earlier state of a long one.
    pub(crate) long: Option<Box<crate::run::LongDStep>>,
    /// How many words had been overwritten before the step that is being taken.
    pub(crate) step_floor: usize,
    /// Of all steps together.
    pub(crate) effort: u64,
    /// Atomic sequences are left when the effort is more than this.
    pub(crate) most_effort: u64,
    /// See [`Worker::limit_length`].
    pub(crate) longest: u64,
    /// The effort after which limits are looked at.
    pub(crate) look_at: u64,
    pub(crate) alarm: Alarm,
    /// Atomic sequences may take so many bytes.
    pub(crate) allowance: u64,
    /// All steps on the way to an arrival are told, however many there are.
    pub(crate) keeps_steps: bool,
    /// The shape of the states whose stored values the state still has.
    stored_shape: Option<OwnShape>,
    /// The values stored in states of other shapes, by number.
    stored_elsewhere: FxHashMap<u32, FxHashMap<Field, (i32, i32)>>,
    pub(crate) assertion_failed: bool,
    pub(crate) exclusive_violated: bool,
    /// Scratch for messages.
    pub(crate) message: Vec<i32>,
    pub(crate) too_large: Option<TooLarge>,
    /// What is remembered of processes; none while it is in use, or if nothing is to be.
    pub(crate) recall: Option<Box<crate::recall::Recall>>,
    /// None while it is in use.
    pub(crate) scratch: Option<Box<crate::expand::Scratch>>,
}

/// A shape with one process more.
struct Extended {
    /// Values of what never changes during the life of that process.
    constants: Box<[i32]>,
    number: u32,
}

/// A worker remembers at most so many for each kind of process; the machine knows them all.
const MOST_EXTENDED: usize = 16;

/// A shape in the hands of one thread: cloning it does not touch what other threads use.
#[allow(clippy::redundant_allocation)]
pub(crate) type OwnShape = Rc<Arc<Shape>>;

/// A step that cannot be carried out: an error of the model. The interpreter knows which one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Trap;

/// The system grew beyond what can be represented.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TooLarge {
    /// More shapes than the machine was made for: try again with more [`Options::shape_bits`](crate::Options).
    Shapes,
    /// A variable (of a process that is gone if it cannot be told) needs more bits than it was seen to need: try again with another
    /// [`Observed`](crate::Observed).
    Narrow(Option<Owner>, i32),
    /// More shapes than are good for this way of running a system.
    TooManyShapes,
    /// Nothing helps.
    System(String),
    /// It is not the system that is too large, but what is left of the time or the memory is too little for a step.
    Halted(Halt),
}

/// More processes or channels than this cannot be numbered.
const MAX_PROCESSES: usize = u16::MAX as usize;

impl<'m, 's> Worker<'m, 's> {
    pub fn new(machine: &'m Machine<'s>) -> Worker<'m, 's> {
        let shape = Rc::new(machine.shape(0));
        Worker {
            machine,
            state: Packed::new(shape.words().max(1)),
            shapes: vec![Some(shape.clone())],
            extended: FxHashMap::default(),
            frame: Vec::new(),
            shape,
            exclusive: None,
            registers: vec![0; 16],
            timeout: false,
            questions: 0,
            ticks: 0,
            look_at_tick: 0,
            long: None,
            step_floor: 0,
            effort: 0,
            most_effort: u64::MAX,
            longest: u64::MAX,
            look_at: STEPS_UNHEARD,
            alarm: machine.alarm.clone(),
            allowance: u64::MAX,
            keeps_steps: false,
            stored_shape: None,
            stored_elsewhere: FxHashMap::default(),
            assertion_failed: false,
            exclusive_violated: false,
            message: Vec::new(),
            too_large: None,
            recall: None,
            scratch: None,
        }
    }

    /// From now on remembers what processes do instead of working it out each time. Where it remembers, arrivals are told
    /// without their steps.
    pub fn remember(&mut self) {
        self.remember_after(crate::recall::TRIAL);
    }

    /// The same, for tests: so few misses at a location make it try another way.
    pub fn remember_after(&mut self, trial: u32) {
        self.recall.get_or_insert_with(|| Box::new(crate::recall::Recall::new(trial)));
    }

    /// To be called now and then: keys by which so many records were found may get tables.
    pub fn settle(&mut self, n_found: u32) {
        if let Some(recall) = self.recall.as_deref_mut() {
            recall.make_tables(n_found);
        }
    }

    /// From now on notes what is stored in variables, for [`Observed::note_stored`](crate::Observed::note_stored).
    pub fn observe(&mut self) {
        self.state.stored.get_or_insert_default();
    }

    /// To be called in every state that was expanded, if it is to be known what was stored on the way to its successors.
    pub fn note_shape(&mut self) {
        let shape = self.stored_shape.get_or_insert_with(|| self.shape.clone());
        if !Rc::ptr_eq(shape, &self.shape) {
            self.put_stored_aside();
            self.stored_shape = Some(self.shape.clone());
        }
    }

    fn put_stored_aside(&mut self) {
        let (Some(stored), Some(shape)) = (&mut self.state.stored, self.stored_shape.take()) else { return };
        let known = self.stored_elsewhere.entry(shape.number).or_default();
        for (field, (low, high)) in stored.drain() {
            let range = known.entry(field).or_insert((low, high));
            *range = (range.0.min(low), range.1.max(high));
        }
    }

    /// What was stored so far, and in what. That takes long to find out.
    pub(crate) fn stored(&mut self) -> Vec<(Owner, (i32, i32))> {
        self.put_stored_aside();
        let mut stored = Vec::new();
        for (number, fields) in std::mem::take(&mut self.stored_elsewhere) {
            let shape = self.shape_by_number(number);
            stored.extend(self.machine.owners(&shape, fields.into_iter()));
        }
        stored
    }

    /// How many statements inside `d_step`s and atomic sequences were carried out so far, without those that were remembered.
    pub fn effort(&self) -> u64 {
        self.effort
    }

    /// Atomic sequences are no longer followed, as if the visitor had asked to stop, when [`Worker::effort`] is more than this.
    pub fn limit_effort(&mut self, most: u64) {
        self.most_effort = most;
        self.look_at = self.look_at.min(most.saturating_add(1));
    }

    /// Atomic sequences are not followed beyond this length (see [`Arrival::length`](crate::Arrival::length)), as if it were a depth limit.
    pub fn limit_length(&mut self, longest: u64) {
        self.longest = longest;
    }

    /// Atomic sequences may take so many bytes from now on; one that takes more ends with [`TooLarge::Halted`].
    pub fn allow(&mut self, bytes: u64) {
        self.allowance = bytes;
    }

    /// From now on work stops also when this is set.
    pub fn cancel_by(&mut self, cancelled: Arc<AtomicBool>) {
        self.alarm.cancelled = Some(cancelled);
    }

    /// From now on what a search found is repeated: the time may be up by now.
    pub fn will_repeat(&mut self) {
        self.alarm = self.alarm.for_repeating();
        self.too_large = None;
    }

    /// From now on every arrival is told with all its steps, unless they are remembered.
    pub fn keep_steps(&mut self) {
        self.keeps_steps = true;
    }

    /// Goes to the initial state.
    pub fn start(&mut self) -> Result<(), StartError> {
        self.state.words.fill(0);
        self.shape = self.shape_by_number(0);
        self.exclusive = None;
        let machine = self.machine;
        for (slot, value) in machine.common.globals.iter().zip(machine.initial_globals()) {
            if let Slot::Field(field) = slot {
                self.state.set(*field, *value);
            }
        }
        for process in &machine.system.processes {
            if self.create(process.proctype, &[], process.priority).is_err() {
                return Err(match self.too_large.take() {
                    Some(TooLarge::Narrow(owner, value)) => StartError::Narrow(owner, value),
                    Some(TooLarge::Shapes | TooLarge::TooManyShapes) => StartError::Shapes,
                    Some(TooLarge::System(reason)) => StartError::Fault(Fault::TooLarge(reason)),
                    Some(TooLarge::Halted(halt)) => StartError::Fault(Fault::Halted(halt)),
                    None => StartError::Trap,
                });
            }
        }
        self.state.undo.clear();
        self.check_widths();
        match self.too_large.take() {
            Some(TooLarge::Narrow(owner, value)) => Err(StartError::Narrow(owner, value)),
            _ => Ok(()),
        }
    }

    /// Whether everything that was stored since the last time fitted.
    #[inline(always)]
    pub(crate) fn check_widths(&mut self) -> bool {
        self.state.too_narrow.is_none() || self.note_narrow()
    }

    #[cold]
    fn note_narrow(&mut self) -> bool {
        let Some((field, value)) = self.state.too_narrow.take() else { return true };
        self.too_large = Some(TooLarge::Narrow(self.machine.owner(&self.shape, field), value));
        false
    }

    /// The kinds of the channels there are.
    pub(crate) fn channel_kinds(&self) -> Vec<u32> {
        self.shape.channels.iter().map(|channel| channel.messages.kind).collect()
    }

    /// The words of the state; what is beyond them is 0.
    pub fn words(&self) -> &[u64] {
        &self.state.words[..self.shape.words()]
    }

    /// Goes to the state with these words; `words` may be longer than needed.
    pub fn load(&mut self, words: &[u64]) {
        self.state.undo.clear();
        let length = self.state.words.len().max(words.len());
        self.state.words.resize(length, 0);
        self.state.words[..words.len()].copy_from_slice(words);
        self.state.words[words.len()..].fill(0);
        self.adopt();
    }

    /// Room for a state, to be filled by the caller and followed by [`Worker::adopt`].
    #[inline(always)]
    pub fn words_mut(&mut self, length: usize) -> &mut [u64] {
        if self.state.words.len() < length {
            self.state.words.resize(length, 0);
        }
        &mut self.state.words
    }

    /// Finds out what kind of state the words are.
    #[inline]
    pub fn adopt(&mut self) {
        self.state.undo.clear();
        let number = self.machine.shape_field.get(&self.state.words) as u32;
        if number != self.shape.number {
            self.shape = self.shape_by_number(number);
        }
        let needed = self.shape.words();
        if self.state.words.len() < needed {
            self.state.words.resize(needed, 0);
        }
        self.exclusive = None;
    }

    pub(crate) fn shape_by_number(&mut self, number: u32) -> OwnShape {
        let at = number as usize;
        if self.shapes.len() <= at {
            self.shapes.resize(at + 1, None);
        }
        if self.shapes[at].is_none() {
            let shape = self.machine.shape(number);
            if self.registers.len() < shape.registers {
                self.registers.resize(shape.registers, 0);
            }
            self.shapes[at] = Some(Rc::new(shape));
        }
        self.shapes[at].clone().unwrap_or_else(|| self.shape.clone())
    }

    pub(crate) fn set_last(&mut self, pid: Pid) {
        if let Some(field) = self.machine.last {
            self.state.set(field, pid as i32);
        }
    }

    /// Creates a process.
    pub(crate) fn create(
        &mut self,
        proctype: ProctypeId,
        arguments: &[i32],
        priority: u8,
    ) -> Result<Pid, Trap> {
        self.look_at_shape();
        if self.shape.processes.len() >= MAX_PROCESSES {
            return self.grown(TooLarge::System(format!("more than {MAX_PROCESSES} processes")));
        }
        let mut frame = std::mem::take(&mut self.frame);
        let created = self.create_with(&mut frame, proctype, arguments, priority);
        self.frame = frame;
        created
    }

    fn create_with(
        &mut self,
        frame: &mut Vec<i32>,
        proctype: ProctypeId,
        arguments: &[i32],
        priority: u8,
    ) -> Result<Pid, Trap> {
        let machine = self.machine;
        let declared = machine.system.proctype(proctype);
        frame.clear();
        frame.resize(declared.frame.slots() as usize, 0);
        for ((slot, value), scalar) in frame.iter_mut().zip(arguments).zip(machine.scalars(proctype)) {
            *slot = scalar.truncate(*value);
        }
        let mut n_channels = self.shape.channels.len();
        for start in &declared.start {
            match start {
                Start::Assign(place, value) => {
                    let newborn = Newborn { frame, pid: self.shape.processes.len() as Pid };
                    let value = self.start_value(&newborn, value)?;
                    let at = self.start_slot(&newborn, place)?;
                    let stored = place.scalar.truncate(value);
                    if machine.options.semantics.check_overflow && stored != value {
                        return Err(Trap);
                    }
                    frame[at] = stored;
                }
                Start::Channel(slot, _) => {
                    if n_channels >= u16::MAX as usize {
                        return self.grown(TooLarge::System(format!("more than {} channels", u16::MAX)));
                    }
                    n_channels += 1;
                    frame[*slot as usize] = n_channels as i32;
                }
            }
        }
        let number = match self.extend(proctype, frame) {
            Ok(number) => number,
            Err(why) => return self.grown(why),
        };
        self.enter(number);
        let shape = self.shape.clone();
        let pid = shape.processes.len() - 1;
        let instance = &shape.processes[pid];
        if let Some(location) = instance.location {
            self.state.set(location, instance.resting_index(declared.initial));
        }
        if let Some(field) = instance.priority {
            self.state.set(field, priority as i32);
        }
        for (slot, value) in instance.slots.iter().zip(frame) {
            if let Slot::Field(field) = slot
                && *value != 0
            {
                self.state.set(*field, *value);
            }
        }
        Ok(pid as Pid)
    }

    /// The number of the shape after a process with this frame was created.
    fn extend(&mut self, proctype: ProctypeId, frame: &[i32]) -> Result<u32, TooLarge> {
        let machine = self.machine;
        let extended = self.extended.entry((self.shape.number, proctype)).or_default();
        let known =
            extended.iter().find(|one| machine.constants(proctype, frame).eq(one.constants.iter().copied()));
        if let Some(known) = known {
            return Ok(known.number);
        }
        let number = machine.extend(&self.shape, proctype, frame)?.number;
        if extended.len() < MOST_EXTENDED {
            extended.push(Extended { constants: machine.constants(proctype, frame).collect(), number });
        }
        Ok(number)
    }

    fn grown<T>(&mut self, why: TooLarge) -> Result<T, Trap> {
        self.too_large = Some(why);
        Err(Trap)
    }

    fn enter(&mut self, number: u32) {
        self.shape = self.shape_by_number(number);
        if self.state.words.len() < self.shape.words() {
            self.state.words.resize(self.shape.words(), 0);
        }
        self.state.set(self.machine.shape_field, number as i32);
    }

    /// Removes the youngest process: its bits become 0.
    pub(crate) fn remove_youngest(&mut self) {
        self.look_at_shape();
        let parent = self.shape_by_number(self.shape.parent);
        let first = (parent.end / 64) as usize;
        for at in first..self.shape.words() {
            let kept = if at == first { (1u64 << (parent.end % 64)) - 1 } else { 0 };
            let word = self.state.words[at];
            if word & !kept != 0 || self.state.is_traced() {
                self.state.write(at, word & kept, !kept);
            }
        }
        self.shape = parent;
        self.state.set(self.machine.shape_field, self.shape.number as i32);
    }

    fn start_slot(&self, newborn: &Newborn, place: &Place) -> Result<usize, Trap> {
        let mut slot = place.base as usize;
        for index in &place.indices {
            let value = self.start_value(newborn, &index.value)?;
            if value < 0 || value as u32 >= index.bound {
                return Err(Trap);
            }
            slot += value as usize * index.stride as usize;
        }
        Ok(slot)
    }

    /// The value of an expression for a process whose frame is not in the state yet.
    fn start_value(&self, newborn: &Newborn, expr: &Expr) -> Result<i32, Trap> {
        Ok(match expr {
            Expr::Constant(value) => *value,
            Expr::Load(place) => {
                let slot = self.start_slot(newborn, place)?;
                match place.scope {
                    Scope::Global => self.machine.common.globals[slot].get(&self.state),
                    Scope::Local => newborn.frame[slot],
                }
            }
            Expr::Unary(op, operand) => self.fit(op.apply(self.start_value(newborn, operand)?))?,
            Expr::Binary(op, operands) => {
                use allways_system::BinaryOp::{And, Or};
                let a = self.start_value(newborn, &operands.0)?;
                match op {
                    And if a == 0 => 0,
                    Or if a != 0 => 1,
                    _ => {
                        let b = self.start_value(newborn, &operands.1)?;
                        self.fit(op.apply(a, b).ok_or(Trap)?)?
                    }
                }
            }
            Expr::Conditional(parts) => {
                let which = if self.start_value(newborn, &parts.0)? != 0 { &parts.1 } else { &parts.2 };
                self.start_value(newborn, which)?
            }
            Expr::Pid => newborn.pid as i32,
            Expr::ProcessCount => newborn.pid as i32 + 1,
            Expr::Last => self.last(),
            _ => return Err(Trap),
        })
    }

    pub(crate) fn fit(&self, value: i64) -> Result<i32, Trap> {
        let stored = value as i32;
        if self.machine.options.semantics.check_overflow && stored as i64 != value {
            return Err(Trap);
        }
        Ok(stored)
    }

    pub(crate) fn last(&self) -> i32 {
        self.machine.last.map_or(0, |field| self.state.get(field))
    }

    /// What follows depends on which processes and channels there are.
    #[inline(always)]
    pub(crate) fn look_at_shape(&self) {
        let _ = self.state.get(self.machine.shape_field);
    }

    pub fn n_processes(&self) -> i32 {
        self.look_at_shape();
        self.shape.processes.len() as i32
    }

    pub(crate) fn process(&self, pid: i32) -> Option<Pid> {
        (pid >= 0 && pid < self.n_processes()).then_some(pid as Pid)
    }

    pub(crate) fn priority_of(&self, pid: i32) -> i32 {
        self.process(pid).map_or(0, |pid| self.priority(&self.shape.processes[pid as usize]))
    }

    pub(crate) fn priority(&self, instance: &Instance) -> i32 {
        instance.priority.map_or(1, |field: Field| self.state.get(field))
    }
}

/// A process about to exist.
struct Newborn<'n> {
    frame: &'n [i32],
    pid: Pid,
}

/// Why there is no initial state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StartError {
    /// More [`Options::shape_bits`](crate::Options) are needed.
    Shapes,
    /// A variable needs more bits.
    Narrow(Option<Owner>, i32),
    /// An initial value cannot be worked out; the interpreter knows why.
    Trap,
    Fault(Fault),
}
