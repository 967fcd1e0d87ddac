//! What a statement reads and writes, what decides whether it is enabled, and what could enable it.
//!
//! Three masks say what a statement does to objects: it *reads*, *writes* or *updates* them. Updates commute with each
//! other (`x++` with `x--`, one death with another, offers of different processes on a rendezvous channel), not with
//! reads or writes. Two statements of different processes with no conflict between these masks commute in every state
//! in which both are enabled, and neither disables the other.
//!
//! The reads of a guard are those that keep it true: a send does not disturb a receive that found a message, so the
//! receive touches only the head of the buffer. What makes a false guard true is in `wake`; inside an atomic sequence,
//! where it matters whether the sequence goes on or is interrupted, both count (`decides`).

use allways_system::{
    Action, BinaryOp, Expr, Pattern, Pid, Place, Proctype, ProctypeId, Scope, Start, System,
};

use crate::bits::Bits;
use crate::hands::Hands;
use crate::joins::Joins;
use crate::objects::{Objects, for_each_slot};
use crate::points_to::PointsTo;
use crate::{Instance, Options, Weakened};

/// The objects that a statement, or a sequence of them, touches.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Mask {
    pub reads: Bits,
    pub writes: Bits,
    pub updates: Bits,
}

impl Mask {
    pub fn add(&mut self, other: &Mask) -> bool {
        self.reads.add(&other.reads) | self.writes.add(&other.writes) | self.updates.add(&other.updates)
    }

    pub fn conflicts(&self, other: &Mask) -> bool {
        self.writes.meets(&other.reads)
            || self.writes.meets(&other.writes)
            || self.writes.meets(&other.updates)
            || self.reads.meets(&other.writes)
            || self.reads.meets(&other.updates)
            || self.updates.meets(&other.reads)
            || self.updates.meets(&other.writes)
    }
}

/// What is known of a statement of a process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Effect {
    pub mask: Mask,
    /// Whoever writes none of these cannot enable it where it is disabled.
    pub wake: Bits,
    /// The same where some fact is known...
    pub wake_knowing: Bits,
    /// ...namely this one.
    pub if_known: Option<Fact>,
    /// What is known of a buffer where it is enabled.
    pub shows: Option<Fact>,
    /// The buffer that a receive takes the first message of, if it can be no other.
    pub takes_first_of: Option<u32>,
    /// All that its being enabled depends on...
    pub decides: Bits,
    /// ...and what of it is left if the buffer is known to have room (for a send) or a message (for a receive).
    pub decides_known: Bits,
    /// The buffer that it sends to, if it can be no other.
    pub sends_to: Option<u32>,
    /// The complements of the rendezvous offers it makes: who may offer one of these can take part in it.
    pub partners: Bits,
    /// The rendezvous offers it makes.
    pub offers: Bits,
    pub traffic: Traffic,
    pub run: Option<ProctypeId>,
    pub is_death: bool,
    /// Never enabled.
    pub never: bool,
}

/// Something about a buffer, as an index into [`Objects::channels`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fact {
    HasRoom(u32),
    HasMessage(u32),
}

/// The channels it uses, as sets of indices into [`Objects::channels`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Traffic {
    /// It can put a message into these...
    pub sends: Bits,
    /// ...and take one out of these.
    pub receives: Bits,
    /// It sends, or receives, whenever it is taken.
    pub always_sends: bool,
    pub always_receives: bool,
    /// Among them are rendezvous channels, and it can offer a message on one or take one.
    pub offers_message: bool,
    pub takes_message: bool,
    /// Among them are buffered channels.
    pub is_buffered: bool,
}

/// Everything that is needed to find the effects.
pub(crate) struct Analysis<'a> {
    pub system: &'a System,
    pub instances: &'a [Instance<'a>],
    pub objects: &'a Objects,
    pub points_to: &'a PointsTo,
    pub options: &'a Options<'a>,
    /// The numbers of processes mean nothing to anybody.
    pub nameless: bool,
    /// Who waits until all others are gone.
    pub joins: &'a Joins,
}

/// The process a statement belongs to.
#[derive(Clone, Copy)]
pub(crate) struct Process<'a> {
    pub proctype: ProctypeId,
    pub pid: Pid,
    pub code: &'a Proctype,
    /// Handles of the channels that live exactly as long as the process itself.
    pub own_channels: (i32, i32),
    /// What its variables hold, if channels that processes make are handed down only.
    pub hands: Option<&'a Hands>,
}

impl<'a> Process<'a> {
    pub fn new(system: &System, instance: &Instance<'a>) -> Process<'a> {
        let made = system
            .proctype(instance.proctype)
            .start
            .iter()
            .filter(|start| matches!(start, Start::Channel(..)))
            .count() as i32;
        let first = instance.first_channel.map_or(0, |n| n as i32 + 1);
        let own_channels = (first, if instance.first_channel.is_some() { first + made } else { first });
        Process {
            proctype: instance.proctype,
            pid: instance.pid,
            code: instance.code,
            own_channels,
            hands: None,
        }
    }

    /// One that knows no channels but global ones and those in its hands. Its number means nothing to anybody.
    pub fn with_hands(proctype: ProctypeId, code: &'a Proctype, hands: &'a Hands) -> Process<'a> {
        Process { proctype, pid: 0, code, own_channels: (0, 0), hands: Some(hands) }
    }
}

impl Analysis<'_> {
    /// The effect of a statement on its own, without what its place in a choice adds.
    pub fn effect(&self, process: &Process, action: &Action) -> Effect {
        let mut effect = Effect::default();
        match action {
            Action::Skip | Action::Else => {}
            Action::Condition(Expr::Constant(0)) => effect.never = true,
            Action::Condition(condition) => {
                self.keeps(process, condition, true, &mut effect.mask.reads);
                self.keeps(process, condition, false, &mut effect.wake);
                self.reads(process, condition, &mut effect.decides);
            }
            Action::Assign(place, value) => self.assign(process, place, value, &mut effect),
            Action::AssignAll(assignments) => {
                for (place, value) in assignments {
                    self.reads(process, value, &mut effect.mask.reads);
                    self.write(process, place, &mut effect);
                }
            }
            Action::Send { channel, sorted, values } => {
                values.iter().for_each(|value| self.reads(process, value, &mut effect.mask.reads));
                self.send(process, channel, *sorted, &mut effect);
            }
            Action::Receive { channel, random, keep, patterns } => {
                self.receive(process, channel, *random, *keep, patterns, &mut effect);
            }
            Action::Assert(condition) => self.reads(process, condition, &mut effect.mask.reads),
            Action::Run { proctype, arguments, priority, result } => {
                for argument in arguments.iter().chain(priority.as_deref()) {
                    self.reads(process, argument, &mut effect.mask.reads);
                }
                result.iter().for_each(|place| self.write(process, place, &mut effect));
                self.run(process, *proctype, &mut effect);
            }
            Action::Print { arguments, .. } => {
                arguments.iter().for_each(|argument| self.reads(process, argument, &mut effect.mask.reads));
            }
            Action::SetPriority { pid, priority } => {
                self.reads(process, pid, &mut effect.mask.reads);
                self.reads(process, priority, &mut effect.mask.reads);
            }
            Action::DStep { .. } => {}
            Action::Terminate => self.die(process, &mut effect),
        }
        effect
    }

    fn assign(&self, process: &Process, place: &Place, value: &Expr, effect: &mut Effect) {
        let mut slots = Bits::default();
        if place.scope == Scope::Global {
            for_each_slot(place, &mut |slot| slots.insert(self.objects.slot(slot)));
        }
        if let Some(change) = added(place, value)
            && place.scope == Scope::Global
            && !self.options.check_overflow
        {
            let mut reads = Bits::default();
            self.reads(process, change, &mut reads);
            place.indices.iter().for_each(|index| self.reads(process, &index.value, &mut reads));
            if !reads.meets(&slots) {
                effect.mask.reads.add(&reads);
                effect.mask.updates.add(&slots);
                return;
            }
        }
        self.reads(process, value, &mut effect.mask.reads);
        self.write(process, place, effect);
    }

    fn write(&self, process: &Process, place: &Place, effect: &mut Effect) {
        place.indices.iter().for_each(|index| self.reads(process, &index.value, &mut effect.mask.reads));
        match place.scope {
            Scope::Global => {
                for_each_slot(place, &mut |slot| effect.mask.writes.insert(self.objects.slot(slot)));
            }
            Scope::Local if self.objects.has_remote() => for_each_slot(place, &mut |slot| {
                self.write_local(process, slot, effect);
            }),
            Scope::Local => {}
        }
    }

    pub fn write_local(&self, process: &Process, slot: u32, effect: &mut Effect) {
        let object = self.objects.remote(process.proctype, slot);
        object.into_iter().for_each(|object| effect.mask.writes.insert(object));
    }

    fn send(&self, process: &Process, channel: &Expr, sorted: bool, effect: &mut Effect) {
        let mut which = Bits::default();
        self.reads(process, channel, &mut which);
        let channels = self.use_channel(process, channel, &mut which);
        self.claims(process, channel, false, true, &mut effect.mask.reads);
        if self.has_buffer(process, &channels) {
            if self.options.lossy {
                self.ends(process, &channels, true, false, &mut effect.mask.reads);
            } else {
                self.ends(process, &channels, true, false, &mut effect.wake);
                self.ends(process, &channels, true, true, &mut effect.decides);
                effect.sends_to = self.exact_buffer(process, channel, &channels);
                effect.shows = effect.sends_to.map(Fact::HasRoom);
            }
            if sorted {
                self.ends(process, &channels, true, true, &mut effect.mask.reads);
            }
            self.ends(process, &channels, sorted, true, &mut effect.mask.writes);
        }
        if self.has_offers(process, &channels) {
            // What is offered decides who can take it.
            let values = effect.mask.reads.clone();
            effect.wake.add(&values);
            effect.decides.add(&values);
            for offers in self.offers(process, &channels) {
                effect.offers.insert(offers.send);
                effect.partners.insert(offers.receive);
            }
            self.waits_for_partners(effect);
        }
        effect.traffic = Traffic {
            offers_message: self.has_offers(process, &channels),
            takes_message: false,
            is_buffered: self.has_buffer(process, &channels),
            sends: self.aliases(process, &channels),
            receives: Bits::default(),
            always_sends: true,
            always_receives: false,
        };
        self.depends_on(effect, &which);
    }

    fn receive(
        &self,
        process: &Process,
        channel: &Expr,
        random: bool,
        keep: bool,
        patterns: &[Pattern],
        effect: &mut Effect,
    ) {
        let mut which = Bits::default();
        self.reads(process, channel, &mut which);
        let channels = self.use_channel(process, channel, &mut which);
        for pattern in patterns {
            match pattern {
                Pattern::Store(place) => self.write(process, place, effect),
                Pattern::Match(value) => self.reads(process, value, &mut which),
                Pattern::Ignore => {}
            }
        }
        self.claims(process, channel, true, false, &mut effect.mask.reads);
        if self.has_buffer(process, &channels) {
            // Without anything to match, only an empty buffer disables it.
            let is_choosy = patterns.iter().any(|pattern| matches!(pattern, Pattern::Match(_)));
            self.ends(process, &channels, is_choosy, true, &mut effect.wake);
            self.ends(process, &channels, is_choosy, false, &mut effect.wake_knowing);
            self.ends(process, &channels, is_choosy, false, &mut effect.decides_known);
            effect.takes_first_of = self.exact_buffer(process, channel, &channels).filter(|_| !random);
            effect.if_known = effect.takes_first_of.map(Fact::HasMessage);
            effect.shows = effect.if_known;
            self.ends(process, &channels, true, true, &mut effect.decides);
            if random {
                self.ends(process, &channels, true, true, &mut effect.mask.reads);
            }
            let touched = if keep { &mut effect.mask.reads } else { &mut effect.mask.writes };
            self.ends(process, &channels, true, random, touched);
        }
        for offers in self.offers(process, &channels) {
            effect.offers.insert(offers.receive);
            effect.partners.insert(offers.send);
        }
        self.waits_for_partners(effect);
        effect.traffic = Traffic {
            offers_message: false,
            takes_message: self.has_offers(process, &channels),
            is_buffered: self.has_buffer(process, &channels),
            sends: Bits::default(),
            receives: if keep { Bits::default() } else { self.aliases(process, &channels) },
            always_sends: false,
            always_receives: !keep,
        };
        self.depends_on(effect, &which);
    }

    /// Whether it is enabled, and what it does, depends on these.
    pub fn depends_on(&self, effect: &mut Effect, objects: &Bits) {
        effect.mask.reads.add(objects);
        effect.wake.add(objects);
        effect.wake_knowing.add(objects);
        effect.decides.add(objects);
        effect.decides_known.add(objects);
    }

    /// The one buffered channel that an expression always denotes.
    fn exact_buffer(&self, process: &Process, channel: &Expr, channels: &Bits) -> Option<u32> {
        let Expr::Constant(handle) = channel else { return None };
        let is_global = *handle <= self.objects.n_global_channels as i32;
        channels.iter().next().filter(|_| is_global && self.has_buffer(process, channels))
    }

    fn waits_for_partners(&self, effect: &mut Effect) {
        let partners = effect.partners.clone();
        effect.wake.add(&partners);
        effect.decides.add(&partners);
    }

    fn has_buffer(&self, process: &Process, channels: &Bits) -> bool {
        channels.iter().any(|channel| self.channel_objects(process, channel).buffer.is_some())
    }

    fn has_offers(&self, process: &Process, channels: &Bits) -> bool {
        self.offers(process, channels).next().is_some()
    }

    fn offers<'c>(
        &'c self,
        process: &'c Process,
        channels: &'c Bits,
    ) -> impl Iterator<Item = crate::objects::Offers> + 'c {
        channels.iter().filter_map(|channel| self.channel_objects(process, channel).offers)
    }

    /// Creation and death of processes are nobody else's business.
    fn comes_and_goes_alone(&self) -> bool {
        self.nameless || self.options.weakened == Some(Weakened::LocalRunAndDeath)
    }

    /// The creator also evaluates the initial values of the new process.
    fn run(&self, process: &Process<'_>, new: ProctypeId, effect: &mut Effect) {
        effect.run = Some(new);
        if !self.comes_and_goes_alone() {
            effect.mask.writes.insert(self.objects.created);
            effect.mask.reads.insert(self.objects.died);
        }
        // They are about variables of the new process.
        let code = self.system.proctype(new);
        let newborn = &Process { proctype: new, code, own_channels: (0, 0), ..*process };
        for start in &code.start {
            match start {
                Start::Assign(place, value) => {
                    self.reads(newborn, value, &mut effect.mask.reads);
                    place.walk(&mut |expr| self.reads(newborn, expr, &mut effect.mask.reads));
                }
                // Nobody else can know it yet, or any more when it vanishes.
                Start::Channel(..) if self.nameless => {}
                Start::Channel(..) => effect.mask.writes.insert(self.objects.vanished),
            }
        }
    }

    /// Nobody else is there when it is enabled.
    pub fn wait_for_deaths(&self) -> Effect {
        let mut effect = Effect::default();
        effect.wake.insert(self.objects.died);
        effect.decides.insert(self.objects.created);
        effect.decides.insert(self.objects.died);
        effect
    }

    fn die(&self, process: &Process, effect: &mut Effect) {
        effect.is_death = true;
        if self.joins.any() && self.options.weakened != Some(Weakened::IgnoreDeaths) {
            effect.mask.updates.insert(self.objects.died);
        }
        if !self.comes_and_goes_alone() {
            effect.mask.reads.insert(self.objects.created);
            effect.mask.updates.insert(self.objects.died);
            effect.wake.insert(self.objects.died);
            effect.decides.insert(self.objects.created);
            effect.decides.insert(self.objects.died);
        }
        let starts = &self.system.proctype(process.proctype).start;
        if !self.nameless && starts.iter().any(|start| matches!(start, Start::Channel(..))) {
            effect.mask.writes.insert(self.objects.vanished);
        }
    }
}

/// What is added to `place`, if that is all that assigning `value` to it does.
fn added<'e>(place: &Place, value: &'e Expr) -> Option<&'e Expr> {
    let is_itself = |expr: &Expr| matches!(expr, Expr::Load(other) if other == place);
    match value {
        Expr::Binary(BinaryOp::Add, operands) if is_itself(&operands.0) => Some(&operands.1),
        Expr::Binary(BinaryOp::Add, operands) if is_itself(&operands.1) => Some(&operands.0),
        Expr::Binary(BinaryOp::Subtract, operands) if is_itself(&operands.0) => Some(&operands.1),
        _ => None,
    }
}
