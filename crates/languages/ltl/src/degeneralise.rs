//! From several acceptance sets on arcs to one set of states.
//!
//! Each component is unfolded by itself. A level counts which sets, in some order, have been met since the last time
//! all were; a state at the top level is accepting, and counting starts again behind it. Marks that all arcs of a state
//! have in common are counted when the state is entered. A component in which every cycle is accepting, or none, is not
//! multiplied. The level at which a component is entered does not matter for the language, so all entries lead into one
//! copy from which no other copy can be reached; the others disappear (Babiak et al. 2013).

use rustc_hash::FxHashMap;

use crate::automaton::{SccKind, Sccs};
use crate::bdd::Bdds;
use crate::scc::components;
use crate::symbolic::{Arc, Symbolic};

/// A state-based automaton with one set for the same language. `order` lists the sets in the order of counting.
pub(crate) fn degeneralise(automaton: &Symbolic, order: &[u32], bdds: &mut Bdds) -> Symbolic {
    let sccs = automaton.sccs();
    let unfolding = Unfolding { sccs: &sccs, order, common: common_marks(automaton, &sccs) };
    let mut index: FxHashMap<(usize, u32), usize> = FxHashMap::default();
    let mut nodes = vec![(automaton.initial, unfolding.entry_level(automaton.initial))];
    index.insert(nodes[0], 0);
    let mut states: Vec<Vec<Arc>> = Vec::new();
    while states.len() < nodes.len() {
        let (s, level) = nodes[states.len()];
        let accepting = unfolding.is_accepting(s, level);
        let mut arcs = Vec::new();
        for arc in &automaton.states[s] {
            let node = (arc.target, unfolding.level_after(s, level, arc));
            let target = *index.entry(node).or_insert_with(|| {
                nodes.push(node);
                nodes.len() - 1
            });
            arcs.push(Arc { target, marks: u64::from(accepting), label: arc.label });
        }
        states.push(arcs);
    }
    let mut result = Symbolic { n_marks: 1, initial: 0, states };
    keep_one_copy(&mut result, &nodes, &sccs);
    result.merge_arcs(bdds);
    result.restrict_to_reachable()
}

struct Unfolding<'a> {
    sccs: &'a Sccs,
    order: &'a [u32],
    /// The marks that all arcs of a state within its component have.
    common: Vec<u64>,
}

impl Unfolding<'_> {
    fn kind(&self, s: usize) -> SccKind {
        self.sccs.kinds[self.sccs.of[s] as usize]
    }

    fn top(&self) -> u32 {
        self.order.len() as u32
    }

    fn is_accepting(&self, s: usize, level: u32) -> bool {
        match self.kind(s) {
            SccKind::Accepting => true,
            SccKind::Mixed => level == self.top(),
            _ => false,
        }
    }

    fn entry_level(&self, s: usize) -> u32 {
        if self.kind(s) == SccKind::Mixed { self.count(0, self.common[s]) } else { 0 }
    }

    fn level_after(&self, s: usize, level: u32, arc: &Arc) -> u32 {
        if self.sccs.of[s] != self.sccs.of[arc.target] || self.kind(s) != SccKind::Mixed {
            return self.entry_level(arc.target);
        }
        let from = if level == self.top() { 0 } else { level };
        self.count(from, arc.marks | self.common[arc.target])
    }

    fn count(&self, mut level: u32, marks: u64) -> u32 {
        while level < self.top() && marks >> self.order[level as usize] & 1 == 1 {
            level += 1;
        }
        level
    }
}

fn common_marks(automaton: &Symbolic, sccs: &Sccs) -> Vec<u64> {
    let inner = |s: usize| automaton.states[s].iter().filter(move |arc| sccs.of[arc.target] == sccs.of[s]);
    (0..automaton.states.len()).map(|s| inner(s).fold(u64::MAX, |common, arc| common & arc.marks)).collect()
}

/// Leads every entry of an original component into one copy of it that cannot be left for another copy.
fn keep_one_copy(automaton: &mut Symbolic, nodes: &[(usize, u32)], original: &Sccs) {
    let n = nodes.len();
    let (of, n_copies) = components(n, |v| automaton.states[v].iter().map(|arc| arc.target));
    let mut size = vec![0usize; n_copies];
    let mut closed = vec![true; n_copies];
    for v in 0..n {
        size[of[v] as usize] += 1;
        let own = original.of[nodes[v].0];
        for arc in &automaton.states[v] {
            if original.of[nodes[arc.target].0] == own && of[arc.target] != of[v] {
                closed[of[v] as usize] = false;
            }
        }
    }
    // For each original component the smallest closed copy; for each of its states the highest level there.
    let mut best: FxHashMap<u32, u32> = FxHashMap::default();
    for v in 0..n {
        let copy = of[v];
        if closed[copy as usize] {
            let spot = best.entry(original.of[nodes[v].0]).or_insert(copy);
            if (size[copy as usize], copy) < (size[*spot as usize], *spot) {
                *spot = copy;
            }
        }
    }
    let mut stand_in: FxHashMap<usize, usize> = FxHashMap::default();
    for v in 0..n {
        if best.get(&original.of[nodes[v].0]) == Some(&of[v]) {
            let spot = stand_in.entry(nodes[v].0).or_insert(v);
            if nodes[v].1 > nodes[*spot].1 {
                *spot = v;
            }
        }
    }
    let redirect = |from: Option<usize>, to: usize| {
        let enters = from.is_none_or(|v| original.of[nodes[v].0] != original.of[nodes[to].0]);
        let lost = best.get(&original.of[nodes[to].0]) != Some(&of[to]);
        if enters && lost { stand_in.get(&nodes[to].0).copied().unwrap_or(to) } else { to }
    };
    for v in 0..n {
        let targets: Vec<usize> =
            automaton.states[v].iter().map(|arc| redirect(Some(v), arc.target)).collect();
        automaton.states[v].iter_mut().zip(targets).for_each(|(arc, target)| arc.target = target);
    }
    automaton.initial = redirect(None, automaton.initial);
}
