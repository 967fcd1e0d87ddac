//! Combinations against the meaning of formulas on words, and against automata of the negation.

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use super::*;
use crate::hoa::{HoaAutomaton, HoaState};
use crate::{Formula, Lasso, accepts, holds_on, intersection, parse, translate_to_any, witness};

/// The automaton part by part, however few ways there are.
fn by_parts(formula: &Formula) -> Result<Translation, TooLarge> {
    let options = TranslateOptions::default();
    let mut terms = Terms::new(true, &TranslateOptions::default());
    let term = terms.build(formula, true);
    let combination = Combination::new(&mut terms, term);
    combined(&mut terms, &combination, formula.n_propositions(), &options)
}

/// Automata with the same language, each made in its own way.
fn automata(translation: &Translation) -> Vec<Automaton> {
    match translation {
        Translation::Buchi(automaton) => vec![automaton.clone()],
        Translation::EmersonLei(automaton) => {
            let names: Vec<String> = (0..automaton.n_propositions).map(|p| format!("p{p}")).collect();
            // There may be too many ways for the first.
            let mut all = Vec::from_iter(automaton.to_generalized_buchi().ok());
            for left_to_run in [0, automaton.again_only()] {
                let Ok(states) = automaton.explicit(left_to_run) else { continue };
                let states = states.into_iter().map(|edges| HoaState { name: None, edges }).collect();
                let explicit = HoaAutomaton { states, ..automaton.to_hoa(&names).unwrap() };
                let Ok(rabin) = explicit.to_rabin() else { continue };
                all.push(rabin.to_generalized_buchi());
            }
            all
        }
    }
}

fn literal(rng: &mut StdRng) -> Formula {
    let p = Formula::Proposition(rng.random_range(0..3));
    if rng.random() { p } else { p.negated() }
}

/// What stands under `[]<>`, mostly Boolean.
fn inner(rng: &mut StdRng, depth: u32) -> Formula {
    if depth == 0 || rng.random_range(0..3) == 0 {
        return literal(rng);
    }
    let pair = |rng: &mut StdRng| Box::new((inner(rng, depth - 1), inner(rng, depth - 1)));
    match rng.random_range(0..9) {
        0 => Formula::And(vec![inner(rng, depth - 1), inner(rng, depth - 1)]),
        1 => Formula::Or(vec![inner(rng, depth - 1), inner(rng, depth - 1)]),
        2 => Formula::Until(pair(rng)),
        3 => Formula::WeakUntil(pair(rng)),
        4 => Formula::Release(pair(rng)),
        5 => Formula::StrongRelease(pair(rng)),
        6 => Formula::Next(Box::new(inner(rng, depth - 1))),
        7 => Formula::Always(Box::new(inner(rng, depth - 1))),
        _ => Formula::Eventually(Box::new(inner(rng, depth - 1))),
    }
}

fn combination(rng: &mut StdRng, depth: u32) -> Formula {
    let always = |f| Formula::Always(Box::new(f));
    let eventually = |f| Formula::Eventually(Box::new(f));
    if depth == 0 || rng.random_range(0..6) == 0 {
        return match rng.random_range(0..10) {
            0..3 => always(eventually(inner(rng, 2))),
            3..6 => eventually(always(inner(rng, 2))),
            6 => always(literal(rng)),
            7 => eventually(literal(rng)),
            8 => Formula::Until(Box::new((literal(rng), literal(rng)))),
            _ => inner(rng, 1),
        };
    }
    let mut pair = || Box::new((combination(rng, depth - 1), combination(rng, depth - 1)));
    let both = pair();
    match rng.random_range(0..8) {
        0 | 1 => Formula::And(vec![both.0, both.1]),
        2 | 3 => Formula::Or(vec![both.0, both.1]),
        4 => Formula::Implies(both),
        5 => Formula::Equivalent(both),
        6 => Formula::Not(Box::new(both.0)),
        _ => both.0,
    }
}

fn word(rng: &mut StdRng) -> Lasso {
    let letters = |rng: &mut StdRng, n: usize| (0..n).map(|_| rng.random_range(0..8)).collect();
    let (prefix, cycle) = (rng.random_range(0..4), rng.random_range(1..5));
    Lasso { prefix: letters(rng, prefix), cycle: letters(rng, cycle) }
}

/// The numbers of formulas, of those that became Emerson-Lei automata, and of those that became too large.
fn check(seed: u64, count: usize, depth: u32) -> (usize, usize) {
    let mut rng = StdRng::seed_from_u64(seed);
    let (mut n_conditions, mut n_too_large) = (0, 0);
    let mut n_automata = 0;
    for _ in 0..count {
        let formula = combination(&mut rng, depth);
        let text = formula.display(&[]).to_string();
        let words: Vec<Lasso> = (0..40).map(|_| word(&mut rng)).collect();
        let Ok(translation) = by_parts(&formula) else {
            n_too_large += 1;
            continue;
        };
        n_conditions += usize::from(matches!(translation, Translation::EmersonLei(_)));
        let opposite = ordinary(&formula.negated(), &TranslateOptions::default());
        for automaton in automata(&translation) {
            n_automata += 1;
            for word in &words {
                let expected = holds_on(&formula, word);
                assert_eq!(accepts(&automaton, word), expected, "{text} on {word:?}: {translation:?}");
            }
            if let Ok(opposite) = &opposite {
                let common = witness(&intersection(&automaton, opposite));
                assert_eq!(common, None, "{text} accepts too much: {translation:?}");
            }
        }
    }
    assert!(n_automata * 10 >= (count - n_too_large) * 9, "{n_automata}");
    assert!(n_too_large * 20 <= count, "{n_too_large} of {count} are too large");
    (n_conditions, n_too_large)
}

#[test]
fn combinations_accept_what_the_formula_says() {
    let (n_conditions, _) = check(1, 250, 2);
    assert!(n_conditions > 60, "{n_conditions}");
}

#[test]
#[ignore = "some minutes"]
fn more_combinations() {
    println!("{:?}", check(2, 6_000, 2));
    println!("{:?}", check(3, 2_000, 3));
}

fn joined(n: usize, sign: &str, part: impl Fn(usize) -> String) -> String {
    (0..n).map(|i| format!("({})", part(i))).collect::<Vec<_>>().join(sign)
}

fn n_states(text: &str) -> usize {
    match translate_to_any(&parse(text).unwrap().formula, &TranslateOptions::default()) {
        Ok(Translation::Buchi(automaton)) => automaton.states.len(),
        Ok(Translation::EmersonLei(automaton)) => automaton.states.len(),
        Err(error) => panic!("{text}: {error}"),
    }
}

/// More parts need more states, and no number of parts is too large by accident.
#[test]
fn p4_equivalences_of_many_parts() {
    let mut before = 0;
    for n in 2..=10 {
        let text = joined(n, " <-> ", |i| format!("<> p{i}"));
        for text in [text.clone(), format!("!({text})")] {
            let states = n_states(&text);
            assert!(states >= before && states <= (1 << n) + 1, "{text}: {states}, {before} before");
        }
        before = n_states(&text);
    }
}

#[test]
fn p4_strong_fairness_for_many_actions() {
    let pairs = |n| joined(n, " && ", |i| format!("[]<> p{i} -> []<> q{i}"));
    for n in 4..=20 {
        assert_eq!(n_states(&pairs(n)), 1, "{n}");
        assert!(n_states(&format!("!({})", pairs(n))) <= if n > 8 { 1 } else { n + 1 }, "{n}");
        // Response under strong fairness.
        assert!(n_states(&format!("!(({}) -> [] (r -> <> s))", pairs(n))) <= 3, "{n}");
    }
}
