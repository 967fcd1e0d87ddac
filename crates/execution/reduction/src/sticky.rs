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
//!
//! Instances that exchange no messages and do not create each other, as far as edges are live, are looked at apart, in *groups*: what is
//! sticky in one is of no interest to another.

use allways_system::{LocationId, ProctypeId, Start, System};

use crate::Instance;
use crate::counters::{self, Counter};
use crate::graph::Graph;

/// How many edges a single round of choices may look at, roughly: beyond, the best of a sample is taken.
const EFFORT: usize = 10_000;
/// The same for finding out which ones are superfluous in the end.
const DROP_EFFORT: usize = 1_000_000;

pub(crate) struct Sticky<'a> {
    instances: &'a [Instance<'a>],
    graphs: &'a [Graph],
    /// Of all instances, one behind the other.
    edges: Vec<Flow>,
    /// Per instance, where its edges begin.
    first: Vec<usize>,
    /// Per instance.
    counters: Vec<Vec<Counter>>,
    /// Per instance: none of its edges sends, receives or creates.
    is_alone: Vec<bool>,
    lossy: bool,
    /// Every instance may stand for several processes.
    generic: bool,
    /// Proctypes that make channels.
    makes_channels: Vec<bool>,
    n_global_channels: u32,
    n_channels: usize,
}

/// What may be in a cycle without sticky edges.
#[derive(Clone)]
struct Live {
    edges: Vec<bool>,
    /// Per instance: whether it may be created anew in one.
    created_anew: Vec<bool>,
}

/// Instances whose live edges have to do with each other, but not with those of the others.
struct Group {
    instances: Vec<usize>,
    /// Their edges that may be live.
    edges: Vec<usize>,
    /// Those of them that send, receive or create.
    traffic: Vec<usize>,
}

impl Group {
    fn is_live(&self, live: &Live) -> bool {
        self.edges.iter().any(|edge| live.edges[*edge])
    }
}

/// An edge as far as it matters here.
struct Flow {
    instance: usize,
    source: LocationId,
    target: LocationId,
    /// Channels.
    sends: Vec<u32>,
    receives: Vec<u32>,
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
                sends: edge.effect.traffic.sends.iter().collect(),
                receives: edge.effect.traffic.receives.iter().collect(),
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
        let mut is_alone = vec![true; graphs.len()];
        edges.iter().filter(|edge| edge.concerns_others()).for_each(|edge| is_alone[edge.instance] = false);
        let n_channels = edges.iter().flat_map(Flow::channels).max().map_or(0, |last| last as usize + 1);
        Sticky {
            instances,
            graphs,
            edges,
            first,
            counters,
            is_alone,
            lossy,
            generic,
            makes_channels,
            n_global_channels,
            n_channels,
        }
    }

    /// Chooses sticky edges: per instance, per edge. `is_free` says of an edge that it is hardly ever in a reduced set
    /// anyway; those are taken first.
    pub fn choose(&self, is_free: &[Vec<bool>]) -> Vec<Vec<bool>> {
        let mut sticky: Vec<Vec<bool>> =
            self.graphs.iter().map(|graph| vec![false; graph.edges.len()]).collect();
        let all = self.all_live();
        let groups = self.groups(&all);
        for (number, group) in groups.iter().enumerate() {
            let twin = groups[..number].iter().find(|other| self.are_twins(group, other, &all, is_free));
            if let Some(twin) = twin {
                sticky[group.instances[0]] = sticky[twin.instances[0]].clone();
                continue;
            }
            for edge in self.choose_in(group, &all, is_free) {
                let (instance, number) = self.place(edge);
                sticky[instance][number] = true;
            }
        }
        sticky
    }

    /// Whether two groups are single instances that nobody could tell apart here, so that the same edges are sticky.
    fn are_twins(&self, one: &Group, other: &Group, live: &Live, is_free: &[Vec<bool>]) -> bool {
        let (&[a], &[b]) = (&one.instances[..], &other.instances[..]) else { return false };
        let shape = |group: &Group, instance: usize| {
            let first = self.first[instance];
            let shape = |edge: &usize| {
                let Flow { source, target, is_death, .. } = self.edges[*edge];
                (edge - first, source, target, is_death)
            };
            group.edges.iter().map(shape).collect::<Vec<_>>()
        };
        one.traffic.is_empty()
            && other.traffic.is_empty()
            && one.edges.len() == other.edges.len()
            && self.instances[a].proctype == self.instances[b].proctype
            && live.created_anew[a] == live.created_anew[b]
            && is_free[a] == is_free[b]
            && self.counters[a] == self.counters[b]
            && shape(one, a) == shape(other, b)
    }

    /// The instance of an edge, and its number there.
    fn place(&self, edge: usize) -> (usize, usize) {
        let instance = self.edges[edge].instance;
        (instance, edge - self.first[instance])
    }

    /// What is live while nothing is sticky.
    fn all_live(&self) -> Live {
        let everything = self.group((0..self.graphs.len()).collect(), |_| true);
        let edges = self.edges.iter().map(|edge| !edge.never).collect();
        let live = Live { edges, created_anew: vec![true; self.graphs.len()] };
        self.shrink(&everything, live, vec![true; self.graphs.len()], true)
    }

    fn group(&self, instances: Vec<usize>, is_live: impl Fn(usize) -> bool) -> Group {
        let ranges = instances.iter().map(|i| self.first[*i]..self.first[*i] + self.graphs[*i].edges.len());
        let edges: Vec<usize> = ranges.flatten().filter(|edge| is_live(*edge)).collect();
        let traffic = edges.iter().copied().filter(|edge| self.edges[*edge].concerns_others()).collect();
        Group { instances, edges, traffic }
    }

    /// Puts instances together that exchange messages or create each other.
    fn groups(&self, live: &Live) -> Vec<Group> {
        let mut leader: Vec<usize> = (0..self.graphs.len()).collect();
        let mut users = vec![None; self.n_channels];
        let (mut makers, mut makes_anew) = (None, false);
        for (index, edge) in self.edges.iter().enumerate().filter(|(index, _)| live.edges[*index]) {
            for channel in edge.channels() {
                join(&mut leader, edge.instance, &mut users[channel as usize]);
            }
            let Some(new) = edge.run else { continue };
            makes_anew |= self.makes_channels[new.index()];
            for other in (0..self.graphs.len()).filter(|other| self.can_create(&self.edges[index], *other)) {
                join(&mut leader, edge.instance, &mut Some(other));
            }
        }
        if makes_anew {
            // A channel that vanishes concerns whoever sends to it.
            let uses_some = self.edges.iter().enumerate().filter(|(index, _)| live.edges[*index]);
            for (_, edge) in uses_some.filter(|(_, edge)| edge.concerns_others()) {
                join(&mut leader, edge.instance, &mut makers);
            }
        }
        let mut members = vec![Vec::new(); self.graphs.len()];
        for instance in 0..self.graphs.len() {
            members[find(&leader, instance)].push(instance);
        }
        let groups = members.into_iter().map(|instances| self.group(instances, |edge| live.edges[edge]));
        groups.filter(|group| !group.edges.is_empty()).collect()
    }

    /// The sticky edges of a group.
    fn choose_in(&self, group: &Group, all: &Live, is_free: &[Vec<bool>]) -> Vec<usize> {
        let mut live = all.clone();
        let mut order = Vec::new();
        while group.is_live(&live) {
            let best = self.best(group, &live, is_free);
            order.push(best);
            live.edges[best] = false;
            live = self.shrink(group, live, vec![true; self.graphs.len()], true);
        }
        // Later ones may have made earlier ones superfluous.
        let affordable = DROP_EFFORT / (1 + group.edges.len());
        let mut needed = vec![true; order.len()];
        for number in 0..order.len().min(affordable) {
            needed[number] = false;
            let mut live = all.clone();
            let sticky = order.iter().zip(&needed).filter(|(_, needed)| **needed);
            sticky.for_each(|(edge, _)| live.edges[*edge] = false);
            let live = self.shrink(group, live, vec![true; self.graphs.len()], true);
            needed[number] = group.is_live(&live);
        }
        order.into_iter().zip(needed).filter(|(_, needed)| *needed).map(|(edge, _)| edge).collect()
    }

    /// The live edge of a group whose loss takes most others with it, free ones before others.
    fn best(&self, group: &Group, live: &Live, is_free: &[Vec<bool>]) -> usize {
        let is_free = |edge: usize| {
            let (instance, number) = self.place(edge);
            is_free[instance][number]
        };
        let all: Vec<usize> = group.edges.iter().copied().filter(|edge| live.edges[*edge]).collect();
        let free: Vec<usize> = all.iter().copied().filter(|edge| is_free(*edge)).collect();
        let candidates = if free.is_empty() { &all } else { &free };
        let affordable = (EFFORT / (1 + all.len())).clamp(4, 256);
        let stride = candidates.len().div_ceil(affordable);
        let mut best = (usize::MAX, candidates[0]);
        for &candidate in candidates.iter().step_by(stride) {
            let left = self.without(group, live, candidate);
            let n_left = all.iter().filter(|edge| left.edges[**edge]).count();
            best = best.min((n_left, candidate));
        }
        best.1
    }

    /// What would be live in a group without this edge, roughly: those who create an instance that is alone are not asked.
    fn without(&self, group: &Group, live: &Live, edge: usize) -> Live {
        let mut live = live.clone();
        live.edges[edge] = false;
        let mut is_dirty = vec![false; self.graphs.len()];
        let instance = self.edges[edge].instance;
        is_dirty[instance] = true;
        self.shrink(group, live, is_dirty, !self.is_alone[instance])
    }

    /// Takes away what cannot be in a cycle until nothing changes. Edges were taken away since the last time only where
    /// `is_dirty` says so. If that concerns others, these may have lost their purpose: what they send and receive, and whom
    /// they create.
    fn shrink(
        &self,
        group: &Group,
        mut live: Live,
        mut is_dirty: Vec<bool>,
        mut concerns_others: bool,
    ) -> Live {
        loop {
            for &instance in &group.instances {
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
            self.balance_messages(group, &mut live.edges, &mut is_dirty);
            self.balance_processes(group, &mut live, &mut is_dirty);
            concerns_others = group.instances.iter().any(|i| is_dirty[*i] && !self.is_alone[*i]);
        }
    }

    fn stop_counters(&self, instance: usize, live: &mut [bool]) -> bool {
        let graph = &self.graphs[instance];
        let live = &mut live[self.first[instance]..][..graph.edges.len()];
        self.counters[instance].iter().fold(false, |news, counter| counter.stop(graph, live) | news)
    }

    /// Takes away what waits for messages, or for room, in vain.
    fn balance_messages(&self, group: &Group, live: &mut [bool], is_dirty: &mut [bool]) {
        let (mut senders, mut receivers) = (Users::new(self.n_channels), Users::new(self.n_channels));
        let mut makes_anew = false;
        for edge in group.traffic.iter().filter(|edge| live[**edge]).map(|edge| &self.edges[*edge]) {
            let pid = self.instances[edge.instance].pid;
            edge.sends.iter().for_each(|channel| senders.insert(*channel, pid));
            edge.receives.iter().for_each(|channel| receivers.insert(*channel, pid));
            makes_anew |= edge.run.is_some_and(|new| self.makes_channels[new.index()]);
        }
        for &index in group.traffic.iter().filter(|edge| self.edges[**edge].always_needs_others()) {
            if !live[index] {
                continue;
            }
            let edge = &self.edges[index];
            let pid = self.instances[edge.instance].pid;
            let answered = |channels: &[u32], users: &Users| {
                channels.iter().any(|channel| users.contains(*channel, pid, edge.is_buffered || self.generic))
            };
            let may_vanish =
                || makes_anew && edge.sends.iter().any(|channel| *channel >= self.n_global_channels);
            let may_be_lost = || self.lossy && edge.is_buffered || may_vanish();
            let has_message = !edge.always_receives || answered(&edge.receives, &senders);
            let has_room = !edge.always_sends || answered(&edge.sends, &receivers) || may_be_lost();
            if !(has_message && has_room) {
                live[index] = false;
                is_dirty[edge.instance] = true;
            }
        }
    }

    /// Takes away what creates processes that never end, and finds out who can be created anew.
    fn balance_processes(&self, group: &Group, live: &mut Live, is_dirty: &mut [bool]) {
        if !self.generic && !group.instances.iter().any(|instance| live.created_anew[*instance]) {
            // Then nobody creates anybody any more.
            return;
        }
        let runs: Vec<usize> = group
            .traffic
            .iter()
            .copied()
            .filter(|edge| live.edges[*edge] && self.edges[*edge].run.is_some())
            .collect();
        let mut created_anew = vec![false; self.graphs.len()];
        if !runs.is_empty() {
            // An instance that can be created anew dies on a cycle through its beginning.
            let mut dies = vec![false; self.graphs.len()];
            for &instance in &group.instances {
                dies[instance] = self.reaches_end(instance, &self.graphs[instance], &live.edges);
            }
            for &index in &runs {
                let edge = &self.edges[index];
                live.edges[index] = false;
                for &new in &group.instances {
                    let can_be = self.can_create(edge, new) && dies[new];
                    created_anew[new] |= can_be;
                    live.edges[index] |= can_be;
                }
                is_dirty[edge.instance] |= !live.edges[index];
            }
            if self.generic {
                created_anew = self.created_by_those_who_stay(group, &runs, &created_anew, &live.edges);
            }
        }
        for &instance in &group.instances {
            is_dirty[instance] |= live.created_anew[instance] && !created_anew[instance];
            live.created_anew[instance] = created_anew[instance];
        }
    }

    fn can_create(&self, edge: &Flow, new: usize) -> bool {
        let is_younger = self.instances[new].pid > self.instances[edge.instance].pid;
        Some(self.instances[new].proctype) == edge.run && (is_younger || self.generic)
    }

    /// Of those that could be created anew: those that are by a process that goes round without an end, or by one that is created anew
    /// itself. Where creators have lower numbers, this goes without saying.
    fn created_by_those_who_stay(
        &self,
        group: &Group,
        runs: &[usize],
        could_be: &[bool],
        live: &[bool],
    ) -> Vec<bool> {
        let mut created_anew = vec![false; self.graphs.len()];
        let mut proper = live.to_vec();
        for &instance in &group.instances {
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
                let can_be_new = |new: &usize| could_be[*new] && self.can_create(edge, *new);
                for new in group.instances.iter().copied().filter(can_be_new) {
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
        let edges: Vec<(usize, usize)> = range
            .clone()
            .filter(|index| live[*index])
            .filter_map(|index| {
                let edge = &self.edges[index];
                Some((edge.source.index(), self.target(edge, created_anew)?.index()))
            })
            .collect();
        let component = components(graph.first.len() - 1, &edges);
        let mut news = false;
        for (edge, live) in self.edges[range.clone()].iter().zip(&mut live[range]).filter(|(_, live)| **live)
        {
            let target = self.target(edge, created_anew);
            *live = target.is_some_and(|target| component[target.index()] == component[edge.source.index()]);
            news |= !*live;
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

impl Flow {
    /// Whether it sends, receives or creates.
    fn concerns_others(&self) -> bool {
        self.run.is_some() || !self.sends.is_empty() || !self.receives.is_empty()
    }

    fn always_needs_others(&self) -> bool {
        self.always_sends || self.always_receives
    }

    fn channels(&self) -> impl Iterator<Item = u32> + '_ {
        self.sends.iter().chain(&self.receives).copied()
    }
}

/// Who stands for the group that somebody belongs to.
fn find(leader: &[usize], mut member: usize) -> usize {
    while leader[member] != member {
        member = leader[member];
    }
    member
}

/// Puts one into the group of another, if there is one; else it is the first.
fn join(leader: &mut [usize], one: usize, other: &mut Option<usize>) {
    let one = find(leader, one);
    let other = find(leader, *other.get_or_insert(one));
    leader[one.max(other)] = one.min(other);
}

/// Who uses which channel: per channel nobody, or one process, or several.
struct Users(Vec<User>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum User {
    Nobody,
    Only(u32),
    Several,
}

impl Users {
    fn new(n_channels: usize) -> Users {
        Users(vec![User::Nobody; n_channels])
    }

    fn insert(&mut self, channel: u32, pid: u32) {
        let user = &mut self.0[channel as usize];
        *user = if matches!(*user, User::Nobody) || *user == User::Only(pid) {
            User::Only(pid)
        } else {
            User::Several
        };
    }

    /// Whether somebody uses it, who is not `pid` unless the process may do it itself.
    fn contains(&self, channel: u32, pid: u32, or_itself: bool) -> bool {
        match self.0[channel as usize] {
            User::Nobody => false,
            User::Only(only) => or_itself || only != pid,
            User::Several => true,
        }
    }
}

/// Numbers the strongly connected components of a graph of `n` nodes (Tarjan's algorithm, without recursion). The edges of a node are next to
/// each other; nodes without any have no number.
fn components(n: usize, edges: &[(usize, usize)]) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    /// When it was met, the earliest that is reached from it, its component, and which of the edges comes next.
    #[derive(Clone, Copy)]
    struct Node {
        index: u32,
        low: u32,
        component: u32,
        next: u32,
    }
    let mut nodes = vec![Node { index: NONE, low: 0, component: NONE, next: NONE }; n];
    for (number, (source, _)) in edges.iter().enumerate().rev() {
        nodes[*source].next = number as u32;
    }
    let (mut path, mut stack) = (Vec::with_capacity(n), Vec::with_capacity(n));
    let (mut n_seen, mut n_components) = (0, 0);
    for (root, _) in edges {
        if nodes[*root].index != NONE {
            continue;
        }
        stack.push(*root);
        'nodes: while let Some(&node) = stack.last() {
            if nodes[node].index == NONE {
                (nodes[node].index, nodes[node].low) = (n_seen, n_seen);
                n_seen += 1;
                path.push(node);
            }
            while let Some(&(_, child)) =
                edges.get(nodes[node].next as usize).filter(|(source, _)| *source == node)
            {
                if nodes[child].index == NONE {
                    // The edge is looked at again when its target is done.
                    stack.push(child);
                    continue 'nodes;
                }
                if nodes[child].component == NONE {
                    nodes[node].low = nodes[node].low.min(nodes[child].low);
                }
                nodes[node].next += 1;
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
            stack.pop();
        }
    }
    nodes.into_iter().map(|node| node.component).collect()
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn components_are_cycles() {
        let edges = [(0, 1), (1, 2), (1, 3), (2, 0), (3, 4), (4, 3), (4, 5)];
        let found = components(6, &edges);
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
            let all = (0..4).flat_map(|from| (0..4).map(move |to| (from, to)));
            let found = components(4, &all.filter(|(from, to)| has(*from, *to)).collect::<Vec<_>>());
            let mut reached: [[bool; 4]; 4] = std::array::from_fn(|a| std::array::from_fn(|b| a == b));
            for _ in 0..4 {
                for (a, b) in (0..4).flat_map(|a| (0..4).map(move |b| (a, b))) {
                    reached[a][b] |= (0..4).any(|c| reached[a][c] && has(c, b));
                }
            }
            for (a, b) in (0..4).flat_map(|a| (0..4).map(move |b| (a, b))) {
                // Nodes that no edge leaves or enters have no number.
                let is_one = a == b || found[a] == found[b] && found[a] != u32::MAX;
                assert_eq!(is_one, reached[a][b] && reached[b][a], "{graph:016b}");
            }
        }
    }
}
