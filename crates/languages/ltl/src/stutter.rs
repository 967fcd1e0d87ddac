//! Whether a formula cannot count how often a state is repeated. Only then may a search leave out steps.

use rustc_hash::FxHashMap;

use crate::Formula;
use crate::bdd::{Bdd, Bdds};
use crate::symbolic::{Arc, Symbolic};
use crate::translate::{TooLarge, TranslateOptions, translate_to_buchi};

/// Whether repeating letters of a word, or dropping repetitions, never changes the truth of the formula.
///
/// Without the next operator it is so at once. Otherwise both the automaton of the formula and that of its negation are
/// closed under dropping repetitions; the formula is invariant iff no word is then accepted by both.
pub fn is_stutter_invariant(formula: &Formula) -> Result<bool, TooLarge> {
    is_stutter_invariant_with(formula, &TranslateOptions::default())
}

/// The same within the limits of these options.
pub fn is_stutter_invariant_with(formula: &Formula, options: &TranslateOptions) -> Result<bool, TooLarge> {
    if !formula.uses_next() || !formula.simplified_with(options).uses_next() {
        return Ok(true);
    }
    const MAX_PAIRS: usize = 200_000;
    let mut bdds = Bdds::watched(options.max_nodes, options.watch.clone());
    let mut closed = Vec::new();
    for formula in [formula.clone(), formula.negated()] {
        let automaton = translate_to_buchi(&formula, options)?;
        let symbolic = Symbolic::of_automaton(&automaton, &mut bdds);
        closed.push(closure(&symbolic, &mut bdds));
    }
    let disjoint = closed[0].is_disjoint(&closed[1], &mut bdds, MAX_PAIRS);
    match disjoint {
        Some(disjoint) if !bdds.overflow => Ok(disjoint),
        _ => Err(TooLarge { what: "the product of two automata has too many states".into() }),
    }
}

/// Adds an arc wherever two arcs in a row can be taken with the same letter, until there is nothing to add.
fn closure(automaton: &Symbolic, bdds: &mut Bdds) -> Symbolic {
    let mut labels: FxHashMap<(usize, usize, u64), Bdd> = FxHashMap::default();
    let mut targets: Vec<Vec<(usize, u64)>> = vec![Vec::new(); automaton.states.len()];
    let add =
        |s: usize, arc: Arc, labels: &mut FxHashMap<_, _>, targets: &mut Vec<Vec<_>>, bdds: &mut Bdds| {
            let before = *labels.entry((s, arc.target, arc.marks)).or_insert_with(|| {
                targets[s].push((arc.target, arc.marks));
                Bdd::FALSE
            });
            let now = bdds.or(before, arc.label);
            labels.insert((s, arc.target, arc.marks), now);
            now != before
        };
    for (s, arcs) in automaton.states.iter().enumerate() {
        for arc in arcs {
            add(s, *arc, &mut labels, &mut targets, bdds);
        }
    }
    let mut changed = true;
    while changed && !bdds.overflow {
        changed = false;
        for s in 0..targets.len() {
            for (middle, first_marks) in targets[s].clone() {
                for (target, second_marks) in targets[middle].clone() {
                    let (first, second) =
                        (labels[&(s, middle, first_marks)], labels[&(middle, target, second_marks)]);
                    let label = bdds.and(first, second);
                    if !label.is_false() {
                        let arc = Arc { target, marks: first_marks | second_marks, label };
                        changed |= add(s, arc, &mut labels, &mut targets, bdds);
                    }
                }
            }
        }
    }
    let states = targets
        .iter()
        .enumerate()
        .map(|(s, ends)| {
            ends.iter()
                .map(|(target, marks)| Arc {
                    target: *target,
                    marks: *marks,
                    label: labels[&(s, *target, *marks)],
                })
                .collect()
        })
        .collect();
    Symbolic { n_marks: automaton.n_marks, initial: automaton.initial, states }
}
