//! Strongly connected components of a small graph.

/// Numbers the components so that every edge leads to a component with the same or a smaller number.
/// Returns the component of each node, and how many there are. Tarjan's algorithm with its stack written out.
pub(crate) fn components<'a, I>(n: usize, successors: impl Fn(usize) -> I) -> (Vec<u32>, usize)
where
    I: Iterator<Item = usize> + 'a,
{
    const NONE: u32 = u32::MAX;
    let mut component = vec![NONE; n];
    let mut number = vec![NONE; n];
    let mut low = vec![0u32; n];
    let mut live = Vec::new();
    let mut n_components = 0;
    let mut next_number = 0;
    let mut calls: Vec<(usize, I)> = Vec::new();
    for root in 0..n {
        if number[root] != NONE {
            continue;
        }
        let mut enter = Some(root);
        loop {
            if let Some(node) = enter.take() {
                number[node] = next_number;
                low[node] = next_number;
                next_number += 1;
                live.push(node);
                calls.push((node, successors(node)));
            }
            let Some((node, rest)) = calls.last_mut() else { break };
            let node = *node;
            if let Some(target) = rest.next() {
                if number[target] == NONE {
                    enter = Some(target);
                } else if component[target] == NONE {
                    low[node] = low[node].min(number[target]);
                }
                continue;
            }
            calls.pop();
            if let Some((parent, _)) = calls.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
            if low[node] == number[node] {
                while let Some(member) = live.pop() {
                    component[member] = n_components as u32;
                    if member == node {
                        break;
                    }
                }
                n_components += 1;
            }
        }
    }
    (component, n_components)
}
