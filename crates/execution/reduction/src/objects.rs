//! What processes share: every object has a number, a bit in the masks.
//!
//! Objects are global slots (one each; the elements of an array of more than [`MAX_ELEMENTS`] share those of one
//! element), the two ends of each buffered channel, the offers to send and to receive of each rendezvous channel, the
//! creation and the death of processes, and the locals and locations that other processes look at.
//!
//! Creation and death are two objects so that deaths need not be ordered among each other: only the youngest process
//! can die, so two deaths are never possible at once, while a creation decides whose turn it is.

use std::ops::Range;

use allways_system::{
    Action, Expr, Initial, LocationId, Place, Proctype, ProctypeId, Scope, Shape, Start, System,
};
use rustc_hash::FxHashMap;

use crate::Instance;

/// Longer arrays count as one element.
const MAX_ELEMENTS: u32 = 16;
/// A place that can denote more slots than this is taken to denote all between the first and the last.
const MAX_COMBINATIONS: u64 = 1 << 12;

/// The numbering.
pub(crate) struct Objects {
    /// Per global slot.
    slots: Vec<u32>,
    /// Global ones in order of their handles, then those handles of channels made by processes that occur as
    /// constants, then one for all others. The last ones exist only if some proctype makes channels.
    pub channels: Vec<ChannelObjects>,
    pub n_global_channels: u32,
    constant_handles: FxHashMap<i32, u32>,
    /// A process comes into being.
    pub created: u32,
    /// A process dies.
    pub died: u32,
    /// Channels come into being or vanish with the process that made them.
    pub vanished: u32,
    looked_at: FxHashMap<(ProctypeId, LocationId), u32>,
    /// Per proctype and local slot.
    remote: FxHashMap<(ProctypeId, u32), u32>,
    pub count: u32,
}

/// The objects of a channel. One made by a process may be of either kind.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ChannelObjects {
    pub buffer: Option<Ends>,
    pub offers: Option<Offers>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends {
    pub head: u32,
    pub tail: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Offers {
    pub send: u32,
    pub receive: u32,
}

impl Objects {
    pub fn new(system: &System, instances: &[Instance], observed: &[&Expr]) -> Objects {
        let mut next = 0;
        let mut fresh = || {
            next += 1;
            next - 1
        };
        let mut slots = Vec::new();
        for variable in &system.globals.variables {
            number(&variable.shape, &mut fresh, &mut slots);
        }

        let capacity = |kind: allways_system::ChannelKindId| system.channels[kind.index()].capacity;
        let mut objects = |buffered: bool, rendezvous: bool| ChannelObjects {
            buffer: buffered.then(|| Ends { head: fresh(), tail: fresh() }),
            offers: rendezvous.then(|| Offers { send: fresh(), receive: fresh() }),
        };
        let mut channels = Vec::new();
        for initial in system.globals.variables.iter().flat_map(|variable| &variable.initial) {
            if let Initial::Channel(kind) = initial {
                channels.push(objects(capacity(*kind) > 0, capacity(*kind) == 0));
            }
        }
        let n_global_channels = channels.len() as u32;
        let mut constant_handles = FxHashMap::default();
        let local_kinds: Vec<u32> = system
            .proctypes
            .iter()
            .flat_map(|proctype| &proctype.start)
            .filter_map(|start| match start {
                Start::Channel(_, kind) => Some(capacity(*kind)),
                Start::Assign(..) => None,
            })
            .collect();
        if !local_kinds.is_empty() {
            let (buffered, rendezvous) = (local_kinds.iter().any(|c| *c > 0), local_kinds.contains(&0));
            for instance in instances {
                for_each_constant_channel(instance.code, &mut |handle| {
                    if handle > n_global_channels as i32 {
                        constant_handles.entry(handle).or_insert_with(|| {
                            channels.push(objects(buffered, rendezvous));
                            channels.len() as u32 - 1
                        });
                    }
                });
            }
            channels.push(objects(buffered, rendezvous));
        }

        let (mut looked_at, mut remote) = (FxHashMap::default(), FxHashMap::default());
        let (created, died, vanished) = (fresh(), fresh(), fresh());
        for_each_look(system, instances, observed, &mut |look| match look {
            Look::Location(proctype, location) => {
                looked_at.entry((proctype, location)).or_insert_with(&mut fresh);
            }
            Look::Slot(proctype, slot) => {
                remote.entry((proctype, slot)).or_insert_with(&mut fresh);
            }
        });
        Objects {
            slots,
            channels,
            n_global_channels,
            constant_handles,
            created,
            died,
            vanished,
            looked_at,
            remote,
            count: next,
        }
    }

    /// The object of a global slot.
    pub fn slot(&self, slot: u32) -> u32 {
        self.slots[slot as usize]
    }

    /// The object of a local slot that others look at.
    pub fn remote(&self, proctype: ProctypeId, slot: u32) -> Option<u32> {
        self.remote.get(&(proctype, slot)).copied()
    }

    pub fn has_remote(&self) -> bool {
        !self.remote.is_empty()
    }

    pub fn has_looked_at(&self) -> bool {
        !self.looked_at.is_empty()
    }

    /// The object of a location that others look at.
    pub fn location(&self, proctype: ProctypeId, location: LocationId) -> Option<u32> {
        self.looked_at.get(&(proctype, location)).copied()
    }

    /// The channel with this handle; none if there can be none.
    pub fn channel(&self, handle: i32) -> Option<u32> {
        if handle <= 0 {
            None
        } else if handle as u32 <= self.n_global_channels {
            Some(handle as u32 - 1)
        } else {
            let other = (self.channels.len() as u32).checked_sub(1).filter(|_| self.has_local_channels());
            self.constant_handles.get(&handle).copied().or(other)
        }
    }

    /// The channels that processes make.
    pub fn local_channels(&self) -> Range<u32> {
        self.n_global_channels..self.channels.len() as u32
    }

    pub fn has_local_channels(&self) -> bool {
        !self.local_channels().is_empty()
    }
}

/// Numbers the slots of a shape, in order.
fn number(shape: &Shape, fresh: &mut dyn FnMut() -> u32, slots: &mut Vec<u32>) {
    match shape {
        Shape::Scalar(_) => slots.push(fresh()),
        Shape::Record { fields, .. } => fields.iter().for_each(|(_, field)| number(field, fresh, slots)),
        Shape::Array(element, length) if *length <= MAX_ELEMENTS => {
            (0..*length).for_each(|_| number(element, fresh, slots));
        }
        Shape::Array(element, length) => {
            let mut first = Vec::new();
            number(element, fresh, &mut first);
            (0..*length).for_each(|_| slots.extend_from_slice(&first));
        }
    }
}

/// Calls `visit` with every slot that a place can denote.
pub(crate) fn for_each_slot(place: &Place, visit: &mut dyn FnMut(u32)) {
    let combinations =
        place.indices.iter().fold(1u64, |product, index| product.saturating_mul(index.bound.into()));
    if combinations <= MAX_COMBINATIONS {
        return for_each_combination(place, 0, place.base, visit);
    }
    let last: u32 = place.indices.iter().map(|index| (index.bound - 1) * index.stride).sum();
    (place.base..=place.base + last).for_each(visit);
}

fn for_each_combination(place: &Place, depth: usize, slot: u32, visit: &mut dyn FnMut(u32)) {
    match place.indices.get(depth) {
        None => visit(slot),
        Some(index) => match index.value {
            Expr::Constant(value) if (0..index.bound as i32).contains(&value) => {
                for_each_combination(place, depth + 1, slot + value as u32 * index.stride, visit);
            }
            _ => (0..index.bound)
                .for_each(|i| for_each_combination(place, depth + 1, slot + i * index.stride, visit)),
        },
    }
}

fn for_each_constant_channel(code: &Proctype, visit: &mut dyn FnMut(i32)) {
    let mut look = |expr: &Expr| match expr {
        Expr::Channel(_, channel) | Expr::Poll { channel, .. } => {
            if let Expr::Constant(handle) = **channel {
                visit(handle);
            }
        }
        _ => {}
    };
    code.provided.iter().for_each(|provided| provided.walk(&mut look));
    code.transitions.iter().for_each(|transition| transition.action.walk(&mut look));
    for transition in &code.transitions {
        if let Action::Send { channel: Expr::Constant(handle), .. }
        | Action::Receive { channel: Expr::Constant(handle), .. } = transition.action
        {
            visit(handle);
        }
    }
    for claim in &code.exclusive {
        if let Expr::Constant(handle) = claim.channel {
            visit(handle);
        }
    }
}

enum Look {
    Location(ProctypeId, LocationId),
    Slot(ProctypeId, u32),
}

/// Calls `visit` with all that processes look at in others.
fn for_each_look(system: &System, instances: &[Instance], observed: &[&Expr], visit: &mut dyn FnMut(Look)) {
    let mut look = |expr: &Expr| match expr {
        Expr::At { proctype, location, .. } => visit(Look::Location(*proctype, *location)),
        Expr::Remote { proctype, place, .. } => {
            for_each_slot(place, &mut |slot| visit(Look::Slot(*proctype, slot)));
            place.walk(&mut |index| {
                if let Expr::Load(place @ Place { scope: Scope::Local, .. }) = index {
                    for_each_slot(place, &mut |slot| visit(Look::Slot(*proctype, slot)));
                }
            });
        }
        _ => {}
    };
    observed.iter().for_each(|expr| expr.walk(&mut look));
    for code in instances.iter().map(|instance| instance.code).chain(&system.proctypes) {
        code.provided.iter().for_each(|provided| provided.walk(&mut look));
        code.transitions.iter().for_each(|transition| transition.action.walk(&mut look));
        for start in &code.start {
            if let Start::Assign(place, value) = start {
                place.walk(&mut look);
                value.walk(&mut look);
            }
        }
    }
}
