//! The interpreter and the compiled steps side by side: every state must have the same steps, leading to the same states.

use std::collections::HashSet;
use std::ops::ControlFlow;

use allways_compiled::{
    Arrival, Everything, Expanded, Machine, Observed, Options, Owner, Snapshot, SnapshotProcess, StartError,
    StepsTo, TooLarge, Visitor, Worker, Wrong,
};
use allways_interpreter::{Interpreter, Semantics, State};
use allways_system::{Fault, Step, Successors, System};

use crate::{CheckOptions, Model};

/// How far the two were compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compared {
    /// On so many states, all there are or all that were asked for.
    States(u64),
    /// Not at all: the system is left to the interpreter.
    Unsupported,
}

/// Compares the two on what a check with these options would search.
pub fn compare_model(model: &Model, options: &CheckOptions, limit: u64) -> Result<Compared, String> {
    let (system, _) = crate::check::simplified(model, options);
    compare_steps(&system, options.semantics, limit)
}

/// Compares the two on up to `limit` states, twice: with variables as wide as they must be, and as narrow as they seem to
/// suffice. An error tells the first difference.
pub fn compare_steps(system: &System, semantics: Semantics, limit: u64) -> Result<Compared, String> {
    let mut observed = Observed::new(system);
    let mut is_narrow = false;
    let mut shape_bits = 6;
    loop {
        let options = Options { semantics, shape_bits, ..Options::default() };
        let guess = is_narrow.then_some(&observed);
        let Ok(machine) = Machine::new(system, options, guess) else { return Ok(Compared::Unsupported) };
        match compare(&machine, system, semantics, limit)? {
            End::States(_) if !is_narrow => is_narrow = true,
            End::States(states) => return Ok(Compared::States(states)),
            End::Narrow(Some(owner), value) => observed.widen(owner, value),
            End::Narrow(None, _) => return Ok(Compared::Unsupported),
            End::Shapes => {
                shape_bits = match shape_bits {
                    6 => 16,
                    16 => 31,
                    _ => return Err("too many shapes".to_string()),
                }
            }
        }
    }
}

enum End {
    States(u64),
    /// More bits are needed for the shape...
    Shapes,
    /// ...or for a variable.
    Narrow(Option<Owner>, i32),
}

fn compare(machine: &Machine, system: &System, semantics: Semantics, limit: u64) -> Result<End, String> {
    let interpreter = Interpreter::new(system, semantics);
    let mut worker = Worker::new(machine);
    // Remembers instead of working out again, and must come to the same.
    // The second one mostly with trees of keys.
    let mut rememberers = [Worker::new(machine), Worker::new(machine)];
    rememberers[0].remember();
    rememberers[1].remember_after(3);
    worker.keep_steps();
    let mut state = match (interpreter.initial(), worker.start()) {
        (_, Err(StartError::Shapes)) => return Ok(End::Shapes),
        (_, Err(StartError::Narrow(owner, value))) => return Ok(End::Narrow(owner, value)),
        (Ok(state), Ok(())) => state,
        (Err(_), Err(_)) => return Ok(End::States(0)),
        (Ok(_), Err(error)) => return Err(format!("no initial state: {error:?}")),
        (Err(fault), Ok(())) => return Err(format!("an initial state although {fault}")),
    };
    let mut seen = HashSet::from([state.clone()]);
    let mut waiting = vec![(state.clone(), worker.words().to_vec())];
    let mut viewer = Worker::new(machine);
    let mut n_states = 0;
    while let Some((from, words)) = waiting.pop() {
        n_states += 1;
        if n_states > limit {
            break;
        }
        worker.load(&words);
        same_state(&from, &worker.snapshot(), system)?;
        let Some(expected) = reference(&interpreter, &from) else { continue };
        let mut seen_by_worker = Collected::default();
        let expanded = worker.expand(&mut seen_by_worker, &mut Everything, u64::MAX);
        match worker.too_large() {
            Some(TooLarge::Shapes) => return Ok(End::Shapes),
            Some(TooLarge::Narrow(owner, value)) => return Ok(End::Narrow(owner, value)),
            _ => {}
        }
        for rememberer in &mut rememberers {
            rememberer.load(&words);
            let mut remembered = Collected::default();
            let expanded_again = rememberer.expand(&mut remembered, &mut Everything, u64::MAX);
            rememberer.too_large();
            let figures = |expanded: Expanded, seen: &Collected| Expanded {
                again: expanded.again + seen.arrivals.len() as u64,
                ..expanded
            };
            let (ours, theirs) = (figures(expanded, &seen_by_worker), figures(expanded_again, &remembered));
            if !remembered.is_like(&seen_by_worker) || ours != theirs {
                return Err(format!(
                    "not remembered as it was in {from:?}\n{expanded:?} {seen_by_worker:?}\n{expanded_again:?} {remembered:?}"
                ));
            }
        }
        for worker in rememberers.iter().chain([&worker]) {
            if worker.words() != &words[..worker.words().len()] {
                return Err(format!("an expansion changed the state {from:?}"));
            }
        }
        let joins = expanded.atomic_steps > FEW_STEPS;
        let is_same = match joins {
            true => is_subsequence(&seen_by_worker.violations, &expected.violations),
            false => expected.violations == seen_by_worker.violations,
        };
        let is_missed = expected.violations.is_empty() != seen_by_worker.violations.is_empty();
        if !is_same || is_missed {
            let (ours, theirs) = (&seen_by_worker.violations, &expected.violations);
            return Err(format!("violations differ in {from:?}\ninterpreted {theirs:?}\ncompiled {ours:?}"));
        }
        let path = |steps: &[Step], length: u32| (steps.to_vec(), length);
        let theirs: Vec<_> = expected.arrivals.iter().map(|(_, steps, n)| path(steps, *n)).collect();
        let ours: Vec<_> = seen_by_worker.arrivals.iter().map(|a| path(&a.steps, a.length)).collect();
        let n_ours = ours.len() as u64 + expanded.again;
        if n_ours != theirs.len() as u64 || !is_subsequence(&ours, &theirs) {
            return Err(format!("steps differ in {from:?}\ninterpreted {theirs:?}\ncompiled {ours:?}"));
        }
        // Where paths had joined, only the first arrival at a state was told.
        let mut told = seen_by_worker.arrivals.into_iter().zip(ours).peekable();
        let mut known = HashSet::new();
        for ((next, steps, _), theirs) in expected.arrivals.into_iter().zip(theirs) {
            let Some((arrived, _)) = told.next_if(|(_, ours)| *ours == theirs) else {
                if known.contains(&next) {
                    continue;
                }
                return Err(format!("left out: {steps:?} in {from:?}"));
            };
            viewer.load(&arrived.words);
            same_state(&next, &viewer.snapshot(), system)
                .map_err(|error| format!("after {steps:?} in {from:?}: {error}"))?;
            known.insert(next.clone());
            state.clone_from(&next);
            if seen.insert(next) {
                waiting.push((state.clone(), arrived.words));
            }
        }
    }
    Ok(End::States(n_states))
}

/// Shorter atomic sequences are followed along every path, also where paths join.
const FEW_STEPS: u64 = 64;

/// Whether the first list comes of the second by leaving some out.
fn is_subsequence<T: PartialEq>(some: &[T], all: &[T]) -> bool {
    let mut all = all.iter();
    some.iter().all(|one| all.any(|other| other == one))
}

#[derive(Default, Debug)]
struct Collected {
    arrivals: Vec<Arrived>,
    violations: Vec<(Wrong, Vec<Step>)>,
}

#[derive(Debug)]
struct Arrived {
    words: Vec<u64>,
    steps: Vec<Step>,
    length: u32,
    n_steps: usize,
    n_words: usize,
}

impl Collected {
    /// The same, except that this one may lack the steps of arrivals, and that in both only the first arrival at a state counts.
    fn is_like(&self, other: &Collected) -> bool {
        let of = |collected: &Collected| {
            let mut known = HashSet::new();
            let arrivals =
                collected.arrivals.iter().map(|a| (a.words[..a.n_words].to_vec(), a.length, a.n_steps));
            arrivals.filter(|(words, ..)| known.insert(words.clone())).collect::<Vec<_>>()
        };
        is_subsequence(&other.violations, &self.violations)
            && self.violations.is_empty() == other.violations.is_empty()
            && of(self) == of(other)
    }
}

impl Visitor for Collected {
    fn arrive(&mut self, arrival: &Arrival) -> ControlFlow<()> {
        self.arrivals.push(Arrived {
            words: arrival.words.to_vec(),
            steps: arrival.steps.to_vec(),
            length: arrival.length,
            n_steps: arrival.n_steps,
            n_words: arrival.n_words,
        });
        ControlFlow::Continue(())
    }

    fn violation(&mut self, what: Wrong, _: usize, steps_to: StepsTo) -> ControlFlow<()> {
        let Some(steps) = steps_to() else { return ControlFlow::Break(()) };
        self.violations.push((what, steps));
        ControlFlow::Continue(())
    }
}

/// What the interpreter says about a state.
#[derive(Default)]
struct Expected {
    arrivals: Vec<(State, Vec<Step>, u32)>,
    violations: Vec<(Wrong, Vec<Step>)>,
}

/// Atomic sequences that lead to more states than this are not compared.
const LONGEST: usize = 9_000;

fn reference(interpreter: &Interpreter, from: &State) -> Option<Expected> {
    let mut expected = Expected::default();
    let mut steps = Vec::new();
    let expansion = interpreter.steps(from, &mut steps);
    if let Some(second) = expansion.nondeterminism {
        expected.violations.push((Wrong::Nondeterminism, vec![second]));
    }
    if steps.is_empty() && !interpreter.is_valid_end(from) {
        expected.violations.push((Wrong::InvalidEnd, Vec::new()));
    }
    // Paths to follow, the next one last.
    let mut paths: Vec<(State, Vec<Step>, u32, Step)> =
        steps.iter().rev().map(|step| (from.clone(), Vec::new(), 0, *step)).collect();
    let mut passed = 0;
    while let Some((mut state, mut path, length, step)) = paths.pop() {
        path.push(step);
        match interpreter.apply(&mut state, step, None) {
            Ok(applied) => {
                if applied.assertion_failed {
                    expected.violations.push((Wrong::AssertionFailed, path.clone()));
                }
                if applied.exclusive_violated {
                    expected.violations.push((Wrong::ExclusiveViolated, path.clone()));
                }
            }
            Err(Fault::TooLarge(_)) => continue,
            Err(_) => {
                expected.violations.push((Wrong::Fault, path));
                continue;
            }
        }
        let length = length + if step.partner.is_some() { 2 } else { 1 };
        if interpreter.is_exclusive(&state) {
            passed += 1;
            if passed > LONGEST {
                return None;
            }
            let mut next = Vec::new();
            let expansion = interpreter.steps(&state, &mut next);
            if let Some(second) = expansion.nondeterminism {
                let mut path = path.clone();
                path.push(second);
                expected.violations.push((Wrong::Nondeterminism, path));
            }
            if !next.is_empty() {
                paths.extend(next.iter().rev().map(|step| (state.clone(), path.clone(), length, *step)));
                continue;
            }
            interpreter.release(&mut state);
        }
        expected.arrivals.push((state, path, length));
    }
    Some(expected)
}

fn same_state(state: &State, snapshot: &Snapshot, system: &System) -> Result<(), String> {
    let processes = (0..state.processes.len()).map(|pid| {
        let process = &state.processes[pid];
        SnapshotProcess {
            proctype: process.proctype,
            location: process.location,
            priority: if system.priorities { process.priority as i32 } else { 1 },
            locals: state.frame(system, pid as u32).to_vec(),
        }
    });
    let channels =
        state.channels.iter().map(|channel| state.messages(system, channel).flatten().copied().collect());
    let expected = Snapshot {
        globals: state.globals.clone(),
        processes: processes.collect(),
        channels: channels.collect(),
        last: state.last as i32,
    };
    if expected == *snapshot {
        return Ok(());
    }
    Err(format!("states differ\ninterpreted {expected:?}\ncompiled {snapshot:?}"))
}
