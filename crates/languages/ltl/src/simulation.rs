//! Direct and reverse simulation: merges states that can imitate each other, and drops arcs that others make superfluous.
//!
//! State r imitates q if for each arc of q and each of its letters r has an arc with at least the same marks to a state
//! that imitates the target. The relation is computed by signatures: a state's signature is a function in which an arc
//! is the product of its label, the sets it is *not* in, and the classes that imitate its target; then r imitates q iff
//! the signature of q implies that of r (Babiak, Badie, Duret-Lutz, Křetínský, Strejček 2013). The reverse relation
//! looks at arcs that come in. Both are recomputed after every change: pruning with an outdated relation is wrong.

use rustc_hash::FxHashMap;

use crate::bdd::{Bdd, Bdds};
use crate::symbolic::{Arc, INITIAL, MARKS, REJECTING, STATES, Symbolic};

/// Larger automata are left alone.
const MAX_STATES: usize = 2_000;
/// In larger ones only states that imitate each other are looked for: signatures with a long order become large.
const MAX_ORDERED: usize = 160;
/// States with more arcs keep them all.
const MAX_ARCS: usize = 300;

/// Alternates both kinds until nothing changes.
pub(crate) fn simulate(automaton: &Symbolic, state_based: bool, bdds: &mut Bdds) -> Symbolic {
    let mut current = automaton.clone();
    for _ in 0..8 {
        if current.states.len() > MAX_STATES {
            break;
        }
        let before = (current.states.len(), current.n_arcs());
        let direct = direct_step(&current, bdds);
        current = reverse_step(&direct, state_based, bdds);
        if (current.states.len(), current.n_arcs()) == before {
            break;
        }
    }
    current
}

struct Relation {
    class: Vec<usize>,
    n_classes: usize,
    /// `imitates[a][b]`: class b imitates class a.
    imitates: Vec<Vec<bool>>,
}

/// `arcs[s]`: label, marks and the other end. `extra[s]`: joined to the signature; `factor[s]`: multiplied with it.
fn relation(arcs: &[Vec<Arc>], n_marks: u32, extra: &[Bdd], factor: &[Bdd], bdds: &mut Bdds) -> Relation {
    let n = arcs.len();
    let mut class = vec![0; n];
    let mut imitates = vec![vec![true]];
    let mut lacks: FxHashMap<u64, Bdd> = FxHashMap::default();
    loop {
        let n_before: usize = imitates.iter().flatten().filter(|b| **b).count();
        let upper: Vec<Bdd> = imitates
            .iter()
            .map(|row| {
                let mut product = Bdd::TRUE;
                for b in (0..row.len()).rev().filter(|b| row[*b]) {
                    let variable = bdds.variable(STATES + b as u32);
                    product = bdds.and(variable, product);
                }
                product
            })
            .collect();
        let mut signatures: Vec<Bdd> = Vec::with_capacity(n);
        for s in 0..n {
            let mut signature = extra[s];
            for arc in &arcs[s] {
                let missing = *lacks.entry(arc.marks).or_insert_with(|| {
                    let mut product = Bdd::TRUE;
                    for i in (0..n_marks).rev().filter(|i| arc.marks >> i & 1 == 0) {
                        let variable = bdds.variable(MARKS + i);
                        product = bdds.and(variable, product);
                    }
                    product
                });
                let goes = bdds.and(missing, upper[class[arc.target]]);
                let term = bdds.and(arc.label, goes);
                signature = bdds.or(signature, term);
            }
            signatures.push(bdds.and(signature, factor[s]));
        }
        let mut index: FxHashMap<Bdd, usize> = FxHashMap::default();
        let mut distinct = Vec::new();
        let next: Vec<usize> = signatures
            .iter()
            .map(|signature| {
                *index.entry(*signature).or_insert_with(|| {
                    distinct.push(*signature);
                    distinct.len() - 1
                })
            })
            .collect();
        let mut now = Vec::with_capacity(distinct.len());
        for a in &distinct {
            let above = |b: &Bdd| if n <= MAX_ORDERED { bdds.implies(*a, *b) } else { a == b };
            now.push(distinct.iter().map(above).collect::<Vec<bool>>());
        }
        let n_now: usize = now.iter().flatten().filter(|b| **b).count();
        let stable = next == class && n_now == n_before;
        class = next;
        imitates = now;
        if stable || bdds.overflow {
            return Relation { class, n_classes: distinct.len(), imitates };
        }
    }
}

/// Whether the first arc is superfluous for the letters of the second. Never both ways: different classes do not
/// imitate each other.
fn dominated(a: &Arc, b: &Arc, imitates: &[Vec<bool>]) -> bool {
    a.marks & !b.marks == 0 && imitates[a.target][b.target] && (a.target, a.marks) != (b.target, b.marks)
}

/// Takes away the letters for which a better arc exists. Arcs end in classes here.
fn without_dominated(arcs: &[Arc], imitates: &[Vec<bool>], bdds: &mut Bdds) -> Vec<Arc> {
    if arcs.len() > MAX_ARCS {
        return arcs.to_vec();
    }
    let mut kept = Vec::new();
    for a in arcs {
        let mut label = a.label;
        for b in arcs {
            if dominated(a, b, imitates) {
                label = bdds.minus(label, b.label);
            }
        }
        if !label.is_false() {
            kept.push(Arc { label, ..*a });
        }
    }
    kept
}

fn direct_step(automaton: &Symbolic, bdds: &mut Bdds) -> Symbolic {
    let n = automaton.states.len();
    let relation =
        relation(&automaton.states, automaton.n_marks, &vec![Bdd::FALSE; n], &vec![Bdd::TRUE; n], bdds);
    if bdds.overflow {
        return automaton.clone();
    }
    // States of one class have the same signature: one of them speaks for all.
    let mut states = vec![None; relation.n_classes];
    for s in 0..n {
        let spot = &mut states[relation.class[s]];
        if spot.is_none() {
            let to_classes: Vec<Arc> = automaton.states[s]
                .iter()
                .map(|arc| Arc { target: relation.class[arc.target], ..*arc })
                .collect();
            *spot = Some(without_dominated(&to_classes, &relation.imitates, bdds));
        }
    }
    let states = states.into_iter().map(Option::unwrap_or_default).collect();
    let mut result =
        Symbolic { n_marks: automaton.n_marks, initial: relation.class[automaton.initial], states };
    result.merge_arcs(bdds);
    result.restrict_to_reachable()
}

fn reverse_step(automaton: &Symbolic, state_based: bool, bdds: &mut Bdds) -> Symbolic {
    let n = automaton.states.len();
    let mut incoming: Vec<Vec<Arc>> = vec![Vec::new(); n];
    for (s, arcs) in automaton.states.iter().enumerate() {
        for arc in arcs {
            incoming[arc.target].push(Arc { target: s, ..*arc });
        }
    }
    let initial = bdds.variable(INITIAL);
    let rejecting = bdds.variable(REJECTING);
    let extra: Vec<Bdd> = (0..n).map(|s| if s == automaton.initial { initial } else { Bdd::FALSE }).collect();
    let factor: Vec<Bdd> = (0..n)
        .map(|s| {
            let accepts = automaton.states[s].first().is_some_and(|arc| arc.marks & 1 == 1);
            if state_based && !accepts { rejecting } else { Bdd::TRUE }
        })
        .collect();
    let relation = relation(&incoming, automaton.n_marks, &extra, &factor, bdds);
    if bdds.overflow {
        return automaton.clone();
    }
    let mut into: Vec<Option<Vec<Arc>>> = vec![None; relation.n_classes];
    for s in 0..n {
        let spot = &mut into[relation.class[s]];
        if spot.is_none() {
            let to_classes: Vec<Arc> =
                incoming[s].iter().map(|arc| Arc { target: relation.class[arc.target], ..*arc }).collect();
            *spot = Some(without_dominated(&to_classes, &relation.imitates, bdds));
        }
    }
    let mut states = vec![Vec::new(); relation.n_classes];
    for (target, arcs) in into.into_iter().enumerate() {
        for arc in arcs.unwrap_or_default() {
            states[arc.target].push(Arc { target, ..arc });
        }
    }
    let mut result =
        Symbolic { n_marks: automaton.n_marks, initial: relation.class[automaton.initial], states };
    result.merge_arcs(bdds);
    result.restrict_to_reachable()
}

/// Merges states whose arcs are the same, where the marks of a state on no cycle do not count.
pub(crate) fn merge_equal(automaton: &Symbolic, state_based: bool, bdds: &mut Bdds) -> Symbolic {
    let mut current = automaton.clone();
    loop {
        let sccs = current.sccs();
        let on_cycle = |s: usize| sccs.kinds[sccs.of[s] as usize] != crate::SccKind::Transient;
        let key = |s: usize, with_marks: bool| -> Vec<(usize, u64, Bdd)> {
            let mut arcs: Vec<(usize, u64, Bdd)> = current.states[s]
                .iter()
                .map(|arc| (arc.target, if with_marks { arc.marks } else { 0 }, arc.label))
                .collect();
            arcs.sort_unstable();
            // Without marks arcs to the same state become one.
            arcs.dedup();
            arcs
        };
        let mut class: Vec<usize> = (0..current.states.len()).collect();
        let mut exact: FxHashMap<Vec<(usize, u64, Bdd)>, usize> = FxHashMap::default();
        let mut loose: FxHashMap<Vec<(usize, u64, Bdd)>, usize> = FxHashMap::default();
        let mut changed = false;
        for s in (0..class.len()).filter(|s| on_cycle(*s)) {
            let first = *exact.entry(key(s, true)).or_insert(s);
            class[s] = first;
            changed |= first != s;
            if has_one_arc_per_target(&current.states[s]) {
                loose.entry(key(s, false)).or_insert(first);
            }
        }
        for s in (0..class.len()).filter(|s| !on_cycle(*s)) {
            let first = *loose.entry(key(s, false)).or_insert(s);
            class[s] = first;
            changed |= first != s;
        }
        if !changed {
            return current;
        }
        // A state that goes is dropped, not united with the other: their marks may differ.
        for (s, arcs) in current.states.iter_mut().enumerate() {
            if class[s] != s {
                arcs.clear();
            }
            arcs.iter_mut().for_each(|arc| arc.target = class[arc.target]);
        }
        current.initial = class[current.initial];
        debug_assert!(
            !state_based || current.states.iter().all(|a| a.windows(2).all(|w| w[0].marks == w[1].marks))
        );
        current.merge_arcs(bdds);
        current = current.restrict_to_reachable();
    }
}

fn has_one_arc_per_target(arcs: &[Arc]) -> bool {
    arcs.windows(2).all(|w| w[0].target != w[1].target)
}
