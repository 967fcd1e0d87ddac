//! All small formulas on all short words. The full check takes some minutes:
//! `cargo test --release -p allways-ltl --test exhaustive -- --ignored --nocapture`.

use std::collections::{HashMap, HashSet};

use allways_ltl::{
    Automaton, Formula, Lasso, TranslateOptions, accepts, holds_on, intersection, to_buchi, translate,
    translate_to_buchi, witness,
};

/// All formulas of each size up to a limit over two propositions; of two that differ only in the names of the
/// propositions, the first.
fn formulas(max: usize) -> Vec<Formula> {
    let mut by_size: Vec<Vec<Formula>> =
        vec![Vec::new(), vec![Formula::Proposition(0), Formula::Proposition(1)]];
    for size in 2..=max {
        let mut made = Vec::new();
        for f in &by_size[size - 1] {
            let f = || Box::new(f.clone());
            made.extend([
                Formula::Not(f()),
                Formula::Next(f()),
                Formula::Always(f()),
                Formula::Eventually(f()),
            ]);
        }
        for left in 1..size - 1 {
            for a in &by_size[left] {
                for b in &by_size[size - 1 - left] {
                    let both = || vec![a.clone(), b.clone()];
                    let pair = || Box::new((a.clone(), b.clone()));
                    made.extend([Formula::And(both()), Formula::Or(both())]);
                    made.extend([Formula::Implies(pair()), Formula::Equivalent(pair())]);
                    made.extend([Formula::Until(pair()), Formula::WeakUntil(pair())]);
                    made.extend([Formula::Release(pair()), Formula::StrongRelease(pair())]);
                }
            }
        }
        by_size.push(made);
    }
    let mut seen = HashSet::new();
    let all = by_size.into_iter().flatten();
    all.filter(|f| !seen.contains(&renamed(f)) && seen.insert(f.clone())).collect()
}

fn renamed(f: &Formula) -> Formula {
    let one = |f: &Formula| Box::new(renamed(f));
    let pair = |p: &(Formula, Formula)| Box::new((renamed(&p.0), renamed(&p.1)));
    match f {
        Formula::True | Formula::False => f.clone(),
        Formula::Proposition(p) => Formula::Proposition(1 - p),
        Formula::Not(f) => Formula::Not(one(f)),
        Formula::And(parts) => Formula::And(parts.iter().map(renamed).collect()),
        Formula::Or(parts) => Formula::Or(parts.iter().map(renamed).collect()),
        Formula::Implies(p) => Formula::Implies(pair(p)),
        Formula::Equivalent(p) => Formula::Equivalent(pair(p)),
        Formula::Next(f) => Formula::Next(one(f)),
        Formula::Eventually(f) => Formula::Eventually(one(f)),
        Formula::Always(f) => Formula::Always(one(f)),
        Formula::Until(p) => Formula::Until(pair(p)),
        Formula::WeakUntil(p) => Formula::WeakUntil(pair(p)),
        Formula::Release(p) => Formula::Release(pair(p)),
        Formula::StrongRelease(p) => Formula::StrongRelease(pair(p)),
    }
}

/// All words with prefix and cycle of at most `max` letters together, each word once, in its shortest form.
fn words(max: usize) -> Vec<Lasso> {
    let mut words = Vec::new();
    for length in 1..=max {
        for code in 0..4u64.pow(length as u32) {
            let letters: Vec<u64> = (0..length).map(|i| code >> (2 * i) & 3).collect();
            for split in 0..length {
                let (prefix, cycle) = letters.split_at(split);
                let n = cycle.len();
                let repeats = |d: usize| n % d == 0 && (d..n).all(|i| cycle[i] == cycle[i - d]);
                if prefix.last() != cycle.last() && !(1..n).any(repeats) {
                    words.push(Lasso { prefix: prefix.to_vec(), cycle: cycle.to_vec() });
                }
            }
        }
    }
    words
}

/// What each automaton accepts; many formulas lead to the same one.
#[derive(Default)]
struct Accepted {
    known: HashMap<Automaton, Vec<bool>>,
}

impl Accepted {
    fn words(&mut self, automaton: Automaton, words: &[Lasso]) -> &[bool] {
        self.known
            .entry(automaton)
            .or_insert_with_key(|automaton| words.iter().map(|w| accepts(automaton, w)).collect())
    }
}

fn check(max_size: usize, max_length: usize) -> usize {
    let options = TranslateOptions::default();
    let words = words(max_length);
    let mut accepted = Accepted::default();
    let formulas = formulas(max_size);
    for formula in &formulas {
        let text = formula.display(&[]).to_string();
        let expected: Vec<bool> = words.iter().map(|w| holds_on(formula, w)).collect();
        let opposite: Vec<bool> = expected.iter().map(|b| !b).collect();
        let negation = formula.negated();
        let [positive, negative] = [formula, &negation].map(|f| translate(f, &options).unwrap());
        let buchi = [formula, &negation].map(|f| translate_to_buchi(f, &options).unwrap());
        assert!(buchi.iter().all(Automaton::is_state_based), "{text}");
        for (automaton, expected) in [
            (positive.clone(), &expected),
            (buchi[0].clone(), &expected),
            (to_buchi(&positive), &expected),
            (negative.clone(), &opposite),
            (buchi[1].clone(), &opposite),
        ] {
            let got = accepted.words(automaton, &words);
            if let Some(i) = (0..words.len()).find(|i| got[*i] != expected[*i]) {
                panic!("{text} on {:?}: accepted {}, holds {}", words[i], got[i], expected[i]);
            }
        }
        for (a, b) in [(&positive, &negative), (&buchi[0], &buchi[1])] {
            assert_eq!(witness(&intersection(a, b)), None, "{text} and its negation");
        }
    }
    println!("{} formulas, {} words, {} automata", formulas.len(), words.len(), accepted.known.len());
    formulas.len()
}

#[test]
fn small_formulas() {
    assert!(check(5, 4) > 2_000);
}

#[test]
#[ignore = "some minutes"]
fn all_formulas_up_to_size_six() {
    assert!(check(6, 5) >= 20_000);
}
