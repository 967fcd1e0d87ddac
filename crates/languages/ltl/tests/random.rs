//! Random formulas: every pass on and off gives the same language, rewriting keeps the meaning.
//! More of them: `cargo test --release -p allways-ltl --test random -- --ignored --nocapture`.

mod common;

use allways_ltl::{
    Automaton, Formula, Lasso, TranslateOptions, accepts, holds_on, intersection, is_stutter_invariant,
    parse, to_buchi, translate, translate_to_buchi, union, witness,
};
use rand::Rng;

fn settings() -> Vec<TranslateOptions> {
    let all = TranslateOptions::default();
    let base = TranslateOptions::low_effort();
    vec![
        all.clone(),
        base.clone(),
        TranslateOptions { prune: false, ..base.clone() },
        TranslateOptions { rewrite: true, ..base.clone() },
        TranslateOptions { simulate: true, ..base.clone() },
        TranslateOptions { weak: true, ..base.clone() },
        TranslateOptions { candidates: true, ..base },
        TranslateOptions { rewrite: false, ..all.clone() },
        TranslateOptions { simulate: false, ..all.clone() },
        TranslateOptions { weak: false, ..all },
    ]
}

fn automata(formula: &Formula, options: &TranslateOptions) -> Vec<Automaton> {
    let generalized = translate(formula, options).unwrap();
    vec![to_buchi(&generalized), translate_to_buchi(formula, options).unwrap(), generalized]
}

/// Some words over many propositions are tried; all words are compared with automata of the negation.
fn check_formula(formula: &Formula, words: &[Lasso]) {
    let text = formula.display(&[]).to_string();
    let negation = formula.negated();
    let expected: Vec<bool> = words.iter().map(|w| holds_on(formula, w)).collect();
    let low = TranslateOptions::low_effort();
    let (reference, opposite) = (translate(formula, &low).unwrap(), translate(&negation, &low).unwrap());
    for options in settings() {
        for automaton in automata(formula, &options) {
            for (word, expected) in words.iter().zip(&expected) {
                assert_eq!(accepts(&automaton, word), *expected, "{text} on {word:?} with {options:?}");
            }
            let common = witness(&intersection(&automaton, &opposite));
            assert_eq!(common, None, "{text} with {options:?} accepts too much");
        }
        for automaton in automata(&negation, &options) {
            let common = witness(&intersection(&automaton, &reference));
            assert_eq!(common, None, "!({text}) with {options:?} accepts too much");
        }
    }
    for (w, expected) in words.iter().zip(&expected) {
        assert_eq!(holds_on(&formula.simplified(), w), *expected, "{text} simplified on {w:?}");
    }
    if let Some(word) = witness(&reference) {
        assert!(holds_on(formula, &word), "{text}: {word:?} is no witness");
    }
    assert!(words.iter().all(|w| accepts(&union(&reference, &opposite), w)), "{text}: union");
}

fn check(seed: u64, count: usize, max_size: usize) {
    let mut rng = common::rng(seed);
    for _ in 0..count {
        let n_propositions = rng.random_range(1..=4);
        let size = rng.random_range(5..=max_size);
        let formula = common::formula(&mut rng, size, n_propositions);
        let words: Vec<Lasso> = (0..40).map(|_| common::word(&mut rng, n_propositions, 6)).collect();
        check_formula(&formula, &words);
    }
}

#[test]
fn passes_do_not_change_the_language() {
    check(1, 120, 12);
}

/// Combinations of what happens forever and what happens again and again: several sets, several components.
#[test]
fn fairness_conditions() {
    fn part(rng: &mut rand::rngs::StdRng, depth: usize) -> Formula {
        let one = |rng: &mut rand::rngs::StdRng| Box::new(part(rng, depth - 1));
        if depth == 0 {
            let literal = |rng: &mut rand::rngs::StdRng| {
                let p = Formula::Proposition(rng.random_range(0..3));
                Box::new(if rng.random() { p } else { p.negated() })
            };
            let inner = literal(rng);
            return match rng.random_range(0..6) {
                0 | 1 => Formula::Always(Box::new(Formula::Eventually(inner))),
                2 | 3 => Formula::Eventually(Box::new(Formula::Always(inner))),
                4 => Formula::Always(inner),
                _ => Formula::Until(Box::new((*inner, *literal(rng)))),
            };
        }
        match rng.random_range(0..9) {
            0..4 => Formula::Or(vec![*one(rng), *one(rng)]),
            4..7 => Formula::And(vec![*one(rng), *one(rng)]),
            7 => Formula::Always(one(rng)),
            _ => Formula::Next(one(rng)),
        }
    }
    let mut rng = common::rng(23);
    for _ in 0..80 {
        let depth = rng.random_range(1..=3);
        let formula = part(&mut rng, depth);
        let words: Vec<Lasso> = (0..40).map(|_| common::word(&mut rng, 3, 4)).collect();
        check_formula(&formula, &words);
    }
}

#[test]
#[ignore = "some minutes"]
fn passes_do_not_change_the_language_of_many() {
    for seed in 2..12 {
        check(seed, 300, 20);
        println!("seed {seed} done");
    }
}

#[test]
fn rewriting_keeps_the_meaning() {
    let mut rng = common::rng(20);
    for _ in 0..5_000 {
        let n_propositions = rng.random_range(1..=3);
        let size = rng.random_range(5..=20);
        let formula = common::formula(&mut rng, size, n_propositions);
        let simplified = formula.simplified();
        for _ in 0..30 {
            let word = common::word(&mut rng, n_propositions, 6);
            let text = formula.display(&[]).to_string();
            let expected = holds_on(&formula, &word);
            assert_eq!(
                holds_on(&simplified, &word),
                expected,
                "{text} is not {} on {word:?}",
                simplified.display(&[])
            );
        }
    }
}

#[test]
fn what_is_printed_is_read_back() {
    let mut rng = common::rng(21);
    let names: Vec<String> = ["a", "x == 1", "U", "len(q) > 2"].map(String::from).to_vec();
    for _ in 0..2_000 {
        let size = rng.random_range(1..=20);
        let formula = common::formula(&mut rng, size, 4);
        let text = formula.display(&names).to_string();
        let parsed = parse(&text).unwrap();
        assert_eq!(parsed.formula.display(&parsed.propositions).to_string(), text);
        let original: Vec<usize> =
            parsed.propositions.iter().map(|p| names.iter().position(|n| n == p).unwrap()).collect();
        for _ in 0..10 {
            let word = common::word(&mut rng, 4, 4);
            let renumber = |l: &u64| (0..original.len()).fold(0, |m, i| m | (l >> original[i] & 1) << i);
            let moved = Lasso {
                prefix: word.prefix.iter().map(renumber).collect(),
                cycle: word.cycle.iter().map(renumber).collect(),
            };
            assert_eq!(holds_on(&formula, &word), holds_on(&parsed.formula, &moved), "{text}");
        }
    }
}

/// A formula called invariant does not see whether letters are repeated; one called otherwise does on some word.
#[test]
fn stutter_invariance_agrees_with_words() {
    let mut rng = common::rng(22);
    let mut sensitive = 0;
    for _ in 0..300 {
        let size = rng.random_range(3..=9);
        let formula = common::formula(&mut rng, size, 2);
        let invariant = is_stutter_invariant(&formula).unwrap();
        let mut differs = false;
        for _ in 0..400 {
            let word = common::word(&mut rng, 2, 4);
            let mut repeated = |letters: &[u64]| -> Vec<u64> {
                letters.iter().flat_map(|l| vec![*l; rng.random_range(1..=3)]).collect()
            };
            let longer = Lasso { prefix: repeated(&word.prefix), cycle: repeated(&word.cycle) };
            differs |= holds_on(&formula, &word) != holds_on(&formula, &longer);
        }
        assert!(!invariant || !differs, "{} is sensitive", formula.display(&[]));
        assert!(invariant || differs, "{} seems to be invariant", formula.display(&[]));
        sensitive += usize::from(!invariant);
    }
    assert!(sensitive > 50, "only {sensitive} are sensitive");
}
