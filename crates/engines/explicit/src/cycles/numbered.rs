//! Compiled steps between numbered states.

use std::ops::ControlFlow;
use std::sync::Arc;

use allways_compiled::{
    Arrival, Chooser, Instance, Machine, Shape, StepsTo, Visitor, Watcher, Worker, Wrong,
};
use allways_store::{Interner, OutOfMemory};
use allways_system::Step;

use super::{Chosen, CycleQuestion, DistinctMoves, Fairness, Halt, Move, Noticed, Pids, Space, View};
use crate::Stopped;
use crate::choose::{Reducer, Reducing};
use crate::collapse::{Base, Collapse, Refused};
use crate::depth_first::Restart;
use crate::trail::Finder;

/// Fairness knows this many processes.
pub const MOST_PIDS: u32 = 64;

/// The states of a machine, kept without loss: dictionaries make two ids of a state, and one more makes a number of these.
pub struct Numbered<'m, 's> {
    worker: Worker<'m, 's>,
    watcher: Watcher,
    collapse: Collapse,
    numbers: Interner,
    base: Base,
    distinct: DistinctMoves,
    chooser: Watching<'m>,
    /// Fairness asks who can move and who does.
    asks_who: bool,
    noticed: Noticed,
    limit: Option<u64>,
    /// Some state has the number 0.
    has_zero: bool,
}

impl<'m, 's> Numbered<'m, 's> {
    pub fn new(
        machine: &'m Machine<'s>,
        collapse: Collapse,
        reduction: Option<&'m Reducer>,
        question: &CycleQuestion<'m>,
    ) -> Result<Numbered<'m, 's>, OutOfMemory> {
        let asks_who = question.fairness != Fairness::None;
        let mut worker = Worker::new(machine);
        if !asks_who {
            worker.remember();
        }
        worker.limit_length(question.limits.longest_sequence());
        let reducing = Reducing::steady(reduction, machine);
        Ok(Numbered {
            worker,
            watcher: machine.watcher(&question.observer.propositions),
            collapse,
            numbers: Interner::new(1)?,
            base: Base::default(),
            distinct: DistinctMoves::default(),
            chooser: Watching { reducing, asks_who, chosen: question.chosen, enabled: 0, too_many: false },
            asks_who,
            noticed: Noticed::default(),
            limit: question.limits.memory,
            has_zero: false,
        })
    }

    fn grow(&mut self) -> Result<(), Halt> {
        let grown = self.collapse.grow().and_then(|()| self.numbers.grow());
        let is_over = self.limit.is_some_and(|limit| self.bytes() > limit);
        if grown.is_err() || is_over { Err(Halt::Stopped(Stopped::Memory)) } else { Ok(()) }
    }

    /// The state with this number becomes the worker's.
    fn load(&mut self, state: u32) {
        let pair = self.numbers.value(state)[0];
        let words = self.worker.words_mut(self.collapse.room());
        self.collapse.decode(pair as u32, (pair >> 32) as u32, words, &mut self.base);
        self.worker.adopt();
    }

    /// What came to light when a state was expanded.
    fn check(&mut self, refused: Option<Refused>) -> Result<bool, Halt> {
        let noted = &mut self.noticed.too_large;
        if let Some(halt) = self.worker.too_large().and_then(|too_large| Halt::of(too_large, noted)) {
            return Err(halt);
        }
        if self.chooser.too_many {
            return Err(Halt::TooLarge(format!("fairness is for up to {MOST_PIDS} processes")));
        }
        match refused {
            Some(Refused::Full) => {
                self.grow()?;
                Ok(false)
            }
            Some(Refused::TooWide(words)) => Err(Halt::Restart(Restart::Words(words))),
            None => match self.chooser.reducing.begin_anew(self.worker.machine) {
                Some(restart) => Err(Halt::Restart(restart)),
                None => Ok(true),
            },
        }
    }
}

impl Space for Numbered<'_, '_> {
    fn initial(&mut self) -> Result<u32, Halt> {
        let room = self.collapse.room();
        self.worker.words_mut(room);
        if self.worker.start().is_err() {
            return Err(Halt::Restart(Restart::Shapes));
        }
        loop {
            let words = self.worker.words_mut(room);
            match self.collapse.encode_all(words, &mut self.base) {
                Ok((left, right)) => {
                    let pair = u64::from(left) | u64::from(right) << 32;
                    if let Ok(number) = self.numbers.intern_array(&[pair]) {
                        return Ok(number);
                    }
                }
                Err(Refused::TooWide(words)) => return Err(Halt::Restart(Restart::Words(words))),
                Err(Refused::Full) => {}
            }
            self.grow()?;
        }
    }

    fn look(&mut self, state: u32, view: &mut View) -> Result<(), Halt> {
        self.has_zero |= state == 0;
        loop {
            self.load(state);
            if let Some(limit) = self.limit {
                self.worker.allow(limit.saturating_sub(self.bytes()));
            }
            view.moves.clear();
            self.distinct.begin();
            self.chooser.enabled = 0;
            let mut collector = Collector {
                collapse: &self.collapse,
                numbers: &self.numbers,
                base: &mut self.base,
                moves: &mut view.moves,
                distinct: &mut self.distinct,
                asks_who: self.asks_who,
                refused: None,
                fault: false,
            };
            let expanded = self.worker.expand(&mut collector, &mut self.chooser, u64::MAX);
            let (refused, fault) = (collector.refused, collector.fault);
            if !self.check(refused)? {
                continue;
            }
            self.noticed.fault_cut |= fault;
            self.noticed.endless |= expanded.is_endless;
            self.noticed.depth_cut |= expanded.depth_cut;
            self.noticed.atomic_steps = self.noticed.atomic_steps.saturating_add(expanded.atomic_steps);
            view.letter = self.worker.letter(&self.watcher, expanded.timeout);
            view.is_stuck = expanded.is_stuck;
            view.enabled = self.chooser.enabled;
            if self.numbers.wants_growth() || self.collapse.wants_growth() {
                self.grow()?;
            }
            return Ok(());
        }
    }

    fn n_states(&self) -> u64 {
        // The value zero has a number from the start, whether it is a state or not.
        (self.numbers.len() - u32::from(!self.has_zero)).into()
    }

    fn bytes(&self) -> u64 {
        self.numbers.bytes() + self.collapse.bytes()
    }

    fn effort(&self) -> u64 {
        self.worker.effort()
    }

    fn steps(&mut self, from: u32, to: u32, movers: Option<Pids>) -> Vec<Step> {
        let mut target = vec![0; self.collapse.room()];
        let pair = self.numbers.value(to)[0];
        self.collapse.decode(pair as u32, (pair >> 32) as u32, &mut target, &mut self.base);
        self.load(from);
        let words = self.worker.words().to_vec();
        // One that remembers nothing tells all steps.
        let mut worker = Worker::new(self.worker.machine);
        worker.keep_steps();
        worker.load(&words);
        let mut finder = Finder { target: &target, movers: movers.filter(|_| self.asks_who), found: None };
        worker.expand(&mut finder, &mut self.chooser, u64::MAX);
        finder.found.unwrap_or_default()
    }

    fn noticed(&self) -> &Noticed {
        &self.noticed
    }
}

/// Numbers the states that are reached.
struct Collector<'c> {
    collapse: &'c Collapse,
    numbers: &'c Interner,
    base: &'c mut Base,
    moves: &'c mut Vec<Move>,
    distinct: &'c mut DistinctMoves,
    asks_who: bool,
    refused: Option<Refused>,
    fault: bool,
}

impl Visitor for Collector<'_> {
    fn arrive(&mut self, arrival: &Arrival) -> ControlFlow<()> {
        let (left, right) = match self.collapse.encode(arrival, self.base) {
            Ok(pair) => pair,
            Err(refused) => {
                self.refused = Some(refused);
                return ControlFlow::Break(());
            }
        };
        let Ok(target) = self.numbers.intern_array(&[u64::from(left) | u64::from(right) << 32]) else {
            self.refused = Some(Refused::Full);
            return ControlFlow::Break(());
        };
        let movers = if self.asks_who { arrival.movers.into() } else { 0 };
        self.distinct.add(self.moves, Move { target, movers });
        ControlFlow::Continue(())
    }

    fn violation(&mut self, what: Wrong, _: usize, _: StepsTo) -> ControlFlow<()> {
        self.fault |= what == Wrong::Fault;
        ControlFlow::Continue(())
    }
}

/// Everybody who takes part in a step.
pub fn movers_of(steps: &[Step]) -> Pids {
    let both = |step: &Step| bit(step.pid) | step.partner.map_or(0, |(pid, _)| bit(pid));
    steps.iter().fold(0, |all, step| all | both(step))
}

fn bit(pid: u32) -> Pids {
    if pid < MOST_PIDS { 1 << pid } else { 0 }
}

/// Notes who can move. With fairness nothing is left out.
struct Watching<'r> {
    reducing: Reducing<'r>,
    asks_who: bool,
    /// Whom fairness is about; none for everybody.
    chosen: Option<&'r Chosen>,
    enabled: Pids,
    /// There are more processes than there are bits.
    too_many: bool,
}

impl Chooser for Watching<'_> {
    fn chooses(&self) -> bool {
        self.asks_who || self.reducing.chooses()
    }

    fn choose(&mut self, shape: &Shape, words: &[u64], steps: &[Step], timeout: bool) -> Option<&[u32]> {
        if self.asks_who {
            self.enabled = movers_of(steps);
            if let Some(chosen) = self.chosen {
                let processes = shape.processes.iter().enumerate().take(MOST_PIDS as usize);
                let is_chosen = |(pid, process): &(usize, &Arc<Instance>)| {
                    chosen.contains(*pid as u32, process.proctype, process.at(words))
                };
                self.enabled &= processes.filter(is_chosen).fold(0, |all, (pid, _)| all | bit(pid as u32));
            }
            self.too_many |= shape.processes.len() > MOST_PIDS as usize;
            return None;
        }
        self.reducing.choose(shape, words, steps, timeout)
    }
}
