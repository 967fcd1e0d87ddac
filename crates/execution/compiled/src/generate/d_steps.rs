//! `d_step`s as one block of code: what is inside becomes tests and jumps.
//!
//! Only those whose statements need nothing but the state of their process, the globals and known channels; others are
//! carried out edge by edge.

use std::collections::BTreeMap;

use allways_system::{Action, Expr, LocationId};
use rustc_hash::FxHashSet;

use super::{Generator, Label};
use crate::code::{Guard, InRange, Op};

impl Generator<'_> {
    /// Whether everything that can be reached inside a `d_step` is plain.
    pub fn is_plain_d_step(&self, entry: LocationId, exit: LocationId) -> bool {
        let mut seen = FxHashSet::from_iter([entry]);
        let mut waiting = vec![entry];
        while let Some(location) = waiting.pop() {
            for id in self.code.location(location).groups.iter().flatten() {
                let transition = self.code.transition(*id);
                if !self.is_plain(&transition.action) {
                    return false;
                }
                if transition.target != exit && seen.insert(transition.target) {
                    waiting.push(transition.target);
                }
            }
        }
        !self.common.watch_claims
    }

    fn is_plain(&self, action: &Action) -> bool {
        let mut asks = false;
        action.walk(&mut |expr| asks |= matches!(expr, Expr::Timeout | Expr::Enabled(_)));
        let is_buffered = |channel: &Expr| {
            self.known_channel(channel)
                .map(|(at, _)| &self.channels[at as usize])
                .filter(|channel| !channel.messages.is_rendezvous())
        };
        !asks
            && match action {
                Action::Condition(_)
                | Action::Else
                | Action::Skip
                | Action::Assign(..)
                | Action::AssignAll(_)
                | Action::Assert(_)
                | Action::Print { .. } => true,
                Action::Send { channel, .. } => is_buffered(channel).is_some(),
                Action::Receive { channel, random, patterns, .. } => {
                    let fits =
                        |known: &crate::channel::Channel| known.messages.fields.len() == patterns.len();
                    !random && is_buffered(channel).is_some_and(fits)
                }
                _ => false,
            }
    }

    /// When some statement with which a plain `d_step` can begin is enabled.
    pub fn d_step_guard(&mut self, entry: LocationId) -> Guard {
        let code = self.code;
        let firsts: Vec<&Action> =
            code.location(entry).groups.iter().flatten().map(|id| &code.transition(*id).action).collect();
        if let [only] = firsts[..] {
            return self.guard(only).0;
        }
        Guard::Code(self.block(|generator| {
            for action in firsts {
                let (saved, otherwise) = (generator.next_register, generator.label());
                generator.branch_action(action, otherwise);
                generator.emit(Op::Answer(true));
                generator.place_label(otherwise);
                generator.next_register = saved;
            }
            generator.emit(Op::Answer(false));
        }))
    }

    /// Goes on if the action is enabled, jumps otherwise.
    fn branch_action(&mut self, action: &Action, otherwise: Label) {
        match action {
            Action::Condition(condition) => self.branch(condition, otherwise),
            Action::Send { channel, .. } => {
                let length = self.known_channel(channel).and_then(|(at, _)| {
                    let channel = &self.channels[at as usize];
                    channel.length.map(|field| (field, channel.messages.capacity as i32))
                });
                if let Some((field, low)) = length
                    && !self.common.semantics.lossy
                {
                    let test = InRange { field, low, span: 0, outside: true };
                    self.emit(Op::InRange { test, otherwise });
                }
            }
            Action::Receive { channel, patterns, .. } => self.head_tests(channel, patterns, otherwise),
            _ => {}
        }
    }

    /// Carries out a plain `d_step`.
    pub fn plain_d_step(&mut self, entry: LocationId, exit: LocationId) {
        let code = self.code;
        let done = self.label();
        let mut labels = BTreeMap::from([(exit, done), (entry, self.label())]);
        let mut waiting = vec![entry];
        while let Some(location) = waiting.pop() {
            self.place_label(labels[&location]);
            for id in code.location(location).groups.iter().flatten() {
                let transition = code.transition(*id);
                let (saved, otherwise) = (self.next_register, self.label());
                self.branch_action(&transition.action, otherwise);
                self.emit(Op::Tick);
                let prepared = match &transition.action {
                    Action::Send { channel, sorted, values } => Op::Send(self.send(channel, *sorted, values)),
                    Action::Receive { channel, random, keep, patterns } => {
                        Op::Receive(self.receive(channel, *random, *keep, patterns))
                    }
                    _ => Op::Done,
                };
                self.perform(&transition.action, prepared);
                self.next_register = saved;
                let target = match labels.get(&transition.target) {
                    Some(label) => *label,
                    None => {
                        let label = self.label();
                        labels.insert(transition.target, label);
                        waiting.push(transition.target);
                        label
                    }
                };
                self.emit(Op::Jump(target));
                self.place_label(otherwise);
            }
            // Nothing is enabled.
            self.emit(Op::Fault);
        }
        self.place_label(done);
    }
}
