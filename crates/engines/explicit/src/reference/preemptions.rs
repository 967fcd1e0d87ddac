//! Search by preemptions: runs with at most so many, those with the fewest first. What a preemption is, and why a search within a
//! bound can be complete, is said in the `preemptions.rs` of the fast searches.
//!
//! The process that moved last is made part of the state, and the rest is a breadth-first search in which steps that are
//! preemptions wait until there are no others. All pairs of a state and a process are visited; at the end states are counted.

use std::collections::BTreeSet;

use allways_system::{Applied, Event, Expansion, Fault, Pid, ProctypeId, Step, Successors};
use allways_verdict::PropertyKind;

use super::breadth_first::{Frontier, Waiting};
use super::exploration::Exploration;
use super::store::Store;
use crate::preemptions::{is_preemption, mover};
use crate::{Monitor, Outcome, Question};

pub fn search<S: Successors>(
    model: &S,
    question: &Question,
    at_most: u32,
    monitor: &mut dyn Monitor,
) -> Result<Outcome, Fault> {
    let model = &Remembering(model);
    let mut exploration = Exploration::new(model, question, monitor);
    let mut frontier = Frontier::default();
    let mut state = model.initial()?;
    exploration.preemptions = Some(0);
    frontier.visit(&mut exploration, &mut state, 0, 0, None);
    for level in 0..=at_most {
        let mut interrupted = Vec::new();
        while let Some(waiting) = frontier.queue.pop_front() {
            let (free, preemptions) = sorted(&exploration, &mut state, waiting);
            take_all(&mut exploration, &mut frontier, &mut state, &free);
            if exploration.is_stopped() {
                return Ok(finish(exploration));
            }
            interrupted.extend(preemptions);
        }
        if level == at_most {
            let known = states(&exploration.store);
            exploration.outcome.bound_cut =
                interrupted.iter().any(|waiting| leads_beyond(&mut exploration, &known, &mut state, waiting));
            break;
        }
        exploration.preemptions = Some(level + 1);
        for waiting in &interrupted {
            take_all(&mut exploration, &mut frontier, &mut state, waiting);
        }
        if exploration.is_stopped() || frontier.queue.is_empty() {
            break;
        }
    }
    Ok(finish(exploration))
}

/// The outcome, with states instead of pairs.
fn finish<S: Successors>(exploration: Exploration<S>) -> Outcome {
    let n_states = states(&exploration.store).len() as u64;
    let mut outcome = exploration.finish();
    outcome.statistics.matched += outcome.statistics.states - n_states;
    outcome.statistics.states = n_states;
    outcome
}

/// The states of pairs.
fn states(pairs: &Store) -> Store {
    let mut states = Store::default();
    for index in 0..pairs.len() {
        let state = &pairs.key(index)[PID..];
        states.insert(state, state.len());
    }
    states
}

/// The same with the steps that are free, and with those that are preemptions, if there are any.
fn sorted<S: Successors>(
    exploration: &Exploration<Remembering<S>>,
    state: &mut (S::State, Option<Pid>),
    waiting: Waiting,
) -> (Waiting, Option<Waiting>) {
    waiting.unpack(exploration, state);
    let enabled = &waiting.steps;
    let (preemptions, free): (Vec<Step>, Vec<Step>) =
        enabled.iter().partition(|step| is_preemption(state.1, enabled, **step));
    let other = Waiting { steps: preemptions.into(), state: waiting.state.clone(), ..waiting };
    (Waiting { steps: free.into(), ..waiting }, (!other.steps.is_empty()).then_some(other))
}

fn take_all<S: Successors>(
    exploration: &mut Exploration<S>,
    frontier: &mut Frontier,
    state: &mut S::State,
    waiting: &Waiting,
) {
    for &step in &waiting.steps {
        if exploration.is_stopped() {
            return;
        }
        waiting.unpack(exploration, state);
        exploration.tick(|| frontier.memory());
        if exploration.take(state, step, &mut || frontier.path(waiting.node, Some(step))) {
            frontier.visit(exploration, state, waiting.depth + 1, waiting.node, Some(step));
        }
    }
}

/// Whether some of these steps, which the bound does not allow, violates a property that was not violated so far, or leads to a state
/// that was not visited.
fn leads_beyond<S: Successors>(
    exploration: &mut Exploration<S>,
    known: &Store,
    state: &mut S::State,
    waiting: &Waiting,
) -> bool {
    let (model, question) = (exploration.model, exploration.question);
    let is_found = |kind| exploration.outcome.found.iter().any(|found| found.kind == kind);
    let assertions = question.assertions && !is_found(PropertyKind::Assertions);
    let exclusive = question.exclusive && !is_found(PropertyKind::Exclusive);
    let mut passed = BTreeSet::new();
    waiting.unpack(exploration, state);
    let mut todo = vec![(exploration.pack(state).to_vec(), waiting.steps.to_vec())];
    while let Some((bytes, steps)) = todo.pop() {
        for step in steps {
            model.unpack(&bytes, state);
            match model.apply(state, step, None::<&mut Vec<Event>>) {
                Ok(applied) if applied.assertion_failed && assertions => return true,
                Ok(applied) if applied.exclusive_violated && exclusive => return true,
                Ok(_) => {}
                Err(Fault::TooLarge(reason)) => {
                    exploration.outcome.too_large = Some(reason);
                    continue;
                }
                Err(_) if exploration.outcome.fault_cut => continue,
                Err(_) => return true,
            }
            let mut next = Vec::new();
            if model.is_exclusive(state) {
                let expansion = model.steps(state, &mut next);
                if expansion.nondeterminism.is_some() && assertions {
                    return true;
                }
                if next.is_empty() {
                    model.release(state);
                }
            }
            let mut bytes = Vec::new();
            let key = model.pack(state, &mut bytes);
            if next.is_empty() && !known.contains(&bytes[PID..key]) {
                return true;
            }
            if !next.is_empty() && passed.insert(bytes.clone()) {
                todo.push((bytes, next));
            }
        }
    }
    false
}

/// Bytes of the process that moved last.
const PID: usize = 4;

/// A system whose states know who moved last.
struct Remembering<'m, S>(&'m S);

impl<S: Successors> Successors for Remembering<'_, S> {
    type State = (S::State, Option<Pid>);

    fn initial(&self) -> Result<Self::State, Fault> {
        Ok((self.0.initial()?, None))
    }

    fn steps(&self, state: &Self::State, steps: &mut Vec<Step>) -> Expansion {
        self.0.steps(&state.0, steps)
    }

    fn apply(
        &self,
        state: &mut Self::State,
        step: Step,
        events: Option<&mut Vec<Event>>,
    ) -> Result<Applied, Fault> {
        let applied = self.0.apply(&mut state.0, step, events)?;
        state.1 = Some(mover(step));
        Ok(applied)
    }

    fn proctype_of(&self, state: &Self::State, pid: Pid) -> ProctypeId {
        self.0.proctype_of(&state.0, pid)
    }

    fn is_exclusive(&self, state: &Self::State) -> bool {
        self.0.is_exclusive(&state.0)
    }

    fn release(&self, state: &mut Self::State) {
        self.0.release(&mut state.0);
    }

    fn is_valid_end(&self, state: &Self::State) -> bool {
        self.0.is_valid_end(&state.0)
    }

    fn pack(&self, state: &Self::State, bytes: &mut Vec<u8>) -> usize {
        let mut inner = Vec::new();
        let key = self.0.pack(&state.0, &mut inner);
        bytes.clear();
        bytes.extend(state.1.map_or(0, |pid| pid + 1).to_le_bytes());
        bytes.extend(inner);
        key + PID
    }

    fn unpack(&self, bytes: &[u8], state: &mut Self::State) {
        let (last, inner) = bytes.split_at(PID.min(bytes.len()));
        state.1 = last.try_into().map_or(0, u32::from_le_bytes).checked_sub(1);
        self.0.unpack(inner, &mut state.0);
    }
}
