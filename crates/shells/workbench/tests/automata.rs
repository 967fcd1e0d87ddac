//! Automata that the user brings, and fairness to some processes only.

mod common;

use std::fmt::Write;
use std::path::Path;

use allways_ltl::hoa;
use allways_testkit::corpus::read_folder;
use allways_verdict::{Property, PropertyKind, Verdict};
use allways_workbench::{
    CheckOptions, Demand, FairRuns, FairTo, Fairness, GivenAutomaton, LoadError, LoadOptions, Model,
    PropertyResult, Semantics, check, load, load_text, properties, violation_shown_by,
};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use common::{NoFiles, Patient};

const TOGGLERS: &str = "
    bit x; bit y; byte n;
    active proctype P() { do :: x = !x :: n < 2 -> n++ od }
    active proctype Q() { do :: y = !y; again: skip :: n > 0 -> n-- :: y && n == 2 -> break od }";

fn with_automata(text: &str, automata: Vec<GivenAutomaton>) -> Result<Model, LoadError> {
    let options = LoadOptions { automata, ..LoadOptions::default() };
    load_text(Path::new("model.pml"), text.to_string(), &options, &NoFiles)
}

fn given(name: &str, demand: Demand, text: &str) -> GivenAutomaton {
    GivenAutomaton { name: name.to_string(), demand, text: text.to_string() }
}

fn answer(model: &Model, name: &str, options: &CheckOptions) -> PropertyResult {
    let options = CheckOptions { properties: vec![name.to_string()], ..options.clone() };
    let result = check(model, &options, &mut Patient).unwrap_or_else(|error| panic!("{error}"));
    let [property] = <[PropertyResult; 1]>::try_from(result.properties).expect("one was asked for");
    if let Verdict::Violated(violation) = &property.verdict {
        let shown = violation_shown_by(
            model,
            Semantics::default(),
            &property.property,
            &options.fair,
            &violation.trail,
        );
        assert!(shown.is_ok_and(|shown| shown.is_some()), "{name}: the trail does not show it");
    }
    property
}

fn acceptance(rng: &mut StdRng, depth: u32) -> String {
    let set = rng.random_range(0..3);
    let not = if rng.random_range(0..4) == 0 { "!" } else { "" };
    match rng.random_range(0..if depth == 0 { 2 } else { 5 }) {
        0 => format!("Inf({not}{set})"),
        1 => format!("Fin({not}{set})"),
        2 | 3 => format!("({} & {})", acceptance(rng, depth - 1), acceptance(rng, depth - 1)),
        _ => format!("({} | {})", acceptance(rng, depth - 1), acceptance(rng, depth - 1)),
    }
}

/// Over two conditions of the togglers.
fn automaton(rng: &mut StdRng, deterministic: bool) -> String {
    let n = rng.random_range(1..=3);
    let mut text = format!(
        "HOA: v1\nStates: {n}\nStart: 0\nAP: 3 \"x == 1\" \"n == 1 && y\" \"Q@again\"\nAcceptance: 3 {}\n--BODY--\n",
        acceptance(rng, 2)
    );
    for state in 0..n {
        let _ = writeln!(text, "State: {state}");
        for letter in 0..4 {
            let most = if deterministic { 1 } else { 2 };
            for _ in 0..rng.random_range(0..=most) + u32::from(rng.random_range(0..3) == 0 && !deterministic)
            {
                let literal = |bit: u32| format!("{}{bit}", if letter >> bit & 1 == 1 { "" } else { "!" });
                let sets: Vec<String> =
                    (0..3).filter(|_| rng.random()).map(|set: u32| set.to_string()).collect();
                let target = rng.random_range(0..n);
                let _ = writeln!(text, "[{} & {}] {target} {{{}}}", literal(0), literal(1), sets.join(" "));
            }
        }
    }
    text.push_str("--END--\n");
    text
}

/// The same language with a Büchi condition, which is searched in another way.
fn as_buchi(text: &str, complement: bool) -> String {
    let mut read = hoa::parse(text).expect("it is well-formed");
    if complement {
        read = read.complement().expect("few sets").expect("it is deterministic");
    }
    let automaton = read.to_rabin().expect("small enough").to_generalized_buchi();
    hoa::write(&automaton, &read.propositions, "the same")
}

#[test]
fn rabin_conditions_mean_the_same_as_buchi_conditions() {
    let ways = [
        CheckOptions::default(),
        CheckOptions { simplify: true, reduce: true, ..CheckOptions::default() },
        CheckOptions { interpret: true, ..CheckOptions::default() },
    ];
    let mut n_violated = 0;
    let mut n_holds = 0;
    for seed in 0..120 {
        let mut rng = StdRng::seed_from_u64(seed);
        let demand = if seed % 3 == 0 { Demand::Require } else { Demand::Forbid };
        let text = automaton(&mut rng, demand == Demand::Require);
        let same = as_buchi(&text, demand == Demand::Require);
        let automata = vec![given("one", demand, &text), given("other", Demand::Forbid, &same)];
        let model = with_automata(TOGGLERS, automata).unwrap_or_else(|error| panic!("{error}"));
        for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
            let fair = FairRuns::from(fairness);
            let verdicts = ways.iter().flat_map(|way| {
                let options = CheckOptions { fair: fair.clone(), ..way.clone() };
                ["one", "other"].map(|name| answer(&model, name, &options).verdict.word())
            });
            let mut verdicts: Vec<&str> = verdicts.collect();
            verdicts.dedup();
            assert_eq!(verdicts.len(), 1, "seed {seed}, {fairness:?}: {verdicts:?}\n{text}");
            *(if verdicts[0] == "holds" { &mut n_holds } else { &mut n_violated }) += 1;
        }
    }
    assert!(n_violated > 50 && n_holds > 50, "{n_violated} violated and {n_holds} held");
}

/// A combination of what happens again and again and what happens for ever, of as many parts.
fn combination(rng: &mut StdRng, n: u32) -> String {
    const CONDITIONS: [&str; 6] = ["x == 1", "y", "n == 1", "n == 2 && x", "Q@again", "n > 0"];
    if n == 1 {
        let condition = CONDITIONS[rng.random_range(0..CONDITIONS.len())];
        let not = if rng.random() { "!" } else { "" };
        let operators = ["[] <>", "[] <>", "[] <>", "<> []", "<> []", "<> []", "<>", "[]"];
        return format!("{} ({not}({condition}))", operators[rng.random_range(0..operators.len())]);
    }
    let left = rng.random_range(1..n);
    let (a, b) = (combination(rng, left), combination(rng, n - left));
    let sign = ["&&", "||", "||", "->", "->", "<->"][rng.random_range(0..6)];
    format!("(({a}) {sign} ({b}))")
}

/// Formulas that are true in many ways are searched with an Emerson-Lei condition; as automata with generalized Büchi
/// conditions they are searched in another way.
#[test]
fn p4_combinations_mean_the_same_as_buchi_conditions() {
    let mut n_conditions = 0;
    let mut verdicts_met = [0; 2];
    for seed in 0..600 {
        let mut rng = StdRng::seed_from_u64(seed);
        let n_parts = rng.random_range(5..=9);
        let text = combination(&mut rng, n_parts);
        let parsed = allways_ltl::parse(&text).expect("it is well-formed");
        let negation = parsed.formula.negated();
        let options = allways_ltl::TranslateOptions::default();
        let Ok(buchi) = allways_ltl::translate(&negation, &options) else { continue };
        if !matches!(
            allways_ltl::translate_to_any(&negation, &options),
            Ok(allways_ltl::Translation::EmersonLei(_))
        ) {
            continue;
        }
        n_conditions += 1;
        let same = given("other", Demand::Forbid, &hoa::write(&buchi, &parsed.propositions, "the same"));
        let model = format!("{TOGGLERS} ltl one {{ {text} }}");
        let model = with_automata(&model, vec![same]).unwrap_or_else(|error| panic!("{error}"));
        for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
            let ways = [
                CheckOptions { simplify: true, reduce: true, ..CheckOptions::default() },
                CheckOptions { interpret: true, ..CheckOptions::default() },
            ];
            let verdicts = ways.iter().flat_map(|way| {
                let options = CheckOptions { fair: fairness.into(), ..way.clone() };
                ["one", "other"].map(|name| answer(&model, name, &options).verdict.word())
            });
            let mut verdicts: Vec<&str> = verdicts.collect();
            verdicts.dedup();
            assert_eq!(verdicts.len(), 1, "seed {seed}, {fairness:?}: {verdicts:?}\n{text}");
            verdicts_met[usize::from(verdicts[0] == "holds")] += 1;
        }
    }
    assert!(n_conditions > 30 && verdicts_met.iter().all(|n| *n > 10), "{n_conditions} {verdicts_met:?}");
}

#[test]
fn an_automaton_can_forbid_or_require() {
    // Infinitely often x, by a deterministic automaton.
    let text = "HOA: v1 States: 1 Start: 0 AP: 1 \"x\" Acceptance: 1 Inf(0) --BODY-- State: 0 [0] 0 {0} [!0] 0 --END--";
    let automata = vec![given("not_x", Demand::Forbid, text), given("ever_x", Demand::Require, text)];
    let model = with_automata(TOGGLERS, automata).unwrap_or_else(|error| panic!("{error}"));
    let stated: Vec<Property> = properties(&model);
    assert!(
        stated.iter().any(|property| property.name == "not_x" && property.kind == PropertyKind::Automaton)
    );
    for (name, fairness) in [("not_x", Fairness::None), ("ever_x", Fairness::Strong)] {
        let options = CheckOptions { fair: fairness.into(), ..CheckOptions::default() };
        // P may count up and Q down for ever, fairly; so neither holds.
        assert_eq!(answer(&model, name, &options).verdict.word(), "violated", "{name}");
    }
}

#[test]
fn what_is_wrong_with_an_automaton_is_told() {
    let refusal = |demand, text: &str| match with_automata(TOGGLERS, vec![given("a", demand, text)]) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("it is refused"),
    };
    assert_eq!(
        refusal(Demand::Forbid, "HOA: v1"),
        "the automaton `a` cannot be used: line 1: a header line or `--BODY--` is expected here"
    );
    let twice = "HOA: v1 States: 1 Start: 0 AP: 1 \"x\" Acceptance: 1 Inf(0) --BODY-- State: 0 [t] 0 {0} [0] 0 --END--";
    assert!(refusal(Demand::Require, twice).contains("it is not deterministic"));
    let temporal =
        "HOA: v1 States: 1 Start: 0 AP: 1 \"<> x\" Acceptance: 0 t --BODY-- State: 0 [0] 0 --END--";
    assert!(refusal(Demand::Forbid, temporal).contains("`<> x` is not a condition"));
    let unknown =
        "HOA: v1 States: 1 Start: 0 AP: 1 \"zz == 1\" Acceptance: 0 t --BODY-- State: 0 [0] 0 --END--";
    assert!(refusal(Demand::Forbid, unknown).contains("the model has 1 error"));
}

#[test]
fn fairness_to_some() {
    let model = with_automata(
        "bit p; bit q; bit r;
         active proctype P() { p = 1; do :: r = !r od }
         active proctype Q() { waiting: q = 1; do :: r = !r od }
         ltl both { <> (p && q) } ltl ps { <> p } ltl qs { <> q }",
        Vec::new(),
    )
    .unwrap_or_else(|error| panic!("{error}"));
    let to = |texts: &[&str]| {
        let texts: Vec<String> = texts.iter().map(|text| text.to_string()).collect();
        FairTo::new(&model.system, &texts)
    };
    for interpret in [false, true] {
        let holds = |name, whom: &[&str]| {
            let only = to(whom).unwrap_or_else(|why| panic!("{why}"));
            let fair = FairRuns { fairness: Fairness::Weak, only: Some(only) };
            let options = CheckOptions { fair, interpret, ..CheckOptions::default() };
            answer(&model, name, &options).verdict == Verdict::Holds
        };
        assert!(holds("ps", &["P"]) && !holds("qs", &["P"]) && !holds("both", &["P"]));
        assert!(holds("qs", &["Q"]) && holds("qs", &["Q@waiting"]) && holds("qs", &["Q[1]"]));
        assert!(!holds("ps", &["Q@waiting"]));
        assert!(holds("both", &["P", "Q@waiting"]) && holds("both", &["P[0]", "Q[1]@waiting"]));
    }
    assert_eq!(to(&["Other"]), Err("there is no proctype `Other`".to_string()));
    assert_eq!(to(&["Q@wating"]), Err("`Q` has no label `wating`; did you mean `waiting`?".to_string()));
    assert!(to(&["Q[x]"]).is_err_and(|why| why.contains("is not understood")));
    assert!(to(&["Q[0]"]).is_err_and(|why| why.contains("there is no process `Q[0]`")));
}

fn remarks(model: &Model, name: &str, options: &CheckOptions) -> String {
    answer(model, name, options).search.map(|search| search.remarks.join("; ")).unwrap_or_default()
}

#[test]
fn l14_threads_that_have_no_effect_are_mentioned() {
    let model =
        with_automata("bit p; active proctype P() { do :: p = !p od } ltl ps { [] <> p }", Vec::new());
    let model = model.unwrap_or_else(|error| panic!("{error}"));
    let one = CheckOptions { threads: 1, ..CheckOptions::default() };
    assert_eq!(remarks(&model, "ps", &one), "");
    let two = CheckOptions { threads: 2, ..CheckOptions::default() };
    assert!(remarks(&model, "ps", &two).contains("one thread"));
}

#[test]
fn l15_fairness_to_processes_that_do_not_exist() {
    let model = with_automata(
        "bit p; bit q;
         proctype Child() { p = 1 }
         active proctype A() { if :: q = 1 :: q && !q; run Child() fi; do :: q = 1 od }
         active [2] proctype B() { do :: q = 0 od }
         proctype Unused() { skip }
         ltl ps { <> p }",
        Vec::new(),
    )
    .unwrap_or_else(|error| panic!("{error}"));
    let refused = |text: &str| FairTo::new(&model.system, &[text.to_string()]).err();
    assert_eq!(refused("A[0]"), None);
    assert_eq!(refused("B[2]"), None);
    assert_eq!(
        refused("A[9]").as_deref(),
        Some("there is no process `A[9]`; the processes of `A` are `A[0]`")
    );
    assert_eq!(
        refused("B[0]").as_deref(),
        Some("there is no process `B[0]`; the processes of `B` are `B[1]`, `B[2]`")
    );
    assert!(refused("Unused[3]").is_some_and(|why| why.contains("is ever created")));
    assert!(refused("Child[256]").is_some_and(|why| why.contains("pids end at 255")));
    // Whether such a process is created only the search tells.
    for interpret in [false, true] {
        for fairness in [Fairness::Weak, Fairness::Strong] {
            let said = |whom: &str| {
                let only =
                    FairTo::new(&model.system, &[whom.to_string()]).unwrap_or_else(|why| panic!("{why}"));
                let fair = FairRuns { fairness, only: Some(only) };
                remarks(&model, "ps", &CheckOptions { fair, interpret, ..CheckOptions::default() })
            };
            assert!(said("Child[3]").contains("fairness left out no run"), "{}", said("Child[3]"));
            assert_eq!(said("A[0]"), "");
        }
    }
}

/// Fairness to everybody by name is fairness; to fewer is between fairness and none.
#[test]
fn fairness_to_some_is_between_none_and_all() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../corpus/temporal");
    let mut n_compared = 0;
    for entry in read_folder(&folder).unwrap_or_else(|error| panic!("{error}")) {
        let Ok(model) = load(&entry.path, &LoadOptions::default()) else { continue };
        let names: Vec<String> =
            model.system.proctypes.iter().map(|proctype| proctype.name.clone()).collect();
        for (name, _) in &entry.expectation.verdicts {
            let verdict = |fair: FairRuns| {
                let options = CheckOptions { fair, ..CheckOptions::default() };
                answer(&model, name, &options).verdict.word()
            };
            let none = verdict(FairRuns::default());
            for fairness in [Fairness::Weak, Fairness::Strong] {
                let fair_to = |names: &[String]| {
                    let only = FairTo::new(&model.system, names).unwrap_or_else(|why| panic!("{why}"));
                    verdict(FairRuns { fairness, only: Some(only) })
                };
                let all = verdict(fairness.into());
                assert_eq!(fair_to(&names), all, "{}: {name}", entry.path.display());
                for one in &names {
                    let one = fair_to(std::slice::from_ref(one));
                    assert!(one == none || one == all, "{}: {name}", entry.path.display());
                    n_compared += 1;
                }
            }
        }
    }
    assert!(n_compared > 50, "{n_compared} are too few for a test");
}
