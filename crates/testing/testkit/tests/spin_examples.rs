//! Temporal properties of the models in Spin's package, and the small models about which Spin is wrong.
//!
//! What Spin says is recorded here, with and without weak fairness. One test holds Spin to the record, another one the
//! checker. The models are looked for where Debian's package puts them; the checker is `$ALLWAYS`, or what
//! `cargo build --release` made.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use allways_testkit::compare::Allways;
use allways_testkit::generate::Kind;
use allways_testkit::spin::{Recipe, Scratch, Semantics, spin_available};
use allways_testkit::temporal::Question;
use allways_testkit::temporal::oracle::{self, Answer, Oracle};
use allways_testkit::temporal::ours::{self, WAYS, Way};

const HOLDS: Option<bool> = Some(true);
const VIOLATED: Option<bool> = Some(false);
/// No verdict in reasonable time.
const TOO_LARGE: Option<bool> = None;

/// A property of one of Spin's models; what Spin says without and with weak fairness.
struct Example {
    model: &'static str,
    property: &'static str,
    unfair: Option<bool>,
    fair: Option<bool>,
}

const fn example(
    model: &'static str,
    property: &'static str,
    unfair: Option<bool>,
    fair: Option<bool>,
) -> Example {
    Example { model, property, unfair, fair }
}

/// Of the models with formulas or never claims these are left out: `LTL/leader` and `LTL/leader_pre` (some 20 s and 2
/// million states per formula, and no verdict under fairness), `Exercises/ex_6` (6 million states), `LTL/ltl_example`
/// (its formula asks for the length of a channel that does not exist, which pan reports instead).
const EXAMPLES: &[Example] = &[
    example("Book_1991/p123.pml", "never_0", VIOLATED, VIOLATED),
    example("Exercises/ex_3a.pml", "invariant", VIOLATED, VIOLATED),
    example("LTL/bakery.pml", "invariant", VIOLATED, VIOLATED),
    example("LTL/diskhead.pml", "p", HOLDS, HOLDS),
    example("LTL/ltl_always_eventually.pml", "name", VIOLATED, VIOLATED),
    example("LTL/mobile1.pml", "ltl_0", HOLDS, HOLDS),
    example("LTL/mobile2.pml", "ltl_0", HOLDS, HOLDS),
    example("LTL/petersonN.pml", "bounded_bypass", VIOLATED, TOO_LARGE),
    example("LTL/pftp.pml", "p1", VIOLATED, VIOLATED),
    example("LTL/pftp.pml", "p2", VIOLATED, VIOLATED),
    example("LTL/pftp.pml", "p3", VIOLATED, VIOLATED),
    example("LTL/salesman1.pml", "p", VIOLATED, VIOLATED),
    example("LTL/salesman2.pml", "p", VIOLATED, VIOLATED),
    example("LTL/train.pml", "c1", HOLDS, HOLDS),
    example("LTL/train.pml", "c2", VIOLATED, VIOLATED),
    example("LTL/train.pml", "c3", VIOLATED, VIOLATED),
    example("LTL/train.pml", "c4", VIOLATED, VIOLATED),
    example("LTL/train.pml", "c5", HOLDS, HOLDS),
    example("LTL/train.pml", "c6", VIOLATED, VIOLATED),
    example("LTL/train.pml", "c7", HOLDS, HOLDS),
    example("LTL/train.pml", "c8", HOLDS, HOLDS),
    example("LTL/zune.pml", "p1", VIOLATED, VIOLATED),
    example("werkplaats.pml", "never_0", HOLDS, HOLDS),
];

/// A small model with property `p0`, what Spin says about it and what is true.
struct Small {
    text: &'static str,
    kind: Kind,
    fair: bool,
    spin: Option<bool>,
    right: bool,
}

const fn small(text: &'static str, fair: bool, spin: Option<bool>, right: bool) -> Small {
    Small { text, kind: Kind::Ltl, fair, spin, right }
}

/// Spin's known errors.
const SPIN_IS_WRONG: &[Small] = &[
    // Under fairness a run that stops is lost if the claim then goes round between two states.
    small(
        "byte n; active proctype P(){n=1} active proctype Q(){n=2} ltl p0 { <>([](n==1)) }",
        true,
        HOLDS,
        false,
    ),
    small(
        "byte n; active proctype P(){n=1} active proctype Q(){n=2} active proctype R(){n=3} ltl p0 { <>([](n==3)) }",
        true,
        HOLDS,
        false,
    ),
    // A process whose provided clause is false counts as one that can move, so no run without it is fair.
    small(
        "byte n; active proctype P() provided (0) {skip} active proctype Q(){do :: n=1-n od} ltl p0 { <>(n==2) }",
        true,
        HOLDS,
        false,
    ),
    // With a claim `_nr_pr` counts the claim.
    small("byte n; init {n=1} ltl p0 { [](_nr_pr<=1) }", false, VIOLATED, true),
    small("byte n; init {do :: n=1-n od} ltl p0 { <>(_nr_pr==2) }", false, HOLDS, false),
    // Without a claim and under fairness any stop counts as one at an accepting label.
    Small {
        text: "chan c = [2] of {bool}; byte n; active proctype P(){skip} \
               active proctype Q(){do :: skip -> select(n : 0 .. 0); accept: skip; c!0 :: skip -> (0) od}",
        kind: Kind::Acceptance,
        fair: true,
        spin: VIOLATED,
        right: true,
    },
    // States within an atomic sequence are not stored: pan goes round until it is too deep.
    small(
        "bool x; byte n; active proctype P(){atomic {do :: x=!x od}} ltl p0 { <>(n==1) }",
        false,
        None,
        false,
    ),
];

/// Where the same mechanisms do work.
const SPIN_IS_RIGHT: &[Small] = &[
    small(
        "byte n; active proctype P(){n=1} active proctype Q(){n=2} ltl p0 { <>([](n==1)) }",
        false,
        VIOLATED,
        false,
    ),
    small(
        "byte n; active proctype P(){n=1} active proctype Q(){n=2} ltl p0 { []<>(n==1) }",
        true,
        VIOLATED,
        false,
    ),
    small("byte n; active proctype P(){n=1} ltl p0 { <>(n==2) }", true, VIOLATED, false),
    small("byte n; active proctype P(){n=1; 0} ltl p0 { <>(n==2) }", true, VIOLATED, false),
    small(
        "byte n; active proctype P(){n=1} active proctype Q(){do :: n==2 od} ltl p0 { <>(n==1) }",
        true,
        HOLDS,
        true,
    ),
    small(
        "bool a, b; active proctype A(){do :: a=!a od} active proctype B(){do :: b=!b od} ltl p0 { []<>b }",
        false,
        VIOLATED,
        false,
    ),
    small(
        "bool a, b; active proctype A(){do :: a=!a od} active proctype B(){do :: b=!b od} ltl p0 { []<>b }",
        true,
        HOLDS,
        true,
    ),
    // Weak fairness does not help a guard that toggles; strong fairness would.
    small(
        "bool x, y; active proctype A(){do :: x=!x od} active proctype B(){x -> y=1} ltl p0 { <>y }",
        true,
        VIOLATED,
        false,
    ),
    // Nor does it choose within a process.
    small("bool x; active proctype A(){do :: x=0 :: x=1 od} ltl p0 { <>x }", true, VIOLATED, false),
    small(
        "chan c = [0] of {bit}; bool y, z; active proctype A(){do :: c!1 od} \
         active proctype B(){do :: c?_; y=!y od} active proctype C(){do :: z=!z od} ltl p0 { []<>y }",
        true,
        HOLDS,
        true,
    ),
];

/// Where the package put one of its example models.
fn path(model: &str) -> PathBuf {
    let listed = Command::new("dpkg").args(["-L", "spin"]).output().expect("Debian's spin package");
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let found = listed.lines().find(|line| line.ends_with(&format!("/{model}")));
    PathBuf::from(found.unwrap_or_else(|| panic!("{model} is not in the package")))
}

fn checker() -> Allways {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../target/release/allways");
    let binary = std::env::var_os("ALLWAYS").map_or(built, PathBuf::from);
    let binary = binary.canonicalize().expect("a checker: set ALLWAYS, or build with --release");
    Allways { binary, time_limit: Duration::from_secs(120) }
}

fn question(kind: Kind, property: &str, fair: bool) -> Question {
    let property = if kind == Kind::Acceptance { "acceptance" } else { property };
    Question { kind, property: property.into(), fair }
}

fn spin_verdict(oracle: &Oracle, question: &Question) -> Option<bool> {
    match oracle.ask(question).unwrap() {
        Answer::Holds { .. } => Some(true),
        Answer::Violated(_) => Some(false),
        Answer::Silent(_) => None,
    }
}

fn oracle(model: &Path, kind: Kind, recipe: Recipe, scratch: &Path) -> Oracle {
    let recipe = oracle::recipe(kind, false, recipe.time_limit, recipe);
    Oracle::new(model, recipe, scratch).unwrap().unwrap_or_else(|answer| panic!("{answer:?}"))
}

/// Which of the examples' questions have an answer, with that answer.
fn questions(example: &Example) -> impl Iterator<Item = (Question, bool)> {
    [(false, example.unfair), (true, example.fair)]
        .into_iter()
        .filter_map(|(fair, holds)| Some((question(Kind::Ltl, example.property, fair), holds?)))
}

#[test]
#[ignore = "needs spin and a C compiler"]
fn spin_says_what_is_recorded() {
    assert!(spin_available());
    let scratch = Scratch::new(10).unwrap();
    let mut wrong = vec![];
    for of_one_model in EXAMPLES.chunk_by(|first, second| first.model == second.model) {
        let model = of_one_model[0].model;
        let recipe = Recipe { vector_size: 8192, ..Recipe::large(Semantics::default()) };
        let oracle = oracle(&path(model), Kind::Ltl, recipe, scratch.path());
        for (question, holds) in of_one_model.iter().flat_map(questions) {
            let spin = spin_verdict(&oracle, &question);
            if spin != Some(holds) {
                wrong.push(format!("{model} {question}: {spin:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
#[ignore = "needs spin and a C compiler"]
fn spin_errs_where_it_is_known_to() {
    assert!(spin_available());
    let scratch = Scratch::new(11).unwrap();
    for small in SPIN_IS_WRONG.iter().chain(SPIN_IS_RIGHT) {
        let model = Path::new("small.pml");
        std::fs::write(scratch.path().join(model), small.text).unwrap();
        let oracle = oracle(model, small.kind, Recipe::small(Semantics::default()), scratch.path());
        let spin = spin_verdict(&oracle, &question(small.kind, "p0", small.fair));
        assert_eq!(spin, small.spin, "{}", small.text);
    }
    assert!(SPIN_IS_WRONG.iter().all(|small| small.spin != Some(small.right)));
    assert!(SPIN_IS_RIGHT.iter().all(|small| small.spin == Some(small.right)));
}

/// Asks the checker in some ways; what it says if that is not `holds`.
fn objections(
    ways: impl Iterator<Item = Way>,
    model: &Path,
    question: &Question,
    holds: bool,
    scratch: &Path,
) -> Vec<String> {
    let allways = checker();
    let mut objections = vec![];
    for way in ways {
        let answer = ours::ask(&allways, model, Semantics::default(), question, way, scratch).unwrap();
        let is_refused = matches!(answer, ours::Answer::Refused(_));
        if !is_refused && answer.holds() != Some(holds) {
            objections.push(format!("{question}, {}: {answer:?}", way.name));
        }
    }
    objections
}

#[test]
#[ignore = "needs Spin's example models and a release build of the checker"]
fn the_checker_agrees_with_spin_on_its_examples() {
    let scratch = Scratch::new(12).unwrap();
    let mut wrong = vec![];
    for example in EXAMPLES {
        let model = path(example.model);
        for (question, holds) in questions(example) {
            // The interpreter takes too long here.
            let ways = WAYS.iter().copied().filter(|way| way.name != "interpreted");
            let objections = objections(ways, &model, &question, holds, scratch.path());
            wrong.extend(objections.iter().map(|text| format!("{} {text}", example.model)));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
#[ignore = "needs a release build of the checker"]
fn the_checker_is_right_where_spin_is_wrong() {
    let scratch = Scratch::new(13).unwrap();
    let mut wrong = vec![];
    for small in SPIN_IS_WRONG.iter().chain(SPIN_IS_RIGHT) {
        std::fs::write(scratch.path().join("small.pml"), small.text).unwrap();
        let question = question(small.kind, "p0", small.fair);
        let ways = WAYS.iter().copied();
        let objections = objections(ways, Path::new("small.pml"), &question, small.right, scratch.path());
        wrong.extend(objections.iter().map(|text| format!("{}\n{text}", small.text)));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
