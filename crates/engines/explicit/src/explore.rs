//! Plugs the parts of a search together.
//!
//! Some things are found out by trying: how many words states have, how many shapes there are, which processes exist. A
//! short look ahead tells in almost all cases; if it was wrong, the search begins anew with what is known now, which
//! happens early or never.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use allways_compiled::{
    Arrival, Everything, Machine, Observed, Options, Owner, StepsTo, Unsupported, Visitor, Worker, Wrong,
};
use allways_store::{Bitstate, Compact, Hands, OutOfMemory};
use allways_system::{Alarm, Expr, Semantics, System};
use allways_verdict::Statistics;

use crate::breadth_first;
use crate::choose::{Reducer, reduction};
use crate::collapse::Collapse;
use crate::cycles::numbered::Numbered;
use crate::cycles::{self, CycleOutcome, CycleQuestion, Fairness, forgetful};
use crate::depth_first::{self, End, Report, Restart, below};
use crate::keeper::{Keeper, Lossy, Paired};
use crate::look::{Ahead, EAGER_LOOK, LOOK, LOOK_COST, NoLook, look_ahead};
use crate::preemptions;
use crate::{Coverage, Found, Keep, Monitor, Order, Outcome, Question, Stopped, Until};

/// Explores everything that can be reached, or as much as the question allows. Refuses systems that only the
/// interpreter can run, and those without an initial state.
pub fn explore(
    system: &System,
    semantics: Semantics,
    question: &Question,
    monitor: &mut dyn Monitor,
) -> Result<Outcome, Unsupported> {
    let mut started = None;
    let mut keeps_to_limit = question.eager;
    let mut found_before = Vec::new();
    let needs = Needs {
        semantics,
        exclusive: question.exclusive,
        // A reduction keeps some run to each violation, not the best one.
        reduce: question.reduce && !question.order.needs_every_run(),
        observed: &[],
        eager: question.eager,
        alarm: monitor.alarm(),
    };
    let mut outcome = prepared(system, &needs, |ready| {
        let mut statistics = Statistics::default();
        // What it takes to begin anew is part of the search.
        let started = *started.get_or_insert_with(Instant::now);
        let attempt = Attempt { ready, question, keeps_to_limit, started };
        let reported = match attempt.run(monitor, &mut statistics) {
            Ok(reported) => reported,
            Err(OutOfMemory) => return Ok(out_of_memory()),
        };
        match reported.report.end {
            End::Restart(restart) => {
                let tally = reported.report.tally;
                // Beyond the depth limit there may be violations that are not asked for.
                let limit = question.limits.depth.filter(|_| !keeps_to_limit);
                if limit.is_none_or(|limit| tally.depth < limit) {
                    found_before.extend(tally.found);
                }
                keeps_to_limit |= restart == Restart::Deep;
                Err((restart, tally.states))
            }
            _ => Ok(attempt.outcome(reported)),
        }
    })?;
    outcome.add_found_before(question, found_before);
    Ok(outcome)
}

impl Outcome {
    /// Adds violations that were found before the search was restarted, in case it was stopped before it found them again.
    fn add_found_before(&mut self, question: &Question, before: Vec<Found>) {
        for found in before {
            let is_known = self.found.iter().any(|known| known.kind == found.kind);
            if !is_known && (self.found.is_empty() || question.until != Until::FirstViolation) {
                self.found.push(found);
            }
        }
    }
}

/// Searches for a run that an observer accepts. Refuses what [`explore`] refuses.
pub fn explore_cycles(
    system: &System,
    semantics: Semantics,
    question: &CycleQuestion,
    reduce: bool,
    monitor: &mut dyn Monitor,
) -> Result<CycleOutcome, Unsupported> {
    let mut started = None;
    let asks_who = question.fairness != Fairness::None;
    let observer = question.observer;
    let needs = Needs {
        semantics,
        exclusive: false,
        reduce: reduce && !asks_who && !observer.counts_steps,
        observed: &observer.propositions,
        eager: false,
        alarm: monitor.alarm(),
    };
    prepared(system, &needs, |ready| {
        let started = *started.get_or_insert_with(Instant::now);
        let n_bits = ready.machine.most_bits();
        let stopped = || CycleOutcome { stopped: Some(Stopped::Memory), ..CycleOutcome::default() };
        let Ready { machine, n_words, reduction, .. } = *ready;
        let forgets = !asks_who && !question.shortest && observer.is_generalized_buchi();
        let outcome = match question.keep {
            Keep::Compact if forgets => match Compact::new() {
                Ok(visited) => {
                    forgetful::search(machine, n_words, visited, reduction, question, monitor, started)
                }
                Err(OutOfMemory) => return Ok(stopped()),
            },
            Keep::Bitstate { bytes, bits, seed } if forgets => match Bitstate::new(bytes, bits, seed) {
                Ok(visited) => {
                    forgetful::search(machine, n_words, visited, reduction, question, monitor, started)
                }
                Err(OutOfMemory) => return Ok(stopped()),
            },
            _ => {
                let space = Collapse::new(ready.n_words, n_bits, ready.order, ready.halves)
                    .and_then(|collapse| Numbered::new(ready.machine, collapse, ready.reduction, question));
                let Ok(space) = space else { return Ok(stopped()) };
                cycles::search(space, question, monitor, started)
            }
        };
        let mut outcome = outcome?;
        outcome.reduced = ready.reduction.is_some();
        outcome.statistics.state_bytes = ready.n_words as u64 * 8;
        Ok(outcome)
    })
}

fn out_of_memory() -> Outcome {
    Outcome { stopped: Some(Stopped::Memory), ..Outcome::default() }
}

/// What a search needs to be prepared for.
struct Needs<'n> {
    semantics: Semantics,
    /// Broken `xr` and `xs` claims are to be found.
    exclusive: bool,
    reduce: bool,
    /// What an observer looks at.
    observed: &'n [Expr],
    eager: bool,
    alarm: Alarm,
}

/// Everything a search needs.
struct Ready<'r, 's> {
    machine: &'r Machine<'s>,
    n_words: usize,
    order: &'r [u32],
    halves: bool,
    reduction: Option<&'r Reducer<'r>>,
}

/// Gets everything ready and runs a search, again and again while something is not as expected. If so, the search says what, and how
/// many states there were by then.
fn prepared<T>(
    system: &System,
    needs: &Needs,
    mut run: impl FnMut(&Ready) -> Result<T, (Restart, u64)>,
) -> Result<T, Unsupported> {
    let mut options =
        Options { semantics: needs.semantics, watch_claims: needs.exclusive, ..Options::default() };
    let mut n_words = 1;
    let mut reduce = needs.reduce;
    let (mut n_unknown, mut n_wasted) = (0, 0);
    let mut earlier = Vec::new();
    let mut guess = Guess { least: if needs.eager { EAGER_LOOK } else { LOOK }, ..Guess::default() };
    let first = Machine::new(system, options, None)?.with_alarm(needs.alarm.clone());
    'machine: loop {
        let machine = first.again(options, None);
        let ahead = match look_ahead(system, &machine, guess.look()) {
            Ok(ahead) => ahead,
            Err(NoLook::Shapes) => {
                more_shapes(&mut options)?;
                continue 'machine;
            }
            Err(NoLook::NoStart | NoLook::Narrow(..)) => return Err(Unsupported::Start),
        };
        guess.cost += ahead.cost;
        let mut machine = machine;
        let (mut order, mut halves) = (ahead.order, ahead.halves);
        n_words = ahead.n_words.max(n_words);
        let bits = match guess.more_shapes || ahead.shapes_grow {
            true => options.shape_bits,
            false => bits_for(machine.n_shapes()),
        };
        if let Some(observed) = guess.observed(ahead.observed) {
            // Two machines for a long model take much memory.
            drop(machine);
            let narrow = Options { shape_bits: bits.min(options.shape_bits), ..options };
            let (found, ahead) = match narrowed(&first, narrow, observed) {
                Ok(found) => found,
                Err(NoLook::Narrow(owner, value)) => {
                    guess.failed(owner, value, 0);
                    continue 'machine;
                }
                Err(NoLook::Shapes) if !guess.more_shapes => {
                    guess.more_shapes = true;
                    continue 'machine;
                }
                // It worked a moment ago.
                Err(_) => return Err(Unsupported::Start),
            };
            (machine, order, n_words, halves) = (found, ahead.order, ahead.n_words, ahead.halves);
        }
        if n_unknown > 0 {
            meet_instances(&machine, n_unknown);
        }
        loop {
            let lists = n_unknown < MAX_UNKNOWN && n_wasted < MAX_WASTED;
            let reduction = || reduction(&machine, needs.exclusive, needs.observed, lists, &earlier);
            let reduction = reduce.then(reduction).flatten();
            let (order, reduction) = (&order, reduction.as_ref());
            let (restart, states) = match run(&Ready { machine: &machine, n_words, order, halves, reduction })
            {
                Ok(result) => return Ok(result),
                Err(restart) => restart,
            };
            match restart {
                Restart::Words(words) => n_words = words.max(n_words + n_words / 4),
                Restart::Shapes => {
                    if machine.options.shape_bits < options.shape_bits {
                        guess.more_shapes = true;
                    } else {
                        more_shapes(&mut options)?;
                    }
                    earlier.extend(machine.instances().iter().cloned());
                    n_words = 1;
                    continue 'machine;
                }
                Restart::TooManyShapes => return Err(Unsupported::Shapes),
                Restart::Instances => {
                    n_unknown += 1;
                    n_wasted += states;
                    meet_instances(&machine, n_unknown);
                }
                Restart::Unreduced => reduce = false,
                Restart::Deep => {}
                Restart::Narrow(owner, value) => {
                    guess.failed(owner, value, states);
                    earlier.extend(machine.instances().iter().cloned());
                    n_words = 1;
                    continue 'machine;
                }
            }
        }
    }
}

/// Takes steps on random runs, others each time, so that the machine knows the processes that there can be.
fn meet_instances(machine: &Machine, time: usize) {
    let mut worker = Worker::new(machine);
    if worker.start().is_err() {
        return;
    }
    let start: Box<[u64]> = worker.words().into();
    worker.remember();
    worker.limit_effort(MEET_EFFORT);
    let mut walker = Walker { random: time as u64, ..Walker::default() };
    let mut n_left = 0;
    for _ in 0..MEET {
        if n_left == 0 || walker.n_met == 0 {
            worker.load(&start);
            n_left = LONGEST_WALK;
        } else {
            worker.load(&walker.next);
        }
        n_left -= 1;
        walker.n_met = 0;
        worker.expand(&mut walker, &mut Everything, u64::MAX);
        if worker.too_large().is_some() {
            return;
        }
    }
}

/// A run is no longer than this.
const LONGEST_WALK: usize = 1_000;

/// Chooses one of the successors of a state.
#[derive(Default)]
struct Walker {
    random: u64,
    n_met: usize,
    next: Vec<u64>,
}

impl Visitor for Walker {
    fn arrive(&mut self, arrival: &Arrival) -> ControlFlow<()> {
        self.n_met += 1;
        if below(&mut self.random, self.n_met) == 0 {
            self.next.clear();
            self.next.extend_from_slice(&arrival.words[..arrival.n_words]);
        }
        ControlFlow::Continue(())
    }

    fn violation(&mut self, _: Wrong, _: usize, _: StepsTo) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// A machine in which variables have the bits that sufficed so far.
fn narrowed<'s>(
    machine: &Machine<'s>,
    mut options: Options,
    observed: &Observed,
) -> Result<(Machine<'s>, Ahead), NoLook> {
    let system = machine.system;
    let narrow = machine.again(options, Some(observed));
    let ahead = look_ahead(system, &narrow, 0)?;
    let bits = narrow.most_bits();
    let n_words = bits.div_ceil(64);
    // Words that are almost full beside one that is almost empty compress badly.
    options.per_word = (bits.div_ceil(n_words) + UNEVEN).min(64);
    if n_words == 1 || options.per_word == 64 {
        return Ok((narrow, ahead));
    }
    drop(narrow);
    let even = machine.again(options, Some(observed));
    let ahead = look_ahead(system, &even, 0)?;
    Ok((even, ahead))
}

/// Bits that words may differ in.
const UNEVEN: u32 = 4;

/// What is expected of variables, and how often that was wrong.
#[derive(Default)]
struct Guess {
    /// How many states to look at, at least.
    least: usize,
    observed: Option<Observed>,
    n_failed: u32,
    /// How many states were visited in vain.
    n_wasted: u64,
    /// What took other values than expected.
    failed: Vec<Owner>,
    /// What it cost to look ahead so far.
    cost: u64,
    given_up: bool,
    /// There are more shapes than expected.
    more_shapes: bool,
}

/// If an expectation fails after so many states, there is no other.
const LATE: u64 = 300_000;
/// If so many states were visited in vain, all variables get two bits more, lest one fails after the other.
const MUCH_WASTED: u64 = 20_000;
/// If something fails again, this much more of it is expected.
const AGAIN: i32 = 16;
/// If expectations have failed this often, there is no other.
const MOST_FAILED: u32 = 40;
/// The same if one has failed after looking ahead has cost so much: of a long state much can be otherwise, one thing after the other.
const MOST_COST: u64 = 4 * LOOK_COST;

impl Guess {
    /// How many states to look at before the first expectation, or the next.
    fn look(&self) -> usize {
        if self.given_up { 0 } else { self.least << self.n_failed.min(5) }
    }

    /// What to expect, now that this has been seen.
    fn observed(&mut self, seen: Option<Observed>) -> Option<&Observed> {
        if self.given_up {
            return None;
        }
        match (&mut self.observed, seen) {
            (Some(observed), Some(seen)) => observed.merge(&seen),
            (observed, seen) => *observed = seen,
        }
        self.observed.as_ref()
    }

    fn failed(&mut self, owner: Option<Owner>, value: i32, states: u64) {
        self.n_failed += 1;
        self.n_wasted += states;
        match (owner, &mut self.observed) {
            (Some(owner), Some(observed))
                if states < LATE && self.n_failed < MOST_FAILED && self.cost < MOST_COST =>
            {
                // A counter that goes on growing would make all begin anew at every power of two.
                let again = self.failed.contains(&owner);
                observed.widen(owner, if again { value.saturating_mul(AGAIN) } else { value });
                self.failed.push(owner);
                if self.n_wasted > MUCH_WASTED {
                    observed.widen_all();
                }
            }
            _ => self.given_up = true,
        }
    }
}

/// If that many times a process turned up that the reduction did not know, there is none that has to know them all.
const MAX_UNKNOWN: usize = 5;
/// The same if so many states were visited in vain.
const MAX_WASTED: u64 = 60_000;
/// So many steps are taken to meet others.
const MEET: usize = 20_000;
/// Fewer if so many statements inside `d_step`s and atomic sequences were carried out.
const MEET_EFFORT: u64 = 500_000;

fn bits_for(highest: u32) -> u32 {
    u32::BITS - highest.leading_zeros()
}

fn more_shapes(options: &mut Options) -> Result<(), Unsupported> {
    options.shape_bits = match options.shape_bits {
        0..=15 => 16,
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
    ready: &'a Ready<'a, 's>,
    question: &'a Question,
    /// See [`depth_first::search`].
    keeps_to_limit: bool,
    started: Instant,
}

/// What a search has to say, and its store.
struct Reported {
    report: Report,
    loss: Option<crate::Loss>,
    /// How many states an exact store had when another took its place.
    full_after: Option<u64>,
}

impl Attempt<'_, '_> {
    fn run(&self, monitor: &mut dyn Monitor, statistics: &mut Statistics) -> Result<Reported, OutOfMemory> {
        let Ready { machine, n_words, order, halves, .. } = *self.ready;
        let hands = Arc::new(Hands::new(self.question.threads));
        Ok(match self.question.keep {
            Keep::Exact => {
                let collapse = Collapse::new(n_words, machine.most_bits(), order, halves)?;
                self.run_with(Paired::new(collapse, hands)?, monitor, statistics)
            }
            Keep::Compact => {
                let keeper = Lossy { n_words, visited: Compact::with_help(hands.clone())?, hands };
                self.run_with(keeper, monitor, statistics)
            }
            Keep::Bitstate { bytes, bits, seed } => {
                let keeper = Lossy { n_words, visited: Bitstate::new(bytes, bits, seed)?, hands };
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
        let (machine, question) = (self.ready.machine, self.question);
        let (report, keeper) = match question.order {
            Order::BreadthFirst => {
                breadth_first::search(machine, keeper, question, monitor, statistics, self.started)
            }
            Order::Preemptions(at_most) => {
                preemptions::search(machine, keeper, question, at_most, monitor, statistics, self.started)
            }
            Order::DepthFirst | Order::Random(_) => {
                let (reduction, keeps_to_limit) = (self.ready.reduction, self.keeps_to_limit);
                depth_first::search(
                    machine,
                    keeper,
                    question,
                    monitor,
                    reduction,
                    keeps_to_limit,
                    statistics,
                    self.started,
                )
            }
        };
        Reported { report, loss: keeper.loss(), full_after: keeper.gave_way() }
    }

    fn coverage(&self) -> Coverage {
        let mut coverage = Coverage::default();
        let machine = self.ready.machine;
        let mut taken = machine.coverage();
        if self.ready.reduction.is_some_and(Reducer::is_nameless) {
            // Whether a process that has ended can die depends on who is younger, which was of no interest.
            taken.extend(machine.deaths_in_reach());
        }
        for (proctype, transition) in taken {
            coverage.mark(proctype, transition);
        }
        coverage
    }

    fn outcome(&self, Reported { report, loss, full_after }: Reported) -> Outcome {
        let tally = report.tally;
        Outcome {
            found: tally.found,
            stopped: match report.end {
                End::Stopped(stopped) => Some(stopped),
                _ => None,
            },
            depth_cut: tally.depth_cut,
            fault_cut: tally.fault_cut,
            bound_cut: tally.bound_cut,
            too_large: report.too_large,
            statistics: Statistics {
                states: tally.states,
                matched: tally.matched,
                atomic_steps: tally.atomic_steps,
                depth: tally.depth,
                state_bytes: self.ready.n_words as u64 * 8,
                store_bytes: report.store_bytes,
                search: self.started.elapsed(),
                ..Statistics::default()
            },
            coverage: self.coverage(),
            keep: self.question.on_full.filter(|_| full_after.is_some()).unwrap_or(self.question.keep),
            loss,
            full_after,
            threads: report.threads,
            reduced: self.ready.reduction.is_some(),
            ..Outcome::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use allways_system::parse::parse;

    use super::*;

    #[test]
    fn what_fails_again_gets_much_more_room() {
        let counter = "system
             g0 x: int @0:0..1
             proctype P0 main parameters 0 initial L0 @0:0..1
               L0 @0:0..1: [t0]
               t0 L0 -> L0 \"x++\" @0:0..1: assign g0:int := (g0:int + 1)
             process P0 priority 1";
        let system = parse(counter).expect("a sound system");
        let machine = Machine::new(&system, Options::default(), None).expect("what can be compiled");
        let mut guess = Guess { observed: Some(Observed::new(&system)), ..Guess::default() };
        let mut bits_after = |value| {
            guess.failed(Some(Owner::Global(0)), value, 0);
            machine.again(Options::default(), guess.observed.as_ref()).most_bits()
        };
        let first = bits_after(1024);
        assert_eq!(bits_after(2048), first + 5);
    }
}
