//! Which edges may be in a cycle without sticky edges: the greatest set that the rules of `sticky.rs` leave.
//!
//! Edges are taken away and put back thousands of times while sticky ones are chosen, so what went is written down, only the components that lost
//! something are looked at again.

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
    /// Parts of control graphs; no cycle of live edges is in more than one.
    pieces: Vec<Piece>,
    /// Per edge that may be live.
    piece_of: Vec<usize>,
    /// Per instance of the group.
    pieces_of: Vec<Vec<usize>>,
    /// All edges in the group that send, receive or create and are live, and perhaps some that went.
    traffic: Vec<usize>,
    /// How many instances of the group may be created anew.
    n_created_anew: usize,
    /// Pieces that lost something since they were last looked at.
    dirty: Vec<usize>,
    /// Per instance: its edges that end it.
    deaths: Vec<Vec<usize>>,
    /// Per instance and counter: how it was last seen to count twice.
    witnesses: Vec<Vec<Vec<usize>>>,
    components: Components,
    pairs: Vec<(u32, u32)>,
    /// Per location: how many edges lead there, the last of them, and how many lead away.
    ways: Vec<(u32, usize, u32)>,
    users: Vec<Users>,
    walk: Walk,
    /// How many edges were looked at, roughly.
    pub effort: usize,
}

/// Edges of an instance.
struct Piece {
    instance: usize,
    /// All that are live, and perhaps some that went, sorted.
    edges: Vec<usize>,
    /// It was a component when it was made.
    is_component: bool,
    is_dirty: bool,
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
            pieces: Vec::new(),
            piece_of: vec![0; sticky.edges.len()],
            pieces_of: vec![Vec::new(); n_instances],
            traffic: Vec::new(),
            n_created_anew: n_instances,
            dirty: Vec::new(),
            deaths,
            witnesses: sticky.counters.iter().map(|counters| vec![Vec::new(); counters.len()]).collect(),
            components: Components::default(),
            pairs: Vec::new(),
            ways: Vec::new(),
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
        self.pieces.clear();
        let of = |edge: &usize| self.sticky.edges[*edge].instance;
        group.instances.iter().for_each(|instance| self.pieces_of[*instance].clear());
        for edges in group.edges.chunk_by(|a, b| of(a) == of(b)) {
            self.add_piece(of(&edges[0]), edges.to_vec(), false);
        }
        self.traffic.clone_from(&group.traffic);
        self.n_created_anew = group.instances.iter().filter(|instance| self.created_anew[**instance]).count();
    }

    fn add_piece(&mut self, instance: usize, edges: Vec<usize>, is_component: bool) {
        let piece = self.pieces.len();
        edges.iter().for_each(|edge| self.piece_of[*edge] = piece);
        self.pieces_of[instance].push(piece);
        self.pieces.push(Piece { instance, edges, is_component, is_dirty: false });
    }

    /// The live edges of the group, sorted within each instance. Others are not looked at any more until the next beginning.
    pub fn live_edges(&mut self, group: &Group) -> Vec<usize> {
        let mut edges = Vec::new();
        for &instance in &group.instances {
            let first = edges.len();
            let mut is_changed = false;
            for piece in self.pieces_of[instance].iter().map(|piece| &self.pieces[*piece]) {
                let before = edges.len();
                edges.extend(piece.edges.iter().filter(|edge| self.live[**edge]));
                is_changed |= edges.len() - before < piece.edges.len() || !piece.is_component;
            }
            edges[first..].sort_unstable();
            if is_changed {
                self.cut(instance, &edges[first..]);
            }
        }
        self.traffic.retain(|edge| self.live[*edge]);
        self.effort += edges.len();
        edges
    }

    /// Cuts an instance into pieces: the components of its live edges.
    fn cut(&mut self, instance: usize, edges: &[usize]) {
        self.find_components(edges, self.created_anew[instance]);
        let old = std::mem::take(&mut self.pieces_of[instance]);
        old.into_iter().for_each(|piece| self.pieces[piece].edges.clear());
        let mut by_component: Vec<(u32, usize)> = Vec::with_capacity(edges.len());
        let component = |edge: &usize| (self.components.of(self.sticky.edges[*edge].source.0), *edge);
        by_component.extend(edges.iter().map(component));
        by_component.sort_unstable();
        for edges in by_component.chunk_by(|a, b| a.0 == b.0) {
            self.add_piece(instance, edges.iter().map(|(_, edge)| *edge).collect(), true);
        }
    }

    /// Numbers the components of the live edges among these, which are sorted and of one instance.
    fn find_components(&mut self, edges: &[usize], created_anew: bool) {
        self.effort += edges.len() + 1;
        let mut pairs = std::mem::take(&mut self.pairs);
        pairs.clear();
        for edge in edges.iter().filter(|edge| self.live[**edge]).map(|edge| &self.sticky.edges[*edge]) {
            if let Some(LocationId(target)) = self.target(edge, created_anew) {
                pairs.push((edge.source.0, target));
            }
        }
        self.components.find(&pairs);
        self.pairs = pairs;
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
        self.touch(self.piece_of[edge]);
    }

    /// Everything in a group is to be looked at.
    pub fn touch_all(&mut self, group: &Group) {
        for &instance in &group.instances {
            for number in 0..self.pieces_of[instance].len() {
                self.touch(self.pieces_of[instance][number]);
            }
        }
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
    pub fn in_series(&mut self, edges: &[usize]) -> Vec<usize> {
        let mut leader: Vec<usize> = (0..edges.len()).collect();
        let mut first = 0;
        for edges in edges.chunk_by(|a, b| self.sticky.edges[*a].instance == self.sticky.edges[*b].instance) {
            let instance = self.sticky.edges[edges[0]].instance;
            let mut ways = std::mem::take(&mut self.ways);
            ways.resize(self.sticky.graphs[instance].first.len() - 1, (0, 0, 0));
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
            for edge in edges.iter().map(|edge| &self.sticky.edges[*edge]) {
                ways[edge.source.index()] = (0, 0, 0);
                let target = self.target(edge, self.created_anew[instance]);
                target.into_iter().for_each(|target| ways[target.index()] = (0, 0, 0));
            }
            self.ways = ways;
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
            concerns_others |= self.shrink_apart(until);
            if !std::mem::take(&mut concerns_others) {
                return;
            }
            self.balance_messages();
            self.balance_processes(group);
            concerns_others =
                self.dirty.iter().any(|piece| !self.sticky.is_alone[self.pieces[*piece].instance]);
        }
    }

    /// The same for every instance apart. Whether something went that may concern others.
    fn shrink_apart(&mut self, until: Option<usize>) -> bool {
        let mut concerns_others = false;
        while let Some(piece) = self.dirty.pop() {
            self.pieces[piece].is_dirty = false;
            let instance = self.pieces[piece].instance;
            let before = self.mark();
            self.keep_cycles(piece, self.created_anew[instance]);
            self.stop_counters(instance);
            concerns_others |= !self.sticky.is_alone[instance] && self.matters_to_others(before);
            if until.is_some_and(|edge| !self.live[edge]) {
                self.dirty.drain(..).for_each(|piece| self.pieces[piece].is_dirty = false);
                return false;
            }
        }
        concerns_others
    }

    /// Which of these edges are needed so that nothing is live without them in a group; all that are left when the effort exceeds this.
    pub fn needed(&mut self, group: &Group, edges: &[usize], most: usize, effort: usize) -> Vec<bool> {
        let mut needed = vec![true; edges.len()];
        self.begin(group);
        self.live_edges(group);
        let before = self.mark();
        edges.iter().for_each(|edge| self.remove(*edge));
        self.shrink_apart(None);
        for number in 0..edges.len().min(most) {
            if self.effort > effort {
                break;
            }
            needed[number] = false;
            self.put_back_beside(edges[number]);
            for (edge, _) in edges.iter().zip(&needed).filter(|(_, needed)| **needed) {
                if self.live[*edge] {
                    self.remove(*edge);
                }
            }
            self.shrink_apart(None);
            // What is live now, if anything, is so because of this edge.
            if !self.live[edges[number]] {
                continue;
            }
            let apart = self.mark();
            self.shrink(group, true, Some(edges[number]));
            needed[number] = self.live[edges[number]];
            self.undo(apart);
            if needed[number] {
                self.remove(edges[number]);
                self.shrink_apart(None);
            }
        }
        self.gone.truncate(before.n_gone);
        group.edges.iter().for_each(|edge| self.live[*edge] = true);
        needed
    }

    /// Puts back an edge and all that may have gone with it, other instances apart.
    fn put_back_beside(&mut self, edge: usize) {
        let instance = self.sticky.edges[edge].instance;
        let of_instance = &self.pieces_of[instance];
        let only_this = [self.piece_of[edge]];
        let pieces = if self.sticky.counters[instance].is_empty() { &only_this[..] } else { of_instance };
        for &piece in pieces {
            self.pieces[piece].edges.iter().for_each(|edge| self.live[*edge] = true);
            if !std::mem::replace(&mut self.pieces[piece].is_dirty, true) {
                self.dirty.push(piece);
            }
        }
    }

    /// Whether what went since then can make a difference to other instances.
    fn matters_to_others(&self, before: Mark) -> bool {
        let gone = &self.gone[before.n_gone..];
        let creates = self.sticky.generic || self.n_created_anew > 0;
        creates && !gone.is_empty() || gone.iter().any(|edge| self.sticky.edges[*edge].concerns_others())
    }

    fn touch(&mut self, piece: usize) {
        if !std::mem::replace(&mut self.pieces[piece].is_dirty, true) {
            self.dirty.push(piece);
        }
    }

    /// Only edges of a piece that are on cycles of live edges stay.
    fn keep_cycles(&mut self, piece: usize, created_anew: bool) {
        let edges = std::mem::take(&mut self.pieces[piece].edges);
        self.find_components(&edges, created_anew);
        for &index in edges.iter() {
            let edge = &self.sticky.edges[index];
            let stays = |LocationId(target): LocationId| {
                self.components.of(target) == self.components.of(edge.source.0)
            };
            if self.live[index] && !self.target(edge, created_anew).is_some_and(stays) {
                self.live[index] = false;
                self.gone.push(index);
            }
        }
        self.pieces[piece].edges = edges;
    }

    fn target(&self, edge: &Flow, created_anew: bool) -> Option<LocationId> {
        match edge.is_death {
            false => Some(edge.target),
            true => created_anew.then(|| self.sticky.graphs[edge.instance].initial),
        }
    }

    /// Takes away edges that count without end.
    fn stop_counters(&mut self, instance: usize) {
        let sticky = self.sticky;
        let (graph, first) = (&sticky.graphs[instance], sticky.first[instance]);
        // If the process can die in the cycle and be created anew, its slots begin afresh.
        if self.deaths[instance].iter().any(|edge| self.live[*edge]) {
            return;
        }
        let n_gone = self.gone.len();
        for (counter, witness) in sticky.counters[instance].iter().zip(&mut self.witnesses[instance]) {
            let live = &mut self.live[first..first + graph.edges.len()];
            if !counter.stops(graph, live, witness, &mut self.walk) {
                continue;
            }
            for &count in &counter.counts {
                if std::mem::take(&mut live[count]) {
                    self.gone.push(first + count);
                }
            }
        }
        self.effort += std::mem::take(&mut self.walk.n_edges);
        for number in n_gone..self.gone.len() {
            self.touch(self.piece_of[self.gone[number]]);
        }
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
                for number in 0..self.pieces_of[instance].len() {
                    self.touch(self.pieces_of[instance][number]);
                }
            }
        }
    }

    /// Of those that could be created anew: those that are by a process that goes round without an end, or by one that is created anew
    /// itself. Where creators have lower numbers, this goes without saying.
    fn created_by_those_who_stay(&mut self, group: &Group, runs: &[usize], could_be: &[bool]) -> Vec<bool> {
        let sticky = self.sticky;
        let runs: Vec<usize> = runs.iter().copied().filter(|run| self.live[*run]).collect();
        let before = self.mark();
        for instance in &group.instances {
            for number in 0..self.pieces_of[*instance].len() {
                self.keep_cycles(self.pieces_of[*instance][number], false);
            }
        }
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
