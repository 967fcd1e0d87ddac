//! Searching for runs that an observer accepts: those that break a temporal property.
//!
//! The states of the system get numbers when they are met ([`Space`]: compiled in `numbered.rs`, with the interpreter in
//! `plain.rs`). A [`Product`] pairs them with the states of the observer; such a pair is a *node*, again a
//! number, and what a search knows of a node is a few bits at that number. So the searches themselves are short:
//!
//! * `depth_first.rs`: a nested depth-first search with two bits per node, or, if the observer is weak, a single one;
//! * `forgetful.rs`: the same in a store that forgets;
//! * `components.rs`: strongly connected components, for several marks, for other conditions and for fairness;
//! * `good_parts.rs`: what to do where a component as a whole does not meet such a condition.
//!
//! What is found is a list of nodes; `lasso.rs` makes the steps of a run of it.

mod components;
mod depth_first;
pub mod forgetful;
mod good_parts;
mod lasso;
mod nodes;
pub mod numbered;
pub mod plain;
mod product;

use std::ops::ControlFlow;
use std::time::Instant;

use allways_compiled::TooLarge;
use allways_system::{Letter, LocationId, Observer, Pid, ProctypeId, Step};
use allways_verdict::{Limits, Statistics};
use rustc_hash::FxHashSet;

use crate::depth_first::{Helpless, Restart, TICK_EFFORT};
use crate::{Keep, Loss, Monitor, Stopped};
use product::Product;

pub use product::strongly_connected;

/// Which runs count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Fairness {
    /// All.
    #[default]
    None,
    /// Those in which a process that can move from some moment on, always, does.
    Weak,
    /// Those in which a process that can move infinitely often does.
    Strong,
}

/// Whom fairness is about, if not every process everywhere.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Chosen(pub Vec<ChosenPart>);

/// A part of the system that has to be treated fairly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChosenPart {
    pub proctype: ProctypeId,
    /// One of its processes; none for all.
    pub pid: Option<Pid>,
    /// While it is there; none for everywhere.
    pub location: Option<LocationId>,
}

impl Chosen {
    /// Whether a process has to be treated fairly where it is now.
    pub fn contains(&self, pid: Pid, proctype: ProctypeId, location: LocationId) -> bool {
        self.0.iter().any(|part| {
            part.proctype == proctype
                && part.pid.is_none_or(|only| only == pid)
                && part.location.is_none_or(|only| only == location)
        })
    }
}

/// How to search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Algorithm {
    /// By what the observer and fairness need.
    #[default]
    Auto,
    /// Two nested depth-first searches, even where one would do.
    Nested,
    /// Strongly connected components.
    Components,
}

/// What to look for, and when to stop.
#[derive(Clone, Copy, Debug)]
pub struct CycleQuestion<'q> {
    pub observer: &'q Observer,
    pub fairness: Fairness,
    /// Whom fairness is about; none for everybody.
    pub chosen: Option<&'q Chosen>,
    pub algorithm: Algorithm,
    /// Look for a lasso with a shortest prefix.
    pub shortest: bool,
    /// How visited states are kept. Fairness and shortest lassos are for the exact store only, which is used then.
    pub keep: Keep,
    /// `time` is the caller's to watch, through the monitor.
    pub limits: Limits,
}

/// A run that the observer accepts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    /// From the initial state.
    pub steps: Vec<Step>,
    /// The index of the step at which the cycle begins. If it is the number of steps, the last state is repeated for ever.
    /// None if the observer accepts whatever follows.
    pub cycle: Option<usize>,
    /// The states of the observer on the way: how many steps were taken by then, and the state.
    pub observed: Vec<(usize, u32)>,
}

/// The outcome of a search.
#[derive(Clone, Debug, Default)]
pub struct CycleOutcome {
    pub lasso: Option<Lasso>,
    /// None if everything was explored, or a lasso was found.
    pub stopped: Option<Stopped>,
    pub depth_cut: bool,
    /// Some paths ended at a run-time error of the model.
    pub fault_cut: bool,
    /// An atomic sequence may never end: runs that stay in it for ever are not among those that were looked at.
    pub endless: bool,
    /// The lasso leads to a state in which a proposition cannot be evaluated that the observer has to know.
    pub letter_fault: bool,
    pub too_large: Option<String>,
    /// `states` and `matched` are about nodes.
    pub statistics: Statistics,
    /// Bytes for what is known of the nodes, beside the states themselves.
    pub node_bytes: u64,
    /// States of the system.
    pub system_states: u64,
    /// How often a node was expanded: more than once in a nested search.
    pub visits: u64,
    /// Runs may have been left out because others stand for them.
    pub reduced: bool,
    /// The algorithm that was used.
    pub algorithm: Algorithm,
    /// Observer states that were met.
    pub observer_states: Vec<bool>,
    /// What may have been lost, if the store forgets.
    pub loss: Option<Loss>,
    /// Propositions that held in some state that was met, and those that did not in some.
    pub ever: u64,
    pub ever_not: u64,
    /// With fairness, the processes that could move in some state that was met and have to be treated fairly there.
    pub ever_enabled: Pids,
    /// The observer had no way to go on somewhere: what lies beyond was not met.
    pub gave_up: bool,
}

/// Which processes: bit `i` for process `i`.
pub type Pids = u128;

/// States of the system with numbers, and what can happen in them.
pub trait Space {
    /// The number of the initial state.
    fn initial(&mut self) -> Result<u32, Halt>;

    /// Finds out all that matters about a state.
    fn look(&mut self, state: u32, view: &mut View) -> Result<(), Halt>;

    /// How many states there are so far.
    fn n_states(&self) -> u64;

    fn bytes(&self) -> u64;

    /// How many statements inside `d_step`s and atomic sequences were carried out so far, if that is known.
    fn effort(&self) -> u64 {
        0
    }

    /// The steps of a move between two states, with exactly these movers if they matter.
    fn steps(&mut self, from: u32, to: u32, movers: Option<Pids>) -> Vec<Step>;

    /// Whether this stands for an atomic sequence that never ends, seen from the state in which it was entered.
    fn is_endless(&self, _state: u32) -> bool {
        false
    }

    /// What was noticed on the way.
    fn noticed(&self) -> &Noticed;
}

/// What is worth telling about the states that were looked at.
#[derive(Clone, Debug, Default)]
pub struct Noticed {
    pub fault_cut: bool,
    pub too_large: Option<String>,
    pub atomic_steps: u64,
    /// An atomic sequence can go on for ever: what happens in it then is not looked at.
    /// An atomic sequence is longer than the depth limit allows.
    pub depth_cut: bool,
    pub endless: bool,
}

/// What there is to know about a state.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// What is known of the propositions.
    pub letter: Letter,
    pub moves: Vec<Move>,
    /// Nothing can happen.
    pub is_stuck: bool,
    /// The processes that can move and have to be treated fairly here, if fairness matters.
    pub enabled: Pids,
}

/// A step, or an atomic sequence of steps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    pub target: u32,
    /// Who moves, if fairness matters.
    pub movers: Pids,
}

/// Keeps a list of moves free of repetitions.
#[derive(Default)]
struct DistinctMoves(FxHashSet<Move>);

impl DistinctMoves {
    /// In a list of so many it is quicker to look at each.
    const FEW: usize = 16;

    /// Begins an empty list.
    fn begin(&mut self) {
        self.0.clear();
    }

    /// Adds a move to the list unless it is there.
    fn add(&mut self, list: &mut Vec<Move>, next: Move) {
        let is_new = if list.len() < Self::FEW {
            !list.contains(&next)
        } else {
            if self.0.is_empty() {
                self.0.extend(list.iter());
            }
            self.0.insert(next)
        };
        if is_new {
            list.push(next);
        }
    }
}

/// Why a search cannot go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Halt {
    /// Something was not as expected: begin anew.
    Restart(Restart),
    Stopped(Stopped),
    /// A proposition cannot be evaluated, and the observer has to know it.
    Letter,
    /// More than can be represented.
    TooLarge(String),
}

impl Halt {
    /// What to do about a system that grew. What cannot be helped is only noted.
    fn of(too_large: TooLarge, noted: &mut Option<String>) -> Option<Halt> {
        match Restart::because(too_large) {
            Ok(why) => Some(Halt::Restart(why)),
            Err(Helpless::System(reason)) => {
                *noted = Some(reason);
                None
            }
            Err(Helpless::Stopped(stopped)) => Some(Halt::Stopped(stopped)),
        }
    }
}

/// Searches a space. If it has to begin anew: why, and after how many states.
pub fn search<S: Space>(
    space: S,
    question: &CycleQuestion,
    monitor: &mut dyn Monitor,
    started: Instant,
) -> Result<CycleOutcome, (Restart, u64)> {
    let observer = question.observer;
    let algorithm = match (question.algorithm, question.fairness) {
        _ if question.shortest => Algorithm::Components,
        (_, Fairness::Weak | Fairness::Strong) => Algorithm::Components,
        _ if !observer.is_generalized_buchi() => Algorithm::Components,
        (Algorithm::Auto, _) if product::is_weak(observer) || observer.n_marks <= 1 => Algorithm::Nested,
        (Algorithm::Auto, _) => Algorithm::Components,
        (chosen, _) => chosen,
    };
    let mut product = Product::new(space, question, algorithm == Algorithm::Nested);
    let mut clock = Clock::new(monitor, started, question.limits);
    let mut outcome = CycleOutcome { algorithm, ..CycleOutcome::default() };
    let found = match algorithm {
        Algorithm::Components => {
            components::search(&mut product, question.shortest, &mut clock, &mut outcome)
        }
        _ => depth_first::search(
            &mut product,
            question.algorithm == Algorithm::Auto && product::is_weak(observer),
            &mut clock,
            &mut outcome,
        ),
    };
    match found {
        Ok(None) => {}
        Ok(Some(found)) => outcome.lasso = Some(lasso::lasso(&mut product, &found)),
        Err(Halt::Restart(restart)) => return Err((restart, product.space.n_states())),
        Err(Halt::Stopped(stopped)) => outcome.stopped = Some(stopped),
        Err(Halt::Letter) => outcome.letter_fault = true,
        Err(Halt::TooLarge(reason)) => outcome.too_large = Some(reason),
    }
    let noticed = product.space.noticed();
    outcome.fault_cut = noticed.fault_cut;
    outcome.endless = noticed.endless;
    outcome.depth_cut |= noticed.depth_cut;
    outcome.too_large = outcome.too_large.take().or_else(|| noticed.too_large.clone());
    outcome.statistics.atomic_steps = noticed.atomic_steps;
    outcome.system_states = product.space.n_states();
    outcome.observer_states = product.met.clone();
    (outcome.ever, outcome.ever_not, outcome.gave_up) = (product.ever, product.ever_not, product.gave_up);
    outcome.ever_enabled = product.ever_enabled;
    outcome.statistics.search = started.elapsed();
    Ok(outcome)
}

/// How many nodes are expanded between two looks at the clock.
const TICK: u32 = 2048;

/// Watches limits.
struct Clock<'c> {
    monitor: &'c mut dyn Monitor,
    started: Instant,
    limits: Limits,
    statistics: Statistics,
    until_tick: u32,
    /// The effort after which it is time, too.
    due: u64,
}

impl<'c> Clock<'c> {
    fn new(monitor: &'c mut dyn Monitor, started: Instant, limits: Limits) -> Clock<'c> {
        Clock {
            monitor,
            started,
            limits,
            statistics: Statistics::default(),
            until_tick: TICK,
            due: TICK_EFFORT,
        }
    }

    /// To be called once per node that is expanded, with the effort so far.
    #[inline]
    fn tick(&mut self, outcome: &CycleOutcome, effort: u64, bytes: impl FnOnce() -> u64) -> Result<(), Halt> {
        self.until_tick -= 1;
        if self.until_tick > 0 && effort < self.due {
            return Ok(());
        }
        self.until_tick = TICK;
        self.due = effort + TICK_EFFORT;
        let bytes = bytes();
        self.statistics =
            Statistics { store_bytes: bytes, search: self.started.elapsed(), ..outcome.statistics };
        if self.limits.memory.is_some_and(|limit| bytes > limit) {
            return Err(Halt::Stopped(Stopped::Memory));
        }
        match self.monitor.tick(&self.statistics) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(stopped) => Err(Halt::Stopped(stopped)),
        }
    }
}
