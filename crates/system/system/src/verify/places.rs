//! The rules about variables, their slots, and the places that denote them.

use super::{Verifier, end_of};
use crate::print::Show;
use crate::*;

impl Verifier<'_> {
    /// The layout of a frame.
    pub(super) fn frame(&mut self, frame: &Frame) {
        let mut slots: u64 = 0;
        for variable in &frame.variables {
            let Variable { name, base, .. } = variable;
            let is_next = u64::from(*base) == slots;
            self.require(is_next, || format!("`{name}` begins at slot {base} instead of {slots}"));
            slots += u64::from(variable.shape.slots());
            self.shape(&variable.shape);
            self.span(variable.span);
        }
        // `Shape::slots` saturates, so the largest number may stand for more.
        self.require(slots < u64::from(u32::MAX), || "more slots than 32 bits can count".to_owned());
    }

    fn shape(&mut self, shape: &Shape) {
        match shape {
            Shape::Scalar(scalar) => self.scalar(*scalar),
            Shape::Array(element, length) => {
                self.require(*length > 0, || "an array without elements".to_owned());
                self.shape(element);
            }
            Shape::Record { name, fields } => {
                self.require(!fields.is_empty(), || format!("the record `{name}` has no fields"));
                fields.iter().for_each(|(_, field)| self.shape(field));
            }
        }
    }

    /// What global variables hold at the start.
    pub(super) fn initial_values(&mut self, frame: &Frame) {
        let all = frame.variables.iter().flat_map(|variable| &variable.initial);
        let n_channels = all.filter(|initial| matches!(initial, Initial::Channel(_))).count();
        for Variable { name, shape, initial, .. } in &frame.variables {
            let (given, slots) = (initial.len(), shape.slots());
            if given > slots as usize {
                self.problem(format!("`{name}` has {given} initial values for {slots} slots"));
                continue;
            }
            for (i, initial) in initial.iter().enumerate() {
                let Some(scalar) = scalar_at(shape, i as u32) else { continue };
                let fits = match *initial {
                    Initial::Channel(kind) => {
                        self.channel_kind(kind);
                        scalar == Scalar::Chan
                    }
                    Initial::Value(value) if scalar == Scalar::Chan => {
                        usize::try_from(value).is_ok_and(|value| value <= n_channels)
                    }
                    Initial::Value(value) => fits(scalar, value),
                };
                let initial = Show(initial);
                self.require(fits, || format!("{initial} is no value for slot {i} of `{name}`"));
            }
        }
    }

    /// Checks a place, and the expressions in it, that is used where these are the local variables.
    pub(super) fn place(&mut self, locals: Option<&Frame>, place: &Place) {
        self.place_itself(locals, place);
        place.indices.iter().for_each(|index| self.expr(locals, &index.value));
    }

    /// Checks a place but not the expressions in it.
    pub(super) fn place_itself(&mut self, locals: Option<&Frame>, place: &Place) {
        self.scalar(place.scalar);
        let frame = match (place.scope, locals) {
            (Scope::Global, _) => &self.system.globals,
            (Scope::Local, Some(locals)) => locals,
            (Scope::Local, None) => {
                return self.problem(format!("there are no local variables here, such as {}", Show(place)));
            }
        };
        let base = u64::from(place.base);
        let next = frame.variables.partition_point(|variable| u64::from(variable.base) <= base);
        let Some(variable) = frame.variables[..next].last().filter(|variable| base < end_of(variable)) else {
            return self.problem(format!("there is no slot {}", Show(place)));
        };
        if place.indices.iter().any(|index| index.bound == 0) {
            return self.problem(format!("an index of {} has an empty range", Show(place)));
        }
        let strides: Vec<_> = place.indices.iter().map(Stride::new).collect();
        let last = reach(&strides).saturating_add(base);
        if last >= end_of(variable) {
            return self.problem(format!("{} reaches slot {last}, behind `{}`", Show(place), variable.name));
        }
        let is_typed = denotes(&variable.shape, base - u64::from(variable.base), &strides, place.scalar);
        self.require(is_typed, || {
            format!("{} can be a slot of another type in `{}`", Show(place), variable.name)
        });
    }
}

/// Whether a slot of this type can hold the value. Of a type that does not exist anything is true.
fn fits(scalar: Scalar, value: i32) -> bool {
    match scalar {
        Scalar::Unsigned(0 | 32..) => true,
        scalar => scalar.truncate(value) == value,
    }
}

/// The type of one slot, found without listing them all: there may be very many.
fn scalar_at(shape: &Shape, slot: u32) -> Option<Scalar> {
    match shape {
        Shape::Scalar(scalar) => (slot == 0).then_some(*scalar),
        Shape::Array(element, _) => scalar_at(element, slot.checked_rem(element.slots())?),
        Shape::Record { fields, .. } => {
            let mut slot = slot;
            for (_, field) in fields.iter() {
                if slot < field.slots() {
                    return scalar_at(field, slot);
                }
                slot -= field.slots();
            }
            None
        }
    }
}

/// How an index moves the slot.
#[derive(Clone, Copy)]
struct Stride {
    /// By so many slots, or a multiple of it.
    slots: u64,
    /// The farthest.
    reach: u64,
}

impl Stride {
    fn new(index: &Index) -> Stride {
        let slots = u64::from(index.stride);
        Stride { slots, reach: slots * u64::from(index.bound.saturating_sub(1)) }
    }
}

/// How far all of them together can move the slot.
fn reach(strides: &[Stride]) -> u64 {
    strides.iter().fold(0, |sum: u64, stride| sum.saturating_add(stride.reach))
}

/// Whether all slots from `offset` on to which the strides lead have this type. They must not lead out of the shape.
///
/// Strides over whole elements of an array do not change the position inside the element, so they need not be followed.
/// Others that cross the border of an element are all right only if the whole shape is of that type.
fn denotes(shape: &Shape, offset: u64, strides: &[Stride], scalar: Scalar) -> bool {
    if is_uniform(shape, scalar) {
        return true;
    }
    match shape {
        Shape::Scalar(_) => false,
        Shape::Array(element, _) => {
            let size = u64::from(element.slots());
            if size == 0 {
                return false;
            }
            let inside: Vec<Stride> =
                strides.iter().filter(|stride| stride.slots % size != 0).copied().collect();
            let offset = offset % size;
            offset.saturating_add(reach(&inside)) < size && denotes(element, offset, &inside, scalar)
        }
        Shape::Record { fields, .. } => {
            let last = offset.saturating_add(reach(strides));
            let mut start = 0;
            for (_, field) in fields.iter() {
                let end = start + u64::from(field.slots());
                if offset < end {
                    return last < end && denotes(field, offset - start, strides, scalar);
                }
                start = end;
            }
            false
        }
    }
}

/// Whether it has slots of this type only.
fn is_uniform(shape: &Shape, scalar: Scalar) -> bool {
    match shape {
        Shape::Scalar(own) => *own == scalar,
        Shape::Array(element, _) => is_uniform(element, scalar),
        Shape::Record { fields, .. } => fields.iter().all(|(_, field)| is_uniform(field, scalar)),
    }
}
