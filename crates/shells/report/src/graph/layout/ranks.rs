//! Which row each node is in.

use super::Arc;

/// A rank for each node such that the two ends of an arc never have the same, and most arcs go up in rank (that is,
/// down in the picture).
///
/// Arcs that close a cycle in a depth-first search from the first node are treated as if they went the other way:
/// these are the jumps back to the heads of loops. The rank is the length of the longest way from a node without
/// incoming arcs. Then nodes with more outgoing than incoming arcs are moved towards what follows them, which makes
/// arcs shorter.
pub(super) fn ranks(n_nodes: usize, arcs: &[Arc]) -> Vec<usize> {
    let (order, backward) = search(n_nodes, arcs);
    let mut predecessors = vec![Vec::new(); n_nodes];
    let mut successors = vec![Vec::new(); n_nodes];
    for (arc, backward) in arcs.iter().zip(backward) {
        let (from, to) = if backward { (arc.to, arc.from) } else { (arc.from, arc.to) };
        predecessors[to].push(from);
        successors[from].push(to);
    }
    let mut ranks = vec![0; n_nodes];
    for node in &order {
        ranks[*node] = predecessors[*node].iter().map(|before| ranks[*before] + 1).max().unwrap_or(0);
    }
    for node in order.iter().rev() {
        let nearest = successors[*node].iter().map(|after| ranks[*after] - 1).min();
        if successors[*node].len() > predecessors[*node].len() {
            ranks[*node] = nearest.unwrap_or(ranks[*node]);
        }
    }
    ranks
}

/// The nodes in an order in which all arcs go forward, apart from those marked as backward.
fn search(n_nodes: usize, arcs: &[Arc]) -> (Vec<usize>, Vec<bool>) {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut outgoing = vec![Vec::new(); n_nodes];
    for (index, arc) in arcs.iter().enumerate() {
        outgoing[arc.from].push(index);
    }
    let mut marks = vec![Mark::New; n_nodes];
    let mut backward = vec![false; arcs.len()];
    let mut finished = Vec::with_capacity(n_nodes);
    // Each with the position of its next arc. Not recursive: a model can be long.
    let mut stack: Vec<(usize, usize)> = Vec::new();
    for start in 0..n_nodes {
        if marks[start] != Mark::New {
            continue;
        }
        marks[start] = Mark::Open;
        stack.push((start, 0));
        while let Some((node, next)) = stack.last_mut() {
            let Some(&arc) = outgoing[*node].get(*next) else {
                marks[*node] = Mark::Done;
                finished.push(*node);
                stack.pop();
                continue;
            };
            *next += 1;
            let to = arcs[arc].to;
            match marks[to] {
                Mark::New => {
                    marks[to] = Mark::Open;
                    stack.push((to, 0));
                }
                Mark::Open => backward[arc] = true,
                Mark::Done => {}
            }
        }
    }
    finished.reverse();
    (finished, backward)
}
