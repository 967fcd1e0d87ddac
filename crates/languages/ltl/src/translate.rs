//! From formula to automaton: runs the passes and picks the best result.
//!
//! Several ways lead to an automaton: with the formula as written or simplified, with states unfolded in one style or
//! another, through the smallest weak deterministic automaton if there is one. Which gives the smallest result is hard
//! to tell beforehand and cheap to try.

use thiserror::Error;

use crate::bdd::Bdds;
use crate::combination::{Combination, Translation, combined};
use crate::degeneralise::degeneralise;
use crate::prune::{fill_transient, prune};
use crate::simulation::{merge_equal, simulate};
use crate::symbolic::Symbolic;
use crate::tableau::{Style, tableau};
use crate::terms::{Term, Terms};
use crate::weak::minimal_weak;
use crate::{Automaton, Formula, Watch};

/// Which passes run, and where they give up. All are on by default.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TranslateOptions {
    /// Simplify the formula first.
    pub rewrite: bool,
    /// Drop states and marks that accept nothing.
    pub prune: bool,
    /// Merge states that imitate each other.
    pub simulate: bool,
    /// Look for a weak deterministic automaton.
    pub weak: bool,
    /// Try more than one way and take the smallest result.
    pub candidates: bool,
    /// More states than this are too many.
    pub max_states: usize,
    /// A label may have this many cubes.
    pub max_cubes: usize,
    /// Nodes of decision diagrams for one translation.
    pub max_nodes: usize,
    /// What is asked whether to go on.
    pub watch: Option<Watch>,
}

impl Default for TranslateOptions {
    fn default() -> TranslateOptions {
        TranslateOptions {
            rewrite: true,
            prune: true,
            simulate: true,
            weak: true,
            candidates: true,
            max_states: 10_000,
            max_cubes: 5_000,
            max_nodes: MAX_NODES,
            watch: None,
        }
    }
}

impl TranslateOptions {
    /// Nothing but the construction itself.
    pub fn low_effort() -> TranslateOptions {
        TranslateOptions {
            rewrite: false,
            simulate: false,
            weak: false,
            candidates: false,
            ..TranslateOptions::default()
        }
    }
}

/// The automaton, or something on the way to it, has become larger than allowed.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("the automaton becomes too large: {what}")]
pub struct TooLarge {
    /// What there is too much of, as a sentence.
    pub what: String,
}

/// The decision diagrams have reached a limit.
pub(crate) fn too_many_nodes() -> TooLarge {
    TooLarge { what: "its conditions need too many nodes of decision diagrams".into() }
}

/// Nodes of decision diagrams for one translation.
pub(crate) const MAX_NODES: usize = 2_000_000;
/// Automata with more states are not determinised, and no second way is tried for them.
const MAX_SMALL: usize = 300;

/// A combination that can be true in more ways than this is translated part by part if that needs few states.
const MOST_WAYS: u64 = 8;

/// The automaton that is searched most easily: a generalized Büchi automaton, unless that would be much larger than one
/// with another acceptance condition.
///
/// Which way is tried first depends on the formula alone, on the number of ways in which it can be true as a combination of
/// temporal formulas; the other way is left for what is too large for the first.
pub fn translate_to_any(formula: &Formula, options: &TranslateOptions) -> Result<Translation, TooLarge> {
    let n_propositions = check_propositions(formula)?;
    let combine = || {
        let mut terms = Terms::new(options.rewrite, options);
        let term = terms.build(formula, true);
        let combination = Combination::new(&mut terms, term);
        (terms, combination)
    };
    let (mut terms, combination) = combine();
    if combination.n_ways() <= MOST_WAYS {
        drop((terms, combination));
        return ordinary(formula, options).map(Translation::Buchi).or_else(|too_large| {
            let (mut terms, combination) = combine();
            combined(&mut terms, &combination, n_propositions, options).map_err(|_| too_large)
        });
    }
    let by_parts = combined(&mut terms, &combination, n_propositions, options);
    let has_letters = combination.has_letters();
    drop((terms, combination));
    match by_parts {
        // A Büchi automaton would need states for the ways.
        Ok(automaton) if has_letters => Ok(automaton),
        Ok(Translation::Buchi(automaton)) => {
            // What needs more than this is likely to become larger.
            let few = TranslateOptions { max_nodes: options.max_nodes / 10, ..options.clone() };
            let other = ordinary(formula, &few).ok();
            let smaller = other.filter(|other| other.states.len() < automaton.states.len());
            Ok(Translation::Buchi(smaller.unwrap_or(automaton)))
        }
        Ok(automaton) => Ok(ordinary(formula, options).map_or(automaton, Translation::Buchi)),
        Err(_) => ordinary(formula, options).map(Translation::Buchi),
    }
}

/// A generalized automaton that accepts exactly the words on which the formula holds.
pub fn translate(formula: &Formula, options: &TranslateOptions) -> Result<Automaton, TooLarge> {
    match ordinary(formula, options) {
        Ok(automaton) => Ok(automaton),
        Err(too_large) => match translate_to_any(formula, options) {
            Ok(Translation::Buchi(automaton)) => Ok(automaton),
            Ok(Translation::EmersonLei(automaton)) => automaton.to_generalized_buchi(),
            Err(_) => Err(too_large),
        },
    }
}

/// By a tableau.
pub(crate) fn ordinary(formula: &Formula, options: &TranslateOptions) -> Result<Automaton, TooLarge> {
    let n_propositions = check_propositions(formula)?;
    let (mut terms, candidates) = candidates(formula, options)?;
    let best = pick(candidates, &mut terms.bdds);
    finish(&best, &mut terms.bdds, n_propositions, options)
}

/// The same as a state-based Büchi automaton. This can be smaller than [`to_buchi`] of what [`translate`] returns,
/// because the best generalized automaton does not always lead to the best one with a single set.
pub fn translate_to_buchi(formula: &Formula, options: &TranslateOptions) -> Result<Automaton, TooLarge> {
    let n_propositions = check_propositions(formula)?;
    let (mut terms, candidates) = match candidates(formula, options) {
        Ok(candidates) => candidates,
        Err(_) => return translate(formula, options).map(|automaton| to_buchi(&automaton)),
    };
    let bdds = &mut terms.bdds;
    let fewest = candidates.iter().map(|c| c.states.len()).min().unwrap_or(0);
    let near = candidates.iter().filter(|c| c.states.len() <= fewest + 4 + fewest / 4);
    let all = near.map(|c| buchi(c, options, bdds)).collect();
    let best = pick(all, bdds);
    finish(&best, bdds, n_propositions, options)
}

/// The same language as a state-based Büchi automaton.
pub fn to_buchi(automaton: &Automaton) -> Automaton {
    let mut bdds = Bdds::new(MAX_NODES);
    let symbolic = Symbolic::of_automaton(automaton, &mut bdds);
    let options = TranslateOptions::default();
    let result = buchi(&symbolic, &options, &mut bdds);
    match result.to_automaton(&mut bdds, automaton.n_propositions, options.max_cubes) {
        Some(result) if !bdds.overflow => result,
        // Too large for the clever way.
        _ => crate::automaton::unfold_sets(automaton),
    }
}

fn check_propositions(formula: &Formula) -> Result<u32, TooLarge> {
    match formula.n_propositions() {
        n if n > 64 => {
            Err(TooLarge { what: format!("the formula has {n} propositions, and 64 are possible") })
        }
        n => Ok(n),
    }
}

fn finish(
    best: &Symbolic,
    bdds: &mut Bdds,
    n_propositions: u32,
    options: &TranslateOptions,
) -> Result<Automaton, TooLarge> {
    if bdds.overflow {
        return Err(too_many_nodes());
    }
    best.to_automaton(bdds, n_propositions, options.max_cubes)
        .ok_or_else(|| TooLarge { what: "the condition of an edge has too many cases".into() })
}

/// Fewest states, then fewest states with a choice, then fewest arcs; the first of the best.
fn pick(candidates: Vec<Symbolic>, bdds: &mut Bdds) -> Symbolic {
    let mut best: Option<((usize, usize, usize, u32), Symbolic)> = None;
    for candidate in candidates {
        let choices = candidate.n_nondeterministic(bdds);
        let cost = (candidate.states.len(), choices, candidate.n_arcs(), candidate.n_marks);
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, candidate));
        }
    }
    best.map_or_else(Symbolic::empty, |(_, automaton)| automaton)
}

/// Reduced automata for the formula; never empty. Where it is the search for smaller ones that gets too large it is left out.
fn candidates(formula: &Formula, options: &TranslateOptions) -> Result<(Terms, Vec<Symbolic>), TooLarge> {
    let plain = TranslateOptions { weak: false, candidates: false, ..options.clone() };
    match candidates_with(formula, options) {
        Err(_) if plain != *options => candidates_with(formula, &plain),
        result => result,
    }
}

fn candidates_with(
    formula: &Formula,
    options: &TranslateOptions,
) -> Result<(Terms, Vec<Symbolic>), TooLarge> {
    let mut terms = Terms::new(options.rewrite, options);
    let term = terms.build(formula, true);
    let raw = tableau(&mut terms, term, Style::Split, options.max_states)?;
    let first = reduce(&raw, options, &mut terms.bdds);
    let mut found = vec![first];
    if options.weak && raw.states.len() <= MAX_SMALL {
        found.extend(weak_candidate(&mut terms, term, &raw, &found[0].clone(), options));
    }
    if options.candidates && raw.states.len() <= MAX_SMALL {
        // What needs far more states at first seldom ends with fewer.
        let max = 2 * raw.states.len() + 16;
        let mut styles = vec![(term, Style::Wide), (term, Style::Postponed)];
        if options.rewrite {
            terms.rewriting = false;
            let plain = terms.build(formula, true);
            terms.rewriting = true;
            if plain != term {
                styles.push((plain, Style::Split));
            }
        }
        for (term, style) in styles {
            if let Ok(other) = tableau(&mut terms, term, style, max) {
                let other = reduce(&other, options, &mut terms.bdds);
                if !found.contains(&other) {
                    found.push(other);
                }
            }
        }
    }
    if terms.bdds.overflow {
        return Err(too_many_nodes());
    }
    Ok((terms, found))
}

/// The smallest weak deterministic automaton if the language has one.
fn weak_candidate(
    terms: &mut Terms,
    term: Term,
    raw: &Symbolic,
    reduced: &Symbolic,
    options: &TranslateOptions,
) -> Option<Symbolic> {
    let weak = minimal_weak(reduced, &mut terms.bdds, 4 * MAX_SMALL)?;
    if !terms.info(term).obligation {
        let negated = terms.not(term);
        let negation = tableau(terms, negated, Style::Split, options.max_states).ok()?;
        let negation = reduce(&negation, options, &mut terms.bdds);
        let bdds = &mut terms.bdds;
        let max = 100_000;
        if !weak.to_symbolic(false).is_disjoint(&negation, bdds, max)?
            || !weak.to_symbolic(true).is_disjoint(raw, bdds, max)?
        {
            return None;
        }
    }
    Some(prune(&weak.to_symbolic(false), &mut terms.bdds))
}

/// Prunes and simulates until nothing changes.
fn reduce(automaton: &Symbolic, options: &TranslateOptions, bdds: &mut Bdds) -> Symbolic {
    if !options.prune {
        return automaton.clone();
    }
    let mut current = prune(automaton, bdds);
    if !options.simulate {
        return current;
    }
    for _ in 0..6 {
        let before = (current.states.len(), current.n_arcs());
        current = merge_equal(&current, false, bdds);
        current = prune(&simulate(&current, false, bdds), bdds);
        // Where marks mean nothing they may help to imitate, or to be imitated.
        let marks = current.all_marks();
        if fill_transient(&mut current, marks) {
            current = prune(&simulate(&current, false, bdds), bdds);
        }
        if (current.states.len(), current.n_arcs()) == before {
            break;
        }
    }
    current
}

/// State-based, with one set; tries several orders of the sets.
fn buchi(automaton: &Symbolic, options: &TranslateOptions, bdds: &mut Bdds) -> Symbolic {
    let automaton = if options.prune { prune(automaton, bdds) } else { automaton.clone() };
    let mut results = Vec::new();
    let work = automaton.n_arcs() * (automaton.n_marks as usize + 1);
    for order in orders(automaton.n_marks, options.candidates && work <= 400) {
        let unfolded = degeneralise(&automaton, &order, bdds);
        results.push(reduce_buchi(&unfolded, options, bdds));
    }
    pick(results, bdds)
}

fn reduce_buchi(automaton: &Symbolic, options: &TranslateOptions, bdds: &mut Bdds) -> Symbolic {
    let mut current = automaton.clone();
    if !options.simulate {
        return current;
    }
    for _ in 0..6 {
        let before = (current.states.len(), current.n_arcs());
        current = merge_equal(&current, true, bdds);
        current = simulate(&current, true, bdds);
        if mark_transient_states(&mut current, 1) {
            current = simulate(&current, true, bdds);
            mark_transient_states(&mut current, 0);
        }
        if (current.states.len(), current.n_arcs()) == before {
            break;
        }
    }
    current
}

/// Marks all arcs of states on no cycle in the same way; whether that changed anything.
fn mark_transient_states(automaton: &mut Symbolic, marks: u64) -> bool {
    let mut changed = false;
    let sccs = automaton.sccs();
    for (s, arcs) in automaton.states.iter_mut().enumerate() {
        if sccs.kinds[sccs.of[s] as usize] == crate::SccKind::Transient {
            for arc in arcs {
                changed |= arc.marks != marks;
                arc.marks = marks;
            }
        }
    }
    changed
}

/// In which orders to count sets: all of up to three, rotations of more.
fn orders(n: u32, several: bool) -> Vec<Vec<u32>> {
    let first: Vec<u32> = (0..n).collect();
    if !several || n < 2 {
        return vec![first];
    }
    if n == 2 {
        return vec![vec![0, 1], vec![1, 0]];
    }
    let mut result = Vec::new();
    for reversed in [false, true] {
        for shift in 0..n.min(3) as usize {
            let mut order = first.clone();
            order.rotate_left(shift);
            if reversed {
                order.reverse();
            }
            result.push(order);
        }
    }
    result
}

impl Formula {
    /// An equivalent formula with fewer temporal operators, in negation normal form. If that is hard to write down the
    /// formula itself.
    pub fn simplified(&self) -> Formula {
        self.simplified_with(&TranslateOptions::default())
    }

    /// The same within the limits of these options.
    pub fn simplified_with(&self, options: &TranslateOptions) -> Formula {
        if self.n_propositions() > 1 << 20 {
            // Higher numbers are variables with another meaning.
            return self.clone();
        }
        let mut terms = Terms::new(true, options);
        let term = terms.build(self, true);
        match terms.formula_of(term) {
            Some(formula) if !terms.bdds.overflow => formula,
            _ => self.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn simplified(text: &str) -> String {
        let parsed = parse(text).unwrap();
        parsed.formula.simplified().display(&parsed.propositions).to_string()
    }

    #[test]
    fn rules() {
        assert_eq!(simplified("<> X <> p"), "X <>p");
        assert_eq!(simplified("[] (p || []<> q)"), "[]<>q || []p");
        assert_eq!(simplified("[] p && [] q"), "[](p && q)");
        assert_eq!(simplified("<> q && (p W q)"), "p U q");
        assert_eq!(simplified("p U (q || [] p)"), "p W q");
        assert_eq!(simplified("!(p U q) && (p U q)"), "false");
        assert_eq!(simplified("[]<> (p || X q)"), "[]<>(p || q)");
        assert_eq!(simplified("(X p) U (X q)"), "X (p U q)");
        assert_eq!(simplified("(p <-> q) <-> (q <-> p)"), "true");
    }

    #[test]
    fn what_is_too_large_is_an_error() {
        let many = Formula::And((0..65).map(Formula::Proposition).collect());
        assert!(translate(&many, &TranslateOptions::default()).is_err());
        assert!(translate(&Formula::Proposition(u32::MAX), &TranslateOptions::default()).is_err());
        assert_eq!(Formula::Proposition(u32::MAX).simplified(), Formula::Proposition(u32::MAX));
        let same = |a: Formula, p: u32| Formula::Equivalent(Box::new((a, Formula::Proposition(p))));
        let parity = (1..20).fold(Formula::Proposition(0), same);
        assert!(translate(&parity, &TranslateOptions::default()).is_err());
        assert_eq!(parity.simplified(), parity);
        let few = TranslateOptions { max_states: 3, ..TranslateOptions::default() };
        assert!(translate(&parse("X X X X X p").unwrap().formula, &few).is_err());
    }
}
