//! The automaton in the making: like [`Automaton`], but labels are decision diagrams.

use rustc_hash::FxHashMap;

use crate::automaton::{Sccs, all_marks, classify_components};
use crate::bdd::{Bdd, Bdds};
use crate::scc::components;
use crate::{Automaton, Edge};

/// Propositions are variables below this.
pub(crate) const PROPOSITIONS: u32 = 64;
/// Variables that stand for acceptance sets.
pub(crate) const MARKS: u32 = 100;
/// Two more variables for signatures of states.
pub(crate) const INITIAL: u32 = 170;
pub(crate) const REJECTING: u32 = 171;
/// Variables that the tableau uses.
pub(crate) const TABLEAU: u32 = 200;
/// Variables that stand for states or classes of them.
pub(crate) const STATES: u32 = 1 << 24;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Symbolic {
    pub n_marks: u32,
    pub initial: usize,
    pub states: Vec<Vec<Arc>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Arc {
    pub target: usize,
    pub marks: u64,
    pub label: Bdd,
}

impl Symbolic {
    /// One state, no arc.
    pub fn empty() -> Symbolic {
        Symbolic { n_marks: 0, initial: 0, states: vec![Vec::new()] }
    }

    pub fn all_marks(&self) -> u64 {
        all_marks(self.n_marks)
    }

    pub fn n_arcs(&self) -> usize {
        self.states.iter().map(Vec::len).sum()
    }

    pub fn sccs(&self) -> Sccs {
        classify_components(self.states.len(), self.n_marks, |s| {
            self.states[s].iter().map(|a| (a.target, a.marks))
        })
    }

    /// Unites arcs that differ only in their labels, and drops those that cannot be taken.
    pub fn merge_arcs(&mut self, bdds: &mut Bdds) {
        for arcs in &mut self.states {
            arcs.sort_unstable();
            let mut merged: Vec<Arc> = Vec::with_capacity(arcs.len());
            for arc in arcs.iter() {
                match merged.last_mut() {
                    Some(last) if last.target == arc.target && last.marks == arc.marks => {
                        last.label = bdds.or(last.label, arc.label);
                    }
                    _ => merged.push(*arc),
                }
            }
            merged.retain(|arc| !arc.label.is_false());
            *arcs = merged;
        }
    }

    /// Drops states that no run visits; the others are numbered in breadth-first order.
    pub fn restrict_to_reachable(&self) -> Symbolic {
        let mut number = vec![usize::MAX; self.states.len()];
        let mut order = vec![self.initial];
        number[self.initial] = 0;
        let mut next = 0;
        while next < order.len() {
            for arc in &self.states[order[next]] {
                if number[arc.target] == usize::MAX {
                    number[arc.target] = order.len();
                    order.push(arc.target);
                }
            }
            next += 1;
        }
        let renumber = |arc: &Arc| Arc { target: number[arc.target], ..*arc };
        let states = order.iter().map(|s| self.states[*s].iter().map(renumber).collect()).collect();
        Symbolic { n_marks: self.n_marks, initial: 0, states }
    }

    /// How many states have two arcs for the same letter.
    pub fn n_nondeterministic(&self, bdds: &mut Bdds) -> usize {
        let mut count = 0;
        for arcs in &self.states {
            let mut seen = Bdd::FALSE;
            for arc in arcs {
                if !bdds.and(seen, arc.label).is_false() {
                    count += 1;
                    break;
                }
                seen = bdds.or(seen, arc.label);
            }
        }
        count
    }

    /// Whether the two have no accepted word in common. Sets of the second follow those of the first; none if there
    /// are too many sets or too many pairs of states.
    pub fn is_disjoint(&self, other: &Symbolic, bdds: &mut Bdds, max_states: usize) -> Option<bool> {
        if self.n_marks + other.n_marks > 64 {
            return None;
        }
        let mut index = FxHashMap::default();
        let mut pairs = vec![(self.initial, other.initial)];
        index.insert(pairs[0], 0usize);
        let mut graph: Vec<Vec<(usize, u64)>> = Vec::new();
        while graph.len() < pairs.len() {
            if pairs.len() > max_states {
                return None;
            }
            let (s, t) = pairs[graph.len()];
            let mut edges = Vec::new();
            for a in &self.states[s] {
                for b in &other.states[t] {
                    if bdds.and(a.label, b.label).is_false() {
                        continue;
                    }
                    let target = *index.entry((a.target, b.target)).or_insert_with(|| {
                        pairs.push((a.target, b.target));
                        pairs.len() - 1
                    });
                    edges.push((target, a.marks | b.marks.checked_shl(self.n_marks).unwrap_or(0)));
                }
            }
            graph.push(edges);
        }
        Some(!has_accepting_component(&graph, self.n_marks + other.n_marks))
    }

    /// With cubes as labels; none if some label needs too many.
    pub fn to_automaton(&self, bdds: &mut Bdds, n_propositions: u32, max_cubes: usize) -> Option<Automaton> {
        let mut states = Vec::new();
        for arcs in &self.states {
            let mut edges = Vec::new();
            for arc in arcs {
                let label = bdds.label_of(arc.label, max_cubes)?;
                edges.push(Edge { label, target: arc.target as u32, marks: arc.marks });
            }
            states.push(edges);
        }
        Some(Automaton { n_propositions, n_marks: self.n_marks, initial: self.initial as u32, states })
    }

    pub fn of_automaton(automaton: &Automaton, bdds: &mut Bdds) -> Symbolic {
        let mut states = Vec::new();
        for edges in &automaton.states {
            let arc = |e: &Edge| Arc {
                target: e.target as usize,
                marks: e.marks & automaton.all_marks(),
                label: bdds.of_label(&e.label),
            };
            states.push(edges.iter().map(arc).collect());
        }
        let mut result = Symbolic { n_marks: automaton.n_marks, initial: automaton.initial as usize, states };
        result.merge_arcs(bdds);
        result
    }
}

/// Whether some component of a graph has an edge and all marks on its edges.
pub(crate) fn has_accepting_component(graph: &[Vec<(usize, u64)>], n_marks: u32) -> bool {
    let (of, n_components) = components(graph.len(), |s| graph[s].iter().map(|(t, _)| *t));
    let all = all_marks(n_marks);
    let mut marks = vec![None; n_components];
    for (s, edges) in graph.iter().enumerate() {
        for (_, edge_marks) in edges.iter().filter(|(t, _)| of[*t] == of[s]) {
            *marks[of[s] as usize].get_or_insert(0u64) |= edge_marks;
        }
    }
    marks.into_iter().flatten().any(|m| m & all == all)
}
