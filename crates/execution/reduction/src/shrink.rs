//! Which edges may be in a cycle without sticky edges: the greatest set that the rules of `sticky.rs` leave.
//!
//! Edges are taken away and put back thousands of times while sticky ones are chosen, so what went is written down, only instances that lost
//! something are looked at again, and of those only the edges that are there at all.

use allways_system::LocationId;

use crate::components::Components;
use crate::counters::Walk;
use crate::sticky::{Flow, Group, Sticky, join};

/// What may be in a cycle without sticky edges.
pub(crate) struct Shrink<'s> {
    sticky: &'s Sticky<'s>,
    /// Per edge of all instances.
    live: Vec<bool>,
    /// Per instance: whether it may be created anew in such a cycle.
    created_anew: Vec<bool>,
    /// Edges that went, the last ones last.
    gone: Vec<usize>,
    /// Instances that are no longer created anew, the last ones last.
    settled: Vec<usize>,
    /// Per instance of the group: all edges that are live, and perhaps some that went, sorted.
    active: Vec<Vec<usize>>,
    /// The same of those in the group that send, receive or create.
    traffic: Vec<usize>,
    /// How many instances of the group may be created anew.
    n_created_anew: usize,
    /// Instances that lost something since they were last looked at.
    dirty: Vec<usize>,
    is_dirty: Vec<bool>,
    /// Per instance: its edges that end it.
    deaths: Vec<Vec<usize>>,
    /// Per instance and counter: how it was last seen to count twice.
    witnesses: Vec<Vec<Vec<usize>>>,
    components: Components,
    pairs: Vec<(u32, u32)>,
    users: Vec<Users>,
    walk: Walk,
    /// How many edges were looked at, roughly.
    pub effort: usize,
}

/// A moment that can be gone back to.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    n_gone: usize,
    n_settled: usize,
}

impl<'s> Shrink<'s> {
    pub fn new(sticky: &'s Sticky<'s>) -> Shrink<'s> {
        let n_instances = sticky.graphs.len();
        let mut deaths = vec![Vec::new(); n_instances];
        for (index, edge) in sticky.edges.iter().enumerate().filter(|(_, edge)| edge.is_death) {
            deaths[edge.instance].push(index);
        }
        Shrink {
            sticky,
            live: sticky.edges.iter().map(|edge| !edge.never).collect(),
            created_anew: vec![true; n_instances],
            gone: Vec::new(),
            settled: Vec::new(),
            active: vec![Vec::new(); n_instances],
            traffic: Vec::new(),
            n_created_anew: n_instances,
            dirty: (0..n_instances).collect(),
            is_dirty: vec![true; n_instances],
            deaths,
            witnesses: sticky.counters.iter().map(|counters| vec![Vec::new(); counters.len()]).collect(),
            components: Components::default(),
            pairs: Vec::new(),
            users: vec![Users::default(); sticky.n_channels],
            walk: Walk::default(),
            effort: 0,
        }
    }

    pub fn is_live(&self, edge: usize) -> bool {
        self.live[edge]
    }

    pub fn is_created_anew(&self, instance: usize) -> bool {
        self.created_anew[instance]
    }

    /// From now on it is about this group, whose edges are all that are live in it.
    pub fn begin(&mut self, group: &Group) {
        group.instances.iter().for_each(|instance| self.active[*instance].clear());
        for &edge in &group.edges {
            self.active[self.sticky.edges[edge].instance].push(edge);
        }
        self.traffic.clone_from(&group.traffic);
        self.n_created_anew = group.instances.iter().filter(|instance| self.created_anew[**instance]).count();
    }

    /// The live edges of the group. Others are not looked at any more until the next beginning.
    pub fn live_edges(&mut self, group: &Group) -> Vec<usize> {
        let mut edges = Vec::new();
        for &instance in &group.instances {
            self.active[instance].retain(|edge| self.live[*edge]);
            edges.extend_from_slice(&self.active[instance]);
        }
        self.traffic.retain(|edge| self.live[*edge]);
        self.effort += edges.len();
        edges
    }

    pub fn mark(&self) -> Mark {
        Mark { n_gone: self.gone.len(), n_settled: self.settled.len() }
    }

    /// Puts back what went since then.
    pub fn undo(&mut self, mark: Mark) {
        self.gone.drain(mark.n_gone..).for_each(|edge| self.live[edge] = true);
        self.n_created_anew += self.settled.len() - mark.n_settled;
        self.settled.drain(mark.n_settled..).for_each(|instance| self.created_anew[instance] = true);
    }

    /// Takes an edge away, without consequences yet.
    pub fn remove(&mut self, edge: usize) {
        self.live[edge] = false;
        self.gone.push(edge);
        self.touch(self.sticky.edges[edge].instance);
    }

    /// How many edges go with this one, roughly: those who create an instance that is alone are not asked.
    pub fn loss(&mut self, group: &Group, edge: usize) -> usize {
        let before = self.mark();
        self.remove(edge);
        let is_noticed =
            !self.sticky.is_alone[self.sticky.edges[edge].instance] && self.matters_to_others(before);
        self.shrink(group, is_noticed, None);
        let n_lost = self.gone.len() - before.n_gone;
        self.undo(before);
        n_lost
    }

    /// Puts live edges of the group together that lead to and from a location as the only ones: where one goes, the other does, too.
    pub fn in_series(&self, edges: &[usize]) -> Vec<usize> {
        let mut leader: Vec<usize> = (0..edges.len()).collect();
        let mut first = 0;
        for edges in edges.chunk_by(|a, b| self.sticky.edges[*a].instance == self.sticky.edges[*b].instance) {
            let instance = self.sticky.edges[edges[0]].instance;
            // Per location: how many edges lead there, the last of them, and how many lead away.
            let mut ways = vec![(0, 0, 0); self.sticky.graphs[instance].first.len() - 1];
            for (number, edge) in edges.iter().map(|edge| &self.sticky.edges[*edge]).enumerate() {
                ways[edge.source.index()].2 += 1;
                if let Some(target) = self.target(edge, self.created_anew[instance]) {
                    let (n_in, last, _) = &mut ways[target.index()];
                    (*n_in, *last) = (*n_in + 1, first + number);
                }
            }
            for (number, edge) in edges.iter().map(|edge| &self.sticky.edges[*edge]).enumerate() {
                if let (1, before, 1) = ways[edge.source.index()] {
                    join(&mut leader, first + number, &mut Some(before));
                }
            }
            first += edges.len();
        }
        leader
    }

    /// Whether it leads to a location that is not further down than the one it comes from. Every cycle of a control graph has such an edge.
    pub fn leads_back(&self, edge: usize) -> bool {
        let edge = &self.sticky.edges[edge];
        let target = self.target(edge, self.created_anew[edge.instance]);
        target.is_some_and(|target| target.index() <= edge.source.index())
    }

    /// Takes away what cannot be in a cycle until nothing changes, or until this edge goes. If what went concerns others, these may have
    /// lost their purpose: what they send and receive, and whom they create.
    pub fn shrink(&mut self, group: &Group, mut concerns_others: bool, until: Option<usize>) {
        loop {
            while let Some(instance) = self.dirty.pop() {
                self.is_dirty[instance] = false;
                let before = self.mark();
                while self.keep_cycles(instance, self.created_anew[instance]) | self.stop_counters(instance) {
                }
                concerns_others |= !self.sticky.is_alone[instance] && self.matters_to_others(before);
                if until.is_some_and(|edge| !self.live[edge]) {
                    self.dirty.drain(..).for_each(|instance| self.is_dirty[instance] = false);
                    return;
                }
            }
            if !std::mem::take(&mut concerns_others) {
                return;
            }
            self.balance_messages();
            self.balance_processes(group);
            concerns_others = self.dirty.iter().any(|instance| !self.sticky.is_alone[*instance]);
        }
    }

    /// Whether what went since then can make a difference to other instances.
    fn matters_to_others(&self, before: Mark) -> bool {
        let gone = &self.gone[before.n_gone..];
        let creates = self.sticky.generic || self.n_created_anew > 0;
        creates && !gone.is_empty() || gone.iter().any(|edge| self.sticky.edges[*edge].concerns_others())
    }

    fn touch(&mut self, instance: usize) {
        if !std::mem::replace(&mut self.is_dirty[instance], true) {
            self.dirty.push(instance);
        }
    }

    /// Only edges on cycles of live edges stay. Says whether one went.
    fn keep_cycles(&mut self, instance: usize, created_anew: bool) -> bool {
        let sticky = self.sticky;
        let active = std::mem::take(&mut self.active[instance]);
        self.effort += active.len() + 1;
        self.pairs.clear();
        for edge in active.iter().filter(|edge| self.live[**edge]).map(|edge| &sticky.edges[*edge]) {
            if let Some(LocationId(target)) = self.target(edge, created_anew) {
                self.pairs.push((edge.source.0, target));
            }
        }
        self.components.find(&self.pairs);
        let before = self.gone.len();
        for &index in &active {
            let edge = &sticky.edges[index];
            let stays = self.target(edge, created_anew).is_some_and(|LocationId(target)| {
                self.components.of(target) == self.components.of(edge.source.0)
            });
            if self.live[index] && !stays {
                self.live[index] = false;
                self.gone.push(index);
            }
        }
        self.active[instance] = active;
        self.gone.len() > before
    }

    fn target(&self, edge: &Flow, created_anew: bool) -> Option<LocationId> {
        match edge.is_death {
            false => Some(edge.target),
            true => created_anew.then(|| self.sticky.graphs[edge.instance].initial),
        }
    }

    /// Takes away edges that count without end. Says whether there were any.
    fn stop_counters(&mut self, instance: usize) -> bool {
        let sticky = self.sticky;
        let (graph, first) = (&sticky.graphs[instance], sticky.first[instance]);
        // If the process can die in the cycle and be created anew, its slots begin afresh.
        if self.deaths[instance].iter().any(|edge| self.live[*edge]) {
            return false;
        }
        let mut news = false;
        for (counter, witness) in sticky.counters[instance].iter().zip(&mut self.witnesses[instance]) {
            let live = &mut self.live[first..first + graph.edges.len()];
            if !counter.stops(graph, live, witness, &mut self.walk) {
                continue;
            }
            news = true;
            for &count in &counter.counts {
                if std::mem::take(&mut live[count]) {
                    self.gone.push(first + count);
                }
            }
        }
        self.effort += std::mem::take(&mut self.walk.n_edges);
        news
    }

    /// Takes away what waits for messages, or for room, in vain.
    fn balance_messages(&mut self) {
        let sticky = self.sticky;
        let traffic = std::mem::take(&mut self.traffic);
        self.effort += traffic.len();
        for edge in &traffic {
            sticky.edges[*edge]
                .channels()
                .for_each(|channel| self.users[channel as usize] = Users::default());
        }
        let mut makes_anew = false;
        for edge in traffic.iter().filter(|edge| self.live[**edge]).map(|edge| &sticky.edges[*edge]) {
            let pid = sticky.instances[edge.instance].pid;
            edge.sends.iter().for_each(|channel| self.users[*channel as usize].senders.insert(pid));
            edge.receives.iter().for_each(|channel| self.users[*channel as usize].receivers.insert(pid));
            makes_anew |= edge.run.is_some_and(|new| sticky.makes_channels[new.index()]);
        }
        for &index in &traffic {
            let edge = &sticky.edges[index];
            if self.live[index] && edge.always_needs_others() && !self.is_answered(edge, makes_anew) {
                self.remove(index);
            }
        }
        self.traffic = traffic;
    }

    /// Whether somebody else does what an edge needs.
    fn is_answered(&self, edge: &Flow, makes_anew: bool) -> bool {
        let sticky = self.sticky;
        let pid = sticky.instances[edge.instance].pid;
        let or_itself = edge.is_buffered || sticky.generic;
        let has_sender = |channel: &u32| self.users[*channel as usize].senders.contains(pid, or_itself);
        let has_receiver = |channel: &u32| self.users[*channel as usize].receivers.contains(pid, or_itself);
        let may_vanish =
            || makes_anew && edge.sends.iter().any(|channel| *channel >= sticky.n_global_channels);
        let may_be_lost = || sticky.lossy && edge.is_buffered || may_vanish();
        let has_message = !edge.always_receives || edge.receives.iter().any(has_sender);
        let has_room = !edge.always_sends || edge.sends.iter().any(has_receiver) || may_be_lost();
        has_message && has_room
    }

    /// Takes away what creates processes that never end, and finds out who can be created anew.
    fn balance_processes(&mut self, group: &Group) {
        let sticky = self.sticky;
        if !sticky.generic && self.n_created_anew == 0 {
            // Then nobody creates anybody any more.
            return;
        }
        let creates = |edge: &usize| self.live[*edge] && sticky.edges[*edge].run.is_some();
        let runs: Vec<usize> = self.traffic.iter().copied().filter(creates).collect();
        let mut created_anew = vec![false; sticky.graphs.len()];
        if !runs.is_empty() {
            // An instance that can be created anew dies on a cycle through its beginning.
            let mut dies = vec![false; sticky.graphs.len()];
            for &instance in &group.instances {
                dies[instance] = self.reaches_end(instance);
            }
            for &index in &runs {
                let edge = &sticky.edges[index];
                let mut creates = false;
                for &new in &group.instances {
                    let can_be = sticky.can_create(edge, new) && dies[new];
                    created_anew[new] |= can_be;
                    creates |= can_be;
                }
                if !creates {
                    self.remove(index);
                }
            }
            if sticky.generic {
                created_anew = self.created_by_those_who_stay(group, &runs, &created_anew);
            }
        }
        for &instance in &group.instances {
            if self.created_anew[instance] && !created_anew[instance] {
                self.created_anew[instance] = false;
                self.settled.push(instance);
                self.n_created_anew -= 1;
                self.touch(instance);
            }
        }
    }

    /// Of those that could be created anew: those that are by a process that goes round without an end, or by one that is created anew
    /// itself. Where creators have lower numbers, this goes without saying.
    fn created_by_those_who_stay(&mut self, group: &Group, runs: &[usize], could_be: &[bool]) -> Vec<bool> {
        let sticky = self.sticky;
        let runs: Vec<usize> = runs.iter().copied().filter(|run| self.live[*run]).collect();
        let before = self.mark();
        group.instances.iter().for_each(|instance| {
            self.keep_cycles(*instance, false);
        });
        let is_proper: Vec<bool> = runs.iter().map(|run| self.live[*run]).collect();
        self.undo(before);
        let mut created_anew = vec![false; sticky.graphs.len()];
        let mut news = true;
        while news {
            news = false;
            for (index, is_proper) in runs.iter().zip(&is_proper) {
                let edge = &sticky.edges[*index];
                if !is_proper && !created_anew[edge.instance] {
                    continue;
                }
                let can_be_new = |new: &usize| could_be[*new] && sticky.can_create(edge, *new);
                for new in group.instances.iter().copied().filter(can_be_new) {
                    news |= !std::mem::replace(&mut created_anew[new], true);
                }
            }
        }
        created_anew
    }

    fn reaches_end(&mut self, instance: usize) -> bool {
        if !self.deaths[instance].iter().any(|edge| self.live[*edge]) {
            return false;
        }
        let (graph, first) = (&self.sticky.graphs[instance], self.sticky.first[instance]);
        self.walk.begin(graph);
        self.walk.arrive(graph.initial, 0);
        while let Some(location) = self.walk.next() {
            for index in graph.range(location).filter(|index| self.live[first + index]) {
                self.walk.n_edges += 1;
                let edge = &self.sticky.edges[first + index];
                if edge.is_death {
                    return true;
                }
                self.walk.arrive(edge.target, index);
            }
        }
        false
    }
}

/// Who uses a channel.
#[derive(Clone, Copy, Default)]
struct Users {
    senders: User,
    receivers: User,
}

/// Nobody, or one process, or several.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum User {
    #[default]
    Nobody,
    Only(u32),
    Several,
}

impl User {
    fn insert(&mut self, pid: u32) {
        *self = if matches!(*self, User::Nobody) || *self == User::Only(pid) {
            User::Only(pid)
        } else {
            User::Several
        };
    }

    /// Whether somebody does, who is not `pid` unless the process may do it itself.
    fn contains(self, pid: u32, or_itself: bool) -> bool {
        match self {
            User::Nobody => false,
            User::Only(only) => or_itself || only != pid,
            User::Several => true,
        }
    }
}
