//! What expressions look at.
//!
//! Besides everything that can change a value there are two finer questions: what keeps a condition true, and what
//! keeps it false. Both count an error in its evaluation as an outcome that must be kept.

use allways_system::{BinaryOp, ChannelTest, Expr, Place, ProctypeId, Scope, UnaryOp};

use crate::bits::Bits;
use crate::effects::{Analysis, Effect, Fact, Process};
use crate::objects::for_each_slot;

/// Where an expression's locals are.
#[derive(Clone, Copy)]
enum Frame {
    Own,
    /// In another process, of this proctype.
    Remote(ProctypeId),
}

impl Analysis<'_> {
    /// The objects whose values keep `expr` from changing at all.
    pub fn reads(&self, process: &Process, expr: &Expr, into: &mut Bits) {
        self.look(process, Frame::Own, expr, into);
    }

    /// What a property looks at. It has no locals of its own, so it does not matter whose they are taken for.
    pub fn observed(&self, process: &Process) -> Bits {
        let mut observed = Bits::default();
        self.options.observed.iter().for_each(|expr| self.reads(process, expr, &mut observed));
        observed
    }

    /// The objects whose values keep a condition true, or false.
    pub fn keeps(&self, process: &Process, expr: &Expr, truth: bool, into: &mut Bits) {
        match expr {
            Expr::Unary(UnaryOp::Not, operand) => self.keeps(process, operand, !truth, into),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), operands) => {
                // If the second part is an error, the first must not begin to decide alone.
                let decides_alone = truth == (*op == BinaryOp::Or);
                if decides_alone && can_fault(&operands.1) {
                    self.reads(process, &operands.0, into);
                } else {
                    self.keeps(process, &operands.0, truth, into);
                }
                self.keeps(process, &operands.1, truth, into);
            }
            Expr::Channel(test, channel) => {
                self.reads(process, channel, into);
                let channels = self.use_channel(process, channel, into);
                let (head, tail) = match (test, truth) {
                    (ChannelTest::Len, _) => (true, true),
                    (ChannelTest::NotEmpty | ChannelTest::Full, true)
                    | (ChannelTest::Empty | ChannelTest::NotFull, false) => (true, false),
                    (ChannelTest::NotEmpty | ChannelTest::Full, false)
                    | (ChannelTest::Empty | ChannelTest::NotFull, true) => (false, true),
                };
                self.ends(process, &channels, head, tail, into);
                self.claims_on_test(process, expr, into);
            }
            Expr::Poll { channel, patterns, .. } if truth => {
                self.reads(process, channel, into);
                patterns.iter().for_each(|pattern| pattern.walk(&mut |expr| self.reads(process, expr, into)));
                let channels = self.use_channel(process, channel, into);
                self.ends(process, &channels, true, false, into);
                self.claims_on_test(process, expr, into);
            }
            _ => self.reads(process, expr, into),
        }
    }

    /// What could make a condition true that is false for another reason than one of its conjuncts: the first one
    /// that is among `known`.
    pub fn wake_knowing(&self, process: &Process, condition: &Expr, known: &[Fact], effect: &mut Effect) {
        let mut conjuncts = Vec::new();
        flatten(condition, &mut conjuncts);
        effect.if_known =
            conjuncts.iter().find_map(|conjunct| said_by(conjunct).filter(|fact| known.contains(fact)));
        if effect.if_known.is_some() {
            for conjunct in conjuncts.into_iter().filter(|conjunct| said_by(conjunct) != effect.if_known) {
                self.keeps(process, conjunct, false, &mut effect.wake_knowing);
            }
        }
    }

    fn look(&self, process: &Process, frame: Frame, expr: &Expr, into: &mut Bits) {
        let objects = self.objects;
        match expr {
            Expr::Constant(_) | Expr::Timeout | Expr::Pid => {}
            Expr::Load(place) => self.look_at_place(process, frame, place, into),
            Expr::Unary(_, a) | Expr::Enabled(a) | Expr::PcValue(a) | Expr::Priority(a) => {
                self.look(process, frame, a, into);
            }
            Expr::Binary(_, operands) => {
                self.look(process, frame, &operands.0, into);
                self.look(process, frame, &operands.1, into);
            }
            Expr::Conditional(parts) => {
                self.look(process, frame, &parts.0, into);
                self.look(process, frame, &parts.1, into);
                self.look(process, frame, &parts.2, into);
            }
            Expr::Channel(_, channel) => {
                self.look(process, frame, channel, into);
                self.look_at_channel(process, frame, channel, into);
                self.claims_on_test(process, expr, into);
            }
            Expr::Poll { channel, patterns, .. } => {
                self.look(process, frame, channel, into);
                patterns
                    .iter()
                    .for_each(|pattern| pattern.walk(&mut |expr| self.look(process, frame, expr, into)));
                self.look_at_channel(process, frame, channel, into);
                self.claims_on_test(process, expr, into);
            }
            Expr::ProcessCount | Expr::Last | Expr::NonProgress | Expr::Accepting => self.count(into),
            Expr::At { proctype, pid, location } => {
                pid.iter().for_each(|pid| self.look(process, frame, pid, into));
                self.count(into);
                objects.location(*proctype, *location).into_iter().for_each(|object| into.insert(object));
            }
            Expr::Remote { proctype, pid, place } => {
                pid.iter().for_each(|pid| self.look(process, frame, pid, into));
                self.count(into);
                self.look_at_place(process, Frame::Remote(*proctype), place, into);
            }
        }
    }

    fn look_at_place(&self, process: &Process, frame: Frame, place: &Place, into: &mut Bits) {
        place.indices.iter().for_each(|index| self.look(process, frame, &index.value, into));
        for_each_slot(place, &mut |slot| match (place.scope, frame) {
            (Scope::Global, _) => into.insert(self.objects.slot(slot)),
            (Scope::Local, Frame::Own) => {}
            (Scope::Local, Frame::Remote(proctype)) => {
                self.objects.remote(proctype, slot).into_iter().for_each(|object| into.insert(object));
            }
        });
    }

    fn look_at_channel(&self, process: &Process, frame: Frame, channel: &Expr, into: &mut Bits) {
        let channels = match frame {
            Frame::Own => self.use_channel(process, channel, into),
            Frame::Remote(_) => {
                into.insert(self.objects.vanished);
                (0..self.objects.channels.len() as u32).collect()
            }
        };
        self.ends(process, &channels, true, true, into);
    }

    /// The number of processes.
    fn count(&self, into: &mut Bits) {
        into.insert(self.objects.created);
        into.insert(self.objects.died);
    }

    /// The channels that `channel` can denote. Using one that can vanish reads whether it has.
    pub fn use_channel(&self, process: &Process, channel: &Expr, reads: &mut Bits) -> Bits {
        let channels = self.channels(process, channel);
        if process.hands.is_some() {
            return channels;
        }
        let is_own = |handle: i32| process.own_channels.0 <= handle && handle < process.own_channels.1;
        let lasts = match channel {
            Expr::Constant(handle) => *handle <= self.objects.n_global_channels as i32 || is_own(*handle),
            _ => !self.objects.local_channels().any(|local| channels.contains(local)),
        };
        if !lasts {
            reads.insert(self.objects.vanished);
        }
        channels
    }

    pub fn ends(&self, process: &Process, channels: &Bits, head: bool, tail: bool, into: &mut Bits) {
        for ends in channels.iter().filter_map(|channel| self.channel_objects(process, channel).buffer) {
            if head {
                into.insert(ends.head);
            }
            if tail {
                into.insert(ends.tail);
            }
        }
    }

    /// A question about a channel is a use of it, as far as exclusive claims go.
    fn claims_on_test(&self, process: &Process, test: &Expr, into: &mut Bits) {
        if let Expr::Channel(_, channel) | Expr::Poll { channel, .. } = test {
            self.claims(process, channel, true, true, into);
        }
    }

    /// Whether a use of a channel breaks a claim depends on who is there to claim it.
    pub fn claims(&self, process: &Process, channel: &Expr, receives: bool, sends: bool, into: &mut Bits) {
        if !self.options.exclusive {
            return;
        }
        let channels = self.channels(process, channel);
        for owner in self.instances.iter().filter(|owner| owner.pid != process.pid) {
            let owner = &Process::new(self.system, owner);
            for claim in &owner.code.exclusive {
                let concerns = if claim.receive { receives } else { sends };
                if concerns && self.channels(owner, &claim.channel).meets(&channels) {
                    self.count(into);
                    // Only globals matter here: claims on what a local holds now are sorted out beforehand.
                    self.reads(owner, &claim.channel, into);
                }
            }
        }
    }
}

fn flatten<'e>(condition: &'e Expr, conjuncts: &mut Vec<&'e Expr>) {
    match condition {
        Expr::Binary(BinaryOp::And, operands) => {
            flatten(&operands.0, conjuncts);
            flatten(&operands.1, conjuncts);
        }
        _ => conjuncts.push(condition),
    }
}

/// The fact that a test of a channel is about.
fn said_by(test: &Expr) -> Option<Fact> {
    let Expr::Channel(test, channel) = test else { return None };
    let Expr::Constant(handle @ 1..) = **channel else { return None };
    match test {
        ChannelTest::NotFull => Some(Fact::HasRoom(handle as u32 - 1)),
        ChannelTest::NotEmpty => Some(Fact::HasMessage(handle as u32 - 1)),
        _ => None,
    }
}

/// Whether evaluating it could be an error of the model.
fn can_fault(expr: &Expr) -> bool {
    let mut found = false;
    expr.walk(&mut |part| match part {
        Expr::Binary(BinaryOp::Divide | BinaryOp::Remainder, _) => found = true,
        Expr::Binary(op, _) => {
            found |= !matches!(
                op,
                BinaryOp::And
                    | BinaryOp::Or
                    | BinaryOp::Equal
                    | BinaryOp::NotEqual
                    | BinaryOp::Less
                    | BinaryOp::LessEqual
                    | BinaryOp::Greater
                    | BinaryOp::GreaterEqual
            );
        }
        Expr::Unary(UnaryOp::Negate, _) => found = true,
        Expr::Load(place) => found |= !place.indices.is_empty(),
        Expr::Channel(_, channel) => found |= !matches!(**channel, Expr::Constant(_)),
        Expr::Poll { .. } | Expr::Enabled(_) => found = true,
        Expr::Remote { place, .. } => found |= !place.indices.is_empty(),
        _ => {}
    });
    found
}
