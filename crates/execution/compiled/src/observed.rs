//! The values that variables were seen to take, to give them no more bits than that.
//!
//! What can be proved about the range of a variable is often far from what it does: a counter under a guard gets the whole
//! byte. So after a short look ahead every variable gets the bits for what it was seen to hold, and whoever stores more
//! in it than fits says so ([`TooLarge::Narrow`](crate::TooLarge)); then all begins anew with more bits. That is seldom
//! and early, and states become half as long.

use allways_passes::Ranges;
use allways_system::{Frame, Scalar, Shape as Structure, System};
use rustc_hash::FxHashMap;

use crate::field::{Field, bits_of_range};
use crate::instance::{Shape, Slot};
use crate::machine::Machine;
use crate::worker::Worker;

/// What was seen, by variable: all elements of an array count as one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observed {
    pub(crate) ranges: Ranges,
    globals: Vec<u32>,
    locals: Vec<Vec<u32>>,
}

/// A variable or a field of messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// A slot of the globals.
    Global(u32),
    /// A slot of a proctype.
    Local(u32, u32),
    /// A field of a kind of channel.
    Message(u32, u32),
}

impl Observed {
    /// Nothing but zeros.
    pub fn new(system: &System) -> Observed {
        let zeros = |n: usize| vec![(0, 0); n];
        let locals: Vec<Vec<u32>> = system.proctypes.iter().map(|p| representatives(&p.frame)).collect();
        let globals = representatives(&system.globals);
        let ranges = Ranges {
            globals: zeros(globals.len()),
            locals: locals.iter().map(|slots| zeros(slots.len())).collect(),
            fields: system.channels.iter().map(|kind| zeros(kind.fields.len())).collect(),
        };
        Observed { ranges, globals, locals }
    }

    /// Adds the values of the state that a worker is in.
    pub fn note(&mut self, worker: &Worker) {
        let snapshot = worker.snapshot();
        for (slot, value) in snapshot.globals.iter().enumerate() {
            include(&mut self.ranges.globals[self.globals[slot] as usize], *value);
        }
        for process in &snapshot.processes {
            let proctype = process.proctype.index();
            for (slot, value) in process.locals.iter().enumerate() {
                include(&mut self.ranges.locals[proctype][self.locals[proctype][slot] as usize], *value);
            }
        }
        for (kind, values) in worker.channel_kinds().iter().zip(&snapshot.channels) {
            let fields = &mut self.ranges.fields[*kind as usize];
            for (at, value) in values.iter().enumerate() {
                let n = fields.len();
                include(&mut fields[at % n], *value);
            }
        }
    }

    /// Adds all values that a worker has stored since it was told to [observe](Worker::observe).
    pub fn note_stored(&mut self, worker: &mut Worker) {
        for (owner, (low, high)) in worker.stored() {
            self.widen(owner, low);
            self.widen(owner, high);
        }
    }

    /// Adds what was seen elsewhere.
    pub fn merge(&mut self, other: &Observed) {
        let slots = |own: &mut Vec<(i32, i32)>, other: &[(i32, i32)]| {
            for (own, other) in own.iter_mut().zip(other) {
                *own = (own.0.min(other.0), own.1.max(other.1));
            }
        };
        slots(&mut self.ranges.globals, &other.ranges.globals);
        for (own, other) in self.ranges.locals.iter_mut().zip(&other.ranges.locals) {
            slots(own, other);
        }
        for (own, other) in self.ranges.fields.iter_mut().zip(&other.ranges.fields) {
            slots(own, other);
        }
    }

    /// Adds a value.
    pub fn widen(&mut self, owner: Owner, value: i32) {
        let range = match owner {
            Owner::Global(slot) => &mut self.ranges.globals[self.globals[slot as usize] as usize],
            Owner::Local(proctype, slot) => {
                let slots = &self.locals[proctype as usize];
                &mut self.ranges.locals[proctype as usize][slots[slot as usize] as usize]
            }
            Owner::Message(kind, field) => &mut self.ranges.fields[kind as usize][field as usize],
        };
        include(range, value);
    }

    /// Every variable may take about four times as many values.
    pub fn widen_all(&mut self) {
        let Ranges { globals, locals, fields } = &mut self.ranges;
        let all = globals.iter_mut().chain(locals.iter_mut().flatten()).chain(fields.iter_mut().flatten());
        for (low, high) in all {
            *low = low.saturating_mul(4);
            *high = high.saturating_mul(4).saturating_add(3);
        }
    }

    pub(crate) fn global(&self, slot: usize) -> (i32, i32) {
        self.ranges.globals[self.globals[slot] as usize]
    }

    pub(crate) fn local(&self, proctype: usize, slot: usize) -> (i32, i32) {
        self.ranges.locals[proctype][self.locals[proctype][slot] as usize]
    }
}

fn include(range: &mut (i32, i32), value: i32) {
    *range = (range.0.min(value), range.1.max(value));
}

/// For every slot the first of those that are the same element of an array.
fn representatives(frame: &Frame) -> Vec<u32> {
    let mut slots = Vec::with_capacity(frame.slots() as usize);
    for variable in &frame.variables {
        for offset in 0..variable.shape.slots() {
            slots.push(variable.base + representative(&variable.shape, offset));
        }
    }
    slots
}

fn representative(shape: &Structure, offset: u32) -> u32 {
    match shape {
        Structure::Scalar(_) => 0,
        Structure::Array(element, _) => representative(element, offset % element.slots().max(1)),
        Structure::Record { fields, .. } => {
            let mut start = 0;
            for (_, field) in fields.iter() {
                let slots = field.slots();
                if offset < start + slots {
                    return start + representative(field, offset - start);
                }
                start += slots;
            }
            offset
        }
    }
}

/// The bits that a value gets.
#[derive(Clone, Copy, Debug)]
pub struct Width {
    pub bits: u32,
    pub signed: bool,
    /// Whether it is less than what the value is known to need at most.
    pub is_guess: bool,
}

impl Width {
    /// For a value in the range `proven`, which was seen only in `seen`.
    pub fn new(proven: (i32, i32), seen: Option<(i32, i32)>) -> Width {
        let (bits, signed) = bits_of_range(proven);
        let Some(seen) = seen else { return Width { bits, signed, is_guess: false } };
        match bits_of_range(seen) {
            (seen_bits, seen_signed) if seen_bits.max(1) < bits => {
                Width { bits: seen_bits.max(1), signed: seen_signed, is_guess: true }
            }
            _ => Width { bits, signed, is_guess: false },
        }
    }

    /// A field of this width.
    pub fn field(self, bit: u32, scalar: Scalar) -> Field {
        let field = Field::new(bit, self.bits, self.signed);
        if self.is_guess { field.guessed(scalar) } else { field }
    }
}

/// So many fields are not looked for one by one.
const MANY: usize = 8;

/// The field of messages that this is.
fn message(shape: &Shape, field: Field) -> Option<Owner> {
    shape.channels.iter().find_map(|channel| {
        let index = channel.field_at(field)?;
        Some(Owner::Message(channel.messages.kind, index))
    })
}

/// The same for all fields of messages.
fn messages(shape: &Shape) -> FxHashMap<Field, Owner> {
    let mut known = FxHashMap::default();
    for channel in &shape.channels {
        for index in 0..channel.messages.fields.len() {
            for field in (0..channel.messages.capacity).filter_map(|message| channel.field(message, index)) {
                known.entry(field).or_insert(Owner::Message(channel.messages.kind, index as u32));
            }
        }
    }
    known
}

impl Machine<'_> {
    /// What a field that was too narrow holds.
    pub(crate) fn owner(&self, shape: &Shape, field: Field) -> Option<Owner> {
        let is_it = |slot: &Slot| *slot == Slot::Field(field);
        if let Some(slot) = self.common.globals.iter().position(is_it) {
            return Some(Owner::Global(slot as u32));
        }
        for process in &shape.processes {
            if let Some(slot) = process.slots.iter().position(is_it) {
                return Some(Owner::Local(process.proctype.0, slot as u32));
            }
        }
        message(shape, field)
    }

    /// The same for many fields, as far as they hold anything.
    pub(crate) fn owners<T>(
        &self,
        shape: &Shape,
        fields: impl ExactSizeIterator<Item = (Field, T)>,
    ) -> Vec<(Owner, T)> {
        if fields.len() < MANY {
            return fields.filter_map(|(field, with)| Some((self.owner(shape, field)?, with))).collect();
        }
        let mut known = FxHashMap::default();
        for (number, slot) in self.common.globals.iter().enumerate() {
            if let Slot::Field(field) = slot {
                known.insert(*field, Owner::Global(number as u32));
            }
        }
        for process in &shape.processes {
            for (number, slot) in process.slots.iter().enumerate() {
                if let Slot::Field(field) = slot {
                    known.insert(*field, Owner::Local(process.proctype.0, number as u32));
                }
            }
        }
        let messages = std::cell::LazyCell::new(|| messages(shape));
        let owner = |field: &Field| known.get(field).or_else(|| messages.get(field)).copied();
        fields.filter_map(|(field, with)| Some((owner(&field)?, with))).collect()
    }
}
