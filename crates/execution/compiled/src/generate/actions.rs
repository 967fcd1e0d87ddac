//! Statements: when they are enabled and what they do.

use allways_system::{Action, BinaryOp, ChannelTest, Expr, Pattern, Place, TransitionId};

use super::Generator;
use crate::channel::Channel;
use crate::code::Effect;
use crate::code::{
    ChannelRef, Edge, Guard, InRange, Op, PatternCode, Pc, ReceiveCode, RunCode, SendCode, Value,
};
use crate::instance::{Slot, index_among};

impl Generator<'_> {
    pub fn edge(&mut self, id: TransitionId) -> Edge {
        let transition = self.code.transition(id);
        let (target, atomic) = (transition.target, transition.atomic);
        let (guard, recheck) = self.guard(&transition.action);
        let receive = self.receive_of(&transition.action);
        let effect = self.effect(&transition.action);
        let resets = transition.resets.iter().filter_map(|slot| match self.slots[*slot as usize] {
            Slot::Field(field) => Some(field),
            Slot::Constant(_) => None,
        });
        let resets = resets.collect();
        let resting_target = index_among(self.resting, target);
        let taken = false.into();
        Edge {
            transition: id,
            guard,
            effect,
            recheck,
            target,
            resting_target,
            atomic,
            receive,
            resets,
            taken,
        }
    }

    /// When the action is enabled, and whether finding out may fault.
    pub(super) fn guard(&mut self, action: &Action) -> (Guard, bool) {
        match action {
            Action::Condition(Expr::Constant(value)) if *value != 0 => (Guard::Always, false),
            Action::Condition(condition) => {
                let recheck = self.may_fault(condition);
                let mut tests = Vec::new();
                match self.conjunction(condition, &mut tests) {
                    true => (self.tests_guard(&tests), recheck),
                    false => (Guard::Code(self.guard_block(condition)), recheck),
                }
            }
            Action::Else => (Guard::Else, false),
            Action::Send { channel, sorted, values } => (self.send_guard(channel, *sorted, values), false),
            Action::Receive { channel, random, keep, patterns } => {
                let is_match_at_fault =
                    |pattern: &Pattern| matches!(pattern, Pattern::Match(value) if self.may_fault(value));
                let recheck = patterns.iter().any(is_match_at_fault);
                (self.receive_guard(channel, *random, *keep, patterns), recheck)
            }
            Action::DStep { entry, exit } => match self.is_plain_d_step(*entry, *exit) {
                true => (self.d_step_guard(*entry), false),
                false => (Guard::DStep(*entry), false),
            },
            Action::Terminate => (Guard::Youngest, false),
            Action::Skip
            | Action::Assign(..)
            | Action::AssignAll(_)
            | Action::Assert(_)
            | Action::Run { .. }
            | Action::Print { .. }
            | Action::SetPriority { .. } => (Guard::Always, false),
        }
    }

    /// Whether a condition is nothing but tests of single variables; they are appended.
    fn conjunction(&self, condition: &Expr, tests: &mut Vec<InRange>) -> bool {
        if let Some(test) = self.range_test(condition) {
            tests.push(test);
            return true;
        }
        match condition {
            Expr::Constant(value) => *value != 0,
            Expr::Binary(BinaryOp::And, operands) => {
                self.conjunction(&operands.0, tests) && self.conjunction(&operands.1, tests)
            }
            _ => false,
        }
    }

    fn tests_guard(&mut self, tests: &[InRange]) -> Guard {
        match tests {
            [] => Guard::Always,
            [test] => Guard::Test(*test),
            _ => {
                let first = self.tests.len() as u32;
                self.tests.extend_from_slice(tests);
                Guard::Tests { first, end: self.tests.len() as u32 }
            }
        }
    }

    /// The tests whether the first message of a channel is there and matches, if they are of single variables.
    fn head_conjunction(&self, channel: &Channel, patterns: &[Pattern]) -> Option<Vec<InRange>> {
        let mut tests = vec![InRange { field: channel.length?, low: 0, span: 0, outside: true }];
        for (index, pattern) in patterns.iter().enumerate() {
            let Pattern::Match(expr) = pattern else { continue };
            let Some(Value::Const(low)) = self.simple(expr) else { return None };
            tests.push(InRange { field: channel.field(0, index)?, low, span: 0, outside: false });
        }
        Some(tests)
    }

    fn guard_block(&mut self, condition: &Expr) -> Pc {
        self.block(|generator| {
            let is_false = generator.label();
            generator.branch(condition, is_false);
            generator.emit(Op::Answer(true));
            generator.place_label(is_false);
            generator.emit(Op::Answer(false));
        })
    }

    fn send_guard(&mut self, channel: &Expr, sorted: bool, values: &[Expr]) -> Guard {
        let send = self.send(channel, sorted, values);
        let ChannelRef::Known { at, .. } = self.sends[send as usize].channel else {
            return Guard::Send(send);
        };
        let channel = &self.channels[at as usize];
        match channel.length {
            None => Guard::Handshake(send),
            Some(_) if self.common.semantics.lossy => Guard::Always,
            Some(field) => {
                let low = channel.messages.capacity as i32;
                Guard::Test(InRange { field, low, span: 0, outside: true })
            }
        }
    }

    fn receive_guard(&mut self, channel: &Expr, random: bool, keep: bool, patterns: &[Pattern]) -> Guard {
        let Some((at, _)) = self.known_channel(channel) else {
            return Guard::Receive(self.receive(channel, random, keep, patterns));
        };
        let known = self.channels[at as usize].clone();
        if known.messages.is_rendezvous() {
            return Guard::Never;
        }
        if patterns.len() != known.messages.fields.len() {
            return Guard::Always;
        }
        if random && patterns.iter().any(|pattern| matches!(pattern, Pattern::Match(_))) {
            return Guard::Receive(self.receive(channel, random, keep, patterns));
        }
        match self.head_conjunction(&known, patterns) {
            Some(tests) => self.tests_guard(&tests),
            None => Guard::Code(self.block(|generator| {
                let is_false = generator.label();
                generator.head_tests(channel, patterns, is_false);
                generator.emit(Op::Answer(true));
                generator.place_label(is_false);
                generator.emit(Op::Answer(false));
            })),
        }
    }

    /// The receive with which a rendezvous could begin this action.
    fn receive_of(&mut self, action: &Action) -> Option<u32> {
        let action = match action {
            Action::DStep { entry, .. } => &self.code.transition(self.first_of(*entry)?).action,
            _ => action,
        };
        let Action::Receive { channel, random, keep, patterns } = action else { return None };
        let channel_is_buffered = self
            .known_channel(channel)
            .is_some_and(|(at, _)| !self.channels[at as usize].messages.is_rendezvous());
        (!channel_is_buffered).then(|| self.receive(channel, *random, *keep, patterns))
    }

    pub(super) fn send(&mut self, channel: &Expr, sorted: bool, values: &[Expr]) -> u32 {
        let channel = self.channel(channel);
        let values = values.iter().map(|value| self.value(value)).collect();
        let send = SendCode { channel, sorted, values };
        if let Some(known) = self.sends.iter().position(|other| *other == send) {
            return known as u32;
        }
        self.sends.push(send);
        self.sends.len() as u32 - 1
    }

    pub(super) fn receive(&mut self, channel: &Expr, random: bool, keep: bool, patterns: &[Pattern]) -> u32 {
        let channel = self.channel(channel);
        let patterns = patterns.iter().map(|pattern| match pattern {
            Pattern::Ignore => PatternCode::Ignore,
            Pattern::Match(value) => PatternCode::Match(self.value(value)),
            Pattern::Store(place) => match self.slot(place) {
                Some(Slot::Field(field)) if !self.common.semantics.check_overflow => {
                    PatternCode::Store(field)
                }
                _ => PatternCode::StoreBy(self.store_block(place)),
            },
        });
        let patterns = patterns.collect();
        self.receives.push(ReceiveCode { channel, random, keep, patterns });
        self.receives.len() as u32 - 1
    }

    /// What the action does.
    fn effect(&mut self, action: &Action) -> Effect {
        // What needs blocks of its own comes first.
        let prepared = match action {
            Action::Send { channel, sorted, values } => Op::Send(self.send(channel, *sorted, values)),
            Action::Receive { channel, random, keep, patterns } => {
                Op::Receive(self.receive(channel, *random, *keep, patterns))
            }
            Action::Run { proctype, arguments, priority, result } => {
                let arguments = arguments.iter().map(|argument| self.value(argument)).collect();
                let priority = priority.as_ref().map(|priority| self.value(priority));
                let result = result.as_ref().map(|place| self.store_block(place));
                self.runs.push(RunCode { proctype: *proctype, arguments, priority, result });
                Op::Run(self.runs.len() as u32 - 1)
            }
            _ => Op::Done,
        };
        let watched = self.watched(action);
        let start = self.here() as usize;
        let pc = self.block(|generator| {
            for (use_, receive) in watched {
                generator.emit(Op::Exclusive { use_, receive });
            }
            generator.perform(action, prepared);
        });
        let effect = match self.ops[start..] {
            [] => Effect::Nothing,
            [Op::StoreConst(field, value)] => Effect::Set(field, value),
            [Op::AddConst(field, by)] => Effect::Add(field, by),
            [Op::Copy { to, from }] => Effect::Copy { to, from },
            _ => {
                self.emit(Op::Done);
                return Effect::Code(pc);
            }
        };
        self.ops.truncate(start);
        effect
    }

    pub(super) fn perform(&mut self, action: &Action, prepared: Op) {
        match action {
            Action::Skip | Action::Else | Action::Condition(_) => {}
            Action::Assign(place, value) => self.assign(place, value),
            Action::AssignAll(assignments) => {
                assignments.iter().for_each(|(place, value)| self.assign(place, value));
            }
            Action::Send { .. } | Action::Run { .. } => self.emit(prepared),
            Action::Receive { channel, random, keep, patterns } => {
                if !self.plain_receive(channel, *random, *keep, patterns) {
                    self.emit(prepared);
                }
            }
            Action::Assert(Expr::Constant(value)) if *value != 0 => {}
            Action::Assert(condition) => {
                let (failed, done) = (self.label(), self.label());
                self.branch(condition, failed);
                self.emit(Op::Jump(done));
                self.place_label(failed);
                self.emit(Op::AssertionFailed);
                self.place_label(done);
            }
            Action::Print { arguments, .. } => {
                for argument in
                    arguments.iter().filter(|argument| self.may_fault(argument)).collect::<Vec<_>>()
                {
                    self.reg(argument);
                }
            }
            Action::SetPriority { pid, priority } => {
                let (pid, priority) = (self.reg(pid), self.reg(priority));
                self.emit(Op::SetPriority { pid, priority });
            }
            Action::DStep { entry, exit } => match self.is_plain_d_step(*entry, *exit) {
                true => self.plain_d_step(*entry, *exit),
                false => self.emit(Op::DStep { entry: *entry, exit: *exit }),
            },
            Action::Terminate => self.emit(Op::Terminate),
        }
    }

    /// A receive of the first message of a known channel, as plain copies.
    fn plain_receive(&mut self, channel: &Expr, random: bool, keep: bool, patterns: &[Pattern]) -> bool {
        let Some((at, _)) = self.known_channel(channel) else { return false };
        let known = self.channels[at as usize].clone();
        let matches_any = patterns.iter().any(|pattern| matches!(pattern, Pattern::Match(_)));
        if known.messages.is_rendezvous()
            || patterns.len() != known.messages.fields.len()
            || random && matches_any
            || self.common.semantics.check_overflow
        {
            return false;
        }
        let is_static = |pattern: &Pattern| match pattern {
            Pattern::Store(place) => self.slot(place).is_some(),
            _ => true,
        };
        if !patterns.iter().all(is_static) {
            return false;
        }
        for (index, pattern) in patterns.iter().enumerate() {
            let Pattern::Store(place) = pattern else { continue };
            let Some(Slot::Field(to)) = self.slot(place) else { continue };
            self.emit(match known.field(0, index) {
                Some(from) => Op::Copy { to, from },
                None => Op::StoreConst(to, 0),
            });
        }
        if !keep {
            self.emit(Op::Shift { channel: at });
        }
        true
    }

    fn assign(&mut self, place: &Place, value: &Expr) {
        let checked = self.common.semantics.check_overflow;
        if let Some(Slot::Field(field)) = self.slot(place)
            && !checked
        {
            match (self.simple(value), value) {
                (Some(Value::Const(value)), _) => return self.emit(Op::StoreConst(field, value)),
                (Some(Value::Field(from)), _) => return self.emit(Op::Copy { to: field, from }),
                (None, Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), operands)) => {
                    if let (Some(Value::Field(from)), Some(Value::Const(by))) =
                        (self.simple(&operands.0), self.simple(&operands.1))
                        && from == field
                    {
                        let by = if *op == BinaryOp::Add { by } else { by.wrapping_neg() };
                        return self.emit(Op::AddConst(field, by));
                    }
                }
                _ => {}
            }
        }
        let saved = self.next_register;
        let reg = self.reg(value);
        self.store_reg(place, reg);
        self.next_register = saved;
    }

    /// The channels that the action uses or asks about, if somebody may have claimed them.
    fn watched(&mut self, action: &Action) -> Vec<(u32, bool)> {
        if !self.common.watch_claims {
            return Vec::new();
        }
        let mut found = Vec::new();
        match action {
            Action::Send { channel, .. } => found.push((channel.clone(), false, true)),
            Action::Receive { channel, .. } => found.push((channel.clone(), true, false)),
            _ => {}
        }
        action.walk(&mut |expr| {
            let (channel, receives, sends) = match expr {
                Expr::Channel(ChannelTest::Len | ChannelTest::Empty | ChannelTest::Full, channel) => {
                    (channel, true, true)
                }
                Expr::Channel(ChannelTest::NotEmpty, channel) => (channel, true, false),
                Expr::Channel(ChannelTest::NotFull, channel) => (channel, false, true),
                Expr::Poll { channel, .. } => (channel, true, true),
                _ => return,
            };
            found.push(((**channel).clone(), receives, sends));
        });
        let mut watched = Vec::new();
        for (channel, receives, sends) in found {
            let value = self.value(&channel);
            self.uses.push(value);
            let use_ = self.uses.len() as u32 - 1;
            watched.extend(receives.then_some((use_, true)));
            watched.extend(sends.then_some((use_, false)));
        }
        watched
    }
}
