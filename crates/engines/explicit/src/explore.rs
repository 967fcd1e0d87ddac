//! Plugs the parts of a search together.
//!
//! Some things are found out by trying: how many words states have, how many shapes there are, which processes exist. A
//! short look ahead tells in almost all cases; if it was wrong, the search begins anew with what is known now, which
//! happens early or never.

use std::collections::{HashSet, VecDeque};
use std::ops::ControlFlow;
use std::time::Instant;

use allways_compiled::{
    Arrival, Everything, Machine, Options, StartError, TooLarge, Unsupported, Visitor, Worker, Wrong,
};
use allways_reduction::Reduction;
use allways_store::{Bitstate, Compact, OutOfMemory};
use allways_system::{Semantics, Step, System};
use allways_verdict::Statistics;

use crate::breadth_first;
use crate::choose::reduction;
use crate::depth_first::{self, End, Report, Restart};
use crate::keeper::{Keeper, Lossless, Lossy};
use crate::order::Changes;
use crate::{Coverage, Keep, Monitor, Order, Outcome, Question, Stopped};

/// Explores everything that can be reached, or as much as the question allows. Refuses systems that only the
/// interpreter can run, and those without an initial state.
pub fn explore(
    system: &System,
    semantics: Semantics,
    question: &Question,
    monitor: &mut dyn Monitor,
) -> Result<Outcome, Unsupported> {
    let started = Instant::now();
    let mut options = Options { semantics, watch_claims: question.exclusive, ..Options::default() };
    let mut n_words = 1;
    let mut n_unknown = 0;
    'machine: loop {
        let machine = Machine::new(system, options)?;
        let ahead = match look_ahead(&machine) {
            Ok(ahead) => ahead,
            Err(NoLook::Shapes) => {
                more_shapes(&mut options)?;
                continue 'machine;
            }
            Err(NoLook::NoStart) => return Err(Unsupported::Start),
        };
        n_words = ahead.n_words.max(n_words);
        loop {
            let mut statistics = Statistics::default();
            // A reduction keeps some run to each violation, not the shortest.
            let may_reduce = question.order != Order::BreadthFirst && n_unknown < MAX_UNKNOWN;
            let wants_reduction = question.reduce && may_reduce;
            let reduction = wants_reduction.then(|| reduction(&machine, question)).flatten();
            let attempt = Attempt {
                machine: &machine,
                question,
                started,
                n_words,
                order: &ahead.order,
                reduction: reduction.as_ref(),
            };
            let report = attempt.run(monitor, &mut statistics);
            let (report, loss) = match report {
                Ok(report) => report,
                Err(OutOfMemory) => {
                    let stopped = Some(Stopped::Memory);
                    return Ok(Outcome { stopped, ..Outcome::default() });
                }
            };
            match report.end {
                End::Restart(Restart::Words(words)) => n_words = words.max(n_words + n_words / 4),
                End::Restart(Restart::Shapes) => {
                    more_shapes(&mut options)?;
                    continue 'machine;
                }
                End::Restart(Restart::TooManyShapes) => return Err(Unsupported::Shapes),
                End::Restart(Restart::Instances) => n_unknown += 1,
                _ => return Ok(attempt.outcome(report, loss)),
            }
        }
    }
}

/// If that many times a process turned up that the reduction did not know, there is no reduction.
const MAX_UNKNOWN: usize = 8;

fn more_shapes(options: &mut Options) -> Result<(), Unsupported> {
    options.shape_bits = match options.shape_bits {
        0..=9 => 10,
        10..=15 => 16,
        16..=30 => {
            // So many shapes only come from parameters that take many values.
            options.fold_parameters = false;
            31
        }
        _ => return Err(Unsupported::Start),
    };
    Ok(())
}

struct Attempt<'a, 's> {
    machine: &'a Machine<'s>,
    question: &'a Question,
    started: Instant,
    n_words: usize,
    order: &'a [u32],
    reduction: Option<&'a Reduction>,
}

type Reported = (Report, Option<crate::Loss>);

impl Attempt<'_, '_> {
    fn run(&self, monitor: &mut dyn Monitor, statistics: &mut Statistics) -> Result<Reported, OutOfMemory> {
        let n_words = self.n_words;
        Ok(match self.question.keep {
            Keep::Exact => self.run_with(Lossless::new(n_words, self.order)?, monitor, statistics),
            Keep::Compact => {
                let keeper = Lossy { n_words, visited: Compact::new()? };
                self.run_with(keeper, monitor, statistics)
            }
            Keep::Bitstate { bytes, bits, seed } => {
                let keeper = Lossy { n_words, visited: Bitstate::new(bytes, bits, seed)? };
                self.run_with(keeper, monitor, statistics)
            }
        })
    }

    fn run_with<K: Keeper>(
        &self,
        keeper: K,
        monitor: &mut dyn Monitor,
        statistics: &mut Statistics,
    ) -> Reported {
        let (machine, question) = (self.machine, self.question);
        let (report, keeper) = match question.order {
            Order::BreadthFirst => {
                breadth_first::search(machine, keeper, question, monitor, statistics, self.started)
            }
            Order::DepthFirst | Order::Random(_) => {
                let reduction = self.reduction;
                depth_first::search(machine, keeper, question, monitor, reduction, statistics, self.started)
            }
        };
        let loss = keeper.loss();
        (report, loss)
    }

    fn coverage(&self) -> Coverage {
        let mut coverage = Coverage::default();
        for (proctype, transition) in self.machine.coverage() {
            coverage.mark(proctype, transition);
        }
        coverage
    }

    fn outcome(&self, report: Report, loss: Option<crate::Loss>) -> Outcome {
        let tally = report.tally;
        Outcome {
            found: tally.found,
            stopped: match report.end {
                End::Stopped(stopped) => Some(stopped),
                _ => None,
            },
            depth_cut: tally.depth_cut,
            fault_cut: tally.fault_cut,
            too_large: report.too_large,
            statistics: Statistics {
                states: tally.states,
                matched: tally.matched,
                atomic_steps: tally.atomic_steps,
                depth: tally.depth,
                state_bytes: self.n_words as u64 * 8,
                store_bytes: report.store_bytes,
                search: self.started.elapsed(),
                ..Statistics::default()
            },
            coverage: self.coverage(),
            keep: self.question.keep,
            loss,
            reduced: self.reduction.is_some(),
            ..Outcome::default()
        }
    }
}

/// What a short look ahead found.
struct Ahead {
    n_words: usize,
    /// The words of a state, those that change together beside each other.
    order: Vec<u32>,
}

enum NoLook {
    NoStart,
    Shapes,
}

/// How many states it looks at.
const LOOK: usize = 1000;

fn look_ahead(machine: &Machine) -> Result<Ahead, NoLook> {
    let mut worker = Worker::new(machine);
    match worker.start() {
        Ok(()) => {}
        Err(StartError::Shapes) => return Err(NoLook::Shapes),
        Err(_) => return Err(NoLook::NoStart),
    }
    let mut looker = Looker { n_words: worker.words().len(), ..Looker::default() };
    looker.seen.insert(worker.words().into());
    looker.waiting.push_back(worker.words().into());
    let mut n_states = 0;
    while let Some(words) = looker.waiting.pop_front() {
        n_states += 1;
        if n_states > LOOK {
            break;
        }
        worker.load(&words);
        worker.expand(&mut looker, &mut Everything, u64::MAX);
        match worker.too_large() {
            Some(TooLarge::Shapes) => return Err(NoLook::Shapes),
            Some(TooLarge::TooManyShapes) => return Err(NoLook::NoStart),
            _ => {}
        }
    }
    Ok(Ahead { n_words: looker.n_words, order: looker.changes.order(looker.n_words) })
}

#[derive(Default)]
struct Looker {
    n_words: usize,
    seen: HashSet<Box<[u64]>>,
    waiting: VecDeque<Box<[u64]>>,
    changes: Changes,
}

impl Visitor for Looker {
    fn arrive(&mut self, arrival: &Arrival) -> ControlFlow<()> {
        self.n_words = self.n_words.max(arrival.n_words);
        self.changes.note(arrival);
        let words: Box<[u64]> = arrival.words[..arrival.n_words].into();
        if self.seen.insert(words.clone()) {
            self.waiting.push_back(words);
        }
        if self.seen.len() < 10 * LOOK { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn violation(&mut self, _: Wrong, _: &[Step]) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
