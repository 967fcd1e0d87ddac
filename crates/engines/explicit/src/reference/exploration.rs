//! What a search does with a state it arrives at, whatever its order.
//!
//! A state is *stored* unless a process is inside an atomic sequence: such states are passed through. If that process
//! is blocked, atomicity is lost, and the state is treated like any other from then on. This, and what counts as one
//! step for the depth, follow Spin's verifier, so that the figures can be compared.

use std::ops::ControlFlow;

use allways_system::{Applied, Event, Fault, Step, Successors};
use allways_verdict::PropertyKind;

use super::store::{StateId, Store};
use crate::tally::Violated;
use crate::{Found, Monitor, Outcome, Question, Stopped, What};

/// The state of an exploration, apart from what is still to be done.
pub struct Exploration<'e, S: Successors> {
    pub model: &'e S,
    pub question: &'e Question,
    monitor: &'e mut dyn Monitor,
    pub store: Store,
    pub outcome: Outcome,
    /// How many preemptions lead to where it is, if the search goes by that.
    pub preemptions: Option<u32>,
    started: std::time::Instant,
    /// Scratch for packing.
    packed: Vec<u8>,
    until_tick: u32,
}

/// How an arrival ended.
pub enum Arrival {
    /// The state was known; nothing more to do.
    Known,
    /// It is new, or it is passed through: its steps follow.
    Expanded {
        /// None if it is passed through.
        stored: Option<StateId>,
    },
}

/// How many steps on small states between two calls of the monitor.
const TICK: u32 = 8192;

impl<'e, S: Successors> Exploration<'e, S> {
    pub fn new(model: &'e S, question: &'e Question, monitor: &'e mut dyn Monitor) -> Exploration<'e, S> {
        Exploration {
            model,
            question,
            monitor,
            store: Store::default(),
            outcome: Outcome::default(),
            preemptions: None,
            started: std::time::Instant::now(),
            packed: Vec::new(),
            until_tick: TICK,
        }
    }

    /// Takes `step` in `state`. False if this path ends here.
    pub fn take(&mut self, state: &mut S::State, step: Step, path: &mut dyn FnMut() -> Vec<Step>) -> bool {
        self.outcome.coverage.mark(self.model.proctype_of(state, step.pid), step.transition);
        if let Some((pid, transition)) = step.partner {
            self.outcome.coverage.mark(self.model.proctype_of(state, pid), transition);
        }
        match self.model.apply(state, step, None::<&mut Vec<Event>>) {
            Ok(applied) => {
                self.note(applied, path);
                if self.model.is_exclusive(state) {
                    self.outcome.statistics.atomic_steps += 1;
                }
                true
            }
            Err(Fault::TooLarge(reason)) => {
                self.outcome.too_large = Some(reason);
                false
            }
            Err(Fault::Halted(halt)) => {
                self.outcome.stopped.get_or_insert(halt.into());
                false
            }
            Err(fault) => {
                self.outcome.fault_cut = true;
                if self.question.assertions {
                    self.found(PropertyKind::Assertions, What::Fault(Some(fault)), path);
                }
                false
            }
        }
    }

    /// Arrives at `state` after `depth` steps: stores it if need be and appends its steps.
    pub fn arrive(
        &mut self,
        state: &mut S::State,
        depth: u64,
        steps: &mut Vec<Step>,
        path: &mut dyn FnMut() -> Vec<Step>,
    ) -> Arrival {
        let before = steps.len();
        let mut stored = None;
        if !self.model.is_exclusive(state) {
            stored = self.store_state(state);
            if stored.is_none() {
                return Arrival::Known;
            }
        }
        self.reached(depth);
        let mut expansion = self.model.steps(state, steps);
        if steps.len() == before && stored.is_none() {
            self.model.release(state);
            stored = self.store_state(state);
            if stored.is_none() {
                return Arrival::Known;
            }
            expansion = self.model.steps(state, steps);
        }
        if expansion.refused_handshake {
            self.reached(depth + 1);
        }
        if let Some(second) = expansion.nondeterminism
            && self.question.assertions
        {
            let mut path_and_choice = || {
                let mut steps = path();
                steps.push(second);
                steps
            };
            self.found(PropertyKind::Assertions, What::Nondeterminism, &mut path_and_choice);
        }
        if steps.len() == before && self.question.deadlock && !self.model.is_valid_end(state) {
            self.found(PropertyKind::Deadlock, What::InvalidEnd, path);
        }
        Arrival::Expanded { stored }
    }

    /// The bytes of a state.
    pub fn pack(&mut self, state: &S::State) -> &[u8] {
        self.model.pack(state, &mut self.packed);
        &self.packed
    }

    /// Notes that a path of this length was looked at.
    pub fn reached(&mut self, depth: u64) {
        let deepest = &mut self.outcome.statistics.depth;
        *deepest = (*deepest).max(depth);
    }

    /// To be called once per step. `stack_bytes` is what the search itself occupies.
    pub fn tick(&mut self, stack_bytes: impl FnOnce() -> u64) {
        // A step costs more the larger the states are, and the monitor must not wait for long.
        let cost = 1 + (self.packed.len() / 64) as u32;
        if cost < self.until_tick {
            self.until_tick -= cost;
            return;
        }
        self.until_tick = TICK;
        let store_bytes = self.store.memory();
        self.outcome.statistics.store_bytes = store_bytes;
        self.outcome.statistics.search = self.started.elapsed();
        if let Some(limit) = self.question.limits.memory
            && store_bytes + stack_bytes() > limit
        {
            self.outcome.stopped = Some(Stopped::Memory);
        }
        if self.store.is_full() {
            self.outcome.stopped = Some(Stopped::Memory);
        }
        if let ControlFlow::Break(stopped) = self.monitor.tick(&self.outcome.statistics) {
            self.outcome.stopped = Some(stopped);
        }
    }

    pub fn is_stopped(&self) -> bool {
        self.outcome.stopped.is_some()
    }

    pub fn finish(mut self) -> Outcome {
        self.outcome.statistics.store_bytes = self.store.memory();
        self.outcome.statistics.search = self.started.elapsed();
        self.outcome
    }

    fn store_state(&mut self, state: &S::State) -> Option<StateId> {
        let key = self.model.pack(state, &mut self.packed);
        let new = self.store.insert(&self.packed, key);
        let statistics = &mut self.outcome.statistics;
        match new {
            Some(_) => {
                statistics.states += 1;
                statistics.state_bytes = statistics.state_bytes.max(self.packed.len() as u64);
            }
            None => statistics.matched += 1,
        }
        new
    }

    fn note(&mut self, applied: Applied, path: &mut dyn FnMut() -> Vec<Step>) {
        if applied.assertion_failed && self.question.assertions {
            self.found(PropertyKind::Assertions, What::AssertionFailed, path);
        }
        if applied.exclusive_violated && self.question.exclusive {
            self.found(PropertyKind::Exclusive, What::ExclusiveViolated, path);
        }
    }

    /// Notes a violation. Only the first of each property keeps its path: on many models there are millions.
    fn found(&mut self, kind: PropertyKind, what: What, path: &mut dyn FnMut() -> Vec<Step>) {
        match self.outcome.found.iter_mut().find(|found| found.kind == kind) {
            Some(known) => known.count += 1,
            None => {
                let (steps, preemptions) = (path(), self.preemptions);
                self.outcome.found.push(Found { kind, what, steps, is_cut: false, count: 1, preemptions });
            }
        }
        if self.question.is_over(Violated::of(self.outcome.found.iter().map(|found| found.kind))) {
            self.outcome.stopped.get_or_insert(Stopped::Violation);
        }
    }
}
