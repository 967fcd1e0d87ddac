//! Which channels an expression can denote, wherever in the run it is evaluated.
//!
//! Constants are exact. For variables: what flows into a slot, into a parameter or into the field of a message is
//! collected without regard to order, over the proctypes as they are written (so it covers every process that can
//! exist). Where a channel could come from something that is not of channel type, it can be any.

use allways_system::{
    Action, Expr, Initial, Pattern, Place, Proctype, ProctypeId, Scalar, Scope, Start, System,
};

use crate::bits::Bits;
use crate::objects::{Objects, for_each_slot};

/// Sets of channels are sets of indices into [`Objects::channels`].
pub(crate) struct PointsTo {
    globals: Vec<Bits>,
    /// Per proctype and slot.
    locals: Vec<Vec<Bits>>,
    /// Per kind of channel and field.
    fields: Vec<Vec<Bits>>,
    /// Per kind: the channels of that kind.
    of_kind: Vec<Bits>,
    all: Bits,
    made_by_processes: Bits,
}

impl PointsTo {
    pub fn new(system: &System, objects: &Objects) -> PointsTo {
        let made_by_processes: Bits = objects.local_channels().collect();
        let mut points_to = PointsTo {
            globals: vec![Bits::default(); system.globals.slots() as usize],
            locals: system
                .proctypes
                .iter()
                .map(|proctype| vec![Bits::default(); proctype.frame.slots() as usize])
                .collect(),
            fields: system.channels.iter().map(|kind| vec![Bits::default(); kind.fields.len()]).collect(),
            of_kind: vec![Bits::default(); system.channels.len()],
            all: (0..objects.channels.len() as u32).collect(),
            made_by_processes,
        };
        points_to.initial_values(system, objects);
        let mut flow = Flow { points_to, system, objects };
        while flow.round() {}
        flow.points_to
    }

    /// The channels that `expr` can denote in a process of that proctype.
    pub fn channels(&self, objects: &Objects, proctype: ProctypeId, expr: &Expr) -> Bits {
        match expr {
            Expr::Constant(handle) => objects.channel(*handle).into_iter().collect(),
            Expr::Load(place) if place.scalar == Scalar::Chan => {
                let slots = match place.scope {
                    Scope::Global => &self.globals,
                    Scope::Local => &self.locals[proctype.index()],
                };
                let mut channels = Bits::default();
                for_each_slot(place, &mut |slot| {
                    channels.add(&slots[slot as usize]);
                });
                channels
            }
            Expr::Conditional(parts) => {
                self.channels(objects, proctype, &parts.1).union(&self.channels(objects, proctype, &parts.2))
            }
            _ => self.all.clone(),
        }
    }

    /// The channels that a local slot can hold.
    pub fn local(&self, proctype: ProctypeId, slot: u32) -> &Bits {
        &self.locals[proctype.index()][slot as usize]
    }

    /// Whether channels that processes make get into global variables or messages.
    pub fn made_by_processes_get_about(&self) -> bool {
        self.globals
            .iter()
            .chain(self.fields.iter().flatten())
            .any(|channels| channels.meets(&self.made_by_processes))
    }

    fn initial_values(&mut self, system: &System, objects: &Objects) {
        let mut n_channels = 0;
        for variable in &system.globals.variables {
            for (slot, initial) in variable.initial.iter().enumerate() {
                let channel = match initial {
                    Initial::Channel(kind) => {
                        n_channels += 1;
                        self.of_kind[kind.index()].insert(n_channels - 1);
                        Some(n_channels - 1)
                    }
                    Initial::Value(handle) => objects.channel(*handle),
                };
                channel
                    .into_iter()
                    .for_each(|channel| self.globals[variable.base as usize + slot].insert(channel));
            }
        }
        for (proctype, code) in system.proctypes.iter().enumerate() {
            for start in &code.start {
                if let Start::Channel(slot, kind) = start {
                    self.locals[proctype][*slot as usize].add(&self.made_by_processes);
                    self.of_kind[kind.index()].add(&self.made_by_processes);
                }
            }
        }
    }
}

/// What flows where, until there is no news.
struct Flow<'a> {
    points_to: PointsTo,
    system: &'a System,
    objects: &'a Objects,
}

impl Flow<'_> {
    /// One round over all statements; whether anything was news.
    fn round(&mut self) -> bool {
        let system = self.system;
        let mut news = false;
        for (index, code) in system.proctypes.iter().enumerate() {
            let proctype = ProctypeId(index as u32);
            for start in &code.start {
                if let Start::Assign(place, value) = start {
                    news |= self.assign(proctype, place, value);
                }
            }
            news |= self.statements(proctype, code);
        }
        news
    }

    fn statements(&mut self, proctype: ProctypeId, code: &Proctype) -> bool {
        let mut news = false;
        for transition in &code.transitions {
            match &transition.action {
                Action::Assign(place, value) => news |= self.assign(proctype, place, value),
                Action::AssignAll(assignments) => {
                    for (place, value) in assignments {
                        news |= self.assign(proctype, place, value);
                    }
                }
                Action::Send { channel, values, .. } => {
                    let channels = self.value(proctype, channel);
                    for (field, value) in values.iter().enumerate() {
                        news |= self.send(proctype, &channels, field, value);
                    }
                }
                Action::Receive { channel, patterns, .. } => {
                    let channels = self.value(proctype, channel);
                    for (field, pattern) in patterns.iter().enumerate() {
                        if let Pattern::Store(place) = pattern {
                            let received = self.received(&channels, field);
                            news |= self.store(proctype, place, &received);
                        }
                    }
                }
                Action::Run { proctype: new, arguments, .. } => {
                    for (slot, argument) in arguments.iter().enumerate() {
                        if slot < self.points_to.locals[new.index()].len() {
                            let value = self.value(proctype, argument);
                            news |= self.points_to.locals[new.index()][slot].add(&value);
                        }
                    }
                }
                _ => {}
            }
        }
        news
    }

    fn assign(&mut self, proctype: ProctypeId, place: &Place, value: &Expr) -> bool {
        place.scalar == Scalar::Chan && {
            let value = self.value(proctype, value);
            self.store(proctype, place, &value)
        }
    }

    /// The channels that an expression can denote.
    fn value(&self, proctype: ProctypeId, expr: &Expr) -> Bits {
        self.points_to.channels(self.objects, proctype, expr)
    }

    fn store(&mut self, proctype: ProctypeId, place: &Place, value: &Bits) -> bool {
        if place.scalar != Scalar::Chan {
            return false;
        }
        let slots = match place.scope {
            Scope::Global => &mut self.points_to.globals,
            Scope::Local => &mut self.points_to.locals[proctype.index()],
        };
        let mut news = false;
        for_each_slot(place, &mut |slot| news |= slots[slot as usize].add(value));
        news
    }

    fn send(&mut self, proctype: ProctypeId, channels: &Bits, field: usize, value: &Expr) -> bool {
        let mut news = false;
        for kind in 0..self.points_to.fields.len() {
            let is_channel = self.system.channels[kind].fields.get(field) == Some(&Scalar::Chan);
            if is_channel && self.points_to.of_kind[kind].meets(channels) {
                let value = self.value(proctype, value);
                news |= self.points_to.fields[kind][field].add(&value);
            }
        }
        news
    }

    fn received(&self, channels: &Bits, field: usize) -> Bits {
        let mut received = Bits::default();
        for (kind, fields) in self.points_to.fields.iter().enumerate() {
            if self.points_to.of_kind[kind].meets(channels) {
                match self.system.channels[kind].fields.get(field) {
                    Some(Scalar::Chan) => received.add(&fields[field]),
                    Some(_) => received.add(&self.points_to.all),
                    None => false,
                };
            }
        }
        received
    }
}
