//! From nodes to steps.

use allways_system::Step;

use super::product::{Node, Product};
use super::{Lasso, Pids, Space};

/// A way through nodes that shows that a run is accepted.
pub struct Found {
    /// From the initial node. Each with who moved to get there, if that matters.
    pub nodes: Vec<(Node, Option<Pids>)>,
    /// The position of the node to which the last one leads back, and who moves then. None if the last node wins.
    pub back: Option<(usize, Option<Pids>)>,
}

impl Found {
    /// The last node wins.
    pub fn prefix(nodes: impl IntoIterator<Item = Node>) -> Found {
        Found { nodes: nodes.into_iter().map(|node| (node, None)).collect(), back: None }
    }

    /// A path, some more nodes, and then back to a node of the path.
    pub fn lasso(
        path: impl IntoIterator<Item = Node>,
        more: impl IntoIterator<Item = Node>,
        back: Node,
    ) -> Found {
        let path: Vec<Node> = path.into_iter().collect();
        let start = path.iter().position(|node| *node == back).unwrap_or(0);
        let nodes = path.into_iter().chain(more).map(|node| (node, None)).collect();
        Found { nodes, back: Some((start, None)) }
    }
}

/// The steps along the nodes.
pub fn lasso<S: Space>(product: &mut Product<S>, found: &Found) -> Lasso {
    let mut steps: Vec<Step> = Vec::new();
    let mut observed = Vec::new();
    let mut cycle = None;
    for (position, (node, _)) in found.nodes.iter().enumerate() {
        if found.back.is_some_and(|(start, _)| start == position) {
            cycle = Some(steps.len());
        }
        observed.push((steps.len(), product.observer_state(*node)));
        let next = match found.nodes.get(position + 1) {
            Some(next) => *next,
            None => match found.back {
                Some((start, movers)) => (found.nodes[start].0, movers),
                None => break,
            },
        };
        let (from, to) = (product.state(*node), product.state(next.0));
        steps.extend(product.space.steps(from, to, next.1));
    }
    let mut lasso = Lasso { steps, cycle, observed };
    if found.back.is_none() {
        let states: Vec<u32> = found.nodes.iter().map(|(node, _)| product.state(*node)).collect();
        repeat_last(&mut product.space, &states, &mut lasso);
    }
    lasso
}

/// The observer may accept only after it has read the last state several times. It can do so where nothing moves any more, and
/// where an atomic sequence never ends. Then the run goes on for ever like that, and the lasso says so.
fn repeat_last<S: Space>(space: &mut S, states: &[u32], lasso: &mut Lasso) {
    let Some(last) = states.last() else { return };
    let first = states.len() - states.iter().rev().take_while(|state| *state == last).count();
    let start = lasso.observed[first].0;
    if space.is_endless(*last) {
        lasso.steps.truncate(start);
        lasso.steps.extend(space.steps(*last, *last, None));
        lasso.observed.iter_mut().for_each(|(position, _)| *position = start.min(*position));
        lasso.cycle = Some(start);
    } else {
        lasso.cycle = cycle_at_end(&lasso.steps, start, states.len() - first);
    }
}

/// The cycle of a run whose last state was read so often, first after so many steps: none if it was read once, or if steps lead
/// from one time to the next.
pub fn cycle_at_end(steps: &[Step], first_read: usize, times: usize) -> Option<usize> {
    (times > 1 && first_read == steps.len()).then_some(steps.len())
}
