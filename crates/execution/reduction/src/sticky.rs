//! Sticky edges: enough of them that every cycle of the state graph runs over one.
//!
//! An edge in a proper subset of the steps postpones the others. If that could go on for ever, what is postponed would
//! never be explored. So sticky edges are never in a proper subset, and then every cycle of the reduced graph has a
//! state where nothing is postponed (Kurshan, Levin, Minea, Peled, Yenigün, TACAS 1998). That makes the choice a
//! function of the state alone, the same for every search order and number of workers.
//!
//! A cycle restores locations, variables, buffers and the number of processes. An edge is *live* if it may be in a
//! cycle without sticky edges; the live edges are a greatest fixpoint. An edge goes if
//!
//! * it is on no cycle of live edges of its own control graph. Where a process can be created anew by a live `run`,
//!   its end leads back to its beginning. The process with the lowest number that moves in a cycle is there throughout:
//!   creators have lower numbers, and the youngest dies first. So some process that creates others goes round without an end, and whoever else is
//!   created anew is created by such a one, or by one that is itself created anew;
//! * it takes a message out of a channel and no live edge puts one in, or the other way round. On a rendezvous channel
//!   the other must be another process. A lossy send may put nothing in, and a channel may vanish with its messages if
//!   the process that made it can be created anew;
//! * it creates a process that cannot reach its end over live edges;
//! * it counts up or down (see `counters.rs`).
//!
//! An instance may stand for several processes, which is all that is known of them where channels are handed down (`families.rs`). All of this is said of edges, not of processes:
//! it then holds for the edges that any of them take in a cycle. Such an instance can answer itself, and create itself.
//!
//! No edge of a cycle without sticky edges ever goes, so when none is left there is no such cycle. Cycles inside atomic
//! sequences are cycles too: a chain that could run for ever contains a sticky edge.

use allways_system::{LocationId, ProctypeId, Start, System};

use crate::Instance;
use crate::bits::Bits;
use crate::counters::{self, Counter};
use crate::graph::Graph;

/// How many edges a single round of choices may look at, roughly: beyond, the best of a sample is taken.
const EFFORT: usize = 40_000;
/// The same for finding out which ones are superfluous in the end.
const DROP_EFFORT: usize = 1_000_000;

pub(crate) struct Sticky<'a> {
    instances: &'a [Instance<'a>],
    graphs: &'a [Graph],
    /// Of all instances, one behind the other.
    edges: Vec<Flow<'a>>,
    /// Per instance, where its edges begin.
    first: Vec<usize>,
    /// Per instance.
    counters: Vec<Vec<Counter>>,
    /// The edges that send, receive or create.
    traffic: Vec<usize>,
    /// Per instance: it has none of these.
    is_alone: Vec<bool>,
    lossy: bool,
    /// Every instance may stand for several processes.
    generic: bool,
    /// Proctypes that make channels.
    makes_channels: Vec<bool>,
    n_global_channels: u32,
}

/// What may be in a cycle without sticky edges.
#[derive(Clone)]
struct Live {
    edges: Vec<bool>,
    /// Per instance: whether it may be created anew in one.
    created_anew: Vec<bool>,
}

impl Live {
    fn is_some(&self) -> bool {
        self.edges.contains(&true)
    }
}

/// An edge as far as it matters here.
struct Flow<'a> {
    instance: usize,
    source: LocationId,
    target: LocationId,
    sends: &'a Bits,
    receives: &'a Bits,
    always_sends: bool,
    always_receives: bool,
    is_buffered: bool,
    run: Option<ProctypeId>,
    is_death: bool,
    never: bool,
}

impl<'a> Sticky<'a> {
    pub fn new(
        system: &System,
        instances: &'a [Instance<'a>],
        graphs: &'a [Graph],
        lossy: bool,
        check_overflow: bool,
        n_global_channels: u32,
        generic: bool,
    ) -> Sticky<'a> {
        let (mut edges, mut first) = (Vec::new(), Vec::new());
        for (instance, graph) in graphs.iter().enumerate() {
            first.push(edges.len());
            edges.extend(graph.edges.iter().map(|edge| Flow {
                instance,
                source: edge.source,
                target: edge.target,
                sends: &edge.effect.traffic.sends,
                receives: &edge.effect.traffic.receives,
                always_sends: edge.effect.traffic.always_sends,
                always_receives: edge.effect.traffic.always_receives,
                is_buffered: edge.effect.traffic.is_buffered,
                run: edge.effect.run,
                is_death: edge.effect.is_death,
                never: edge.effect.never,
            }));
        }
        let makes_channels = system
            .proctypes
            .iter()
            .map(|proctype| proctype.start.iter().any(|start| matches!(start, Start::Channel(..))))
            .collect();
        let counters = counters::find(system, instances, graphs, check_overflow);
        let concerns_others = |edge: &Flow| {
            edge.run.is_some() || edge.sends.iter().next().is_some() || edge.receives.iter().next().is_some()
        };
        let traffic: Vec<usize> = (0..edges.len()).filter(|edge| concerns_others(&edges[*edge])).collect();
        let mut is_alone = vec![true; graphs.len()];
        traffic.iter().for_each(|edge| is_alone[edges[*edge].instance] = false);
        Sticky {
            instances,
            graphs,
            edges,
            first,
            counters,
            traffic,
            is_alone,
            lossy,
            generic,
            makes_channels,
            n_global_channels,
        }
    }

    /// Chooses sticky edges: per instance, per edge. `is_free` says of an edge that it is hardly ever in a reduced set
    /// anyway; those are taken first.
    pub fn choose(&self, is_free: &[Vec<bool>]) -> Vec<Vec<bool>> {
        let mut sticky = vec![false; self.edges.len()];
        let mut live = self.live(&sticky, None);
        let mut order = Vec::new();
        while live.is_some() {
            let best = self.best(&live, is_free);
            sticky[best] = true;
            order.push(best);
            live = self.live(&sticky, Some(&live));
        }
        // Later ones may have made earlier ones superfluous.
        let affordable = DROP_EFFORT / (1 + self.edges.len());
        for edge in order.into_iter().take(affordable) {
            sticky[edge] = false;
            sticky[edge] = self.live(&sticky, None).is_some();
        }
        self.first
            .iter()
            .zip(self.graphs)
            .map(|(first, graph)| sticky[*first..first + graph.edges.len()].to_vec())
            .collect()
    }

    /// The live edge whose loss takes most others with it, free ones before others.
    fn best(&self, live: &Live, is_free: &[Vec<bool>]) -> usize {
        let is_free = |edge: usize| {
            let instance = self.edges[edge].instance;
            is_free[instance][edge - self.first[instance]]
        };
        let all: Vec<usize> = (0..live.edges.len()).filter(|edge| live.edges[*edge]).collect();
        let free: Vec<usize> = all.iter().copied().filter(|edge| is_free(*edge)).collect();
        let candidates = if free.is_empty() { &all } else { &free };
        let affordable = (EFFORT / (1 + all.len())).clamp(4, 256);
        let stride = candidates.len().div_ceil(affordable);
        let mut best = (usize::MAX, candidates[0]);
        for &candidate in candidates.iter().step_by(stride) {
            let left = self.without(live, candidate).edges.iter().filter(|live| **live).count();
            best = best.min((left, candidate));
        }
        best.1
    }

    /// The live edges, given the sticky ones; `known` is a superset of them.
    fn live(&self, sticky: &[bool], known: Option<&Live>) -> Live {
        let edges = (0..self.edges.len())
            .map(|i| !sticky[i] && !self.edges[i].never && known.is_none_or(|known| known.edges[i]));
        let n_instances = self.graphs.len();
        let live = Live { edges: edges.collect(), created_anew: vec![true; n_instances] };
        self.shrink(live, vec![true; n_instances], true)
    }

    /// What would be live without this edge.
    fn without(&self, live: &Live, edge: usize) -> Live {
        let mut live = live.clone();
        live.edges[edge] = false;
        let mut is_dirty = vec![false; self.graphs.len()];
        let instance = self.edges[edge].instance;
        is_dirty[instance] = true;
        self.shrink(live, is_dirty, !self.is_alone[instance])
    }

    /// Takes away what cannot be in a cycle until nothing changes. Edges were taken away since the last time only where
    /// `is_dirty` says so. If that concerns others, these may have lost their purpose: what they send and receive, and whom
    /// they create.
    fn shrink(&self, mut live: Live, mut is_dirty: Vec<bool>, mut concerns_others: bool) -> Live {
        let all = 0..self.graphs.len();
        loop {
            for instance in all.clone() {
                while std::mem::take(&mut is_dirty[instance]) {
                    is_dirty[instance] =
                        self.keep_cycles(instance, live.created_anew[instance], &mut live.edges)
                            | self.stop_counters(instance, &mut live.edges);
                    concerns_others |= is_dirty[instance] && !self.is_alone[instance];
                }
            }
            if !std::mem::take(&mut concerns_others) {
                return live;
            }
            self.balance_messages(&mut live.edges, &mut is_dirty);
            let still = self.balance_processes(&mut live.edges, &mut is_dirty);
            for (instance, still) in still.into_iter().enumerate() {
                is_dirty[instance] |= live.created_anew[instance] && !still;
                live.created_anew[instance] = still;
            }
            concerns_others = all.clone().any(|i| is_dirty[i] && !self.is_alone[i]);
        }
    }

    fn stop_counters(&self, instance: usize, live: &mut [bool]) -> bool {
        let mut news = false;
        for counter in &self.counters[instance] {
            news |= counter.stop(self.graphs, &self.first, live);
        }
        news
    }

    fn balance_messages(&self, live: &mut [bool], is_dirty: &mut [bool]) {
        let (mut senders, mut receivers) = (Users::default(), Users::default());
        let mut makes_anew = false;
        for edge in self.traffic.iter().filter(|edge| live[**edge]).map(|edge| &self.edges[*edge]) {
            let pid = self.instances[edge.instance].pid;
            edge.sends.iter().for_each(|channel| senders.insert(channel, pid));
            edge.receives.iter().for_each(|channel| receivers.insert(channel, pid));
            makes_anew |= edge.run.is_some_and(|new| self.makes_channels[new.index()]);
        }
        for &index in &self.traffic {
            let edge = &self.edges[index];
            let pid = self.instances[edge.instance].pid;
            let answered = |channels: &Bits, users: &Users| {
                channels.iter().any(|channel| users.contains(channel, pid, edge.is_buffered || self.generic))
            };
            let may_vanish =
                || makes_anew && edge.sends.iter().any(|channel| channel >= self.n_global_channels);
            let may_be_lost = || self.lossy && edge.is_buffered || may_vanish();
            let has_message = !edge.always_receives || answered(edge.receives, &senders);
            let has_room = !edge.always_sends || answered(edge.sends, &receivers) || may_be_lost();
            if live[index] && !(has_message && has_room) {
                live[index] = false;
                is_dirty[edge.instance] = true;
            }
        }
    }

    /// Says of each instance whether it can be created anew.
    fn balance_processes(&self, live: &mut [bool], is_dirty: &mut [bool]) -> Vec<bool> {
        let mut created_anew = vec![false; self.graphs.len()];
        let runs: Vec<usize> = self
            .traffic
            .iter()
            .copied()
            .filter(|edge| live[*edge] && self.edges[*edge].run.is_some())
            .collect();
        if runs.is_empty() {
            return created_anew;
        }
        // An instance that can be created anew dies on a cycle through its beginning.
        let dies: Vec<bool> = (0..self.graphs.len())
            .map(|instance| self.reaches_end(instance, &self.graphs[instance], live))
            .collect();
        for &index in &runs {
            let edge = &self.edges[index];
            live[index] = false;
            for new in 0..self.graphs.len() {
                let can_be = self.can_create(edge, new) && dies[new];
                created_anew[new] |= can_be;
                live[index] |= can_be;
            }
            is_dirty[edge.instance] |= !live[index];
        }
        if self.generic { self.created_by_those_who_stay(&runs, &created_anew, live) } else { created_anew }
    }

    fn can_create(&self, edge: &Flow, new: usize) -> bool {
        let is_younger = self.instances[new].pid > self.instances[edge.instance].pid;
        Some(self.instances[new].proctype) == edge.run && (is_younger || self.generic)
    }

    /// Of those that could be created anew: those that are by a process that goes round without an end, or by one that is created anew
    /// itself. Where creators have lower numbers, this goes without saying.
    fn created_by_those_who_stay(&self, runs: &[usize], could_be: &[bool], live: &[bool]) -> Vec<bool> {
        let mut created_anew = vec![false; self.graphs.len()];
        let mut proper = live.to_vec();
        for instance in 0..self.graphs.len() {
            self.keep_cycles(instance, false, &mut proper);
        }
        let mut news = true;
        while news {
            news = false;
            for &index in runs.iter().filter(|index| live[**index]) {
                let edge = &self.edges[index];
                if !proper[index] && !created_anew[edge.instance] {
                    continue;
                }
                for new in (0..self.graphs.len()).filter(|new| could_be[*new] && self.can_create(edge, *new))
                {
                    news |= !std::mem::replace(&mut created_anew[new], true);
                }
            }
        }
        created_anew
    }

    fn reaches_end(&self, instance: usize, graph: &Graph, live: &[bool]) -> bool {
        let mut seen = vec![false; graph.first.len() - 1];
        let mut todo = vec![graph.initial];
        seen[graph.initial.index()] = true;
        while let Some(location) = todo.pop() {
            for index in graph.range(location).filter(|index| live[self.first[instance] + index]) {
                let edge = &self.edges[self.first[instance] + index];
                if edge.is_death {
                    return true;
                }
                if !std::mem::replace(&mut seen[edge.target.index()], true) {
                    todo.push(edge.target);
                }
            }
        }
        false
    }

    /// Only edges on cycles of live edges stay. Says whether one went.
    fn keep_cycles(&self, instance: usize, created_anew: bool, live: &mut [bool]) -> bool {
        let graph = &self.graphs[instance];
        let range = self.first[instance]..self.first[instance] + graph.edges.len();
        if !live[range.clone()].contains(&true) {
            return false;
        }
        let offset = range.start;
        let component = components(graph.first.len() - 1, |node, number| {
            let index = graph.first[node] as usize + number;
            (index < graph.first[node + 1] as usize).then(|| {
                let edge = &self.edges[offset + index];
                self.target(edge, created_anew).filter(|_| live[offset + index]).map(LocationId::index)
            })
        });
        let mut news = false;
        for index in range {
            let edge = &self.edges[index];
            let target = self.target(edge, created_anew);
            let is_on_cycle =
                target.is_some_and(|target| component[target.index()] == component[edge.source.index()]);
            news |= live[index] && !is_on_cycle;
            live[index] &= is_on_cycle;
        }
        news
    }

    fn target(&self, edge: &Flow, created_anew: bool) -> Option<LocationId> {
        match edge.is_death {
            false => Some(edge.target),
            true => created_anew.then(|| self.graphs[edge.instance].initial),
        }
    }
}

/// Who uses which channel.
#[derive(Default)]
struct Users {
    /// Per channel: nobody, or one process, or several.
    users: Vec<Option<Option<u32>>>,
}

impl Users {
    fn insert(&mut self, channel: u32, pid: u32) {
        let channel = channel as usize;
        if channel >= self.users.len() {
            self.users.resize(channel + 1, None);
        }
        self.users[channel] = match self.users[channel] {
            None => Some(Some(pid)),
            Some(Some(other)) if other == pid => Some(Some(pid)),
            _ => Some(None),
        };
    }

    /// Whether somebody uses it, who is not `pid` unless the process may do it itself.
    fn contains(&self, channel: u32, pid: u32, or_itself: bool) -> bool {
        match self.users.get(channel as usize) {
            None | Some(None) => false,
            Some(Some(Some(only))) => or_itself || *only != pid,
            Some(Some(None)) => true,
        }
    }
}

/// Numbers the strongly connected components of a graph of `n` nodes (Tarjan's algorithm, without recursion). `target(node, i)` is where
/// the `i`th edge of a node leads, if there are so many, and if anywhere.
fn components(n: usize, target: impl Fn(usize, usize) -> Option<Option<usize>>) -> Vec<u32> {
    const UNSEEN: u32 = u32::MAX;
    /// When it was met, the earliest that is reached from it, and its component.
    #[derive(Clone, Copy)]
    struct Node {
        index: u32,
        low: u32,
        component: u32,
    }
    let mut nodes = vec![Node { index: UNSEEN, low: 0, component: UNSEEN }; n];
    let (mut path, mut stack): (Vec<usize>, Vec<(usize, usize)>) = (Vec::new(), Vec::new());
    let (mut n_seen, mut n_components) = (0, 0);
    for root in 0..n {
        if nodes[root].index != UNSEEN {
            continue;
        }
        stack.push((root, 0));
        'nodes: while let Some((node, mut next)) = stack.pop() {
            if nodes[node].index == UNSEEN {
                (nodes[node].index, nodes[node].low) = (n_seen, n_seen);
                n_seen += 1;
                path.push(node);
            }
            while let Some(child) = target(node, next) {
                next += 1;
                let Some(child) = child else { continue };
                if nodes[child].index == UNSEEN {
                    // Looked at again when it is done.
                    stack.push((node, next - 1));
                    stack.push((child, 0));
                    continue 'nodes;
                }
                if nodes[child].component == UNSEEN {
                    nodes[node].low = nodes[node].low.min(nodes[child].low);
                }
            }
            if nodes[node].low == nodes[node].index {
                while let Some(member) = path.pop() {
                    nodes[member].component = n_components;
                    if member == node {
                        break;
                    }
                }
                n_components += 1;
            }
        }
    }
    nodes.into_iter().map(|node| node.component).collect()
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn components_are_cycles() {
        let targets = [vec![1], vec![2, 3], vec![0], vec![4], vec![3, 5], vec![]];
        let found = components(targets.len(), |node, i| targets[node].get(i).map(|target| Some(*target)));
        assert_eq!(found[0], found[1]);
        assert_eq!(found[1], found[2]);
        assert_eq!(found[3], found[4]);
        assert!(found[0] != found[3] && found[5] != found[3] && found[5] != found[0]);
    }

    /// Two nodes are in the same component if each is reached from the other.
    #[test]
    fn components_of_all_small_graphs() {
        for graph in 0..1u32 << 16 {
            let has = |from: usize, to: usize| graph >> (4 * from + to) & 1 == 1;
            let target = |from, to| (to < 4).then(|| has(from, to).then_some(to));
            let found = components(4, target);
            let mut reached: [[bool; 4]; 4] = std::array::from_fn(|a| std::array::from_fn(|b| a == b));
            for _ in 0..4 {
                for (a, b) in (0..4).flat_map(|a| (0..4).map(move |b| (a, b))) {
                    reached[a][b] |= (0..4).any(|c| reached[a][c] && has(c, b));
                }
            }
            for (a, b) in (0..4).flat_map(|a| (0..4).map(move |b| (a, b))) {
                assert_eq!(found[a] == found[b], reached[a][b] && reached[b][a], "{graph:016b}");
            }
        }
    }
}
