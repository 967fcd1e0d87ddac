//! What is known about buffers in the middle of an atomic sequence.
//!
//! Inside an atomic sequence nobody else moves, so what a guard found stays true: after `nfull(c)` the sequence cannot
//! be interrupted at `c!x`, and so it does not matter to it whether somebody took a message out of `c` before. Without
//! this, every receive would be in conflict with such a sequence.
//!
//! Facts are what holds on every way to a location on which control is kept. They are a greatest fixpoint: where the
//! facts show that a sequence cannot be blocked at a location, no process ever rests there, so no sequence begins there
//! without facts. A process with a `provided` clause can be stopped anywhere and knows nothing.

use allways_system::{Action, BinaryOp, ChannelTest, Expr, UnaryOp};

use crate::bits::Bits;
use crate::effects::{Effect, Process};
use crate::graph::{Edge, Graph, is_always_enabled};

/// Sets of channels, as indices of global channels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    /// Not full.
    room: Bits,
    /// Not empty.
    message: Bits,
}

impl Facts {
    /// What decides whether a statement is enabled where these facts hold.
    pub fn decides<'e>(&self, effect: &'e Effect) -> &'e Bits {
        let knows_room = effect.sends_to.is_some_and(|channel| self.room.contains(channel));
        let knows_message = effect.takes_first_of.is_some_and(|channel| self.message.contains(channel));
        if knows_room || knows_message { &effect.decides_known } else { &effect.decides }
    }

    /// Whether a statement is certainly enabled. A receive is only if any message will do.
    fn enables(&self, effect: &Effect, action: &Action, lossy: bool) -> bool {
        let takes_any = matches!(action, Action::Receive { patterns, .. }
            if !patterns.iter().any(|pattern| matches!(pattern, allways_system::Pattern::Match(_))));
        let knows_room = effect.sends_to.is_some_and(|channel| self.room.contains(channel));
        let knows_message = effect.takes_first_of.is_some_and(|channel| self.message.contains(channel));
        let is_lossy = lossy && matches!(action, Action::Send { .. }) && !effect.traffic.offers_message;
        is_always_enabled(action)
            || matches!(action, Action::Else)
            || matches!(action, Action::Send { .. }) && knows_room
            || takes_any && knows_message
            || is_lossy
    }

    /// What holds after a statement before which these facts held.
    fn after(&self, effect: &Effect, action: &Action) -> Facts {
        let mut facts = Facts {
            room: without(&self.room, &effect.traffic.sends),
            message: without(&self.message, &effect.traffic.receives),
        };
        match action {
            Action::Condition(condition) => facts.learn(condition, true),
            Action::Send { .. } => {
                effect.sends_to.into_iter().for_each(|channel| facts.message.insert(channel));
            }
            Action::Receive { keep, .. } => {
                if let Some(channel) = effect.takes_first_of {
                    let learnt = if *keep { &mut facts.message } else { &mut facts.room };
                    learnt.insert(channel);
                }
            }
            _ => {}
        }
        facts
    }

    fn learn(&mut self, condition: &Expr, truth: bool) {
        match condition {
            Expr::Unary(UnaryOp::Not, operand) => self.learn(operand, !truth),
            Expr::Binary(BinaryOp::And, operands) if truth => {
                self.learn(&operands.0, true);
                self.learn(&operands.1, true);
            }
            Expr::Binary(BinaryOp::Or, operands) if !truth => {
                self.learn(&operands.0, false);
                self.learn(&operands.1, false);
            }
            Expr::Channel(test, channel) => {
                let Expr::Constant(handle @ 1..) = **channel else { return };
                match (test, truth) {
                    (ChannelTest::NotFull, true) | (ChannelTest::Full, false) => {
                        self.room.insert(handle as u32 - 1);
                    }
                    (ChannelTest::NotEmpty, true) | (ChannelTest::Empty, false) => {
                        self.message.insert(handle as u32 - 1);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn both(&self, other: &Facts) -> Facts {
        Facts { room: common(&self.room, &other.room), message: common(&self.message, &other.message) }
    }
}

fn without(set: &Bits, gone: &Bits) -> Bits {
    set.iter().filter(|channel| !gone.contains(*channel)).collect()
}

fn common(a: &Bits, b: &Bits) -> Bits {
    a.iter().filter(|channel| b.contains(*channel)).collect()
}

/// Per location: what holds when a process arrives there and keeps control.
pub(crate) fn find(process: &Process, graph: &Graph, lossy: bool) -> Vec<Facts> {
    let n_locations = graph.first.len() - 1;
    if process.code.provided.is_some() || !graph.is_interior.contains(&true) {
        return vec![Facts::default(); n_locations];
    }
    // None stands for everything: no way there has been found yet.
    let mut facts: Vec<Option<Facts>> = vec![None; n_locations];
    let mut can_rest = vec![false; n_locations];
    can_rest[graph.initial.index()] = true;
    for edge in graph.edges.iter().filter(|edge| arrives_without_control(edge)) {
        can_rest[edge.target.index()] = true;
    }
    let action = |edge: &Edge| &process.code.transition(edge.transition).action;
    let mut news = true;
    while news {
        news = false;
        for location in 0..n_locations {
            let Some(here) = &facts[location] else { continue };
            let goes_on = |edge: &Edge| !edge.effect.never && here.enables(&edge.effect, action(edge), lossy);
            let at = graph.at(allways_system::LocationId(location as u32));
            if !can_rest[location] && !at.iter().any(goes_on) {
                (can_rest[location], news) = (true, true);
            }
        }
        for edge in graph.edges.iter().filter(|edge| edge.atomic) {
            let source = edge.source.index();
            let before = match &facts[source] {
                _ if can_rest[source] || edge.effect.traffic.takes_message => Facts::default(),
                Some(facts) => facts.clone(),
                None => continue,
            };
            let after = before.after(&edge.effect, action(edge));
            let target = &mut facts[edge.target.index()];
            let joined = target.as_ref().map_or(after.clone(), |known| known.both(&after));
            if target.as_ref() != Some(&joined) {
                (*target, news) = (Some(joined), true);
            }
        }
    }
    facts.into_iter().map(Option::unwrap_or_default).collect()
}

/// Whether others may move when the process has arrived.
fn arrives_without_control(edge: &Edge) -> bool {
    !edge.atomic || edge.effect.traffic.offers_message
}
