//! The formulas of the literature: right languages, small automata, short times.

mod common;

use std::time::{Duration, Instant};

use allways_ltl::{
    Formula, Lasso, Strength, TranslateOptions, accepts, holds_on, intersection, is_stutter_invariant, parse,
    strength, to_buchi, translate, translate_to_buchi, witness,
};

/// Name, formula, and how many states Spot needs for it and for its negation.
fn formulas() -> Vec<(String, Formula, [usize; 2])> {
    include_str!("formulas.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let fields: Vec<&str> = line.split(" | ").collect();
            let formula = parse(fields[1]).unwrap().formula;
            (fields[0].to_string(), formula, [fields[2].parse().unwrap(), fields[3].parse().unwrap()])
        })
        .collect()
}

#[test]
fn the_list_is_complete() {
    let count = |set: &str| {
        formulas().iter().filter(|(n, ..)| n.trim_end_matches(|c: char| c.is_ascii_digit()) == set).count()
    };
    assert_eq!(["eh", "sb", "dac", "beem", "hkrss"].map(count), [12, 27, 55, 20, 55]);
}

/// Each reduced automaton has no word in common with the plain one of the negation, and exactly one of them accepts
/// each of some words.
#[test]
fn languages() {
    let (all, low) = (TranslateOptions::default(), TranslateOptions::low_effort());
    let mut rng = common::rng(30);
    for (name, formula, _) in formulas() {
        let negation = formula.negated();
        let n_propositions = formula.n_propositions();
        // The plain automata of a few formulas are huge; there the simplified formula is translated.
        let plain = |f: &Formula| {
            let small = TranslateOptions { max_states: 200, ..low.clone() };
            translate(f, &small)
                .or_else(|_| translate(f, &TranslateOptions { rewrite: true, ..low.clone() }))
                .unwrap()
        };
        let plain = [plain(&formula), plain(&negation)];
        let buchi = [&formula, &negation].map(|f| translate_to_buchi(f, &all).unwrap());
        let generalized = [&formula, &negation].map(|f| translate(f, &all).unwrap());
        for (a, b) in [
            (&buchi[0], &plain[1]),
            (&plain[0], &buchi[1]),
            (&generalized[0], &plain[1]),
            (&plain[0], &generalized[1]),
            (&buchi[0], &buchi[1]),
        ] {
            assert_eq!(witness(&intersection(a, b)), None, "{name}");
        }
        let mut words: Vec<Lasso> = (0..60).map(|_| common::word(&mut rng, n_propositions, 6)).collect();
        // Random words seldom satisfy long formulas; witnesses do.
        words.extend(plain.iter().chain(&buchi).filter_map(witness));
        for word in &words {
            let expected = holds_on(&formula, word);
            for (i, automaton) in buchi.iter().chain(&generalized).chain(&plain).enumerate() {
                assert_eq!(accepts(automaton, word), expected == (i % 2 == 0), "{name} ({i}) on {word:?}");
            }
            assert_eq!(accepts(&to_buchi(&generalized[0]), word), expected, "{name} on {word:?}");
        }
    }
}

/// Spot 2.12.1 has 1260 states in all, ltl3ba 1494; the time is for debug builds on a busy machine.
#[test]
fn sizes_and_times() {
    let options = TranslateOptions::default();
    let (mut total, mut times) = (0, Vec::new());
    for (name, formula, spot) in formulas() {
        for (formula, spot) in [formula.clone(), formula.negated()].iter().zip(spot) {
            let start = Instant::now();
            let states = translate_to_buchi(formula, &options).unwrap().states.len();
            times.push(start.elapsed());
            assert!(states <= spot + 2, "{name}: {states} states, Spot has {spot}");
            total += states;
        }
    }
    times.sort();
    assert_eq!(times.len(), 338);
    assert!(total <= 1270, "{total} states");
    assert!(times[169] < Duration::from_millis(50), "median {:?}", times[169]);
}

/// Of the claims, the negated formulas, 81 are terminal, 73 weak and 15 strong.
#[test]
fn strengths_of_claims() {
    let options = TranslateOptions::default();
    let mut counts = [0; 3];
    for (_, formula, _) in formulas() {
        let claim = translate_to_buchi(&formula.negated(), &options).unwrap();
        counts[strength(&claim) as usize] += 1;
    }
    assert_eq!(counts[Strength::Strong as usize] + counts[Strength::Weak as usize] + counts[0], 169);
    assert!(counts[0] >= 81 && counts[2] <= 15, "{counts:?}");
}

#[test]
fn stutter_invariance() {
    for (name, formula, _) in formulas().into_iter().filter(|(name, ..)| name.starts_with("dac")) {
        let expected = !formula.uses_next() || name == "dac48" || name == "dac53";
        assert_eq!(is_stutter_invariant(&formula).unwrap(), expected, "{name}");
    }
}
