//! Futures: all that a process, and those it will create, can still do from a location on.
//!
//! They replace claims about exclusive use: a send commutes with everything as long as no other process has a send to
//! the same channel in its future.
//!
//! A process that is still to be created is one of the known instances of its proctype with a higher number than its
//! creator's. That the list of instances may not yet be complete does no harm. Take a shortest run to the creation of
//! an unknown one: everything on it is done by known instances, so the reduced search, which is right about those,
//! also finds the creation; then the search is repeated with the longer list.
//!
//! Where channels are handed down no list is needed: `families.rs`.

use crate::Instance;
use crate::effects::Mask;
use crate::graph::{Edge, Graph};

/// The futures of every location of every instance.
pub(crate) fn futures(instances: &[Instance], graphs: &[Graph]) -> Vec<Vec<Mask>> {
    let mut futures: Vec<Vec<Mask>> = vec![Vec::new(); graphs.len()];
    let mut order: Vec<usize> = (0..graphs.len()).collect();
    // Whoever is created has a higher number, so its futures are there first.
    order.sort_by_key(|index| std::cmp::Reverse(instances[*index].pid));
    for index in order {
        futures[index] = futures_of(&graphs[index], &|edge, future| {
            for (new, instance) in instances.iter().enumerate() {
                if Some(instance.proctype) == edge.effect.run && instance.pid > instances[index].pid {
                    future.add(&futures[new][graphs[new].initial.index()]);
                }
            }
        });
    }
    futures
}

/// The futures of every location of a graph. `born` adds what the process does that an edge creates.
pub(crate) fn futures_of(graph: &Graph, born: &dyn Fn(&Edge, &mut Mask)) -> Vec<Mask> {
    let mut futures = vec![Mask::default(); graph.first.len() - 1];
    for edge in graph.edges.iter().filter(|edge| !edge.effect.never) {
        let future = &mut futures[edge.source.index()];
        future.add(&edge.effect.mask);
        if graph.is_interior[edge.source.index()] {
            future.reads.add(&edge.effect.decides);
        }
        if edge.effect.run.is_some() {
            born(edge, future);
        }
    }
    // Backwards is the shortest way through most programs.
    let mut news = true;
    while news {
        news = false;
        for edge in graph.edges.iter().rev() {
            if edge.effect.never || edge.effect.is_death || edge.source == edge.target {
                continue;
            }
            let mut here = std::mem::take(&mut futures[edge.source.index()]);
            news |= here.add(&futures[edge.target.index()]);
            futures[edge.source.index()] = here;
        }
    }
    futures
}
