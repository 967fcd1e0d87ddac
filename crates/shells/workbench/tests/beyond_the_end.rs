//! S3: formulas with `X` about runs that end: the verdict is the value of the formula on the only run, whose last state goes on for
//! ever. The value is worked out here, without the crate for formulas.

mod common;

use std::path::Path;

use allways_verdict::{Trail, Verdict};
use allways_workbench::{CheckOptions, LoadOptions, check, load_text, violation_shown_by};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use common::{NoFiles, Patient};

/// A formula, as text, and its value at each position of a run; at the last one for all that follow, too.
#[derive(Clone, Debug)]
struct Formula {
    text: String,
    values: Vec<bool>,
}

/// A formula of about so many operators over the values that `x` has along the run.
fn formula(random: &mut StdRng, run: &[u32], size: u32) -> Formula {
    let last = run.len() - 1;
    if size == 0 {
        let value = random.random_range(0..3);
        let values = run.iter().map(|x| *x == value).collect();
        return Formula { text: format!("(x == {value})"), values };
    }
    let kind = random.random_range(0..10);
    if kind < 6 {
        let Formula { text, values } = formula(random, run, size - 1);
        let from = |at: usize| &values[at..];
        let positions = 0..run.len();
        let (operator, values): (&str, Vec<bool>) = match kind {
            0..=2 => ("X", positions.map(|at| values[last.min(at + 1)]).collect()),
            3 => ("!", positions.map(|at| !values[at]).collect()),
            4 => ("[]", positions.map(|at| !from(at).contains(&false)).collect()),
            _ => ("<>", positions.map(|at| from(at).contains(&true)).collect()),
        };
        return Formula { text: format!("{operator} ({text})"), values };
    }
    let left = random.random_range(0..size);
    let (a, b) = (formula(random, run, left), formula(random, run, size - 1 - left));
    let mut values = vec![false; run.len()];
    for at in (0..run.len()).rev() {
        let (now, then) = (a.values[at], b.values[at]);
        let later = (at < last).then(|| values[at + 1]);
        values[at] = match kind {
            6 => now && then,
            7 => !now || then,
            8 => then || now && later.unwrap_or(false),
            _ => then && (now || later.unwrap_or(true)),
        };
    }
    let operator = ["&&", "->", "U", "V"][kind as usize - 6];
    Formula { text: format!("({}) {operator} ({})", a.text, b.text), values }
}

/// How many of so many random formulas are false.
fn compare(seed: u64, n: u32) -> u32 {
    let mut random = StdRng::seed_from_u64(seed);
    let mut violated = 0;
    for _ in 0..n {
        let n_steps = random.random_range(0..=3);
        let run: Vec<u32> = (0..=n_steps).map(|_| random.random_range(0..3)).collect();
        let size = random.random_range(1..=7);
        let formula = formula(&mut random, &run, size);
        let mut steps: Vec<String> = run[1..].iter().map(|value| format!("x = {value}; ")).collect();
        // It is blocked at the end, or it ends, which is a step that changes nothing.
        if steps.is_empty() || random.random_bool(0.3) {
            steps.push("false".to_string());
        }
        let text = format!(
            "byte x = {}; active proctype P() {{ end: {} }} ltl p {{ {} }}",
            run[0],
            steps.concat(),
            formula.text
        );
        violated += u32::from(compare_one(&text, &formula));
    }
    violated
}

fn compare_one(text: &str, formula: &Formula) -> bool {
    let model = load_text(Path::new("m.pml"), text.to_string(), &LoadOptions::default(), &NoFiles);
    let model = model.unwrap_or_else(|error| panic!("{text}: {error:?}"));
    for simplify in [false, true] {
        let options = CheckOptions {
            properties: vec!["p".to_string()],
            simplify,
            reduce: simplify,
            ..CheckOptions::default()
        };
        let result = check(&model, &options, &mut Patient).unwrap_or_else(|error| panic!("{text}: {error}"));
        let checked = &result.properties[0];
        let word = if formula.values[0] { "holds" } else { "violated" };
        assert_eq!(checked.verdict.word(), word, "{text}: {:?}", checked.verdict);
        if let Verdict::Violated(violation) = &checked.verdict {
            let trail = Trail { ..violation.trail.clone() };
            let shown =
                violation_shown_by(&model, options.semantics, &checked.property, &options.fair, &trail);
            assert!(matches!(shown, Ok(Some(_))), "{text}: the trail does not show it");
        }
    }
    !formula.values[0]
}

#[test]
fn s3_formulas_look_beyond_the_end() {
    let violated = compare(28, 200);
    assert!((40..160).contains(&violated), "{violated} of 200 are false: hardly a comparison");
}

#[test]
#[ignore = "takes a minute; run it with --release"]
fn s3_two_thousand_formulas_look_beyond_the_end() {
    let violated = compare(2828, 2000);
    assert!((400..1600).contains(&violated), "{violated} of 2000 are false: hardly a comparison");
}
