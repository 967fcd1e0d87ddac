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
//! What is live is found in `shrink.rs`; which edges become sticky is chosen here, one after the other: always the one whose loss takes most others with it.
//! That is quadratic, so there is a limit to the effort, beyond which every way back in a program is sticky.
//!
//! Instances that exchange no messages and do not create each other, as far as edges are live, are looked at apart, in *groups*: what is
//! sticky in one is of no interest to another.

use allways_system::{LocationId, ProctypeId, Start, System};

use crate::Instance;
use crate::counters::{self, Counter};
use crate::graph::Graph;
use crate::shrink::Shrink;

/// How many edges a single round of choices may look at, roughly: beyond, the best of a sample is taken.
const EFFORT: usize = 10_000;
/// The same for finding out which ones are superfluous in the end.
const DROP_EFFORT: usize = 1_000_000;
/// How many edges may be looked at altogether before nothing is tried any more: some ten milliseconds.
const ALL_EFFORT: usize = 800_000;

pub(crate) struct Sticky<'a> {
    pub instances: &'a [Instance<'a>],
    pub graphs: &'a [Graph],
    /// Of all instances, one behind the other.
    pub edges: Vec<Flow>,
    /// Per instance, where its edges begin.
    pub first: Vec<usize>,
    /// Per instance.
    pub counters: Vec<Vec<Counter>>,
    /// Per instance: none of its edges sends, receives or creates.
    pub is_alone: Vec<bool>,
    pub lossy: bool,
    /// Every instance may stand for several processes.
    pub generic: bool,
    /// Proctypes that make channels.
    pub makes_channels: Vec<bool>,
    pub n_global_channels: u32,
    pub n_channels: usize,
}

/// Instances whose live edges have to do with each other, but not with those of the others.
pub(crate) struct Group {
    pub instances: Vec<usize>,
    /// Their edges that may be live, sorted within each instance.
    pub edges: Vec<usize>,
    /// Those of them that send, receive or create.
    pub traffic: Vec<usize>,
}

/// An edge as far as it matters here.
pub(crate) struct Flow {
    pub instance: usize,
    pub source: LocationId,
    pub target: LocationId,
    /// Channels.
    pub sends: Vec<u32>,
    pub receives: Vec<u32>,
    pub always_sends: bool,
    pub always_receives: bool,
    pub is_buffered: bool,
    pub run: Option<ProctypeId>,
    pub is_death: bool,
    pub never: bool,
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
        let mut shrink = Shrink::new(self);
        // What is live while nothing is sticky.
        let everything = self.group((0..self.graphs.len()).collect(), |edge| !self.edges[edge].never);
        shrink.begin(&everything);
        shrink.touch_all(&everything);
        shrink.shrink(&everything, true, None);
        let mut groups = self.groups(&shrink);
        // The effort is limited: many small ones are better off with it than a large one.
        groups.sort_by_key(|group| group.edges.len());
        for (number, group) in groups.iter().enumerate() {
            let twin = groups[..number].iter().find(|other| self.are_twins(group, other, &shrink, is_free));
            if let Some(twin) = twin {
                sticky[group.instances[0]] = sticky[twin.instances[0]].clone();
                continue;
            }
            for edge in self.choose_in(group, &mut shrink, is_free) {
                let (instance, number) = self.place(edge);
                sticky[instance][number] = true;
            }
        }
        sticky
    }

    /// Whether two groups are single instances that nobody could tell apart here, so that the same edges are sticky.
    fn are_twins(&self, one: &Group, other: &Group, shrink: &Shrink, is_free: &[Vec<bool>]) -> bool {
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
            && shrink.is_created_anew(a) == shrink.is_created_anew(b)
            && is_free[a] == is_free[b]
            && self.counters[a] == self.counters[b]
            && shape(one, a) == shape(other, b)
    }

    /// The instance of an edge, and its number there.
    fn place(&self, edge: usize) -> (usize, usize) {
        let instance = self.edges[edge].instance;
        (instance, edge - self.first[instance])
    }

    fn group(&self, instances: Vec<usize>, is_live: impl Fn(usize) -> bool) -> Group {
        let ranges = instances.iter().map(|i| self.first[*i]..self.first[*i] + self.graphs[*i].edges.len());
        let edges: Vec<usize> = ranges.flatten().filter(|edge| is_live(*edge)).collect();
        let traffic = edges.iter().copied().filter(|edge| self.edges[*edge].concerns_others()).collect();
        Group { instances, edges, traffic }
    }

    /// Puts instances together that exchange messages or create each other.
    fn groups(&self, shrink: &Shrink) -> Vec<Group> {
        let mut leader: Vec<usize> = (0..self.graphs.len()).collect();
        let mut users = vec![None; self.n_channels];
        let (mut makers, mut makes_anew) = (None, false);
        for (index, edge) in self.edges.iter().enumerate().filter(|(index, _)| shrink.is_live(*index)) {
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
            let uses_some = self.edges.iter().enumerate().filter(|(index, _)| shrink.is_live(*index));
            for (_, edge) in uses_some.filter(|(_, edge)| edge.concerns_others()) {
                join(&mut leader, edge.instance, &mut makers);
            }
        }
        let mut members = vec![Vec::new(); self.graphs.len()];
        for instance in 0..self.graphs.len() {
            members[find(&leader, instance)].push(instance);
        }
        let groups = members.into_iter().map(|instances| self.group(instances, |edge| shrink.is_live(edge)));
        groups.filter(|group| !group.edges.is_empty()).collect()
    }

    /// The sticky edges of a group. Leaves what is live as it was.
    fn choose_in(&self, group: &Group, shrink: &mut Shrink, is_free: &[Vec<bool>]) -> Vec<usize> {
        let before = shrink.mark();
        shrink.begin(group);
        let mut order = Vec::new();
        loop {
            let live = shrink.live_edges(group);
            if live.is_empty() {
                break;
            }
            if shrink.effort > 2 * ALL_EFFORT {
                // No cycle without one of these.
                order.extend(live.into_iter().filter(|edge| shrink.leads_back(*edge)));
                break;
            }
            let best = self.best(group, live, shrink, is_free);
            order.push(best);
            shrink.remove(best);
            shrink.shrink(group, true, None);
        }
        shrink.undo(before);
        // Later ones may have made earlier ones superfluous.
        let affordable = DROP_EFFORT / (1 + group.edges.len());
        let needed = shrink.needed(group, &order, affordable, 2 * ALL_EFFORT);
        order.into_iter().zip(needed).filter(|(_, needed)| *needed).map(|(edge, _)| edge).collect()
    }

    /// The edge of a group whose loss takes most others with it, free ones before others. `all` are those that are live.
    fn best(&self, group: &Group, all: Vec<usize>, shrink: &mut Shrink, is_free: &[Vec<bool>]) -> usize {
        let is_free = |edge: usize| {
            let (instance, number) = self.place(edge);
            is_free[instance][number]
        };
        let free: Vec<usize> = (0..all.len()).filter(|number| is_free(all[*number])).collect();
        let candidates: Vec<usize> = if free.is_empty() { (0..all.len()).collect() } else { free };
        if shrink.effort > ALL_EFFORT {
            return all[candidates[0]];
        }
        let affordable = (EFFORT / (1 + all.len())).clamp(4, 256);
        let stride = candidates.len().div_ceil(affordable);
        let mut best = (usize::MAX, all[candidates[0]]);
        let leader = shrink.in_series(&all);
        let mut is_tried = vec![false; all.len()];
        for &candidate in candidates.iter().step_by(stride) {
            // Edges one behind the other go together, and the first was as good.
            if !std::mem::replace(&mut is_tried[find(&leader, candidate)], true) {
                let n_lost = shrink.loss(group, all[candidate]);
                best = best.min((all.len() - n_lost, all[candidate]));
            }
        }
        best.1
    }

    pub fn can_create(&self, edge: &Flow, new: usize) -> bool {
        let is_younger = self.instances[new].pid > self.instances[edge.instance].pid;
        Some(self.instances[new].proctype) == edge.run && (is_younger || self.generic)
    }
}

impl Flow {
    /// Whether it sends, receives or creates.
    pub fn concerns_others(&self) -> bool {
        self.run.is_some() || !self.sends.is_empty() || !self.receives.is_empty()
    }

    pub fn always_needs_others(&self) -> bool {
        self.always_sends || self.always_receives
    }

    pub fn channels(&self) -> impl Iterator<Item = u32> + '_ {
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
pub(crate) fn join(leader: &mut [usize], one: usize, other: &mut Option<usize>) {
    let one = find(leader, one);
    let other = find(leader, *other.get_or_insert(one));
    leader[one.max(other)] = one.min(other);
}
