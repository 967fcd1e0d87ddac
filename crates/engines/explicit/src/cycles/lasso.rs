//! From nodes to steps.

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
    let mut steps_between = |from: Node, to: Node, movers: Option<Pids>| {
        let (from, to) = (product.state(from), product.state(to));
        product.space.steps(from, to, movers)
    };
    let mut steps = Vec::new();
    let mut cycle = None;
    for (position, pair) in found.nodes.windows(2).enumerate() {
        if found.back.is_some_and(|(start, _)| start == position) {
            cycle = Some(steps.len());
        }
        steps.extend(steps_between(pair[0].0, pair[1].0, pair[1].1));
    }
    if let (Some((start, movers)), Some(last)) = (found.back, found.nodes.last()) {
        cycle.get_or_insert(steps.len());
        steps.extend(steps_between(last.0, found.nodes[start].0, movers));
    }
    Lasso { steps, cycle }
}
