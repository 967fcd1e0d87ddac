//! Channels that are handed down: those that processes make, where the only way to know one is to have made it or to have been
//! given it by one's creator (see `nameless.rs`).
//!
//! What a variable of type `chan` holds is then settled when its process is created, and a channel exists as long as anybody knows
//! it. A process is told by its slots: the objects of the channel in each. For a real process these are the objects of that
//! channel; for the *generic* process of a proctype they are symbols, which are replaced where a process is created: what the new one
//! does to its parameters it does to the arguments. What it does to channels of its own is nobody else's business.

use allways_system::{
    Action, ChannelKindId, Expr, Place, Proctype, ProctypeId, Scalar, Scope, Start, System,
};

use crate::bits::Bits;
use crate::effects::{Analysis, Mask, Process};
use crate::objects::{ChannelObjects, Ends, Objects, Offers, for_each_slot};
use crate::points_to::PointsTo;

/// What the variables of a process hold, if they are channels.
pub(crate) struct Hands {
    /// Per slot: the objects of the channel in it; none if there is none.
    slots: Vec<ChannelObjects>,
    /// Per slot: the handle, if it is that of a channel that a process made.
    handles: Vec<Option<i32>>,
}

/// Whether channels can be buffered, and whether they can be rendezvous channels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Kinds {
    buffered: bool,
    rendezvous: bool,
}

impl Kinds {
    fn add(&mut self, other: Kinds) {
        self.buffered |= other.buffered;
        self.rendezvous |= other.rendezvous;
    }
}

/// The objects of channels that processes make: four each, behind all others.
#[derive(Clone, Copy)]
pub(crate) struct Numbering {
    /// The first of them.
    pub first: u32,
    /// So many channels are told apart.
    pub n_channels: u32,
}

impl Numbering {
    /// How many objects there are in all.
    pub fn count(self) -> u32 {
        self.first + 4 * self.n_channels
    }

    fn objects(self, channel: u32, kinds: Kinds) -> ChannelObjects {
        let first = self.first + 4 * channel;
        ChannelObjects {
            buffer: kinds.buffered.then_some(Ends { head: first, tail: first + 1 }),
            offers: kinds.rendezvous.then_some(Offers { send: first + 2, receive: first + 3 }),
        }
    }

    /// The channel that an object belongs to, and which of its objects it is.
    pub fn channel(self, object: u32) -> Option<(u32, u32)> {
        object.checked_sub(self.first).map(|rest| (rest / 4, rest % 4))
    }
}

impl Hands {
    /// Those of a process that stands for all of its proctype: a symbol for each slot.
    pub fn generic(first: u32, kinds: &[Kinds]) -> Hands {
        let numbering = Numbering { first, n_channels: kinds.len() as u32 };
        let slots = kinds.iter().enumerate().map(|(slot, kinds)| numbering.objects(slot as u32, *kinds));
        Hands { slots: slots.collect(), handles: vec![None; kinds.len()] }
    }

    /// Those of a process whose slots hold these handles; none if one that matters is not known.
    pub fn new(
        objects: &Objects,
        numbering: Numbering,
        kinds: &[Kinds],
        handles: &[Option<i32>],
    ) -> Option<Hands> {
        let n_global = objects.n_global_channels as i32;
        let mut hands = Hands { slots: Vec::new(), handles: Vec::new() };
        for (handle, kinds) in handles.iter().zip(kinds) {
            let handle = if *kinds == Kinds::default() { 0 } else { (*handle)? };
            let is_made = handle > n_global;
            hands.handles.push(is_made.then_some(handle));
            hands.slots.push(match handle {
                ..=0 => ChannelObjects::default(),
                _ if is_made => {
                    numbering.objects((handle - n_global - 1) as u32 % numbering.n_channels, *kinds)
                }
                _ => objects.channels[handle as usize - 1],
            });
        }
        Some(hands)
    }
}

/// Per proctype and slot: which kinds of channels it can hold.
pub(crate) fn kinds(system: &System, objects: &Objects, points_to: &PointsTo) -> Vec<Vec<Kinds>> {
    let mut kinds: Vec<Vec<Kinds>> =
        system.proctypes.iter().map(|code| vec![Kinds::default(); code.frame.slots() as usize]).collect();
    for (code, kinds) in system.proctypes.iter().zip(&mut kinds) {
        for start in &code.start {
            if let Start::Channel(slot, kind) = start {
                kinds[*slot as usize].add(kind_of(system, *kind));
            }
        }
    }
    while hand_down(system, objects, points_to, &mut kinds) {}
    kinds
}

fn kind_of(system: &System, kind: ChannelKindId) -> Kinds {
    let buffered = system.channels[kind.index()].capacity > 0;
    Kinds { buffered, rendezvous: !buffered }
}

/// One round over all creations; whether anything was news.
fn hand_down(system: &System, objects: &Objects, points_to: &PointsTo, kinds: &mut [Vec<Kinds>]) -> bool {
    let mut news = false;
    for (creator, code) in system.proctypes.iter().enumerate() {
        for transition in &code.transitions {
            let Action::Run { proctype: new, arguments, .. } = &transition.action else { continue };
            for (slot, argument) in arguments
                .iter()
                .enumerate()
                .filter(|(slot, _)| slot_types(system.proctype(*new)).nth(*slot) == Some(Scalar::Chan))
            {
                let mut given = kinds[new.index()][slot];
                match argument {
                    Expr::Load(place) if place.scope == Scope::Local => {
                        for_each_slot(place, &mut |slot| given.add(kinds[creator][slot as usize]));
                    }
                    _ => {
                        for channel in
                            points_to.channels(objects, ProctypeId(creator as u32), argument).iter()
                        {
                            let ChannelObjects { buffer, offers } = objects.channels[channel as usize];
                            given.add(Kinds { buffered: buffer.is_some(), rendezvous: offers.is_some() });
                        }
                    }
                }
                news |= kinds[new.index()][slot] != given;
                kinds[new.index()][slot] = given;
            }
        }
    }
    news
}

/// The types of the slots of a frame.
pub(crate) fn slot_types(code: &Proctype) -> impl Iterator<Item = Scalar> + '_ {
    code.frame.variables.iter().flat_map(|variable| variable.shape.scalars())
}

impl Analysis<'_> {
    /// The channels that an expression can denote: indices into [`Objects::channels`]; above these, where channels are handed down, the
    /// slots of the process itself.
    pub fn channels(&self, process: &Process, expr: &Expr) -> Bits {
        let first_slot = self.first_slot();
        match (process.hands, expr) {
            (Some(hands), Expr::Constant(handle)) if *handle > self.objects.n_global_channels as i32 => {
                let slot = hands.handles.iter().position(|other| *other == Some(*handle));
                slot.map(|slot| first_slot + slot as u32).into_iter().collect()
            }
            (Some(_), Expr::Load(place @ Place { scope: Scope::Local, .. })) => {
                let mut channels = Bits::default();
                for_each_slot(place, &mut |slot| channels.insert(first_slot + slot));
                channels
            }
            _ => self.points_to.channels(self.objects, process.proctype, expr),
        }
    }

    fn first_slot(&self) -> u32 {
        self.objects.channels.len() as u32
    }

    /// The objects of a channel.
    pub fn channel_objects(&self, process: &Process, channel: u32) -> ChannelObjects {
        match (process.hands, channel.checked_sub(self.first_slot())) {
            (Some(hands), Some(slot)) => hands.slots[slot as usize],
            _ => self.objects.channels[channel as usize],
        }
    }

    /// All channels that these can be, for those who ask which are the same: all that processes make count as one.
    pub fn aliases(&self, process: &Process, channels: &Bits) -> Bits {
        let mut aliases = Bits::default();
        for channel in channels.iter() {
            match channel.checked_sub(self.first_slot()) {
                Some(slot) => {
                    aliases.add(self.points_to.local(process.proctype, slot));
                }
                None => aliases.insert(channel),
            }
        }
        aliases
    }

    /// What a process does that is created with these arguments, given what the generic one does.
    pub fn as_its_creator_knows_it(&self, creator: &Process, arguments: &[Expr], generic: &Mask) -> Mask {
        let given: Vec<Bits> = arguments.iter().map(|argument| self.channels(creator, argument)).collect();
        Mask {
            reads: self.given(creator, &given, &generic.reads),
            writes: self.given(creator, &given, &generic.writes),
            updates: self.given(creator, &given, &generic.updates),
        }
    }

    /// These objects, with those of the channels that were given instead of the symbols for parameters.
    pub fn given(&self, creator: &Process, given: &[Bits], generic: &Bits) -> Bits {
        let symbols = Numbering { first: self.objects.count, n_channels: 0 };
        let mut known = Bits::default();
        for object in generic.iter() {
            let Some((slot, which)) = symbols.channel(object) else {
                known.insert(object);
                continue;
            };
            // What is no parameter is a channel of its own.
            for channel in given.get(slot as usize).iter().flat_map(|channels| channels.iter()) {
                let ChannelObjects { buffer, offers } = self.channel_objects(creator, channel);
                let object = match which {
                    0 => buffer.map(|ends| ends.head),
                    1 => buffer.map(|ends| ends.tail),
                    2 => offers.map(|offers| offers.send),
                    _ => offers.map(|offers| offers.receive),
                };
                object.into_iter().for_each(|object| known.insert(object));
            }
        }
        known
    }
}
