//! The same with any [`Successors`], without any cleverness, but with an eye for atomic sequences that never end.
//!
//! An observer does not move inside an atomic sequence. If such a sequence goes on for ever, what it reads for ever is the
//! state before. So that state gets a second number: from there the only move is to stay.

use allways_system::{Alarm, Fault, Letter, Pid, STEPS_UNHEARD, Step, Successors};
use rustc_hash::{FxHashMap, FxHashSet};

use super::numbered::{MOST_PIDS, movers_of};
use super::{DistinctMoves, Halt, Move, Noticed, Pids, Space, View};

/// Which propositions hold in a state.
pub type Reads<'l, S> = &'l dyn Fn(&S) -> Letter;

/// Whether a process has to be treated fairly in a state.
pub type IsChosen<'l, S> = &'l dyn Fn(&S, Pid) -> bool;

/// States as bytes, in the order in which they were met.
pub struct Plain<'p, S: Successors> {
    model: &'p S,
    letter: Reads<'p, S::State>,
    /// Fairness asks who can move and who does, and whether a process has to be treated fairly in a state.
    asks_who: bool,
    is_chosen: Option<IsChosen<'p, S::State>>,
    numbers: FxHashMap<Box<[u8]>, u32>,
    states: Vec<S::State>,
    /// By the second number of a state: the steps into an atomic sequence that never ends, and those round in it.
    endless: FxHashMap<u32, Endless>,
    /// The second numbers, by the first ones.
    seconds: FxHashMap<u32, u32>,
    noticed: Noticed,
    alarm: Alarm,
}

/// An atomic sequence that never ends.
#[derive(Clone)]
struct Endless {
    entry: Vec<Step>,
    round: Vec<Step>,
}

/// A step that is to be taken.
struct Way<S> {
    state: S,
    /// The state inside an atomic sequence where it is taken, if it is one.
    from: Option<usize>,
    step: Step,
}

/// A state inside an atomic sequence.
struct Passed {
    bytes: Vec<u8>,
    /// The one before, if any, and the step that led here.
    from: Option<usize>,
    step: Step,
    /// Who has moved since the sequence began.
    movers: Pids,
}

/// The states inside the atomic sequences that begin in one state may have so many bytes together. Processes that are created for ever in such a
/// sequence would need all memory.
const MOST_PASSED: usize = 64 << 20;

/// The steps to a state inside an atomic sequence.
fn path_to(passed: &[Passed], mut from: Option<usize>) -> Vec<Step> {
    let mut path = Vec::new();
    while let Some(at) = from {
        path.push(passed[at].step);
        from = passed[at].from;
    }
    path.reverse();
    path
}

/// If the state that a step leads to was passed on the way to it: the steps there, and round.
fn round(passed: &[Passed], from: Option<usize>, step: Step, bytes: &[u8]) -> Option<Endless> {
    let mut first = from;
    while passed[first?].bytes != bytes {
        first = passed[first?].from;
    }
    let entry = path_to(passed, first);
    let mut round = path_to(passed, from).split_off(entry.len());
    round.push(step);
    Some(Endless { entry, round })
}

/// What can be reached from a state.
struct Reached<S> {
    enabled: Vec<Step>,
    /// By a step, or by an atomic sequence of steps: with the steps.
    arrivals: Vec<(S, Vec<Step>)>,
    endless: Option<Endless>,
}

impl<'p, S: Successors> Plain<'p, S> {
    pub fn new(
        model: &'p S,
        letter: Reads<'p, S::State>,
        asks_who: bool,
        is_chosen: Option<IsChosen<'p, S::State>>,
    ) -> Plain<'p, S> {
        Plain {
            model,
            letter,
            asks_who,
            is_chosen,
            numbers: FxHashMap::default(),
            states: Vec::new(),
            endless: FxHashMap::default(),
            seconds: FxHashMap::default(),
            noticed: Noticed::default(),
            alarm: Alarm::default(),
        }
    }

    /// Looks at an alarm inside of long atomic sequences.
    pub fn with_alarm(self, alarm: Alarm) -> Plain<'p, S> {
        Plain { alarm, ..self }
    }

    fn number(&mut self, state: &S::State) -> u32 {
        let mut bytes = Vec::new();
        let n = self.model.pack(state, &mut bytes);
        bytes.truncate(n);
        let next = self.states.len() as u32;
        let number = *self.numbers.entry(bytes.into()).or_insert(next);
        if number == next {
            self.states.push(state.clone());
        }
        number
    }

    fn reached(&mut self, state: u32) -> Result<Reached<S::State>, Halt> {
        let mut endless = None;
        let here = self.states[state as usize].clone();
        let mut enabled = Vec::new();
        self.model.steps(&here, &mut enabled);
        let mut arrivals = Vec::new();
        let mut passed: Vec<Passed> = Vec::new();
        // The states that were passed, and with whom they were passed.
        let mut inside: FxHashSet<Vec<u8>> = FxHashSet::default();
        let mut with_whom: FxHashSet<(Vec<u8>, Pids)> = FxHashSet::default();
        let mut n_bytes = 0;
        let first = |step: &Step| Way { state: here.clone(), from: None, step: *step };
        let mut todo: Vec<Way<S::State>> = enabled.iter().rev().map(first).collect();
        let mut n_steps = 0u64;
        while let Some(Way { mut state, from, step }) = todo.pop() {
            n_steps += 1;
            if n_steps.is_multiple_of(STEPS_UNHEARD)
                && let Some(halt) = self.alarm.rings()
            {
                return Err(Halt::Stopped(halt.into()));
            }
            match self.model.apply(&mut state, step, None) {
                Ok(_) => {}
                Err(Fault::TooLarge(reason)) => {
                    self.noticed.too_large = Some(reason);
                    continue;
                }
                Err(Fault::Halted(halt)) => return Err(Halt::Stopped(halt.into())),
                Err(_) => {
                    self.noticed.fault_cut = true;
                    continue;
                }
            }
            if self.model.is_exclusive(&state) {
                self.noticed.atomic_steps += 1;
                let mut steps = Vec::new();
                self.model.steps(&state, &mut steps);
                if !steps.is_empty() {
                    let mut bytes = Vec::new();
                    let n = self.model.pack(&state, &mut bytes);
                    bytes.truncate(n);
                    if !inside.insert(bytes.clone()) && endless.is_none() {
                        endless = round(&passed, from, step, &bytes);
                    }
                    let movers = from.map_or(0, |at| passed[at].movers) | movers_of(&[step]);
                    if with_whom.insert((bytes.clone(), movers)) {
                        n_bytes += bytes.len();
                        passed.push(Passed { bytes, from, step, movers });
                        let from = Some(passed.len() - 1);
                        let next = |step: &Step| Way { state: state.clone(), from, step: *step };
                        todo.extend(steps.iter().rev().map(next));
                    }
                    if n_bytes > MOST_PASSED {
                        let reason = format!("an atomic sequence through more than {} states", passed.len());
                        self.noticed.too_large = Some(reason);
                        break;
                    }
                    continue;
                }
                self.model.release(&mut state);
            }
            let mut path = path_to(&passed, from);
            path.push(step);
            arrivals.push((state, path));
        }
        Ok(Reached { enabled, arrivals, endless })
    }

    /// The second number of a state.
    fn second(&mut self, state: u32, endless: Endless) -> u32 {
        let next = self.states.len() as u32;
        let second = *self.seconds.entry(state).or_insert(next);
        if second == next {
            self.states.push(self.states[state as usize].clone());
            self.endless.insert(second, endless);
        }
        second
    }
}

impl<S: Successors> Space for Plain<'_, S> {
    fn initial(&mut self) -> Result<u32, Halt> {
        let state = self.model.initial().map_err(|fault| Halt::TooLarge(fault.to_string()))?;
        Ok(self.number(&state))
    }

    fn look(&mut self, state: u32, view: &mut View) -> Result<(), Halt> {
        view.letter = (self.letter)(&self.states[state as usize]);
        view.moves.clear();
        if self.endless.contains_key(&state) {
            (view.is_stuck, view.enabled) = (false, 0);
            view.moves.push(Move { target: state, movers: Pids::MAX });
            return Ok(());
        }
        let Reached { enabled, arrivals, endless } = self.reached(state)?;
        view.is_stuck = enabled.is_empty();
        view.enabled = movers_of(&enabled);
        if let Some(is_chosen) = self.is_chosen {
            let here = &self.states[state as usize];
            let counts = (0..MOST_PIDS).filter(|pid| view.enabled >> pid & 1 == 1 && is_chosen(here, *pid));
            view.enabled = counts.fold(0, |all, pid| all | 1 << pid);
        }
        if self.asks_who && enabled.iter().any(|step| step.pid >= MOST_PIDS) {
            return Err(Halt::TooLarge(format!("fairness is for up to {MOST_PIDS} processes")));
        }
        let mut distinct = DistinctMoves::default();
        for (state, path) in &arrivals {
            let next = Move { target: self.number(state), movers: movers_of(path) };
            distinct.add(&mut view.moves, next);
        }
        if let Some(endless) = endless {
            let target = self.second(state, endless);
            view.moves.push(Move { target, movers: Pids::MAX });
        }
        Ok(())
    }

    fn n_states(&self) -> u64 {
        self.states.len() as u64
    }

    fn bytes(&self) -> u64 {
        self.numbers.keys().map(|bytes| 3 * bytes.len() as u64 + 64).sum()
    }

    fn steps(&mut self, from: u32, to: u32, movers: Option<Pids>) -> Vec<Step> {
        if let Some(endless) = self.endless.get(&to) {
            return if from == to { endless.round.clone() } else { endless.entry.clone() };
        }
        let mut found: Option<Vec<Step>> = None;
        // These steps were taken before; what was found must be told also when the time is up.
        let alarm = std::mem::take(&mut self.alarm);
        let arrivals = self.reached(from).map_or(Vec::new(), |reached| reached.arrivals);
        self.alarm = alarm;
        for (state, path) in arrivals {
            let is_there =
                self.number(&state) == to && movers.is_none_or(|movers| movers == movers_of(&path));
            if is_there && found.as_ref().is_none_or(|found| path.len() < found.len()) {
                found = Some(path);
            }
        }
        found.unwrap_or_default()
    }

    fn is_endless(&self, state: u32) -> bool {
        self.endless.contains_key(&state)
    }

    fn noticed(&self) -> &Noticed {
        &self.noticed
    }
}
