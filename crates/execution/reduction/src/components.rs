//! Strongly connected components, with memory that is used again: they are asked for thousands of times.

const NONE: u32 = u32::MAX;

/// When it was met, the earliest that is reached from it, its component, and which of the edges comes next.
#[derive(Clone, Copy)]
struct Node {
    index: u32,
    low: u32,
    component: u32,
    next: u32,
}

const UNKNOWN: Node = Node { index: NONE, low: 0, component: NONE, next: NONE };

/// Numbers the components of graphs.
#[derive(Default)]
pub(crate) struct Components {
    nodes: Vec<Node>,
    path: Vec<u32>,
    stack: Vec<u32>,
}

impl Components {
    /// Numbers those of a graph (Tarjan's algorithm, without recursion). The edges of a node are next to each other.
    pub fn find(&mut self, edges: &[(u32, u32)]) {
        let n = edges.iter().map(|(a, b)| a.max(b) + 1).max().unwrap_or(0) as usize;
        if n > self.nodes.len() {
            self.nodes.resize(n, UNKNOWN);
        }
        for (source, target) in edges {
            self.nodes[*source as usize] = UNKNOWN;
            self.nodes[*target as usize] = UNKNOWN;
        }
        for (number, (source, _)) in edges.iter().enumerate().rev() {
            self.nodes[*source as usize].next = number as u32;
        }
        let (mut n_seen, mut n_components) = (0, 0);
        for (root, _) in edges {
            if self.nodes[*root as usize].index == NONE {
                self.stack.push(*root);
                self.follow(edges, &mut n_seen, &mut n_components);
            }
        }
    }

    /// The number of the component of a node that an edge leaves or enters.
    pub fn of(&self, node: u32) -> u32 {
        self.nodes[node as usize].component
    }

    /// Numbers what is reached from the node on the stack.
    fn follow(&mut self, edges: &[(u32, u32)], n_seen: &mut u32, n_components: &mut u32) {
        let Components { nodes, path, stack } = self;
        'nodes: while let Some(&node) = stack.last() {
            let mut here = nodes[node as usize];
            if here.index == NONE {
                (here.index, here.low) = (*n_seen, *n_seen);
                *n_seen += 1;
                path.push(node);
            }
            while let Some(&(_, target)) = edges.get(here.next as usize).filter(|(source, _)| *source == node)
            {
                let child = if target == node { here } else { nodes[target as usize] };
                if child.index == NONE {
                    // The edge is looked at again when its target is done.
                    nodes[node as usize] = here;
                    stack.push(target);
                    continue 'nodes;
                }
                if child.component == NONE {
                    here.low = here.low.min(child.low);
                }
                here.next += 1;
            }
            nodes[node as usize] = here;
            if here.low == here.index {
                while let Some(member) = path.pop() {
                    nodes[member as usize].component = *n_components;
                    if member == node {
                        break;
                    }
                }
                *n_components += 1;
            }
            stack.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Components;

    #[test]
    fn components_are_cycles() {
        let mut found = Components::default();
        found.find(&[(0, 1), (1, 2), (1, 3), (2, 0), (3, 4), (4, 3), (4, 5)]);
        assert_eq!(found.of(0), found.of(1));
        assert_eq!(found.of(1), found.of(2));
        assert_eq!(found.of(3), found.of(4));
        assert!(found.of(0) != found.of(3) && found.of(5) != found.of(3) && found.of(5) != found.of(0));
    }

    /// Two nodes are in the same component if each is reached from the other. What was found before does not matter.
    #[test]
    fn components_of_all_small_graphs() {
        let mut found = Components::default();
        for graph in 0..1u32 << 16 {
            let has = |from: usize, to: usize| graph >> (4 * from + to) & 1 == 1;
            let pairs = || (0..4usize).flat_map(|from| (0..4usize).map(move |to| (from, to)));
            let edges: Vec<(usize, usize)> = pairs().filter(|(from, to)| has(*from, *to)).collect();
            found.find(&edges.iter().map(|(a, b)| (*a as u32, *b as u32)).collect::<Vec<_>>());
            let mut reached: [[bool; 4]; 4] = std::array::from_fn(|a| std::array::from_fn(|b| a == b));
            for _ in 0..4 {
                for (a, b) in pairs() {
                    reached[a][b] |= (0..4).any(|c| reached[a][c] && has(c, b));
                }
            }
            let is_there = |node: usize| edges.iter().any(|(a, b)| *a == node || *b == node);
            for (a, b) in pairs().filter(|(a, b)| is_there(*a) && is_there(*b)) {
                let is_one = found.of(a as u32) == found.of(b as u32);
                assert_eq!(is_one, reached[a][b] && reached[b][a], "{graph:016b}");
            }
        }
    }
}
