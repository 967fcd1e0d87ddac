//! Infinite words that repeat themselves, and what a formula says about them: the oracle of everything else.

use crate::Formula;

/// The word prefix·cycle·cycle·… Bit i of a letter says whether proposition i holds.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Lasso {
    /// Read once.
    pub prefix: Vec<u64>,
    /// Read forever; not empty.
    pub cycle: Vec<u64>,
}

impl Lasso {
    /// How many letters are written down.
    pub fn len(&self) -> usize {
        self.prefix.len() + self.cycle.len()
    }

    /// Whether there is no letter, which is no word.
    pub fn is_empty(&self) -> bool {
        self.cycle.is_empty()
    }

    /// The letter at a position below [`Lasso::len`].
    pub fn letter(&self, position: usize) -> u64 {
        match position.checked_sub(self.prefix.len()) {
            None => self.prefix[position],
            Some(i) => self.cycle[i],
        }
    }

    /// The position after a position below [`Lasso::len`].
    pub fn next(&self, position: usize) -> usize {
        if position + 1 == self.len() { self.prefix.len() } else { position + 1 }
    }
}

/// Whether the formula holds at the start of the word. A word with an empty cycle satisfies nothing.
///
/// Truth is computed for every position of the lasso at once. Temporal operators are fixpoints: two rounds backwards
/// suffice, because after one round the position where the cycle closes knows about the whole cycle.
pub fn holds_on(formula: &Formula, word: &Lasso) -> bool {
    if word.is_empty() {
        return false;
    }
    if word.len() <= 64 {
        return short(formula, word) & 1 == 1;
    }
    long(formula, word)[0]
}

/// Bit i of the result: the formula holds at position i.
fn short(formula: &Formula, word: &Lasso) -> u64 {
    use Formula::*;
    let n = word.len();
    let all = u64::MAX >> (64 - n);
    let next = |x: u64| (x >> 1) | ((x >> word.prefix.len() & 1) << (n - 1));
    // keep: where the value is taken over from the next position; base: where it holds anyway.
    let fixpoint = |base: u64, keep: u64, start: u64| {
        let mut value = start;
        loop {
            let better = base | (keep & next(value));
            if better == value {
                return value;
            }
            value = better;
        }
    };
    match formula {
        True => all,
        False => 0,
        Proposition(p) => (0..n).fold(0, |mask, i| mask | (bit(word.letter(i), *p) as u64) << i),
        Not(f) => all & !short(f, word),
        And(parts) => parts.iter().fold(all, |mask, f| mask & short(f, word)),
        Or(parts) => parts.iter().fold(0, |mask, f| mask | short(f, word)),
        Implies(p) => all & (!short(&p.0, word) | short(&p.1, word)),
        Equivalent(p) => all & !(short(&p.0, word) ^ short(&p.1, word)),
        Next(f) => next(short(f, word)),
        Eventually(f) => fixpoint(short(f, word), all, 0),
        Always(f) => fixpoint(0, short(f, word), all),
        Until(p) => fixpoint(short(&p.1, word), short(&p.0, word), 0),
        WeakUntil(p) => fixpoint(short(&p.1, word), short(&p.0, word), all),
        Release(p) => {
            let (a, b) = (short(&p.0, word), short(&p.1, word));
            fixpoint(a & b, b, all)
        }
        StrongRelease(p) => {
            let (a, b) = (short(&p.0, word), short(&p.1, word));
            fixpoint(a & b, b, 0)
        }
    }
}

/// The same for words that do not fit a machine word.
fn long(formula: &Formula, word: &Lasso) -> Vec<bool> {
    use Formula::*;
    let n = word.len();
    let fixpoint = |base: &dyn Fn(usize) -> bool, keep: &dyn Fn(usize) -> bool, start: bool| {
        let mut value = vec![start; n];
        for _ in 0..2 {
            for i in (0..n).rev() {
                value[i] = base(i) || (keep(i) && value[word.next(i)]);
            }
        }
        value
    };
    let pointwise = |f: &dyn Fn(usize) -> bool| (0..n).map(f).collect::<Vec<bool>>();
    match formula {
        True => vec![true; n],
        False => vec![false; n],
        Proposition(p) => pointwise(&|i| bit(word.letter(i), *p)),
        Not(f) => long(f, word).into_iter().map(|b| !b).collect(),
        And(parts) => parts.iter().fold(vec![true; n], |v, f| zip(v, long(f, word), |a, b| a && b)),
        Or(parts) => parts.iter().fold(vec![false; n], |v, f| zip(v, long(f, word), |a, b| a || b)),
        Implies(p) => zip(long(&p.0, word), long(&p.1, word), |a, b| !a || b),
        Equivalent(p) => zip(long(&p.0, word), long(&p.1, word), |a, b| a == b),
        Next(f) => {
            let f = long(f, word);
            pointwise(&|i| f[word.next(i)])
        }
        Eventually(f) => {
            let f = long(f, word);
            fixpoint(&|i| f[i], &|_| true, false)
        }
        Always(f) => {
            let f = long(f, word);
            fixpoint(&|_| false, &|i| f[i], true)
        }
        Until(p) | WeakUntil(p) => {
            let (a, b) = (long(&p.0, word), long(&p.1, word));
            fixpoint(&|i| b[i], &|i| a[i], matches!(formula, WeakUntil(_)))
        }
        Release(p) | StrongRelease(p) => {
            let (a, b) = (long(&p.0, word), long(&p.1, word));
            fixpoint(&|i| a[i] && b[i], &|i| b[i], matches!(formula, Release(_)))
        }
    }
}

fn zip(a: Vec<bool>, b: Vec<bool>, f: impl Fn(bool, bool) -> bool) -> Vec<bool> {
    a.into_iter().zip(b).map(|(a, b)| f(a, b)).collect()
}

fn bit(letter: u64, proposition: u32) -> bool {
    letter.checked_shr(proposition).unwrap_or(0) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn check(text: &str, prefix: &[u64], cycle: &[u64], expected: bool) {
        let formula = parse(text).unwrap().formula;
        let word = Lasso { prefix: prefix.to_vec(), cycle: cycle.to_vec() };
        assert_eq!(holds_on(&formula, &word), expected, "{text}");
        assert_eq!(long(&formula, &word)[0], expected, "{text}, long");
    }

    #[test]
    fn operators_mean_what_they_should() {
        check("<> a", &[0, 0], &[0, 1], true);
        check("[] a", &[1, 1], &[1, 0], false);
        check("[]<> a", &[0], &[0, 1], true);
        check("<>[] a", &[0], &[0, 1], false);
        check("<>[] a", &[0], &[1], true);
        check("a U b", &[1, 1], &[2, 0], true);
        check("a U b", &[1, 0], &[2], false);
        check("a U b", &[], &[1], false);
        check("a W b", &[], &[1], true);
        check("a R b", &[2, 2], &[3, 0], true);
        check("a R b", &[], &[2], true);
        check("a M b", &[], &[2], false);
        check("a M b", &[2, 3], &[0], true);
        check("X X a", &[0, 0], &[1, 0], true);
        check("X X X a", &[0, 0], &[1, 0], false);
    }
}
