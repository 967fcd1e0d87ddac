//! What no accepting run needs: states from which none starts, marks that say nothing, sets that others contain.

use crate::automaton::{SccKind, Sccs, all_marks};
use crate::bdd::Bdds;
use crate::symbolic::{Arc, Symbolic};

/// Removes all that, and gives marks a normal form:
/// none on arcs between components and in rejecting ones, all where every cycle is accepting.
pub(crate) fn prune(automaton: &Symbolic, bdds: &mut Bdds) -> Symbolic {
    let mut result = without_dead_states(automaton);
    let sccs = result.sccs();
    reduce_sets(&mut result, &sccs);
    result.merge_arcs(bdds);
    result
}

/// Drops states from which no accepting component can be reached. The initial state stays.
fn without_dead_states(automaton: &Symbolic) -> Symbolic {
    let sccs = automaton.sccs();
    // Components are numbered so that successors come first.
    let mut useful: Vec<bool> =
        sccs.kinds.iter().map(|k| matches!(k, SccKind::Accepting | SccKind::Mixed)).collect();
    let mut members = vec![Vec::new(); sccs.kinds.len()];
    for (s, c) in sccs.of.iter().enumerate() {
        members[*c as usize].push(s);
    }
    for c in 0..members.len() {
        let leads = |s: &usize| automaton.states[*s].iter().any(|arc| useful[sccs.of[arc.target] as usize]);
        useful[c] = useful[c] || members[c].iter().any(leads);
    }
    let mut result = automaton.clone();
    for (s, arcs) in result.states.iter_mut().enumerate() {
        let alive = useful[sccs.of[s] as usize];
        arcs.retain(|arc| alive && useful[sccs.of[arc.target] as usize]);
    }
    result.restrict_to_reachable()
}

/// Each component keeps the sets it needs, numbered from 0; the automaton has as many as the neediest component.
fn reduce_sets(automaton: &mut Symbolic, sccs: &Sccs) {
    let n = automaton.n_marks;
    let mut needed: Vec<Vec<u32>> = Vec::new();
    for (c, kind) in sccs.kinds.iter().enumerate() {
        if *kind != SccKind::Mixed {
            needed.push(Vec::new());
            continue;
        }
        let inner: Vec<u64> = inner_arcs(automaton, sccs, c as u32).map(|arc| arc.marks).collect();
        // Set i may go if a set that stays is contained in it.
        let contained = |j: u32, i: u32| inner.iter().all(|marks| marks >> j & 1 == 0 || marks >> i & 1 == 1);
        let mut kept: Vec<u32> = (0..n).collect();
        for i in (0..n).rev() {
            if inner.iter().all(|marks| marks >> i & 1 == 1)
                || kept.iter().any(|j| *j != i && contained(*j, i))
            {
                kept.retain(|j| *j != i);
            }
        }
        needed.push(kept);
    }
    let weak = sccs.kinds.contains(&SccKind::Accepting) && sccs.kinds.contains(&SccKind::Rejecting);
    let n_marks = needed.iter().map(Vec::len).max().unwrap_or(0).max(usize::from(weak)) as u32;
    let all = all_marks(n_marks);
    for s in 0..automaton.states.len() {
        let c = sccs.of[s] as usize;
        for arc in &mut automaton.states[s] {
            arc.marks = if sccs.of[arc.target] as usize != c {
                0
            } else {
                match sccs.kinds[c] {
                    SccKind::Transient | SccKind::Rejecting => 0,
                    SccKind::Accepting => all,
                    SccKind::Mixed => {
                        let own = needed[c].iter().enumerate();
                        let moved = own.fold(0, |marks, (to, from)| marks | (arc.marks >> from & 1) << to);
                        moved | (all & !all_marks(needed[c].len() as u32))
                    }
                }
            };
        }
    }
    automaton.n_marks = n_marks;
}

fn inner_arcs<'a>(automaton: &'a Symbolic, sccs: &'a Sccs, component: u32) -> impl Iterator<Item = &'a Arc> {
    automaton
        .states
        .iter()
        .enumerate()
        .filter(move |(s, _)| sccs.of[*s] == component)
        .flat_map(move |(_, arcs)| arcs.iter().filter(move |arc| sccs.of[arc.target] == component))
}

/// Puts the given marks on arcs between components, where they mean nothing; whether that changed anything.
pub(crate) fn fill_transient(automaton: &mut Symbolic, marks: u64) -> bool {
    let mut changed = false;
    let sccs = automaton.sccs();
    for (s, arcs) in automaton.states.iter_mut().enumerate() {
        for arc in arcs.iter_mut().filter(|arc| sccs.of[arc.target] != sccs.of[s]) {
            changed |= arc.marks != marks;
            arc.marks = marks;
        }
    }
    changed
}
