//! The smallest weak deterministic automaton, which exists exactly for obligations (Dax, Eisinger, Klaedtke 2007).
//!
//! Subsets of states, as for finite words, give a deterministic graph. In an obligation's graph all cycles of a
//! component agree, so one word around a cycle tells whether the component accepts. Then components are coloured from
//! the bottom up so that colours alternate as rarely as possible, transient states take the colour that is most like
//! their successors' (Löding 2001), and states are merged as for finite words, with even colours as final states.
//! Whether the language is an obligation at all is not decided here: the caller compares with the negation.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::bdd::{Bdd, Bdds};
use crate::scc::components;
use crate::symbolic::{Arc, PROPOSITIONS, STATES, Symbolic, has_accepting_component};

/// A deterministic and complete automaton in which all arcs of a state agree about acceptance.
pub(crate) struct Weak {
    pub initial: usize,
    pub states: Vec<Vec<(Bdd, usize)>>,
    pub accepting: Vec<bool>,
}

impl Weak {
    /// As an automaton with one set, without the states that accept nothing; `complement` turns acceptance around.
    pub fn to_symbolic(&self, complement: bool) -> Symbolic {
        let states = self
            .states
            .iter()
            .zip(&self.accepting)
            .map(|(arcs, accepting)| {
                let marks = u64::from(*accepting != complement);
                arcs.iter().map(|(label, target)| Arc { target: *target, marks, label: *label }).collect()
            })
            .collect();
        Symbolic { n_marks: 1, initial: self.initial, states }
    }
}

/// The minimal weak deterministic automaton, right if the language is an obligation; none if it becomes too large.
pub(crate) fn minimal_weak(automaton: &Symbolic, bdds: &mut Bdds, max_states: usize) -> Option<Weak> {
    let (states, subsets) = subset_construction(automaton, bdds, max_states)?;
    let (of, n_components) = components(states.len(), |s| states[s].iter().map(|(_, t)| *t));
    let mut members = vec![Vec::new(); n_components];
    for (s, c) in of.iter().enumerate() {
        members[*c as usize].push(s);
    }
    // Colour of each component, successors first; even means accepting.
    let mut colour = vec![0u32; n_components];
    for c in 0..n_components {
        let below =
            members[c].iter().flat_map(|s| &states[*s]).map(|(_, t)| of[*t] as usize).filter(|d| *d != c);
        let mut lowest = below.map(|d| colour[d]).max().unwrap_or(0);
        if let Some(word) = cycle_word(&states, members[c][0], &of) {
            let accepting = accepts_power(automaton, &subsets[members[c][0]], &word, bdds);
            if accepting != (lowest % 2 == 0) {
                lowest += 1;
            }
        }
        colour[c] = lowest;
    }
    let accepting: Vec<bool> = of.iter().map(|c| colour[*c as usize] % 2 == 0).collect();
    if bdds.overflow {
        return None;
    }
    Some(minimise(&Weak { initial: 0, states, accepting }, bdds))
}

/// Subsets that one subset may lead to, and arcs in all.
const MAX_PARTS: usize = 500;
const MAX_DETERMINISTIC_ARCS: usize = 20_000;

type Deterministic = Vec<Vec<(Bdd, usize)>>;

fn subset_construction(
    automaton: &Symbolic,
    bdds: &mut Bdds,
    max_states: usize,
) -> Option<(Deterministic, Vec<Vec<usize>>)> {
    let mut index: FxHashMap<Vec<usize>, usize> = FxHashMap::default();
    let mut subsets = vec![vec![automaton.initial]];
    index.insert(subsets[0].clone(), 0);
    let mut states: Deterministic = Vec::new();
    let mut n_arcs = 0;
    while states.len() < subsets.len() {
        // For each letter the sum of the variables of those states that it leads to.
        let mut function = Bdd::FALSE;
        let mut covered = Bdd::FALSE;
        for s in subsets[states.len()].clone() {
            for arc in &automaton.states[s] {
                let variable = bdds.variable(STATES + arc.target as u32);
                let term = bdds.and(arc.label, variable);
                function = bdds.or(function, term);
                covered = bdds.or(covered, arc.label);
            }
        }
        if bdds.has_parts(function, PROPOSITIONS, MAX_PARTS) {
            return None;
        }
        let mut arcs = Vec::new();
        for (label, rest) in bdds.split(function, PROPOSITIONS) {
            let subset: Vec<usize> = bdds.support(rest).into_iter().map(|v| (v - STATES) as usize).collect();
            arcs.push((label, subset));
        }
        let uncovered = bdds.not(covered);
        if !uncovered.is_false() {
            arcs.push((uncovered, Vec::new()));
        }
        let arcs = arcs
            .into_iter()
            .map(|(label, subset)| {
                let target = *index.entry(subset.clone()).or_insert_with(|| {
                    subsets.push(subset);
                    subsets.len() - 1
                });
                (label, target)
            })
            .collect::<Vec<_>>();
        n_arcs += arcs.len();
        states.push(arcs);
        if subsets.len() > max_states || n_arcs > MAX_DETERMINISTIC_ARCS || bdds.overflow {
            return None;
        }
    }
    Some((states, subsets))
}

/// The labels along a shortest cycle through a state, none if there is no cycle.
fn cycle_word(states: &Deterministic, home: usize, of: &[u32]) -> Option<Vec<Bdd>> {
    let mut before: FxHashMap<usize, (usize, Bdd)> = FxHashMap::default();
    let mut queue = VecDeque::from([home]);
    while let Some(s) = queue.pop_front() {
        for (label, target) in states[s].iter().filter(|(_, t)| of[*t] == of[home]) {
            if *target == home {
                let mut word = vec![*label];
                let mut here = s;
                while here != home {
                    let (previous, label) = before[&here];
                    word.push(label);
                    here = previous;
                }
                word.reverse();
                return Some(word);
            }
            if !before.contains_key(target) {
                before.insert(*target, (s, *label));
                queue.push_back(*target);
            }
        }
    }
    None
}

/// Whether some state of the set accepts the word of some fixed letters, one from each label, again and again.
fn accepts_power(automaton: &Symbolic, from: &[usize], word: &[Bdd], bdds: &mut Bdds) -> bool {
    let letters: Vec<Bdd> = word.iter().map(|label| some_letter(*label, bdds)).collect();
    let length = word.len();
    let n = automaton.states.len() * length;
    let mut graph: Vec<Vec<(usize, u64)>> = vec![Vec::new(); n];
    let mut seen = vec![false; n];
    let mut todo: Vec<(usize, usize)> = from.iter().map(|s| (*s, 0)).collect();
    todo.iter().for_each(|(s, _)| seen[*s * length] = true);
    while let Some((s, position)) = todo.pop() {
        for arc in &automaton.states[s] {
            if bdds.and(arc.label, letters[position]).is_false() {
                continue;
            }
            let next = (position + 1) % length;
            let node = arc.target * length + next;
            graph[s * length + position].push((node, arc.marks));
            if !std::mem::replace(&mut seen[node], true) {
                todo.push((arc.target, next));
            }
        }
    }
    has_accepting_component(&graph, automaton.n_marks)
}

/// A single letter of the set, as a product over every proposition that can occur.
fn some_letter(label: Bdd, bdds: &mut Bdds) -> Bdd {
    let mut path = Vec::new();
    let mut at = label;
    let mut next = 0;
    while next < PROPOSITIONS {
        let (low, high) = bdds.cofactors(at, next);
        let positive = low.is_false();
        path.push((next, positive));
        at = if positive { high } else { low };
        next += 1;
    }
    let mut product = Bdd::TRUE;
    for (variable, positive) in path.into_iter().rev() {
        let literal = bdds.literal(variable, positive);
        product = bdds.and(literal, product);
    }
    product
}

/// Moore's algorithm; the signature of a state says where each letter leads.
pub(crate) fn minimise(weak: &Weak, bdds: &mut Bdds) -> Weak {
    let mut class: Vec<usize> = weak.accepting.iter().map(|a| usize::from(*a)).collect();
    let mut n_classes = 0;
    loop {
        let mut index: FxHashMap<(usize, Bdd), usize> = FxHashMap::default();
        let mut next = Vec::with_capacity(class.len());
        for (s, arcs) in weak.states.iter().enumerate() {
            let mut signature = Bdd::FALSE;
            for (label, target) in arcs {
                let variable = bdds.variable(STATES + class[*target] as u32);
                let term = bdds.and(*label, variable);
                signature = bdds.or(signature, term);
            }
            let count = index.len();
            next.push(*index.entry((class[s], signature)).or_insert(count));
        }
        class = next;
        if index.len() == n_classes {
            break;
        }
        n_classes = index.len();
    }
    let mut states: Vec<Option<Vec<(Bdd, usize)>>> = vec![None; n_classes];
    let mut accepting = vec![false; n_classes];
    for (s, arcs) in weak.states.iter().enumerate() {
        accepting[class[s]] = weak.accepting[s];
        if states[class[s]].is_none() {
            let mut merged: Vec<(Bdd, usize)> = Vec::new();
            for (label, target) in arcs {
                match merged.iter_mut().find(|(_, t)| *t == class[*target]) {
                    Some((have, _)) => *have = bdds.or(*have, *label),
                    None => merged.push((*label, class[*target])),
                }
            }
            states[class[s]] = Some(merged);
        }
    }
    let states = states.into_iter().map(Option::unwrap_or_default).collect();
    Weak { initial: class[weak.initial], states, accepting }
}
