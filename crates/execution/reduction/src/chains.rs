//! Chains: all that can happen from a step until control is open to everybody again.
//!
//! An edge that keeps control brings everything with it that its atomic sequence can do. Inside, a statement that is
//! blocked ends the chain, so whether it is enabled counts as read. A rendezvous hands control to the receiver; the
//! sender goes on only if a message is sent back to it before the chain ends.
//!
//! The part of a chain that happens in another process is not here but in that process's own masks: whoever may take
//! part in a rendezvous of the chain is in every chosen set with it. A process that the chain itself creates is not there when it is chosen: where it could be
//! given a message before the chain ends, the creation must not be in a proper subset.

use allways_system::LocationId;

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

impl Chain {
    fn add(&mut self, other: &Chain) -> bool {
        let news = self.mask.add(&other.mask) | (other.is_held && !self.is_held);
        self.is_held |= other.is_held;
        news
    }
}

/// The chain of every edge of a graph. `held` are the edges that must not be in a proper subset.
pub(crate) fn chains(graph: &Graph, held: &[bool], only_first: bool) -> Vec<Chain> {
    let own: Vec<Chain> = graph
        .edges
        .iter()
        .zip(held)
        .map(|(edge, held)| Chain { mask: edge.effect.mask.clone(), is_held: *held })
        .collect();
    if only_first {
        return own;
    }
    let n_locations = graph.first.len() - 1;
    let mut rest =
        Rest { kept: vec![Chain::default(); n_locations], taken: vec![Chain::default(); n_locations] };
    while rest.grow(graph, &own) {}
    own.iter()
        .zip(&graph.edges)
        .map(|(own, edge)| {
            let mut chain = own.clone();
            rest.add_continuation(edge, &mut chain);
            chain
        })
        .collect()
}

/// What can happen from a location on in the middle of a chain.
struct Rest {
    /// While the process has control.
    kept: Vec<Chain>,
    /// If it is given control by a message that it takes there.
    taken: Vec<Chain>,
}

impl Rest {
    fn grow(&mut self, graph: &Graph, own: &[Chain]) -> bool {
        let mut news = false;
        for (index, edge) in graph.edges.iter().enumerate().filter(|(_, edge)| !edge.effect.never) {
            if !graph.is_interior[edge.source.index()] && !edge.effect.traffic.takes_message {
                continue;
            }
            let mut chain = own[index].clone();
            self.add_continuation(edge, &mut chain);
            let source = edge.source.index();
            if edge.effect.traffic.takes_message {
                news |= self.taken[source].add(&chain);
            }
            chain.mask.reads.add(&edge.effect.decides);
            news |= self.kept[source].add(&chain);
        }
        news
    }

    fn add_continuation(&self, edge: &Edge, chain: &mut Chain) {
        let LocationId(target) = edge.target;
        if edge.atomic {
            chain.add(&self.kept[target as usize]);
        }
        if edge.effect.traffic.offers_message {
            chain.add(&self.taken[target as usize]);
        }
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
