//! Breadth-first search: states in the order of their distance from the initial one, so that trails are shortest.
//!
//! The distance is a number of steps. A rendezvous is one step, and the steps through an atomic sequence, which leads
//! from one visited state to the next, count each. So the successors of a state lie at different distances, and the
//! search goes by levels, as Dial's algorithm does for shortest paths: what is further away than the next level waits in
//! a bucket for its level, and only then is looked up among the visited states. Nearly all successors are one step
//! away. These are looked up soon, because no shorter way to them can turn up: all states of the current level are
//! known before the first of them is expanded.
//!
//! Visited states are never dropped: each remembers the one it was reached from, and a trail is read off backwards.
//!
//! There is no partial-order reduction and no merging of statements here: both keep every kind of violation, but the
//! shortest way to it may be among the runs they leave out. One exception remains to what is said of shortest trails:
//! inside an atomic sequence that leads to more than some thousand states, states are followed only when they are first
//! met, which need not be on the shortest way.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Instant;

use allways_compiled::{Arrival, Everything, Machine, StepsTo, Visitor, Worker, Wrong};
use allways_store::Full;
use allways_system::Step;
use allways_verdict::{PropertyKind, Statistics};

use crate::collapse::Refused;
use crate::depth_first::{End, Helpless, Report, Restart};
use crate::keeper::Keeper;
use crate::nodes::{Clock, Nodes, restart};
use crate::tally::{Tally, Violated, asked_for};
use crate::{Found, Monitor, Question, Stopped, What};

/// So many states are collected before they are looked up, so that the processor has time to fetch their places.
const AHEAD: usize = 32;

/// Searches from the initial state of a machine.
pub fn search<K: Keeper>(
    machine: &Machine,
    keeper: K,
    question: &Question,
    monitor: &mut dyn Monitor,
    statistics: &mut Statistics,
    started: Instant,
) -> (Report, K) {
    let mut search = Search {
        worker: Worker::new(machine),
        base: K::Base::default(),
        nodes: Nodes::new(keeper.width()),
        keeper,
        question,
        clock: Clock::new(monitor, statistics, started),
        near: Bucket::default(),
        far: BTreeMap::new(),
        found: Vec::new(),
        successors: Successors::default(),
        in_hand: 0,
        tally: Tally::default(),
        too_large: None,
    };
    if let Some(limit) = question.limits.memory {
        search.worker.allow(limit);
    }
    let end = match search.run() {
        ControlFlow::Continue(()) => End::Done,
        ControlFlow::Break(end) => end,
    };
    search.finish(end)
}

struct Search<'m, 's, 'q, K: Keeper> {
    worker: Worker<'m, 's>,
    keeper: K,
    base: K::Base,
    question: &'q Question,
    clock: Clock<'q>,
    nodes: Nodes,
    /// States of the next level that are not looked up yet.
    near: Bucket,
    /// States of later levels, by level.
    far: BTreeMap<u64, Bucket>,
    found: Vec<Candidate>,
    successors: Successors,
    /// What the bucket takes that is being looked up.
    in_hand: u64,
    tally: Tally,
    too_large: Option<String>,
}

/// States to be looked up.
#[derive(Default)]
struct Bucket {
    entries: Vec<u64>,
    parents: Vec<u32>,
}

impl Bucket {
    fn bytes(&self) -> u64 {
        (self.entries.len() * 8 + self.parents.len() * 4) as u64
    }
}

/// The best violation of a property so far.
struct Candidate {
    kind: PropertyKind,
    what: What,
    /// The state that was expanded, and the steps from there.
    node: u32,
    last: Vec<Step>,
    /// Of the whole trail.
    length: u64,
    count: u64,
}

/// What came out of one expansion.
#[derive(Default)]
struct Successors {
    entries: Vec<u64>,
    /// How many steps lead to each.
    lengths: Vec<u32>,
    /// How often each property is violated, and a shortest way to it.
    violations: Vec<(PropertyKind, What, u64, Vec<Step>)>,
    depth_cut: bool,
    fault_cut: bool,
    refused: Option<Refused>,
}

impl<K: Keeper> Search<'_, '_, '_, K> {
    fn run(&mut self) -> ControlFlow<End> {
        self.begin()?;
        let (mut depth, mut next) = (0, 0);
        loop {
            // Whatever is at this distance is known from now on.
            if let Some(bucket) = self.far.remove(&depth) {
                self.look_up(&bucket)?;
            }
            let end = self.nodes.len();
            if next < end {
                self.tally.depth = depth;
            }
            self.stop_if_shortest(depth)?;
            while next < end {
                self.expand(next, depth)?;
                self.tick()?;
                next += 1;
            }
            self.look_up_near()?;
            depth = match self.far.first_key_value() {
                _ if next < self.nodes.len() => depth + 1,
                Some((level, _)) => *level,
                None => return ControlFlow::Continue(()),
            };
        }
    }

    /// Visits the initial state. It was found to exist before.
    fn begin(&mut self) -> ControlFlow<End> {
        let room = self.keeper.room();
        self.worker.words_mut(room);
        if self.worker.start().is_err() {
            return ControlFlow::Break(End::Done);
        }
        let mut bucket = Bucket { entries: Vec::new(), parents: vec![0] };
        loop {
            let words = self.worker.words_mut(room);
            match self.keeper.encode_all(words, &mut self.base, &mut bucket.entries) {
                Ok(()) => break,
                Err(Refused::TooWide(words)) => return restart(Restart::Words(words)),
                Err(Refused::Full) => self.grow()?,
            }
        }
        self.look_up(&bucket)
    }

    /// Adds those of a bucket that were not visited yet.
    fn look_up(&mut self, bucket: &Bucket) -> ControlFlow<End> {
        self.in_hand = bucket.bytes();
        let width = self.keeper.width();
        for (at, (entry, parent)) in bucket.entries.chunks_exact(width).zip(&bucket.parents).enumerate() {
            let ahead = (at + AHEAD) * width;
            if let Some(entry) = bucket.entries.get(ahead..ahead + width) {
                self.keeper.prefetch(entry);
            }
            let is_new = loop {
                match self.keeper.insert(entry) {
                    Ok(is_new) => break is_new,
                    Err(Full) => self.grow()?,
                }
            };
            if !is_new {
                self.tally.matched += 1;
                continue;
            }
            if self.nodes.is_full() {
                return ControlFlow::Break(End::Stopped(Stopped::Memory));
            }
            self.tally.states += 1;
            self.nodes.push(entry, *parent);
        }
        self.in_hand = 0;
        ControlFlow::Continue(())
    }

    fn look_up_near(&mut self) -> ControlFlow<End> {
        let mut near = std::mem::take(&mut self.near);
        let flow = self.look_up(&near);
        near.entries.clear();
        near.parents.clear();
        self.near = near;
        if self.keeper.wants_growth() {
            self.grow()?;
        }
        flow
    }

    fn expand(&mut self, node: u32, depth: u64) -> ControlFlow<End> {
        let depth_cut = loop {
            self.keeper.load(self.nodes.entry(node), &mut self.worker, &mut self.base);
            self.successors.clear();
            let below = self.question.limits.depth.map(|limit| limit.saturating_sub(depth));
            // The length of a sequence counts a rendezvous as two steps. The step beyond the limit is still taken.
            self.worker.limit_length(below.map_or(u64::MAX, |below| 2 * (below + 1)));
            let mut collector = Collector {
                keeper: &self.keeper,
                base: &mut self.base,
                question: self.question,
                below,
                into: &mut self.successors,
            };
            let expanded = self.worker.expand(&mut collector, &mut Everything, u64::MAX);
            match self.successors.refused {
                None => {
                    self.tally.atomic_steps = self.tally.atomic_steps.saturating_add(expanded.atomic_steps);
                    self.tally.matched = self.tally.matched.saturating_add(expanded.again);
                    break expanded.depth_cut;
                }
                Some(Refused::Full) => self.grow()?,
                Some(Refused::TooWide(words)) => return restart(Restart::Words(words)),
            }
        };
        match self.worker.too_large().map(Restart::because) {
            Some(Ok(why)) => return restart(why),
            Some(Err(Helpless::System(reason))) => self.too_large = Some(reason),
            Some(Err(Helpless::Stopped(stopped))) => {
                self.note_violations(node, depth);
                return ControlFlow::Break(End::Stopped(stopped));
            }
            None => {}
        }
        self.tally.depth_cut |= self.successors.depth_cut | depth_cut;
        self.tally.fault_cut |= self.successors.fault_cut;
        let width = self.keeper.width();
        for (entry, length) in self.successors.entries.chunks_exact(width).zip(&self.successors.lengths) {
            let bucket = match length {
                1 => &mut self.near,
                _ => self.far.entry(depth + *length as u64).or_default(),
            };
            bucket.entries.extend_from_slice(entry);
            bucket.parents.push(node);
        }
        if !self.successors.violations.is_empty() {
            self.note_violations(node, depth);
            self.stop_if_shortest(depth)?;
        }
        if self.near.parents.len() >= AHEAD { self.look_up_near() } else { ControlFlow::Continue(()) }
    }

    #[cold]
    fn note_violations(&mut self, node: u32, depth: u64) {
        for (kind, what, count, last) in self.successors.violations.drain(..) {
            let length = depth + last.len() as u64;
            let candidate = Candidate { kind, what, node, last, length, count };
            match self.found.iter_mut().find(|known| known.kind == kind) {
                Some(known) if known.length <= length => known.count += count,
                Some(known) => *known = Candidate { count: known.count + count, ..candidate },
                None => self.found.push(candidate),
            }
        }
    }

    /// Ends the search, unless it is to go on, when there are violations to which there is no shorter way: what is still
    /// to be expanded is `depth` or more steps away.
    fn stop_if_shortest(&mut self, depth: u64) -> ControlFlow<End> {
        let shortest = self.found.iter().filter(|found| found.length <= depth + 1);
        if !self.question.is_over(Violated::of(shortest.map(|found| found.kind))) {
            return ControlFlow::Continue(());
        }
        // Of the others there may be shorter ones, so they are not told.
        self.found.retain(|found| found.length <= depth + 1);
        ControlFlow::Break(End::Stopped(Stopped::Violation))
    }

    fn grow(&mut self) -> ControlFlow<End> {
        let bytes = self.bytes() + self.successors.bytes();
        let limit = self.question.limits.memory.map(|limit| limit.saturating_sub(bytes));
        match self.keeper.grow(limit) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(End::Stopped(Stopped::Memory)),
        }
    }

    fn tick(&mut self) -> ControlFlow<End> {
        if !self.clock.tick(self.worker.effort()) {
            return ControlFlow::Continue(());
        }
        let bytes = self.bytes();
        if let Some(limit) = self.question.limits.memory {
            self.worker.allow(limit.saturating_sub(self.keeper.bytes() + bytes));
        }
        self.clock.tell(&self.tally, self.question, self.keeper.bytes(), bytes)
    }

    /// What the states take that are kept besides those in the store.
    fn bytes(&self) -> u64 {
        let waiting: u64 = self.far.values().map(Bucket::bytes).sum();
        self.nodes.bytes() + waiting + self.near.bytes() + self.in_hand
    }

    fn finish(mut self, end: End) -> (Report, K) {
        for found in std::mem::take(&mut self.found) {
            let path = self.nodes.path(found.node);
            let entries: Vec<u64> = path.iter().flat_map(|node| self.nodes.entry(*node)).copied().collect();
            let steps = crate::trail::steps_along(self.worker.machine, &self.keeper, &entries);
            let (is_cut, mut steps) = (steps.is_none(), steps.unwrap_or_default());
            steps.extend(found.last);
            let Candidate { kind, what, count, .. } = found;
            self.tally.found.push(Found { kind, what, steps, is_cut, count, preemptions: None });
        }
        let store_bytes = self.keeper.bytes() + self.bytes();
        (Report { end, tally: self.tally, too_large: self.too_large, store_bytes, threads: 1 }, self.keeper)
    }
}

impl Successors {
    /// What the lists take.
    fn bytes(&self) -> u64 {
        (self.entries.capacity() * 8 + self.lengths.capacity() * 4) as u64
    }

    /// What it takes besides to have them in a bucket, and to make nodes of them.
    fn bytes_to_wait(&self) -> u64 {
        2 * (self.entries.len() * 8 + self.lengths.len() * 4) as u64
    }

    fn clear(&mut self) {
        self.entries.clear();
        self.lengths.clear();
        self.violations.clear();
        self.depth_cut = false;
        self.fault_cut = false;
        self.refused = None;
    }
}

/// Collects the successors of a state.
struct Collector<'c, K: Keeper> {
    keeper: &'c K,
    base: &'c mut K::Base,
    question: &'c Question,
    /// How many more steps the depth limit allows.
    below: Option<u64>,
    into: &'c mut Successors,
}

impl<K: Keeper> Visitor for Collector<'_, K> {
    fn arrive(&mut self, arrival: &Arrival) -> ControlFlow<()> {
        let length = arrival.n_steps;
        if self.below.is_some_and(|below| length as u64 > below) {
            self.into.depth_cut = true;
            return ControlFlow::Continue(());
        }
        match self.keeper.encode(arrival, self.base, &mut self.into.entries) {
            Ok(()) => {
                self.into.lengths.push(length as u32);
                ControlFlow::Continue(())
            }
            Err(refused) => {
                self.into.refused = Some(refused);
                ControlFlow::Break(())
            }
        }
    }

    fn violation(&mut self, wrong: Wrong, n_steps: usize, steps_to: StepsTo) -> ControlFlow<()> {
        // As in the other searches, the step that goes beyond the limit is still taken, and may be wrong.
        if self.below.is_some_and(|below| n_steps as u64 > below + 1) {
            self.into.depth_cut = true;
            return ControlFlow::Continue(());
        }
        self.into.fault_cut |= wrong == Wrong::Fault;
        let Some((kind, what)) = asked_for(self.question, wrong) else { return ControlFlow::Continue(()) };
        let known = self.into.violations.iter_mut().find(|known| known.0 == kind);
        if let Some(known) = known {
            known.2 += 1;
            if known.3.len() <= n_steps {
                return ControlFlow::Continue(());
            }
            let Some(steps) = steps_to() else { return ControlFlow::Break(()) };
            (known.1, known.3) = (what, steps);
        } else {
            let Some(steps) = steps_to() else { return ControlFlow::Break(()) };
            self.into.violations.push((kind, what, 1, steps));
        }
        ControlFlow::Continue(())
    }

    fn bytes(&self) -> u64 {
        self.into.bytes() + self.into.bytes_to_wait()
    }
}
