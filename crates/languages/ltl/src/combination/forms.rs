//! Other forms of an automaton with marks on letters: with all marks on edges, and as a generalized Büchi automaton.

use crate::bdd::{Bdd, Bdds};
use crate::hoa::{Acceptance, HoaAutomaton, HoaState};
use crate::prune::prune;
use crate::rabin::pairs_of_marks;
use crate::simulation::merge_equal;
use crate::symbolic::{Arc, Symbolic};
use crate::translate::{MAX_NODES, TooLarge};
use crate::{Automaton, Edge, EmersonLei};

/// Explicit edges, and copies of an automaton, that are made at most.
const MOST_EDGES: usize = 20_000;
const MOST_COPIES: usize = 256;

impl EmersonLei {
    /// With all marks on edges.
    ///
    /// Edges are split by the marks of letters. A mark that is only ever asked to come again can instead be left to the
    /// run: it has an edge of its own, which costs the automaton its determinism but grows with the marks, not with their
    /// subsets. That is done where splitting makes too many edges.
    pub fn to_hoa(&self, names: &[String]) -> Result<HoaAutomaton, TooLarge> {
        let states = match self.explicit(0) {
            Ok(states) => states,
            Err(_) => self.explicit(self.again_only())?,
        };
        let state = |edges| HoaState { name: None, edges };
        Ok(HoaAutomaton {
            name: None,
            propositions: names.to_vec(),
            start: vec![self.initial],
            n_sets: self.n_marks,
            acceptance: self.acceptance.clone(),
            properties: Vec::new(),
            states: states.into_iter().map(state).collect(),
        })
    }

    /// Marks of letters that the condition only asks to come again.
    pub(super) fn again_only(&self) -> u64 {
        let of_letters = self.letter_marks.iter().fold(0u64, |all, letter| all | 1 << letter.mark);
        let mut again = 0;
        let mut not_again = 0;
        let mut todo = vec![&self.acceptance];
        while let Some(part) = todo.pop() {
            match part {
                Acceptance::And(parts) | Acceptance::Or(parts) => todo.extend(parts),
                Acceptance::Inf(mark) => again |= 1u64 << mark,
                Acceptance::Fin(mark) => not_again |= 1u64 << mark,
                _ => {}
            }
        }
        again & !not_again & of_letters
    }

    pub(super) fn explicit(&self, left_to_run: u64) -> Result<Vec<Vec<Edge>>, TooLarge> {
        let mut bdds = Bdds::new(MAX_NODES);
        let mut letters: Vec<(Bdd, u32)> = Vec::new();
        for letter in &self.letter_marks {
            letters.push((bdds.of_label(&letter.label), letter.mark));
        }
        let too_many = || TooLarge { what: format!("it has more than {MOST_EDGES} edges") };
        let mut n_edges = 0;
        let mut states = Vec::new();
        for edges in &self.states {
            let mut ways: Vec<(Bdd, u64, u32)> = Vec::new();
            for edge in edges {
                ways.push((bdds.of_label(&edge.label), edge.marks, edge.target));
            }
            for (label, mark) in &letters {
                let mut more = Vec::with_capacity(2 * ways.len());
                let is_left = left_to_run >> mark & 1 == 1;
                let others = if is_left { Bdd::TRUE } else { bdds.not(*label) };
                for (way, marks, target) in &ways {
                    let (with, without) = (bdds.and(*way, *label), bdds.and(*way, others));
                    // One mark at a time is enough where it is left to the run.
                    let has_one = is_left && marks & left_to_run != 0;
                    if !with.is_false() && !has_one {
                        more.push((with, marks | 1 << mark, *target));
                    }
                    if !without.is_false() {
                        more.push((without, *marks, *target));
                    }
                }
                ways = more;
                if n_edges + ways.len() > MOST_EDGES || bdds.overflow {
                    return Err(too_many());
                }
            }
            n_edges += ways.len();
            let mut explicit = Vec::with_capacity(ways.len());
            for (label, marks, target) in ways {
                let label = bdds.label_of(label, MOST_EDGES).ok_or_else(too_many)?;
                explicit.push(Edge { label, target, marks });
            }
            states.push(explicit);
        }
        Ok(states)
    }

    /// One with the same language: for each way to meet the condition a copy without the edges that must not come again.
    pub fn to_generalized_buchi(&self) -> Result<Automaton, TooLarge> {
        let too_many = || TooLarge { what: format!("it has more than {MOST_COPIES} ways to accept") };
        let pairs = pairs_of_marks(&self.acceptance).ok_or_else(too_many)?;
        if pairs.len() > MOST_COPIES || pairs.len() * self.states.len() > 10 * MOST_COPIES {
            return Err(too_many());
        }
        let mut bdds = Bdds::new(MAX_NODES);
        let mut letters = [Bdd::FALSE; 64];
        for letter in &self.letter_marks {
            letters[letter.mark as usize] = bdds.of_label(&letter.label);
        }
        let n = self.states.len();
        // At least one, so that no run is accepted that stays where there are no copies yet.
        let n_marks = pairs.iter().map(|pair| pair.again.count_ones()).max().unwrap_or(0).max(1);
        let full = crate::automaton::all_marks(n_marks);
        let mut states: Vec<Vec<Arc>> = vec![Vec::new(); n * (pairs.len() + 1)];
        for (s, edges) in self.states.iter().enumerate() {
            for edge in edges {
                let label = bdds.of_label(&edge.label);
                let target = edge.target as usize;
                states[s].push(Arc { target, marks: 0, label });
                for (copy, pair) in pairs.iter().enumerate() {
                    if edge.marks & pair.not_again != 0 {
                        continue;
                    }
                    let mut stay = label;
                    let again: Vec<u32> = (0..64).filter(|bit| pair.again >> bit & 1 == 1).collect();
                    for mark in (0..64).filter(|bit| pair.not_again >> bit & 1 == 1) {
                        stay = bdds.minus(stay, letters[mark]);
                    }
                    let target = target + (copy + 1) * n;
                    states[s].push(Arc { target, marks: 0, label: stay });
                    // What is left over is met everywhere.
                    let rest = full & !crate::automaton::all_marks(again.len() as u32);
                    let own = again.iter().enumerate().filter(|(_, from)| edge.marks >> *from & 1 == 1);
                    let own = own.fold(rest, |all, (to, _)| all | 1 << to);
                    let from = s + (copy + 1) * n;
                    states[from].push(Arc { target, marks: own, label: stay });
                    for (to, mark) in again.iter().enumerate() {
                        let label = bdds.and(stay, letters[*mark as usize]);
                        states[from].push(Arc { target, marks: own | 1 << to, label });
                    }
                }
            }
        }
        let mut symbolic = Symbolic { n_marks, initial: self.initial as usize, states };
        symbolic.merge_arcs(&mut bdds);
        let symbolic = prune(&symbolic, &mut bdds);
        let symbolic = merge_equal(&symbolic, false, &mut bdds);
        let automaton = symbolic.to_automaton(&mut bdds, self.n_propositions, MOST_EDGES);
        automaton.filter(|_| !bdds.overflow).ok_or_else(too_many)
    }
}
