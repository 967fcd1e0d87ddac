//! Temporal properties: what the corpus cannot say about them.

mod common;

use std::path::Path;

use allways_testkit::corpus::read_folder;
use allways_verdict::{Property, PropertyKind, Trail, Verdict};
use allways_workbench::{
    Algorithm, CheckOptions, CheckResult, FairRuns, Fairness, Keep, LoadOptions, Model, Monitor, Order,
    PropertyResult, Semantics, Stopped, Until, check, load, load_text, violation_shown_by,
};

use common::{NoFiles, Patient};

fn model(text: &str) -> Model {
    match load_text(Path::new("model.pml"), text.to_string(), &LoadOptions::default(), &NoFiles) {
        Ok(model) => model,
        Err(error) => panic!("{error:?}"),
    }
}

fn run(model: &Model, options: &CheckOptions) -> CheckResult {
    check(model, options, &mut Patient).unwrap_or_else(|error| panic!("{error}"))
}

fn property(model: &Model, name: &str, options: &CheckOptions) -> PropertyResult {
    let options = CheckOptions { properties: vec![name.to_string()], ..options.clone() };
    run(model, &options).properties.remove(0)
}

fn trail(result: &PropertyResult) -> &Trail {
    match &result.verdict {
        Verdict::Violated(violation) => &violation.trail,
        other => panic!("{other:?}"),
    }
}

/// Processes that each count to `N`, again and again: (N + 1)^3 states.
fn counters(n: u32, formula: &str) -> String {
    format!(
        "#define N {n}
         byte c[3];
         active [3] proctype P() {{ do :: c[_pid] < N -> c[_pid]++ :: else -> c[_pid] = 0 od }}
         ltl p {{ {formula} }}"
    )
}

#[test]
fn a_formula_that_holds_costs_at_most_two_visits() {
    for formula in [
        "[] <> (c[0] == 0 || c[0] != 0)",
        "([] <> (c[0] == 1) && [] <> (c[1] == 1)) -> [] <> (c[0] == 1 || c[2] == 5)",
        "[] ((c[0] == 3) -> ((c[0] >= 0) W (c[0] == 0)))",
        "[] <> (c[0] == 1) || <> [] (c[0] != 1)",
    ] {
        let model = model(&counters(9, formula));
        let plain = property(&model, "deadlock", &CheckOptions::default());
        assert_eq!(plain.verdict, Verdict::Holds);
        for algorithm in [Algorithm::Auto, Algorithm::Nested, Algorithm::Components] {
            let options = CheckOptions { algorithm, ..CheckOptions::default() };
            let result = property(&model, "p", &options);
            assert_eq!(result.verdict, Verdict::Holds, "{formula}");
            let search = result.search.expect("it had a search");
            let nodes = search.system_states * search.observer.states.len() as u64;
            assert!(search.visits as f64 <= 2.2 * nodes as f64, "{formula}: {} of {nodes}", search.visits);
        }
    }
}

#[test]
fn an_inner_search_takes_two_bits_per_node() {
    let model = model(&counters(60, "<> [] (c[0] != 1) || [] <> (c[0] == 1)"));
    let options = CheckOptions { algorithm: Algorithm::Nested, ..CheckOptions::default() };
    let nested = property(&model, "p", &options).search.expect("it had a search");
    let nodes = nested.system_states * nested.observer.states.len() as u64;
    assert!(nested.system_states > 200_000);
    let bits_per_node = 8.0 * nested.node_bytes as f64 / nodes as f64;
    // Room for growth is an eighth.
    assert!(bits_per_node <= 2.0 * 1.13, "{bits_per_node}");
}

#[test]
fn shortest_is_shortest() {
    let model = model(
        "byte n;
         active proctype A() { do :: n < 20 -> n++ :: n > 0 -> n-- od }
         active proctype B() { do :: n < 20 -> n++ :: n > 3 -> n = 3 od }
         ltl p { [] (n < 7) }
         ltl q { <> [] (n < 5) }",
    );
    let shortest = CheckOptions { order: Order::BreadthFirst, ..CheckOptions::default() };
    let p = property(&model, "p", &shortest);
    assert_eq!((trail(&p).steps.len(), trail(&p).cycle), (14, None));
    let q = property(&model, "q", &shortest);
    let cycle = trail(&q).cycle.expect("a lasso");
    // The nearest state of the component is the initial one: from there n goes up to 5 and comes back.
    assert_eq!(cycle, 0);
    assert!(trail(&q).steps.len() <= 20, "{}", trail(&q).steps.len());
    let long = property(&model, "q", &CheckOptions::default());
    assert!(trail(&q).steps.len() <= trail(&long).steps.len());
}

#[test]
fn a_trivial_reason_is_told() {
    let model = model(
        "byte n;
         active proctype A() { do :: n < 3 -> n++ :: else -> n = 0 od }
         ltl p { [] ((n == 7) -> <> (n == 9)) }
         ltl q { [] ((n == 3) -> <> (n == 0)) }
         ltl r { [] (n < 4) }",
    );
    let remarks = |name| property(&model, name, &CheckOptions::default()).search.expect("a search").remarks;
    assert_eq!(remarks("p"), ["it holds only because `n == 7` is never true"]);
    assert_eq!(remarks("q"), Vec::<String>::new());
    assert_eq!(remarks("r"), Vec::<String>::new());
}

#[test]
fn it_is_told_where_a_property_is_lost() {
    let model = model(
        "byte n;
         active proctype A() { n = 1; n = 2; n = 3; do :: n = 4 :: n = 5 od }
         ltl safety { [] (n != 2) }
         ltl liveness { [] <> (n == 4) }",
    );
    let explain = |name| {
        let search = property(&model, name, &CheckOptions::default()).search.expect("a search");
        search.explanation.expect("it is violated")
    };
    let safety = explain("safety");
    assert_eq!(safety.propositions, ["n != 2"]);
    assert_eq!(safety.lost_after, Some(2));
    assert_eq!(explain("liveness").lost_after, None);
}

#[test]
fn lassos_can_be_repeated_and_others_are_refused() {
    let model = model(
        "byte n; bit x;
         active proctype A() { do :: n = 1; n = 2 od }
         active proctype B() { do :: x = !x od }
         ltl p { <> [] (n == 1) }",
    );
    let property_p = Property { name: "p".to_string(), kind: PropertyKind::Ltl };
    let shown = |trail: &Trail, fairness| {
        violation_shown_by(&model, Semantics::default(), &property_p, &FairRuns::from(fairness), trail)
            .ok()
            .flatten()
            .is_some()
    };
    let weak = CheckOptions { fair: Fairness::Weak.into(), ..CheckOptions::default() };
    let fair = property(&model, "p", &weak);
    let fair = trail(&fair).clone();
    assert!(shown(&fair, Fairness::Weak) && shown(&fair, Fairness::None));
    // A cycle in which B does nothing is not fair; one that does not come back is no cycle.
    let unfair =
        property(&model, "p", &CheckOptions { order: Order::BreadthFirst, ..CheckOptions::default() });
    let unfair = trail(&unfair).clone();
    assert!(shown(&unfair, Fairness::None));
    let movers: Vec<u32> = unfair.steps[unfair.cycle.unwrap_or(0)..].iter().map(|step| step.pid).collect();
    assert_eq!(shown(&unfair, Fairness::Weak), movers.contains(&0) && movers.contains(&1));
    let cut = Trail { steps: fair.steps[..fair.steps.len() - 1].to_vec(), ..fair.clone() };
    assert!(!shown(&cut, Fairness::None));
    let no_cycle = Trail { cycle: None, ..fair };
    assert!(!shown(&no_cycle, Fairness::None));
}

#[test]
fn one_check_never_switches_off_another() {
    let model = model(
        "byte n;
         active proctype A() { n = 1; assert(n == 2); false }
         ltl p { <> (n == 2) }
         ltl q { [] (n < 2) }",
    );
    let result = run(&model, &CheckOptions { until: Until::AllExplored, ..CheckOptions::default() });
    let words: Vec<(&str, &str)> =
        result.properties.iter().map(|one| (&*one.property.name, one.verdict.word())).collect();
    assert_eq!(
        words,
        [("assertions", "violated"), ("deadlock", "violated"), ("p", "violated"), ("q", "holds")]
    );
}

#[test]
fn stores_that_forget_find_the_same_lassos_and_never_say_that_a_property_holds() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../corpus/temporal");
    let bitstate = Keep::Bitstate { bytes: 1 << 16, bits: None, seed: 1 };
    let mut n_violated = 0;
    for entry in read_folder(&corpus).expect("the corpus is readable") {
        let model = load(&entry.path, &LoadOptions::default()).expect("the model can be read");
        for (name, holds) in &entry.expectation.verdicts {
            for keep in [Keep::Compact, bitstate] {
                let options = CheckOptions { keep, reduce: true, simplify: true, ..CheckOptions::default() };
                let word = property(&model, name, &options).verdict.word();
                let is_slow = entry.text.contains("atomic") || entry.text.contains("trace {");
                match (holds, word) {
                    (false, "violated") => n_violated += 1,
                    (true, "inconclusive") => {}
                    // What only the slow way sees is looked at in another store.
                    _ if is_slow => {}
                    _ => panic!("{}: {name} is {word} with {keep:?}", entry.path.display()),
                }
            }
        }
    }
    assert!(n_violated > 40, "{n_violated}");
}

/// Gives up in the most impolite way, but not while it looks for what one state shows.
struct Clumsy;

impl Monitor for Clumsy {
    fn tick(&mut self, statistics: &allways_verdict::Statistics) -> std::ops::ControlFlow<Stopped> {
        assert!(statistics.states < 3000, "clumsy");
        std::ops::ControlFlow::Continue(())
    }
}

#[test]
fn s6_an_internal_error_is_one_property_alone() {
    let text = "byte x, y; active proctype A() { do :: x < 50 -> x++ :: x = 0 od }
                active proctype B() { do :: y < 200 -> y++ :: y = 0 od }
                never quick { x == 0; true; true }
                ltl slow { [] (x < 60 || y < 60) }
                ltl last { X (x == 7) }";
    let mut result = check(&model(text), &CheckOptions::default(), &mut Clumsy).expect("a result");
    let words: Vec<(String, &str)> =
        result.properties.drain(..).map(|p| (p.property.name, p.verdict.word())).collect();
    let expected = [
        ("assertions", "inconclusive"),
        ("deadlock", "inconclusive"),
        ("quick", "violated"),
        ("slow", "inconclusive"),
        ("last", "violated"),
    ];
    let words: Vec<(&str, &str)> = words.iter().map(|(name, word)| (&**name, *word)).collect();
    assert_eq!(words, expected);
    assert_eq!(result.internal_errors.len(), 3, "{:?}", result.internal_errors);
    assert!(!result.complete);
}

#[test]
fn s2_what_is_read_and_left_out_makes_nothing_hold() {
    let text = "hidden byte h; byte x; active proctype A() { h = 1; x = h }
                ltl p { [] (x < 2) } ltl q { [] (x == 0) }";
    let words = |leave_out_hidden, text| -> Vec<&str> {
        let options = CheckOptions { leave_out_hidden, ..CheckOptions::default() };
        let result = run(&model(text), &options);
        assert_eq!(result.complete, !leave_out_hidden || !text.contains("x = h"));
        result.properties.iter().map(|property| property.verdict.word()).collect()
    };
    assert_eq!(words(false, text), ["holds", "holds", "holds", "violated"]);
    assert_eq!(words(true, text), ["inconclusive", "inconclusive", "inconclusive", "violated"]);
    // Nothing is lost where it is only printed.
    let printed = "hidden byte h; byte x; active proctype A() { h = 1; printf(\"%d\", h); h++; x = 1 }
                   ltl p { [] (x < 2) } ltl q { [] (x == 0) }";
    assert_eq!(words(true, printed), ["holds", "holds", "holds", "violated"]);
}

/// A counter is read where a value that does not fit is a fault.
#[test]
fn s2_a_hidden_counter_can_overflow() {
    let model = model("hidden byte h; active proctype A() { do :: h++ od }");
    for (leave_out_hidden, word) in [(false, "violated"), (true, "inconclusive")] {
        let semantics = Semantics { check_overflow: true, ..Semantics::default() };
        let options = CheckOptions { leave_out_hidden, semantics, ..CheckOptions::default() };
        assert_eq!(run(&model, &options).properties[0].verdict.word(), word);
        let options = CheckOptions { leave_out_hidden, ..CheckOptions::default() };
        assert_eq!(run(&model, &options).properties[0].verdict.word(), "holds");
    }
}

/// Each of many thousand states that follow one state is compared with few others.
#[test]
fn s1_many_states_may_follow_one_state() {
    let choices: String = (0..16).map(|bit| format!("if :: b{bit} = 0 :: b{bit} = 1 fi; ")).collect();
    let bits: Vec<String> = (0..16).map(|bit| format!("b{bit}")).collect();
    let text = format!(
        "byte x; active proctype A() {{ bool {}; atomic {{ {choices} x = 1 }}; assert({} || x == 1); x = 2 }}
         ltl p {{ <> (x == 2) }}",
        bits.join(", "),
        bits.join(" && ")
    );
    let started = std::time::Instant::now();
    let result = run(&model(&text), &CheckOptions::default());
    assert_eq!(result.properties.last().map(|property| property.verdict.word()), Some("holds"));
    assert!(started.elapsed() < std::time::Duration::from_secs(60));
}

#[test]
fn s2_what_only_seems_to_go_round_is_no_violation() {
    // Without `h` the state after the first round is the initial one.
    let text = "hidden byte h, k; byte x; active proctype A() { do :: h < 3 -> h++; k++; x = 1; x = 0 od }
                ltl p { <> [] (x == 0) } ltl q { [] (x == 0) } ltl r { [] (x == 1 -> X (x == 1)) }";
    let words = |leave_out_hidden, text| -> Vec<&str> {
        let options = CheckOptions { leave_out_hidden, ..CheckOptions::default() };
        let result = run(&model(text), &options);
        assert_eq!(result.internal_errors, Vec::<String>::new());
        result.properties[2..].iter().map(|property| property.verdict.word()).collect()
    };
    assert_eq!(words(false, text), ["holds", "violated", "violated"]);
    assert_eq!(words(true, text), ["inconclusive", "violated", "violated"]);
    // `h` comes back to its value, too; what `k` is does not matter.
    let round =
        "hidden byte h, k; byte x; active proctype A() { do :: h < 3 -> h++; k++; x = 1; x = 0; h-- od }
                 ltl p { <> [] (x == 0) }";
    assert_eq!(words(true, round), ["violated"]);
    assert_eq!(words(false, round), ["violated"]);
}

/// The verdict on the never claim of a model.
fn verdict_on_claim(body: &str) -> Verdict {
    let text = format!("byte x, y; active proctype A() {{ x = 1; x = 2 }} never n {{ {body} }}");
    property(&model(&text), "n", &CheckOptions::default()).verdict
}

#[test]
fn s1_the_ways_through_a_sequence_of_a_claim_do_not_multiply() {
    let repeated = |n: usize, part: &dyn Fn(usize) -> String| (0..n).map(part).collect::<Vec<_>>().join("; ");
    // A long one.
    let long = repeated(3000, &|_| "x == 0".to_string());
    assert_eq!(verdict_on_claim(&format!("atomic {{ {long} }}; x == 1")).word(), "violated");
    assert_eq!(verdict_on_claim(&format!("d_step {{ {long} }}; x == 1")).word(), "violated");
    assert_eq!(verdict_on_claim(&format!("atomic {{ {long}; x == 1 }}; x == 1")).word(), "holds");
    // 2^40 ways, and then 3^40, of which one assertion fails on each.
    let choices = repeated(40, &|i| format!("if :: x == 0 :: y == {i} fi"));
    assert_eq!(verdict_on_claim(&format!("atomic {{ {choices} }}; x == 1")).word(), "violated");
    assert_eq!(verdict_on_claim(&format!("atomic {{ {choices} }}; x == 0")).word(), "holds");
    let cases =
        repeated(40, &|i| format!("if :: x == {} -> skip :: y == {i} -> skip :: else -> skip fi", i % 3));
    assert_eq!(verdict_on_claim(&format!("d_step {{ {cases} }}; x == 1")).word(), "violated");
    assert_eq!(verdict_on_claim(&format!("d_step {{ {cases} }}; x == 2")).word(), "holds");
    let failing =
        verdict_on_claim(&format!("do :: x < 2 :: atomic {{ x == 2; {cases}; assert(x == 1) }} od"));
    assert_eq!(failing.word(), "violated");
}

#[test]
fn a_sequence_of_a_claim_may_go_back() {
    // It would go round only where it does not come to the loop.
    let leaves = "atomic { x == 0; do :: !(x == 0) -> skip :: x == 0 -> break od }; x == 1; x == 2";
    assert_eq!(verdict_on_claim(leaves).word(), "violated");
    let never_ends = "atomic { x == 0; do :: x == 0 -> skip :: x == 1 -> break od }; x == 1";
    assert_eq!(verdict_on_claim(never_ends).word(), "inconclusive");
    // In a `d_step` that is a violation.
    let never_ends = "do :: x == 0 :: d_step { x == 1; do :: x == 1 -> skip :: x == 0 -> break od } od";
    assert_eq!(verdict_on_claim(never_ends).word(), "violated");
    let leaves = "do :: x == 0 :: d_step { x == 1; do :: x == 0 -> skip :: x == 1 -> break od }; x == 1 od";
    assert_eq!(verdict_on_claim(leaves).word(), "holds");
    let both =
        "do :: x < 2 :: d_step { x == 2; do :: x == 2 -> skip; break :: x == 2 -> skip od; x == 1 } od";
    assert_eq!(verdict_on_claim(both).word(), "violated");
}

#[test]
fn s6_what_an_observer_need_not_know_need_not_be_evaluated() {
    // At first `i` is no index, and `c` is no channel.
    let text = "byte a[2]; byte i = 2; bool ok; chan c; chan d = [1] of { byte };
                active proctype A() { i = 1; c = d; ok = true; c!1 }
                ltl response { [] (ok -> <> (a[i] == 0)) }
                ltl filled { [] (ok -> <> nempty(c)) }
                ltl zero { (i > 1) U (a[i] == 0) }
                ltl never_zero { [] (a[i] == 0) }
                never late { do :: !ok :: ok -> break od; a[i] == 0; a[i] == 1 }
                never later { do :: !ok :: ok -> break od; a[i] == 0; a[i] == 0 }
                never apart { do :: atomic { i < 2; a[i] == 1 } -> break :: else od }
                never early { do :: a[i] == 1 -> break :: else od }
                never at_the_end { do :: c != d :: c == d -> break od; true; true; true; true; true; true; a[i + 1] == 0 }
                never inside { do :: !ok :: ok -> break od; true; true; true; a[i + 1] == 0 }";
    let model = model(text);
    for interpret in [false, true] {
        for (reduce, simplify) in [(false, false), (true, true)] {
            let options = CheckOptions { interpret, reduce, simplify, ..CheckOptions::default() };
            let verdict = |name| property(&model, name, &options).verdict;
            let says = |name, why: &str| match verdict(name) {
                Verdict::Violated(violation) => {
                    assert!(violation.reason.contains(why), "{name}: {violation:?}")
                }
                verdict => panic!("{name}: {verdict:?}"),
            };
            assert_eq!(verdict("response").word(), "holds");
            assert_eq!(verdict("filled").word(), "holds");
            assert_eq!(verdict("late").word(), "holds");
            says("later", "accepts this run");
            assert_eq!(verdict("apart").word(), "holds");
            // Both have to know what is in `a` at once.
            says("never_zero", "array index 2 is out of range");
            says("early", "array index 2 is out of range");
            says("zero", "array index 2 is out of range");
            // Only after the last state was read some times.
            says("at_the_end", "array index 2 is out of range");
            says("inside", "array index 2 is out of range");
        }
    }
}

#[test]
fn s5_a_claim_accepts_at_an_end_label() {
    let verdict = |claim: &str| {
        let text = format!("byte x; active proctype A() {{ x = 1 }} never {{ {claim} }}");
        let result = run(&model(&text), &CheckOptions::default());
        result.properties.last().expect("the claim").verdict.word()
    };
    let loops = "do :: x == 0 -> skip :: x == 1 -> goto S od; S: x == 1;";
    assert_eq!(verdict(&format!("{loops} end: do :: x == 2 od")), "violated");
    assert_eq!(verdict(&format!("{loops} do :: x == 2 od")), "holds");
    assert_eq!(verdict("end: do :: x == 0 od"), "violated");
    assert_eq!(verdict("do :: x == 0 od"), "holds");
    assert_eq!(verdict("do :: x == 0 -> break :: else od; end_here: do :: x == 3 od"), "violated");
}

/// The verdicts are those of pan.
#[test]
fn claims_have_variables_of_their_own() {
    const COUNTER: &str = "byte x; active proctype A() { do :: x < 5 -> x++ :: x == 5 -> BEHIND od }";
    let check = |behind: &str, claim: &str| {
        let model = model(&format!("{} never {{ {claim} }}", COUNTER.replace("BEHIND", behind)));
        let found = run(&model, &CheckOptions { properties: vec!["never_0".into()], ..Default::default() });
        assert_eq!(found.internal_errors, [""; 0], "{claim}");
        found.properties[0].verdict.clone()
    };
    let violated = |verdict: Verdict| matches!(verdict, Verdict::Violated(_));
    let counts = "byte n; do :: x == 3 -> n++; if :: n == 2 -> break :: else fi :: x != 3 od";
    assert!(violated(check("x = 0", counts)));
    assert_eq!(check("break", counts), Verdict::Holds);
    assert_eq!(check("break", "byte i, s; for (i : 1 .. 3) { x >= i } s = x; s == 3"), Verdict::Holds);
    let remembers = "unsigned s : 3; do :: x < 4 :: x == 4 -> s = x; x == s + 1 -> break od";
    assert!(violated(check("break", remembers)));
    assert_eq!(check("break", &remembers.replace("s + 1", "s + 2")), Verdict::Holds);
    let in_one_step = "bool b = true; byte a[2]; do :: d_step { x == 4 -> a[1] = a[1] + 1; b = !b } \
                       :: x != 4 && b :: x != 4 && a[b] == 0 && a[1] == 1 -> break od";
    assert_eq!(check("x = 0", in_one_step), Verdict::Holds);
    assert!(violated(check("x = 0", &in_one_step.replace("a[1] == 1", "a[1] == 0"))));
}

/// What a claim may not do makes that claim inconclusive, and no other property.
#[test]
fn claims_that_cannot_be_checked_are_alone() {
    for (claim, expected) in [
        ("do :: y = 1 od", "the never claim changes the system it watches (`y = 1`)"),
        ("do :: c!1 od", "never claims with `c!1` are not supported"),
        (
            "int n; do :: n++ od",
            "the never claim comes to more than 65536 places, told apart by its variables",
        ),
        (
            "int n; n = x",
            "a variable of the never claim with more than 8 bits takes a value of the system (`n = x`)",
        ),
        (
            "byte a[2]; a[x] == 1",
            "an index into a never claim's own array cannot be evaluated before the run",
        ),
    ] {
        let text = "byte x, y; chan c = [1] of { byte }; active proctype A() { x = 1; assert(y == 0) } never { CLAIM }";
        let model = model(&text.replace("CLAIM", claim));
        let found = run(&model, &CheckOptions::default());
        let verdicts: Vec<&Verdict> = found.properties.iter().map(|property| &property.verdict).collect();
        assert_eq!(verdicts[..2], [&Verdict::Holds; 2], "{claim}");
        assert!(
            matches!(verdicts[2], Verdict::Inconclusive { reason, .. } if reason == expected),
            "{verdicts:?}"
        );
    }
}
