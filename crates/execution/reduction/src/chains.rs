//! Chains: all that can happen from a step until control is open to everybody again.
//!
//! An edge that keeps control brings everything with it that its atomic sequence can do. Inside, a statement that is
//! blocked ends the chain, so whether it is enabled counts as read. A rendezvous hands control to the receiver; the
//! sender goes on only if a message is sent back to it before the chain ends.
//!
//! The part of a chain that happens in another process is not here but in that process's own masks: whoever may take
//! part in a rendezvous of the chain is in every chosen set with it. A process that the chain itself creates is not there when it is chosen: where it could be
//! given a message before the chain ends, the creation must not be in a proper subset.

use crate::bits::Bits;
use crate::effects::Mask;
use crate::graph::{Edge, Graph};

/// What a chain does, as far as one process is concerned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chain {
    pub mask: Mask,
    /// It can contain an edge that must not be in a proper subset.
    pub is_held: bool,
}

/// The chain of every edge of a graph. `held` are the edges that must not be in a proper subset.
pub(crate) fn chains(graph: &Graph, held: &[bool], only_first: bool) -> Vec<Chain> {
    let own = |edge: &Edge| Chain { mask: edge.effect.mask.clone(), is_held: false };
    let mut chains: Vec<Chain> = graph.edges.iter().map(own).collect();
    if !only_first {
        let own = |index: usize, reads_decides: bool, rest: &mut Mask| {
            let Edge { effect, .. } = &graph.edges[index];
            rest.add(&effect.mask);
            if reads_decides {
                rest.reads.add(&effect.decides);
            }
        };
        let rest = Rest::new(graph, own, Mask::add);
        for (chain, edge) in chains.iter_mut().zip(&graph.edges) {
            rest.continuations(edge).for_each(|more| {
                chain.mask.add(more);
            });
        }
    }
    hold(&mut chains, graph, held, only_first);
    chains
}

/// Says anew which chains are held.
pub(crate) fn hold(chains: &mut [Chain], graph: &Graph, held: &[bool], only_first: bool) {
    chains.iter_mut().zip(held).for_each(|(chain, held)| chain.is_held = *held);
    if only_first || !held.contains(&true) {
        return;
    }
    let rest = Rest::new(
        graph,
        |index, _, rest: &mut bool| *rest |= held[index],
        |rest, more| *more && !std::mem::replace(rest, true),
    );
    for (chain, edge) in chains.iter_mut().zip(&graph.edges) {
        chain.is_held |= rest.continuations(edge).any(|is_held| *is_held);
    }
}

/// What can happen from a location on in the middle of a chain.
struct Rest<T> {
    /// While the process has control.
    kept: Vec<T>,
    /// If it is given control by a message that it takes there.
    taken: Vec<T>,
}

impl<T: Clone + Default> Rest<T> {
    /// `own` adds what an edge does itself, and, if asked, what decides whether it can; `add` adds more and says whether it was news.
    fn new(graph: &Graph, own: impl Fn(usize, bool, &mut T), add: impl Fn(&mut T, &T) -> bool) -> Rest<T> {
        let n_locations = graph.first.len() - 1;
        let mut rest = Rest { kept: vec![T::default(); n_locations], taken: vec![T::default(); n_locations] };
        let is_inside = |edge: &Edge| {
            !edge.effect.never
                && (graph.is_interior[edge.source.index()] || edge.effect.traffic.takes_message)
        };
        let inside: Vec<usize> =
            (0..graph.edges.len()).filter(|index| is_inside(&graph.edges[*index])).collect();
        for &index in &inside {
            let Edge { source, effect, .. } = &graph.edges[index];
            own(index, true, &mut rest.kept[source.index()]);
            if effect.traffic.takes_message {
                own(index, false, &mut rest.taken[source.index()]);
            }
        }
        let goes_on = |index: &usize| {
            let edge = &graph.edges[*index];
            edge.atomic || edge.effect.traffic.offers_message
        };
        let onward: Vec<usize> = inside.into_iter().filter(goes_on).collect();
        // Backwards is the shortest way through most programs.
        let mut news = true;
        while news {
            news = false;
            for index in onward.iter().rev() {
                let edge = &graph.edges[*index];
                let source = edge.source.index();
                let mut here = std::mem::take(&mut rest.kept[source]);
                rest.continuations(edge).for_each(|more| news |= add(&mut here, more));
                rest.kept[source] = here;
                if edge.effect.traffic.takes_message {
                    let mut here = std::mem::take(&mut rest.taken[source]);
                    rest.continuations(edge).for_each(|more| news |= add(&mut here, more));
                    rest.taken[source] = here;
                }
            }
        }
        rest
    }

    /// What can happen after an edge.
    fn continuations(&self, edge: &Edge) -> impl Iterator<Item = &T> {
        let target = edge.target.index();
        let kept = edge.atomic.then(|| &self.kept[target]);
        let taken = edge.effect.traffic.offers_message.then(|| &self.taken[target]);
        kept.into_iter().chain(taken)
    }
}

/// Per edge: whether it must not be in a proper subset, be it sticky or not: it can change something that is observed, or creates a process that may take part
/// in the rest of the chain.
pub(crate) fn held_anyway(graph: &Graph, observed: &Bits) -> Vec<bool> {
    let hands_over = hands_over(graph);
    let is_held = |edge: &Edge| {
        let Mask { writes, updates, .. } = &edge.effect.mask;
        let is_visible = writes.meets(observed) || updates.meets(observed);
        is_visible || hands_over && edge.atomic && edge.effect.run.is_some()
    };
    graph.edges.iter().map(is_held).collect()
}

/// Whether a rendezvous can happen in the middle of a chain.
pub(crate) fn hands_over(graph: &Graph) -> bool {
    graph.edges.iter().any(|edge| {
        edge.effect.traffic.offers_message && !edge.effect.never && graph.is_interior[edge.source.index()]
    })
}
