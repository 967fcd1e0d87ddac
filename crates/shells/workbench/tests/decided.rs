//! When a search is over: every property gets its verdict in one run, the same as in a run for it alone.

mod common;

use std::path::Path;

use allways_testkit::corpus::read_folder;
use allways_verdict::{Limits, Verdict};
use allways_workbench::{
    Algorithm, CheckOptions, CheckResult, Keep, LoadOptions, Model, Order, Stopped, Until, check, load,
    load_text,
};

use common::{NoFiles, Patient};

fn model(text: &str) -> Model {
    load_text(Path::new("m.pml"), text.to_string(), &LoadOptions::default(), &NoFiles).expect("a sound model")
}

fn run(model: &Model, options: &CheckOptions) -> CheckResult {
    check(model, options, &mut Patient).unwrap_or_else(|error| panic!("{}: {error}", model.path.display()))
}

fn words(result: &CheckResult) -> Vec<(String, &'static str)> {
    result.properties.iter().map(|p| (p.property.name.clone(), p.verdict.word())).collect()
}

const BITSTATE: Keep = Keep::Bitstate { bytes: 4 << 20, bits: None, seed: 1 };

/// Every kind of search, with its name.
fn ways() -> Vec<(&'static str, CheckOptions)> {
    let plain = CheckOptions::default();
    let full = CheckOptions { reduce: true, simplify: true, ..plain.clone() };
    let with_order = |order| CheckOptions { order, ..full.clone() };
    vec![
        ("full", full.clone()),
        ("plain", plain.clone()),
        ("reduced", CheckOptions { reduce: true, ..plain.clone() }),
        ("simplified", CheckOptions { simplify: true, ..plain.clone() }),
        ("interpreted", CheckOptions { interpret: true, ..plain.clone() }),
        ("breadth first", with_order(Order::BreadthFirst)),
        ("interpreted breadth first", CheckOptions { interpret: true, order: Order::BreadthFirst, ..plain }),
        ("random", with_order(Order::Random(3))),
        ("all preemptions", with_order(Order::Preemptions(u32::MAX))),
        ("eager", CheckOptions { eager: true, ..full.clone() }),
        ("3 threads", CheckOptions { threads: 3, eager: true, ..full.clone() }),
        ("components", CheckOptions { algorithm: Algorithm::Components, ..full.clone() }),
        ("compact", CheckOptions { keep: Keep::Compact, ..full.clone() }),
        ("bitstate", CheckOptions { keep: BITSTATE, ..full.clone() }),
        ("3 bitstate searches", CheckOptions { keep: BITSTATE, searches: 3, ..full.clone() }),
        (
            "from exact to bitstate",
            CheckOptions {
                eager: true,
                on_full: Some(BITSTATE),
                limits: Limits { memory: Some(32 << 20), ..Limits::default() },
                ..full
            },
        ),
    ]
}

/// What is wrong with the verdicts on one model, if anything.
fn problems(model: &Model) -> Vec<String> {
    let mut problems = Vec::new();
    for (way, options) in ways() {
        // A context bound is not for temporal properties, which must be left out by name.
        let mut options = options;
        if options.order.needs_every_run() && matches!(options.order, Order::Preemptions(_)) {
            options.properties = vec!["assertions".to_string(), "deadlock".to_string()];
        }
        let explored = CheckOptions { until: Until::AllExplored, ..options.clone() };
        let expected = words(&run(model, &explored));
        let decided = run(model, &options);
        if words(&decided) != expected {
            problems.push(format!("{way}: {:?} instead of {expected:?}", words(&decided)));
        }
        let is_undecided = decided.properties.iter().any(|property| {
            matches!(&property.verdict, Verdict::Inconclusive { reason, .. } if reason.contains("another property"))
        });
        if is_undecided {
            problems.push(format!("{way}: a violation ended the search for another property"));
        }
        for (name, word) in &expected {
            let alone = CheckOptions { properties: vec![name.clone()], ..options.clone() };
            let found = words(&run(model, &alone));
            if found != [(name.clone(), *word)] {
                problems.push(format!("{way}: alone {found:?} instead of {name} {word}"));
            }
        }
        let first = run(model, &CheckOptions { until: Until::FirstViolation, ..options });
        let is_violated = |words: &[(String, &str)]| words.iter().any(|(_, word)| *word == "violated");
        if is_violated(&expected) != is_violated(&words(&first)) {
            problems.push(format!("{way}: up to the first violation {:?}", words(&first)));
        }
    }
    problems
}

fn check_folder(name: &str) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../corpus").join(name);
    let mut n_models = 0;
    let mut failures = Vec::new();
    for entry in read_folder(&corpus).expect("the corpus is readable") {
        let Ok(model) = load(&entry.path, &LoadOptions::default()) else { continue };
        n_models += 1;
        failures.extend(problems(&model).into_iter().map(|text| format!("{}: {text}", entry.path.display())));
    }
    assert!(n_models > 20, "{name} has only {n_models} models");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn l13_models_of_the_language() {
    check_folder("semantics");
}

#[test]
fn l13_runtime_errors() {
    check_folder("runtime");
}

#[test]
fn l13_temporal_properties() {
    check_folder("temporal");
}

/// A deadlock and a failed assertion, each of which comes first in some order.
const BOTH: &str = "byte x;
    active proctype A() { x = 1; x == 2 }
    active proctype B() { x == 1; assert(false) }";

#[test]
fn l13_both_violations_are_found() {
    let model = model(BOTH);
    for (way, options) in ways() {
        let result = run(&model, &options);
        assert!(result.properties.iter().all(|p| p.verdict.word() == "violated"), "{way}");
    }
    let first = run(&model, &CheckOptions { until: Until::FirstViolation, ..CheckOptions::default() });
    assert_eq!(first.stopped, Some(Stopped::Violation));
    assert_eq!(first.properties.iter().filter(|p| p.verdict.word() == "inconclusive").count(), 1);
}

/// With nothing left to decide, a search of millions of states ends after a few.
#[test]
fn l13_a_search_ends_when_all_is_decided() {
    let model = model(
        "byte x, y, z; bool stop;
         active proctype A() { do :: x++ :: y++ :: z++ :: stop -> break od }
         active proctype B() { assert(x == 100); stop = true; false }",
    );
    for (way, options) in ways() {
        // In other orders the run that gets stuck comes late.
        if options.order != Order::DepthFirst && options.order != Order::BreadthFirst {
            continue;
        }
        let options = CheckOptions { properties: vec!["assertions".to_string()], ..options };
        let result = run(&model, &options);
        assert_eq!(words(&result), [("assertions".to_string(), "violated")], "{way}");
        assert!(!result.complete, "{way}");
        assert_eq!(result.stopped, Some(Stopped::Violation), "{way}");
        assert!(result.statistics.states < 100_000, "{way}: {} states", result.statistics.states);
        assert!(result.unreached.is_empty(), "{way}: nothing is known of what was not reached");
    }
}

/// Breadth first, the trail to each violation is a shortest one, not only that to the first.
#[test]
fn l13_each_trail_is_a_shortest_one() {
    let model = model(
        "byte x;
         active proctype A() { do :: x < 9 -> x++ :: x > 0 -> x-- od }
         active proctype B() { x == 2; assert(false); x == 6; do :: x != 3 -> x = 3 :: x == 4 -> false od }
         active proctype C() { x == 7; assert(x == 8); x == 0; x = 200 }",
    );
    let lengths = |until, interpret| {
        let options =
            CheckOptions { until, interpret, order: Order::BreadthFirst, ..CheckOptions::default() };
        let result = run(&model, &options);
        let length = |verdict: &Verdict| match verdict {
            Verdict::Violated(violation) => Some(violation.trail.steps.len()),
            _ => None,
        };
        result.properties.iter().map(|p| length(&p.verdict)).collect::<Vec<_>>()
    };
    let expected = lengths(Until::AllExplored, true);
    assert_eq!(lengths(Until::AllDecided, true), expected);
    assert_eq!(lengths(Until::AllDecided, false), expected);
}

/// A limit leaves open only what was not decided before it was reached.
#[test]
fn l13_a_limit_leaves_open_what_is_not_decided() {
    let model = model(
        "byte x, y, z;
         active proctype A() { do :: x++ :: y++ :: z++ od }
         active proctype B() { assert(x == 100) }",
    );
    let limits = Limits { memory: Some(4 << 20), ..Limits::default() };
    let result = run(&model, &CheckOptions { limits, ..CheckOptions::default() });
    assert_eq!(
        words(&result),
        [("assertions".to_string(), "violated"), ("deadlock".to_string(), "inconclusive")]
    );
    assert_eq!(result.stopped, Some(Stopped::Memory));
}

/// `--first` ends everything, also the searches for temporal properties that were not begun.
#[test]
fn l13_the_first_violation_ends_everything_if_that_is_asked_for() {
    let model = model(
        "byte x;
         active proctype A() { x = 1; assert(false) }
         ltl never_one { [] (x != 1) }
         ltl at_last { <> (x == 1) }",
    );
    let word = |until| words(&run(&model, &CheckOptions { until, ..CheckOptions::default() }));
    let names = ["assertions", "deadlock", "never_one", "at_last"];
    let with = |verdicts: [&'static str; 4]| -> Vec<(String, &'static str)> {
        names.iter().map(|name| name.to_string()).zip(verdicts).collect()
    };
    let [v, i, h] = ["violated", "inconclusive", "holds"];
    assert_eq!(word(Until::AllDecided), with([v, h, v, h]));
    assert_eq!(word(Until::FirstViolation), with([v, i, i, i]));
}
