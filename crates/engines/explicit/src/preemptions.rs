//! Search by preemptions: only runs in which processes are rarely interrupted, those with the fewest interruptions first.
//!
//! A *preemption* is a switch from the process that moved last to another one although the last could go on. A switch away from a
//! process that is blocked or has ended is free. Many mistakes show themselves in runs with few preemptions, of which there are far
//! fewer than runs (Musuvathi and Qadeer, "Iterative context bounding for systematic testing of multithreaded programs", 2007).
//!
//! - A rendezvous is a step of its sender, so somebody who waits to receive is blocked. It is no switch if the process that
//!   moved last takes part on either side. Afterwards the receiver is the one that moved last: control passes to it, as it does
//!   between atomic sequences.
//! - Inside an atomic sequence nobody has a choice, so only its first step can be a preemption.
//! - Nobody has moved before the first step, which is therefore free.
//!
//! What can follow depends on the state and on who moved last, so these pairs are the *nodes* that are visited, in the order of how many
//! preemptions lead to them: first whatever can be reached from the nodes of a level for free, which belongs to the level too; then
//! all preemptions in its nodes, to what is then new and the next level. So a node is expanded up to twice, each step is taken once, and
//! nothing waits but nodes.
//!
//! A state that was met in an earlier level is not visited again, whoever moved last: what can be done from there for free could be done
//! from the earlier node with one preemption, and so in the same level. So the store holds states as in any other search, and who moved
//! last before a state is remembered only as long as its level lasts.
//!
//! In the last level preemptions are tried as well. If none of them leads to a new state, or shows a violation of another property, the
//! bound has cut off nothing: every step of every state was taken or tried. That is how a search of a model with endless runs can still be
//! complete.

use std::ops::ControlFlow;
use std::time::Instant;

use allways_compiled::{Arrival, Chooser, Machine, Shape, StepsTo, Visitor, Worker, Wrong};
use allways_store::{Full, hash};
use allways_system::{Pid, Step};
use allways_verdict::{PropertyKind, Statistics};
use rustc_hash::FxHashSet;

use crate::collapse::Refused;
use crate::depth_first::{End, Helpless, Report, Restart};
use crate::keeper::Keeper;
use crate::nodes::{Clock, Nodes, restart};
use crate::tally::{Tally, Violated, asked_for};
use crate::{Found, Monitor, Question, Stopped, What};

/// Whether the process that moved last, if any, is interrupted by this one of the steps that are enabled.
pub fn is_preemption(last: Option<Pid>, enabled: &[Step], step: Step) -> bool {
    let Some(last) = last else { return false };
    let takes_part = step.pid == last || step.partner.is_some_and(|(pid, _)| pid == last);
    !takes_part && enabled.iter().any(|step| step.pid == last)
}

/// Who has moved last after a step.
pub fn mover(step: Step) -> Pid {
    step.partner.map_or(step.pid, |(pid, _)| pid)
}

/// Searches from the initial state of a machine.
pub fn search<K: Keeper>(
    machine: &Machine,
    keeper: K,
    question: &Question,
    at_most: u32,
    monitor: &mut dyn Monitor,
    statistics: &mut Statistics,
    started: Instant,
) -> (Report, K) {
    let mut search = Search {
        worker: Worker::new(machine),
        base: K::Base::default(),
        nodes: Nodes::new(keeper.width()),
        details: Vec::new(),
        level: FxHashSet::default(),
        keeper,
        question,
        clock: Clock::new(monitor, statistics, started),
        interrupted: Vec::new(),
        turn: Turn::default(),
        found: Vec::new(),
        successors: Successors::default(),
        in_hand: 0,
        tally: Tally::default(),
        too_large: None,
    };
    if let Some(limit) = question.limits.memory {
        search.worker.allow(limit);
    }
    let end = match search.run(at_most) {
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
    /// In the order of their levels.
    nodes: Nodes,
    details: Vec<Detail>,
    /// What was met in this level: states by what stands for them, and with everybody who moved last before them.
    level: FxHashSet<(u64, Met)>,
    /// The nodes of the level in which preemptions are possible.
    interrupted: Vec<u32>,
    turn: Turn,
    found: Vec<Candidate>,
    successors: Successors,
    /// What the successors take that are being added.
    in_hand: u64,
    tally: Tally,
    too_large: Option<String>,
}

/// What is known of a node besides its state.
#[derive(Clone, Copy)]
struct Detail {
    last: Option<Pid>,
    /// After how many steps it was met.
    depth: u32,
}

/// How a state was met.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Met {
    /// For the first time.
    First,
    /// After a move of this process.
    After(Pid),
}

/// What stands for a state: all there is of it in the exact store, and what a store that forgets looks at.
fn name(entry: &[u64]) -> u64 {
    match entry {
        [word] => *word,
        _ => hash(entry),
    }
}

/// Which of the steps of a node are taken.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Wanted {
    #[default]
    Free,
    Preemptions,
    /// Those that the bound does not allow, to see whether they lead to anything new.
    Beyond,
}

/// Chooses the wanted steps.
#[derive(Default)]
struct Turn {
    last: Option<Pid>,
    wanted: Wanted,
    /// There are preemptions.
    has_preemptions: bool,
    chosen: Vec<u32>,
}

impl Chooser for Turn {
    fn chooses(&self) -> bool {
        true
    }

    fn choose(&mut self, _: &Shape, _: &[u64], steps: &[Step], _: bool) -> Option<&[u32]> {
        self.chosen.clear();
        for (number, step) in steps.iter().enumerate() {
            let is_preemption = is_preemption(self.last, steps, *step);
            self.has_preemptions |= is_preemption;
            if is_preemption == (self.wanted != Wanted::Free) {
                self.chosen.push(number as u32);
            }
        }
        Some(&self.chosen)
    }
}

/// The first violation of a property.
struct Candidate {
    kind: PropertyKind,
    what: What,
    /// The node that was expanded, and the steps from there.
    node: u32,
    last: Vec<Step>,
    preemptions: u32,
    count: u64,
}

/// What came out of one expansion.
#[derive(Default)]
struct Successors {
    entries: Vec<u64>,
    /// How many steps lead to each, and who takes the last of them.
    ways: Vec<(u32, Pid)>,
    /// Kind, what, how often, and the steps of the first.
    violations: Vec<(PropertyKind, What, u64, Vec<Step>)>,
    fault_cut: bool,
    refused: Option<Refused>,
}

impl<K: Keeper> Search<'_, '_, '_, K> {
    fn run(&mut self, at_most: u32) -> ControlFlow<End> {
        self.begin()?;
        let mut next = 0;
        for level in 0..=at_most {
            self.interrupted.clear();
            while next < self.nodes.len() {
                self.expand(next, Wanted::Free, level)?;
                self.tick()?;
                next += 1;
            }
            // What is new from now on belongs to the next level.
            self.level.clear();
            let wanted = if level < at_most { Wanted::Preemptions } else { Wanted::Beyond };
            for at in 0..self.interrupted.len() {
                self.expand(self.interrupted[at], wanted, level)?;
                self.tick()?;
                if self.tally.bound_cut {
                    return ControlFlow::Continue(());
                }
            }
            if next == self.nodes.len() {
                break;
            }
        }
        ControlFlow::Continue(())
    }

    /// Visits the initial state. It was found to exist before.
    fn begin(&mut self) -> ControlFlow<End> {
        let room = self.keeper.room();
        self.worker.words_mut(room);
        if self.worker.start().is_err() {
            return ControlFlow::Break(End::Done);
        }
        let mut entry = Vec::new();
        loop {
            let words = self.worker.words_mut(room);
            match self.keeper.encode_all(words, &mut self.base, &mut entry) {
                Ok(()) => break,
                Err(Refused::TooWide(words)) => return restart(Restart::Words(words)),
                Err(Refused::Full) => self.grow()?,
            }
        }
        let is_new = self.insert(&entry)?;
        self.tally.met(is_new);
        self.level.insert((name(&entry), Met::First));
        self.add(&entry, 0, Detail { last: None, depth: 0 })
    }

    fn expand(&mut self, node: u32, wanted: Wanted, level: u32) -> ControlFlow<End> {
        loop {
            self.keeper.load(self.nodes.entry(node), &mut self.worker, &mut self.base);
            self.successors.clear();
            self.turn.last = self.details[node as usize].last;
            self.turn.wanted = wanted;
            self.turn.has_preemptions = false;
            let mut collector = Collector {
                keeper: &self.keeper,
                base: &mut self.base,
                question: self.question,
                is_again: wanted != Wanted::Free,
                into: &mut self.successors,
            };
            let expanded = self.worker.expand(&mut collector, &mut self.turn, u64::MAX);
            match self.successors.refused {
                None => {
                    self.tally.atomic_steps +=
                        if wanted == Wanted::Beyond { 0 } else { expanded.atomic_steps };
                    break;
                }
                Some(Refused::Full) => self.grow()?,
                Some(Refused::TooWide(words)) => return restart(Restart::Words(words)),
            }
        }
        match self.worker.too_large().map(Restart::because) {
            Some(Ok(why)) => return restart(why),
            Some(Err(Helpless::System(reason))) => self.too_large = Some(reason),
            Some(Err(Helpless::Stopped(stopped))) => return ControlFlow::Break(End::Stopped(stopped)),
            None => {}
        }
        if wanted == Wanted::Free && self.turn.has_preemptions {
            self.interrupted.push(node);
        }
        let mut successors = std::mem::take(&mut self.successors);
        self.in_hand = successors.bytes();
        let flow = match wanted {
            Wanted::Beyond => self.look_beyond(&successors),
            _ => self.arrive(node, &mut successors, level + (wanted == Wanted::Preemptions) as u32),
        };
        self.successors = successors;
        self.in_hand = 0;
        if self.keeper.wants_growth() {
            self.grow()?;
        }
        flow
    }

    /// Adds the successors of a node that were not visited yet.
    fn arrive(&mut self, node: u32, successors: &mut Successors, preemptions: u32) -> ControlFlow<End> {
        self.tally.fault_cut |= successors.fault_cut;
        let before = self.details[node as usize].depth;
        for (entry, (length, mover)) in
            successors.entries.chunks_exact(self.keeper.width()).zip(&successors.ways)
        {
            let is_new = self.insert(entry)?;
            self.tally.met(is_new);
            let name = name(entry);
            if is_new {
                self.level.insert((name, Met::First));
            }
            if self.level.contains(&(name, Met::First)) && self.level.insert((name, Met::After(*mover))) {
                let depth = before.saturating_add(*length);
                self.add(entry, node, Detail { last: Some(*mover), depth })?;
            }
        }
        for (kind, what, count, last) in successors.violations.drain(..) {
            match self.found.iter_mut().find(|known| known.kind == kind) {
                Some(known) => known.count += count,
                None => self.found.push(Candidate { kind, what, node, last, preemptions, count }),
            }
        }
        // All runs with fewer preemptions were looked at before.
        match self.question.is_over(Violated::of(self.found.iter().map(|found| found.kind))) {
            false => ControlFlow::Continue(()),
            true => ControlFlow::Break(End::Stopped(Stopped::Violation)),
        }
    }

    /// Sees whether anything more can be reached beyond the bound.
    fn look_beyond(&mut self, successors: &Successors) -> ControlFlow<End> {
        // What was found within the bound is no news.
        let is_known = |kind| self.found.iter().any(|found| found.kind == kind);
        self.tally.bound_cut |= successors.fault_cut && !self.tally.fault_cut
            || successors.violations.iter().any(|violation| !is_known(violation.0));
        for entry in successors.entries.chunks_exact(self.keeper.width()) {
            self.tally.bound_cut |= self.insert(entry)?;
        }
        ControlFlow::Continue(())
    }

    /// Whether an entry is new.
    fn insert(&mut self, entry: &[u64]) -> ControlFlow<End, bool> {
        loop {
            match self.keeper.insert(entry) {
                Ok(is_new) => return ControlFlow::Continue(is_new),
                Err(Full) => self.grow()?,
            }
        }
    }

    fn add(&mut self, entry: &[u64], parent: u32, detail: Detail) -> ControlFlow<End> {
        if self.nodes.is_full() {
            return ControlFlow::Break(End::Stopped(Stopped::Memory));
        }
        self.nodes.push(entry, parent);
        self.details.push(detail);
        self.tally.depth = self.tally.depth.max(detail.depth.into());
        ControlFlow::Continue(())
    }

    fn grow(&mut self) -> ControlFlow<End> {
        let limit = self.question.limits.memory.map(|limit| limit.saturating_sub(self.bytes()));
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

    /// What the nodes take that are kept besides those in the store.
    fn bytes(&self) -> u64 {
        let details = self.details.capacity() * size_of::<Detail>();
        // A byte of each slot of the set says whether it is taken.
        let level = self.level.capacity() * (size_of::<(u64, Met)>() + 1);
        self.nodes.bytes() + self.in_hand + (details + level + self.interrupted.capacity() * 4) as u64
    }

    fn finish(mut self, end: End) -> (Report, K) {
        self.worker.will_repeat();
        for found in std::mem::take(&mut self.found) {
            let steps = self.steps_to(found.node);
            let (is_cut, mut steps) = (steps.is_none(), steps.unwrap_or_default());
            steps.extend(found.last);
            let Candidate { kind, what, count, preemptions, .. } = found;
            let preemptions = Some(preemptions);
            self.tally.found.push(Found { kind, what, steps, is_cut, count, preemptions });
        }
        let store_bytes = self.keeper.bytes() + self.bytes();
        (Report { end, tally: self.tally, too_large: self.too_large, store_bytes, threads: 1 }, self.keeper)
    }

    /// The steps from the initial state to a node. None if there is no time left for them.
    fn steps_to(&mut self, node: u32) -> Option<Vec<Step>> {
        let mut target = vec![0; self.keeper.room()];
        let path = self.nodes.path(node);
        let mut steps = Vec::new();
        for pair in path.windows(2) {
            let (from, to) = (self.details[pair[0] as usize].last, self.details[pair[1] as usize].last);
            self.keeper.decode(self.nodes.entry(pair[1]), &mut target, &mut self.base);
            // With as few preemptions as possible: otherwise it would have been met earlier.
            let mut found = None;
            for wanted in [Wanted::Free, Wanted::Preemptions] {
                let mut finder = Finder { target: &target, mover: to, found: None };
                let mut turn = Turn { last: from, wanted, ..Turn::default() };
                self.keeper.load(self.nodes.entry(pair[0]), &mut self.worker, &mut self.base);
                self.worker.expand(&mut finder, &mut turn, u64::MAX);
                found = finder.found;
                if found.is_some() {
                    break;
                }
            }
            steps.extend(found?);
        }
        Some(steps)
    }
}

impl Successors {
    /// What the lists take.
    fn bytes(&self) -> u64 {
        (self.entries.capacity() * 8 + self.ways.capacity() * size_of::<(u32, Pid)>()) as u64
    }

    /// What it takes besides to make nodes of them. A state is twice in the set of a level, which has
    /// places to spare.
    fn bytes_to_add(&self) -> u64 {
        let each = 4 + size_of::<Detail>() + 4 * (size_of::<(u64, Met)>() + 1);
        (self.entries.len() * 8 + self.ways.len() * each) as u64
    }

    fn clear(&mut self) {
        self.entries.clear();
        self.ways.clear();
        self.violations.clear();
        self.fault_cut = false;
        self.refused = None;
    }
}

/// Collects the successors of a node.
struct Collector<'c, K: Keeper> {
    keeper: &'c K,
    base: &'c mut K::Base,
    question: &'c Question,
    /// What is wrong with the state itself was told before.
    is_again: bool,
    into: &'c mut Successors,
}

impl<K: Keeper> Visitor for Collector<'_, K> {
    fn arrive(&mut self, arrival: &Arrival) -> ControlFlow<()> {
        let Some(last) = arrival.last else { return ControlFlow::Continue(()) };
        match self.keeper.encode(arrival, self.base, &mut self.into.entries) {
            Ok(()) => {
                self.into.ways.push((arrival.n_steps as u32, mover(last)));
                ControlFlow::Continue(())
            }
            Err(refused) => {
                self.into.refused = Some(refused);
                ControlFlow::Break(())
            }
        }
    }

    fn violation(&mut self, wrong: Wrong, n_steps: usize, steps_to: StepsTo) -> ControlFlow<()> {
        let is_of_the_state = wrong == Wrong::InvalidEnd || wrong == Wrong::Nondeterminism && n_steps == 1;
        if is_of_the_state && self.is_again {
            return ControlFlow::Continue(());
        }
        self.into.fault_cut |= wrong == Wrong::Fault;
        let Some((kind, what)) = asked_for(self.question, wrong) else { return ControlFlow::Continue(()) };
        match self.into.violations.iter_mut().find(|known| known.0 == kind) {
            Some(known) => known.2 += 1,
            None => {
                let Some(steps) = steps_to() else { return ControlFlow::Break(()) };
                self.into.violations.push((kind, what, 1, steps));
            }
        }
        ControlFlow::Continue(())
    }

    fn bytes(&self) -> u64 {
        self.into.bytes() + self.into.bytes_to_add()
    }
}

/// Finds the fewest steps that lead to a state and end with one of a process.
struct Finder<'f> {
    target: &'f [u64],
    mover: Option<Pid>,
    found: Option<Vec<Step>>,
}

impl Visitor for Finder<'_> {
    fn arrive(&mut self, arrival: &Arrival) -> ControlFlow<()> {
        let n = arrival.n_words;
        let is_target = n <= self.target.len()
            && arrival.words[..n] == self.target[..n]
            && self.target[n..].iter().all(|word| *word == 0)
            && arrival.last.map(mover) == self.mover;
        let is_better = self.found.as_ref().is_none_or(|found| arrival.steps.len() < found.len());
        if is_target && is_better {
            self.found = Some(arrival.steps.to_vec());
        }
        ControlFlow::Continue(())
    }

    fn violation(&mut self, _: Wrong, _: usize, _: StepsTo) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
