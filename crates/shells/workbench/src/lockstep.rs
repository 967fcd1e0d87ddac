//! The interpreter and the compiled steps side by side: every state must have the same steps, leading to the same states.

use std::collections::HashSet;
use std::ops::ControlFlow;

use allways_compiled::{
    Arrival, Everything, Machine, Options, Snapshot, SnapshotProcess, StartError, TooLarge, Visitor, Worker,
    Wrong,
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

/// Compares the two on up to `limit` states. An error tells the first difference.
pub fn compare_steps(system: &System, semantics: Semantics, limit: u64) -> Result<Compared, String> {
    for shape_bits in [6, 16, 31] {
        let options = Options { semantics, shape_bits, ..Options::default() };
        let Ok(machine) = Machine::new(system, options) else { return Ok(Compared::Unsupported) };
        if let Some(states) = compare(&machine, system, semantics, limit)? {
            return Ok(Compared::States(states));
        }
    }
    Err("too many shapes".to_string())
}

/// None if more bits are needed for the shape.
fn compare(
    machine: &Machine,
    system: &System,
    semantics: Semantics,
    limit: u64,
) -> Result<Option<u64>, String> {
    let interpreter = Interpreter::new(system, semantics);
    let mut worker = Worker::new(machine);
    let mut state = match (interpreter.initial(), worker.start()) {
        (_, Err(StartError::Shapes)) => return Ok(None),
        (Ok(state), Ok(())) => state,
        (Err(_), Err(_)) => return Ok(Some(0)),
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
        worker.expand(&mut seen_by_worker, &mut Everything, u64::MAX);
        if worker.too_large() == Some(TooLarge::Shapes) {
            return Ok(None);
        }
        let same = worker.words() == &words[..worker.words().len()];
        if !same {
            return Err(format!("an expansion changed the state {from:?}"));
        }
        if expected.violations != seen_by_worker.violations {
            let (ours, theirs) = (&seen_by_worker.violations, &expected.violations);
            return Err(format!("violations differ in {from:?}\ninterpreted {theirs:?}\ncompiled {ours:?}"));
        }
        let paths = |list: &[(State, Vec<Step>, u32)]| {
            list.iter().map(|(_, steps, length)| (steps.clone(), *length)).collect::<Vec<_>>()
        };
        let theirs = paths(&expected.arrivals);
        let ours: Vec<_> =
            seen_by_worker.arrivals.iter().map(|(_, steps, length)| (steps.clone(), *length)).collect();
        if ours != theirs {
            return Err(format!("steps differ in {from:?}\ninterpreted {theirs:?}\ncompiled {ours:?}"));
        }
        for ((next, steps, _), (words, ..)) in expected.arrivals.into_iter().zip(seen_by_worker.arrivals) {
            viewer.load(&words);
            same_state(&next, &viewer.snapshot(), system)
                .map_err(|error| format!("after {steps:?} in {from:?}: {error}"))?;
            state.clone_from(&next);
            if seen.insert(next) {
                waiting.push((state.clone(), words));
            }
        }
    }
    Ok(Some(n_states))
}

#[derive(Default)]
struct Collected {
    arrivals: Vec<(Vec<u64>, Vec<Step>, u32)>,
    violations: Vec<(Wrong, Vec<Step>)>,
}

impl Visitor for Collected {
    fn arrive(&mut self, arrival: &Arrival) -> ControlFlow<()> {
        self.arrivals.push((arrival.words.to_vec(), arrival.steps.to_vec(), arrival.length));
        ControlFlow::Continue(())
    }

    fn violation(&mut self, what: Wrong, steps: &[Step]) -> ControlFlow<()> {
        self.violations.push((what, steps.to_vec()));
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
