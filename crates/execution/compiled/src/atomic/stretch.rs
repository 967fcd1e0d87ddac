//! Steps inside an atomic sequence that are taken one after the other without a choice, as quickly as can be: such a
//! stretch may be millions of steps long.
//!
//! What is done here is what `Worker::go_on` does with each of these steps. Whatever is rare is left to that: it goes on
//! from the same state.

use super::*;
use crate::code::{Edge, Effect, Guard};
use crate::instance::{Instance, Shape};

/// How a stretch ended.
pub(super) enum Alone {
    /// Where nothing can be done quickly.
    Nothing,
    /// With a step whose consequences are still to be looked at.
    Took(Result<(), Trap>),
    /// Where it had been before.
    Endless,
}

impl Worker<'_, '_> {
    /// Takes steps as long as each is the only one of the process that has control, and nothing has to be noted of it.
    /// The state that it begins with is part of the figures already; so are all that it leaves to others.
    pub(super) fn go_alone(
        &mut self,
        shape: &OwnShape,
        pid: Pid,
        limits: (u64, usize),
        here: &mut Here,
        circle: &mut Circle,
        expanded: &mut Expanded,
    ) -> Alone {
        let me = &*shape.processes[pid as usize];
        if !me.is_plain || self.machine.last.is_some() || !self.state.is_quiet() {
            return Alone::Nothing;
        }
        let (depth_limit, compact_at) = limits;
        let most_steps = depth_limit.saturating_sub(here.length.into());
        let (mut n_steps, mut last, mut kept) = (0u64, here.last, 0);
        let end = loop {
            if self.effort + 1 >= self.look_at || self.state.undo.len() > compact_at {
                break Alone::Nothing;
            }
            let location = me.at(&self.state.words);
            let Some(edge) = self.only_edge(shape, me, location) else { break Alone::Nothing };
            if circle.closes(&self.state.words, || location) {
                break Alone::Endless;
            }
            self.effort += 1;
            n_steps += 1;
            last.transition = edge.transition;
            let taken = self.take_alone(shape, me, edge, &mut kept);
            if taken != Some(Ok(())) || n_steps > most_steps {
                break Alone::Took(taken.unwrap_or(Ok(())));
            }
        };
        if n_steps > 0 {
            here.last = Step { pid, partner: None, ..last };
            here.movers |= movers_of(here.last);
            let before = here.length.saturating_add(u32::try_from(n_steps - 1).unwrap_or(u32::MAX));
            here.length = before.saturating_add(1);
            here.n_steps += n_steps as usize;
            let (n_counted, deepest) = match end {
                Alone::Took(_) => (n_steps - 1, before),
                _ => (n_steps, here.length),
            };
            expanded.atomic_steps += n_counted;
            expanded.deepest = expanded.deepest.max(deepest);
        }
        end
    }

    /// The only step that the process can take where it is, if that is known at once.
    #[inline(always)]
    fn only_edge<'i>(&mut self, shape: &Shape, me: &'i Instance, location: LocationId) -> Option<&'i Edge> {
        let mut only = None;
        for choice in &me.locations[location.index()].choices {
            let enabled = match choice.guard {
                Guard::Test(test) => test.holds(&self.state),
                Guard::Always => true,
                Guard::Else => only.is_none(),
                Guard::Tests { first, end } => self.all_hold(me, first, end),
                Guard::Code(pc) => self.run(shape, me, pc) != Ok(0),
                Guard::Never => false,
                _ => return None,
            };
            if enabled && only.replace(choice.edge).is_some() {
                return None;
            }
            if choice.ends_group && only.is_some() {
                break;
            }
        }
        only.map(|number| &me.edges[number as usize]).filter(|edge| !edge.recheck)
    }

    /// Takes a step. None if it was carried out but is not as simple as that. `kept` are words of which it is known what
    /// they held before.
    #[inline(always)]
    fn take_alone(
        &mut self,
        shape: &OwnShape,
        me: &Instance,
        edge: &Edge,
        kept: &mut u64,
    ) -> Option<Result<(), Trap>> {
        edge.take();
        let state = &mut self.state;
        match edge.effect {
            Effect::Nothing => {}
            Effect::Set(field, value) => state.set_quietly(field, value, kept),
            Effect::Add(field, by) => state.set_quietly(field, state.get(field).wrapping_add(by), kept),
            Effect::Copy { to, from } => state.set_quietly(to, state.get(from), kept),
            Effect::Code(_) => {
                self.step_floor = self.state.undo.len();
                if let Err(trap) = self.perform(shape, me, edge.effect) {
                    return Some(Err(trap));
                }
            }
        }
        if let Some(location) = me.location {
            self.state.set_quietly(location, edge.resting_target, kept);
        }
        for field in &edge.resets {
            self.state.set_quietly(*field, 0, kept);
        }
        self.exclusive = edge.atomic.then_some(me.pid);
        let is_simple = edge.atomic
            && self.state.too_narrow.is_none()
            && !self.assertion_failed
            && !self.exclusive_violated
            && Rc::ptr_eq(&self.shape, shape);
        is_simple.then_some(Ok(()))
    }
}
