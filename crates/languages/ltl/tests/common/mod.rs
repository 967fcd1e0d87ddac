//! Random formulas and words, the same in every run.

// Not every test uses both.
#![allow(dead_code)]

use allways_ltl::{Formula, Lasso};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

pub fn rng(seed: u64) -> StdRng {
    StdRng::seed_from_u64(seed)
}

/// A formula of about the given size.
pub fn formula(rng: &mut StdRng, size: usize, n_propositions: u32) -> Formula {
    if size <= 1 {
        return match rng.random_range(0..20) {
            0 => Formula::True,
            1 => Formula::False,
            _ => Formula::Proposition(rng.random_range(0..n_propositions)),
        };
    }
    let kind = rng.random_range(if size == 2 { 0..4 } else { 0..12 });
    if kind < 4 {
        let inner = Box::new(formula(rng, size - 1, n_propositions));
        return [Formula::Not, Formula::Next, Formula::Eventually, Formula::Always][kind](inner);
    }
    let left = rng.random_range(1..size - 1);
    let (a, b) = (formula(rng, left, n_propositions), formula(rng, size - 1 - left, n_propositions));
    match kind {
        4 => Formula::And(vec![a, b]),
        5 => Formula::Or(vec![a, b]),
        6 => Formula::Implies(Box::new((a, b))),
        7 => Formula::Equivalent(Box::new((a, b))),
        8 => Formula::Until(Box::new((a, b))),
        9 => Formula::WeakUntil(Box::new((a, b))),
        10 => Formula::Release(Box::new((a, b))),
        _ => Formula::StrongRelease(Box::new((a, b))),
    }
}

pub fn word(rng: &mut StdRng, n_propositions: u32, max: usize) -> Lasso {
    let letters =
        |rng: &mut StdRng, n: usize| (0..n).map(|_| rng.random_range(0..1u64 << n_propositions)).collect();
    let (prefix, cycle) = (rng.random_range(0..=max), rng.random_range(1..=max));
    Lasso { prefix: letters(rng, prefix), cycle: letters(rng, cycle) }
}
