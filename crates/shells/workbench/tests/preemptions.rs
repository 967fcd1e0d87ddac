//! Runs with few preemptions: small models, every run of which is tried here, with its preemptions counted by their definition.

mod common;

use std::collections::BTreeMap;
use std::path::Path;

use allways_interpreter::{Interpreter, State};
use allways_system::{Step, Successors};
use allways_verdict::Verdict;
use allways_workbench::{
    CheckError, CheckOptions, CheckResult, Keep, LoadOptions, Model, Order, Semantics, Until, check,
    load_text,
};

use common::{NoFiles, Patient};

fn model(text: &str) -> Model {
    load_text(Path::new("m.pml"), text.to_string(), &LoadOptions::default(), &NoFiles).expect("a sound model")
}

fn bounded(at_most: u32) -> CheckOptions {
    CheckOptions { order: Order::Preemptions(at_most), until: Until::AllExplored, ..CheckOptions::default() }
}

fn run(model: &Model, options: &CheckOptions) -> CheckResult {
    check(model, options, &mut Patient).expect("a result")
}

/// For every property: is it violated, and with how many preemptions?
fn violations(result: &CheckResult) -> Vec<(String, Option<u32>)> {
    let preemptions = |verdict: &Verdict| match verdict {
        Verdict::Violated(violation) => Some(violation.preemptions.expect("they are counted")),
        _ => None,
    };
    let properties = result.properties.iter();
    properties.map(|p| (p.property.name.clone(), preemptions(&p.verdict))).collect()
}

/// What all the runs of a model show.
#[derive(Default)]
struct Runs {
    /// The fewest preemptions with which each state is reached.
    states: BTreeMap<Vec<u8>, u32>,
    /// The fewest preemptions of a run in which an assertion fails, and of one that gets stuck.
    assertions: Option<u32>,
    deadlock: Option<u32>,
    /// Runs so far.
    count: u64,
}

impl Runs {
    fn of(model: &Model) -> Runs {
        let mut runs = Runs::default();
        let interpreter = Interpreter::new(&model.system, Semantics::default());
        runs.follow(&interpreter, &interpreter.initial().expect("an initial state"), None, 0);
        runs
    }

    /// Follows all runs from here. `last` is the step that led here.
    fn follow(&mut self, interpreter: &Interpreter, state: &State, last: Option<Step>, preemptions: u32) {
        let mut state = state.clone();
        let mut steps = Vec::new();
        interpreter.steps(&state, &mut steps);
        if steps.is_empty() {
            interpreter.release(&mut state);
            interpreter.steps(&state, &mut steps);
        }
        // Who goes on after a rendezvous is its receiver.
        let last = last.map(|step| step.partner.map_or(step.pid, |(receiver, _)| receiver));
        if !interpreter.is_exclusive(&state) {
            let mut bytes = Vec::new();
            interpreter.pack(&state, &mut bytes);
            let least = self.states.entry(bytes).or_insert(preemptions);
            *least = preemptions.min(*least);
        }
        if steps.is_empty() {
            self.count += 1;
            if !interpreter.is_valid_end(&state) {
                least(&mut self.deadlock, preemptions);
            }
        }
        let could_go_on = last.is_some_and(|last| steps.iter().any(|step| step.pid == last));
        for step in steps {
            let goes_on = Some(step.pid) == last || step.partner.is_some_and(|(pid, _)| Some(pid) == last);
            let preemptions = preemptions + (could_go_on && !goes_on) as u32;
            let mut next = state.clone();
            let applied = interpreter.apply(&mut next, step, None).expect("no run-time error");
            if applied.assertion_failed {
                least(&mut self.assertions, preemptions);
            }
            self.follow(interpreter, &next, Some(step), preemptions);
        }
    }

    fn n_states(&self, at_most: u32) -> u64 {
        self.states.values().filter(|preemptions| **preemptions <= at_most).count() as u64
    }

    fn most(&self) -> u32 {
        self.states.values().copied().max().unwrap_or(0)
    }
}

fn least(known: &mut Option<u32>, preemptions: u32) {
    *known = Some(known.map_or(preemptions, |known| known.min(preemptions)));
}

/// Tries every run, and compares.
fn compare(text: &str) -> Runs {
    let model = model(text);
    let runs = Runs::of(&model);
    let plain = run(&model, &CheckOptions { until: Until::AllExplored, ..CheckOptions::default() });
    assert_eq!(plain.statistics.states, runs.states.len() as u64);
    for at_most in 0..runs.most() + 2 {
        let within = |preemptions: Option<u32>| preemptions.filter(|preemptions| *preemptions <= at_most);
        let expected = vec![
            ("assertions".to_string(), within(runs.assertions)),
            ("deadlock".to_string(), within(runs.deadlock)),
        ];
        for keep in [Keep::Exact, Keep::Compact, Keep::Bitstate { bytes: 1 << 20, bits: None, seed: 0 }] {
            let result = run(&model, &CheckOptions { keep, ..bounded(at_most) });
            assert_eq!(violations(&result), expected, "{at_most} {keep:?} {text}");
            assert_eq!(result.statistics.states, runs.n_states(at_most), "{at_most} {keep:?} {text}");
        }
        let interpreted = run(&model, &CheckOptions { interpret: true, ..bounded(at_most) });
        assert_eq!(violations(&interpreted), expected, "{at_most} interpreted {text}");
        assert_eq!(interpreted.statistics.states, runs.n_states(at_most), "{at_most} interpreted {text}");
        let compiled = run(&model, &bounded(at_most));
        assert_eq!(compiled.complete, interpreted.complete, "{at_most} {text}");
        if at_most < runs.most() {
            assert!(!compiled.complete, "{at_most} {text}");
        }
        if at_most > runs.most() {
            assert!(compiled.complete, "{at_most} {text}");
        }
        let simplified = run(&model, &CheckOptions { simplify: true, reduce: true, ..bounded(at_most) });
        assert_eq!(violations(&simplified), expected, "{at_most} simplified {text}");
    }
    runs
}

#[test]
fn a_lost_update_takes_one_preemption() {
    let runs = compare(
        "byte x, done;
         active [2] proctype P() { byte y; y = x; x = y + 1; done++; done < 2 || x == 2 -> skip }",
    );
    assert_eq!((runs.assertions, runs.deadlock), (None, Some(1)));
    assert!(runs.count > 10);
}

#[test]
fn to_wait_is_no_preemption() {
    let runs = compare(
        "byte turn;
         active proctype A() { turn == 0; turn = 1; turn == 2; turn = 3; turn == 4; assert(false) }
         active proctype B() { turn == 1; turn = 2; turn == 3; turn = 4 }",
    );
    assert_eq!(runs.assertions, Some(0));
}

#[test]
fn an_atomic_sequence_is_interrupted_only_where_it_blocks() {
    let runs = compare(
        "byte x, y;
         active proctype A() { atomic { x = 1; x = 0 }; atomic { x = 2; y == 1; x = 3 } }
         active proctype B() { assert(x != 1); assert(x != 2); y = 1 }",
    );
    // Blocked in the middle of its second sequence A gives way; nobody sees the middle of the first.
    assert_eq!(runs.assertions, Some(0));
    let runs = compare(
        "byte x; active proctype A() { atomic { x = 1; x = 2 }; x = 0 } active proctype B() { assert(x != 2) }",
    );
    assert_eq!(runs.assertions, Some(1));
}

#[test]
fn a_rendezvous_passes_control_to_the_receiver() {
    let runs = compare(
        "byte x; chan c = [0] of { byte };
         active proctype S() { c!1; x = 1 }
         active proctype R() { byte y; c?y; assert(x == 0); x = 0 }",
    );
    // The receiver is the one that goes on, and would have to be interrupted.
    assert_eq!(runs.assertions, Some(1));
    let runs = compare(
        "byte x; chan c = [0] of { byte };
         active proctype S() { c!1; assert(x == 0) }
         active proctype R() { byte y; c?y; x = 1 }",
    );
    assert_eq!(runs.assertions, Some(0));
}

#[test]
fn who_waits_to_receive_can_be_left_waiting() {
    let runs = compare(
        "byte x; chan c = [0] of { byte };
         active proctype R() { byte y; x = 1; c?y; c?y }
         active proctype S() { c!1; c!2 }
         active proctype Q() { assert(x == 0); assert(x == 0) }",
    );
    assert_eq!(runs.assertions, Some(0));
}

#[test]
fn it_is_no_switch_if_the_last_one_takes_part() {
    // R has another choice, so it could go on by itself.
    compare(
        "byte x; chan c = [0] of { byte };
         active proctype R() { byte y; x = 1; if :: c?y :: x = 2 fi; x = 3; assert(y == 0) }
         active proctype S() { x = x + 1; c!1; x = 4 }",
    );
}

#[test]
fn processes_that_end_and_begin() {
    compare(
        "byte x;
         proctype P(byte n) { x = n; assert(x == n) }
         init { run P(1); run P(2); _nr_pr == 1; run P(3); x = 9 }",
    );
}

#[test]
fn no_bound_is_too_large_and_endless_runs_can_be_explored() {
    let model = model(
        "bit x, y; active proctype A() { do :: x = 1 - x od } active proctype B() { do :: y = 1 - y od }",
    );
    let states = |at_most| {
        let result = run(&model, &bounded(at_most));
        (result.statistics.states, result.complete)
    };
    assert_eq!(states(0), (3, false));
    assert_eq!(states(1), (4, true));
    assert_eq!(states(u32::MAX), (4, true));
}

#[test]
fn a_trace_can_be_bounded_but_not_a_formula() {
    let traced = "chan c = [2] of { byte }; notrace { c!1; c!2 }
         active proctype A() { c!1; skip } active proctype B() { c!2 }";
    let only = |name: &str, at_most| CheckOptions { properties: vec![name.to_string()], ..bounded(at_most) };
    let of = |at_most| run(&model(traced), &only("notrace", at_most)).properties[0].verdict.clone();
    assert!(matches!(of(0), Verdict::Violated(violation) if violation.preemptions == Some(0)));
    let formula = model("byte x; ltl p { <> (x == 1) } active proctype A() { x = 1 }");
    let refused = check(&formula, &bounded(1), &mut Patient);
    assert!(matches!(refused, Err(CheckError::ContextBound { property }) if property == "p"));
    assert_eq!(run(&formula, &only("assertions", 0)).properties[0].verdict, Verdict::Holds);
}
