//! A simplified system has the same verdicts, never more states, and its trails are trails of the original.

mod common;

use allways_interpreter::{Interpreter, Semantics};
use allways_passes::{PassOptions, simplify};
use allways_system::{Action, Expr, Fault, Step, Successors, System, verify};
use allways_testkit::generate::{Feature, Odds, generate};
use common::{Explored, corpus, explore, explore_with, system};

const LIMIT: usize = 20_000;

/// What the last step of a trail shows.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Shown {
    Assertion,
    Deadlock,
    Fault(Fault),
    Exclusive,
}

/// Repeats a trail; none if it cannot be repeated or shows nothing at its end.
fn replay(system: &System, semantics: Semantics, trail: &[Step]) -> Vec<Shown> {
    let model = Interpreter::new(system, semantics);
    let mut state = model.initial().expect("the initial state exists");
    let mut shown = Vec::new();
    let mut possible = Vec::new();
    for (i, step) in trail.iter().enumerate() {
        possible.clear();
        model.steps(&state, &mut possible);
        if possible.is_empty() && model.is_exclusive(&state) {
            model.release(&mut state);
            model.steps(&state, &mut possible);
        }
        assert!(possible.contains(step), "step {i} is not possible in the original system");
        match model.apply(&mut state, *step, None) {
            Ok(applied) if i + 1 == trail.len() => {
                shown.extend(applied.assertion_failed.then_some(Shown::Assertion));
                shown.extend(applied.exclusive_violated.then_some(Shown::Exclusive));
            }
            Ok(_) => {}
            Err(fault) => {
                assert_eq!(i + 1, trail.len(), "{fault} before the end of the trail");
                return vec![Shown::Fault(fault)];
            }
        }
    }
    possible.clear();
    model.release(&mut state);
    model.steps(&state, &mut possible);
    if possible.is_empty() && !model.is_valid_end(&state) {
        shown.push(Shown::Deadlock);
    }
    shown
}

fn check(
    name: &str,
    system: &System,
    semantics: Semantics,
    plain: &Explored,
    options: &PassOptions,
) -> Explored {
    let (simplified, report) = simplify(system, options);
    assert_eq!(verify::verify(&simplified), [], "{name}");
    let explored = explore_with(&simplified, semantics, LIMIT, &mut |_| {});
    let about =
        || format!("{name} with {options:?}: {report:?}\n{}", allways_system::print::print(&simplified));
    assert!(
        explored.states <= plain.states,
        "{} states instead of {}: {}",
        explored.states,
        plain.states,
        about()
    );
    assert!(!explored.cut, "{}", about());
    // Behind a fault nothing is looked for, and with merged statements a fault may come first.
    let [assertion, deadlock, fault, nondeterminism, exclusive] = explored.verdicts();
    let wrong = |now: bool, before: bool| now && !before || before && !now && !fault;
    let differs = wrong(assertion, plain.assertion.is_some())
        || wrong(deadlock, plain.deadlock.is_some())
        || wrong(nondeterminism, plain.nondeterminism.is_some())
        || wrong(exclusive, plain.exclusive.is_some())
        || fault != plain.fault.is_some();
    assert!(!differs, "{:?} instead of {:?}: {}", explored.verdicts(), plain.verdicts(), about());
    let repeated = |trail: &Vec<Step>| replay(system, semantics, trail);
    let shows = |trail: &Option<Vec<Step>>, what: Shown| {
        assert!(trail.as_ref().is_none_or(|trail| repeated(trail).contains(&what)), "{what:?}: {}", about());
    };
    shows(&explored.assertion, Shown::Assertion);
    shows(&explored.deadlock, Shown::Deadlock);
    shows(&explored.exclusive, Shown::Exclusive);
    if let Some((trail, fault)) = &explored.fault {
        assert_eq!(repeated(trail), [Shown::Fault(fault.clone())], "{}", about());
    }
    explored
}

/// Checks a system with every combination of passes.
fn check_all(name: &str, system: &System) -> bool {
    for check_overflow in [false, true] {
        let semantics = Semantics { check_overflow, ..Semantics::default() };
        let plain = explore_with(system, semantics, LIMIT, &mut |_| {});
        if plain.cut {
            return false;
        }
        for (dead_variables, merge) in [(true, false), (false, true), (true, true)] {
            for watched in [false, true] {
                let options = PassOptions {
                    dead_variables,
                    merge,
                    properties: watched,
                    labels: watched,
                    prints: watched,
                    check_overflow,
                };
                check(name, system, semantics, &plain, &options);
            }
        }
    }
    true
}

#[test]
fn the_corpus_keeps_its_verdicts() {
    let mut compared = 0;
    for (name, system) in corpus(&["semantics", "runtime"]) {
        compared += usize::from(check_all(&name, &system));
    }
    assert!(compared > 550, "only {compared} models were small enough");
}

/// The number of states of a model: as it is, with dead variables forgotten, with statements merged, with both.
fn counts(text: &str) -> [usize; 4] {
    let system = system(text);
    check_all("model", &system);
    [(false, false), (true, false), (false, true), (true, true)].map(|(dead_variables, merge)| {
        let options = PassOptions { dead_variables, merge, ..PassOptions::default() };
        explore(&simplify(&system, &options).0, LIMIT).states
    })
}

/// How many random models are compared; more on demand.
fn seeds() -> std::ops::Range<u64> {
    let count = std::env::var("SEEDS").ok().and_then(|count| count.parse().ok()).unwrap_or(150);
    let first = std::env::var("FIRST_SEED").ok().and_then(|first| first.parse().ok()).unwrap_or(0);
    first..first + count
}

#[test]
fn random_models_keep_their_verdicts() {
    for seed in seeds() {
        let mut odds = Odds::default();
        odds.set(Feature::Priorities, 15);
        odds.set(Feature::OutOfRange, 10);
        odds.set(Feature::Atomic, 70);
        odds.set(Feature::Asserts, 90);
        let model = generate(seed, &odds).to_string();
        let Some(system) = common::system_of(std::path::Path::new("random.pml"), &model) else { continue };
        check_all(&format!("seed {seed}\n{model}"), &system);
    }
}

#[test]
fn a_value_that_is_not_read_again_is_forgotten() {
    let text = "chan q = [1] of { byte }; byte g;
        active proctype a() { byte x; do :: q?x; g = x; g = 0 od }
        active proctype b() { do :: q!1 :: q!2 :: q!3 od }";
    let [plain, dead, ..] = counts(text);
    assert!(dead < plain, "{dead} {plain}");
}

#[test]
fn a_counter_that_is_only_counted_is_no_state() {
    assert_eq!(counts("int n; active proctype p() { do :: n++; printf(\"%d\", n) od }")[1], 2);
    assert_eq!(counts("int a[3]; active proctype p() { do :: a[_pid + 1]++ od }")[1], 1);
    assert_eq!(counts("byte n, m; active proctype p() { do :: m = n; n++ od }")[1], 2);
}

#[test]
fn an_array_is_forgotten_as_a_whole_or_not_at_all() {
    let text = "byte a[3], g; chan q = [1] of { byte };
        active proctype p() { byte i; do :: a[i] = 2; i = 1 - i :: q?a[0] :: g = a[1] od }
        active proctype r() { do :: q!0 :: q!g od }";
    let [plain, dead, ..] = counts(text);
    assert_eq!(plain, dead);
}

#[test]
fn what_others_look_at_is_not_forgotten() {
    let text = "byte g; active proctype a() { byte x; x = 5; g = 1; (g == 2) }
        active proctype b() { (g == 1); assert(a[0]:x == 5); g = 2 }";
    let [plain, dead, ..] = counts(text);
    assert_eq!(plain, dead);
}

#[test]
fn local_statements_are_one_step() {
    let text = "active proctype p() { byte x, y; x = 1; y = x + 1; assert(y == 2); x = y; assert(x == 2) }";
    // At the start, at the end, and gone.
    assert_eq!(counts(text)[2], 3);
}

#[test]
fn a_local_loop_keeps_a_place_to_stop_at() {
    let text = "byte g; active proctype p() { bit x; do :: x = 1 - x od }
        active proctype q() { g = 1; g = 2; assert(g == 1) }";
    let [plain, _, merged, _] = counts(text);
    assert!(merged <= plain, "{merged} {plain}");
    assert!(explore(&simplify(&system(text), &PassOptions::default()).0, LIMIT).assertion.is_some());
}

#[test]
fn who_moved_last_is_forgotten_if_nobody_asks() {
    let text = "byte g; ltl f { [](_last == 0) } active [2] proctype p() { g = 1; g = 2 }";
    let system = system(text);
    assert!(system.tracks_last);
    check_all("model", &system);
    let (simplified, _) = simplify(&system, &PassOptions::default());
    assert!(!simplified.tracks_last && simplified.formulas.is_empty());
    let (watched, _) = simplify(&system, &PassOptions { properties: true, ..PassOptions::default() });
    assert!(watched.tracks_last && watched.formulas.len() == 1);
    let (asked, _) = simplify(
        &self::system("active [2] proctype p() { byte x; x = 1; assert(_last < 2) }"),
        &PassOptions::default(),
    );
    assert!(asked.tracks_last);
}

#[test]
fn what_is_printed_is_forgotten_unless_it_may_fault() {
    let text = "byte g, a[2]; active [2] proctype p() { g++; printf(\"%d %d %d\", g, _pid, a[g]) }";
    let system = system(text);
    check_all("model", &system);
    let kept = |options: &PassOptions| {
        let (simplified, _) = simplify(&system, options);
        let mut kept = 0;
        for transition in &simplified.proctypes[0].transitions {
            if let Action::Print { arguments, .. } = &transition.action {
                kept += arguments.iter().filter(|argument| !matches!(argument, Expr::Constant(_))).count();
            }
        }
        kept
    };
    assert_eq!(kept(&PassOptions::default()), 1, "the index");
    assert_eq!(kept(&PassOptions { prints: true, ..PassOptions::default() }), 3);
}

/// Whether the assertion can still fail when statements are merged.
fn still_fails(text: &str) {
    let system = system(text);
    check_all("model", &system);
    assert!(explore(&simplify(&system, &PassOptions::default()).0, LIMIT).assertion.is_some(), "{text}");
}

#[test]
fn not_yet_ready_for_a_rendezvous_shows() {
    still_fails(
        "chan c = [0] of { byte }; byte go;
        active proctype p() { byte x; go = 1; x = 1; c?x }
        active proctype q() { (go == 1); if :: c!1 :: else -> assert(false) fi }",
    );
    still_fails(
        "chan c = [0] of { byte }; byte go;
        active proctype p() { byte x; go = 1; x = 1; c?x }
        active proctype q() { (go == 1); { assert(false) } unless { c!1 } }",
    );
    still_fails(
        "chan c = [0] of { byte }; byte go;
        active proctype p() { byte x; go = 1; x = 1; x = 2; x = 3; d_step { c?x; x = 5 } }
        active proctype q() { (go == 1); if :: c!1 :: else -> assert(false) fi }",
    );
}

#[test]
fn the_beginning_of_an_atomic_sequence_shows() {
    still_fails(
        "byte go; active proctype p() { byte x; go = 1; atomic { x = 1; x = 2; go = 2 } }
        active proctype q() { (go == 1); assert(false) }",
    );
}

#[test]
fn where_a_process_is_shows() {
    still_fails(
        "byte go; active proctype p() { byte x; go = 1; x = 1; here: x = 2; x = 3; (go == 2) }
        active proctype q() { (go == 1); assert(!p[0]@here); go = 2 }",
    );
}

#[test]
fn a_local_variable_that_others_see_shows() {
    still_fails(
        "byte go; active proctype p() { byte x; go = 1; x = 1; x = 2; x = 3; (go == 2) }
        active proctype q() { (go == 1); assert(p[0]:x != 1); go = 2 }",
    );
}

#[test]
fn a_provided_clause_can_stop_a_process_anywhere() {
    still_fails(
        "bool stop; byte go; active proctype p() provided (!stop) { byte x; go = 1; x = 1; x = 2; go = 2 }
        active proctype q() { (go == 1); stop = 1; assert(go == 2) }",
    );
}

#[test]
fn the_channel_of_a_claim_shows() {
    for claim in ["xs c; c = d[1]; c = d[0]", "xs d[i]; i = 1; i = 0"] {
        let system = system(&format!(
            "chan d[2] = [1] of {{ byte }}; chan c; byte i;
            active proctype p() {{ {claim} }}
            active proctype q() {{ d[1]!1 }}"
        ));
        check_all("model", &system);
        let simplified = simplify(&system, &PassOptions::default()).0;
        assert!(explore(&simplified, LIMIT).exclusive.is_some(), "{claim}");
    }
}
