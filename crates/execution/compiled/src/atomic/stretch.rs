//! Steps inside an atomic sequence that are taken one after the other without a choice, as quickly as can be: such a
//! stretch may be millions of steps long.
//!
//! What is done here is what `Worker::go_on` does with each of these steps. Whatever is rare is left to that: it goes on
//! from the same state.

use super::*;
use crate::code::{Edge, Effect, Guard};
use crate::field::Field;
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

/// A location that no process is at.
const NOWHERE: LocationId = LocationId(u32::MAX);

impl Worker<'_, '_> {
    /// Takes steps as long as each is the only one of the process that has control, and nothing has to be noted of it.
    /// The state that it begins with is part of the figures already; so are all that it leaves to others.
    ///
    /// The location of the process is written into the state only before something may read it there.
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
        // The bound on the number of steps: the step after them needs more than is done here.
        let mut most_steps = depth_limit
            .saturating_sub(here.length.into())
            .min(self.look_at.saturating_sub(self.effort + 1))
            .min(circle.before_renewal());
        let watched = circle.earlier_at.unwrap_or(NOWHERE);
        let (mut n_steps, mut n_in_effort, mut kept) = (0, 0, 0);
        let mut last = here.last.transition;
        let mut location = me.at(&self.state.words);
        // The location that the state does not have yet, as an index into `resting`.
        let mut resting = None;
        let end = loop {
            if n_steps >= most_steps {
                break Alone::Nothing;
            }
            let Some(edge) = self.only_edge(shape, me, location, &mut resting, &mut kept) else {
                break Alone::Nothing;
            };
            if location == watched && is_same_but(&circle.earlier, &self.state.words, me.location) {
                break Alone::Endless;
            }
            edge.take();
            n_steps += 1;
            last = edge.transition;
            let mut is_simple = edge.atomic;
            let state = &mut self.state;
            match &edge.effect {
                Effect::Nothing => {}
                Effect::Set(field, value) => is_simple &= state.set_quietly(*field, *value, &mut kept),
                Effect::Add(field, by) => {
                    let value = field.get(&state.words).wrapping_add(*by);
                    is_simple &= state.set_quietly(*field, value, &mut kept);
                }
                Effect::Copy { to, from } => {
                    is_simple &= state.set_quietly(*to, from.get(&state.words), &mut kept);
                }
                Effect::Code(_) => {
                    self.note_location(me, &mut resting, &mut kept);
                    self.effort += n_steps - n_in_effort;
                    n_in_effort = n_steps;
                    self.step_floor = self.state.undo.len();
                    if let Err(trap) = self.perform(shape, me, edge.effect) {
                        break Alone::Took(Err(trap));
                    }
                    is_simple &= self.state.too_narrow.is_none()
                        && !self.assertion_failed
                        && !self.exclusive_violated
                        && Rc::ptr_eq(&self.shape, shape);
                    if self.state.undo.len() > compact_at || self.effort >= self.look_at {
                        most_steps = n_steps;
                    }
                }
            }
            for field in &edge.resets {
                self.state.set_quietly(*field, 0, &mut kept);
            }
            (location, resting) = (edge.target, Some(edge.resting_target));
            if !is_simple {
                self.exclusive = edge.atomic.then_some(pid);
                break Alone::Took(Ok(()));
            }
        };
        self.note_location(me, &mut resting, &mut kept);
        self.effort += n_steps - n_in_effort;
        if n_steps > 0 {
            circle.n_steps += n_steps;
            here.last = Step { pid, partner: None, transition: last };
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

    /// Writes into the state where the process is, if that is not there yet.
    #[inline(always)]
    fn note_location(&mut self, me: &Instance, resting: &mut Option<i32>, kept: &mut u64) {
        if let (Some(resting), Some(location)) = (resting.take(), me.location) {
            self.state.set_quietly(location, resting, kept);
        }
    }

    /// The only step that the process can take where it is, if that is known at once.
    #[inline(always)]
    fn only_edge<'i>(
        &mut self,
        shape: &Shape,
        me: &'i Instance,
        location: LocationId,
        resting: &mut Option<i32>,
        kept: &mut u64,
    ) -> Option<&'i Edge> {
        const NONE: u32 = u32::MAX;
        let mut only = NONE;
        for choice in &me.locations[location.index()].choices {
            // Branches are quicker here than a table of jumps.
            let enabled = if let Guard::Test(test) = &choice.guard {
                test.holds_of(test.field.get(&self.state.words))
            } else if choice.guard == Guard::Always {
                true
            } else if choice.guard == Guard::Else {
                only == NONE
            } else {
                match &choice.guard {
                    Guard::Tests { first, end } => self.all_hold(me, *first, *end),
                    Guard::Code(pc) => {
                        self.note_location(me, resting, kept);
                        self.run(shape, me, *pc) != Ok(0)
                    }
                    Guard::Never => false,
                    _ => return None,
                }
            };
            if enabled {
                if only != NONE {
                    return None;
                }
                only = choice.edge;
            }
            if choice.ends_group && only != NONE {
                break;
            }
        }
        me.edges.get(only as usize).filter(|edge| !edge.recheck)
    }
}

/// Whether two states are the same, but for the field that says where the process is.
#[inline(always)]
fn is_same_but(one: &[u64], other: &[u64], location: Option<Field>) -> bool {
    let (at, rest) = location.map_or((0, u64::MAX), |field| (field.word(), !field.mask()));
    let differ = |at: usize| one[at] ^ other[at];
    one.len() == other.len()
        && one.get(at).is_none_or(|_| differ(at) & rest == 0)
        && (0..one.len()).all(|word| word == at || differ(word) == 0)
}
