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
//! What can follow depends on the state and on who moved last, so these pairs are the *nodes* that are visited, with the process
//! as one more word of the state. They are visited in the order of how many preemptions lead to them: first whatever can be
//! reached from the nodes of a level for free, which belongs to the level too; then all preemptions in its nodes, to what is then
//! new and the next level. So a node is expanded up to twice, each step is taken once, and nothing waits but nodes.
//!
//! In the last level preemptions are tried as well. If none of them leads to a new node, or shows a violation, the bound has cut off
//! nothing: whatever more preemptions lead to was visited with fewer. That is how a search of a model with endless runs can
//! still be complete.

use std::ops::ControlFlow;
use std::time::Instant;

use allways_compiled::{Arrival, Chooser, Machine, Shape, TooLarge, Visitor, Worker, Wrong};
use allways_store::Full;
use allways_system::{Pid, Step};
use allways_verdict::{PropertyKind, Statistics};

use crate::collapse::Refused;
use crate::depth_first::{End, Report, Restart};
use crate::keeper::Keeper;
use crate::nodes::{Clock, Nodes, restart};
use crate::tally::{Tally, asked_for};
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

/// Searches from the initial state of a machine. The keeper has room for one word more than the states have.
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
        depths: Vec::new(),
        node: Node { words: vec![0; keeper.room()], last: None },
        keeper,
        question,
        clock: Clock::new(monitor, statistics, started),
        interrupted: Vec::new(),
        turn: Turn::default(),
        found: Vec::new(),
        successors: Successors::default(),
        tally: Tally::default(),
        too_large: None,
    };
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
    /// After how many steps each was met.
    depths: Vec<u32>,
    /// The one that is being expanded.
    node: Node,
    /// The nodes of the level in which preemptions are possible.
    interrupted: Vec<u32>,
    turn: Turn,
    found: Vec<Candidate>,
    successors: Successors,
    tally: Tally,
    too_large: Option<String>,
}

/// A state and who moved last.
struct Node {
    /// As many as the keeper has room for; the last is one more than the process, or 0.
    words: Vec<u64>,
    last: Option<Pid>,
}

impl Node {
    /// The words of the state.
    fn state(&self) -> &[u64] {
        &self.words[..self.words.len() - 1]
    }

    fn decode<K: Keeper>(&mut self, entry: &[u64], keeper: &K, base: &mut K::Base) {
        keeper.decode(entry, &mut self.words, base);
        self.last = self.words[self.words.len() - 1].checked_sub(1).map(|pid| pid as Pid);
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
    /// How many steps lead to each.
    lengths: Vec<u32>,
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
        let n_words = self.node.state().len();
        self.worker.words_mut(n_words);
        if self.worker.start().is_err() {
            return ControlFlow::Break(End::Done);
        }
        let words = self.worker.words();
        if words.len() > n_words {
            return restart(Restart::Words(words.len()));
        }
        self.node.words[..words.len()].copy_from_slice(words);
        let mut entry = Vec::new();
        loop {
            match self.keeper.encode_all(&self.node.words, &mut self.base, &mut entry) {
                Ok(()) => break,
                Err(Refused::TooWide(words)) => return restart(Restart::Words(words)),
                Err(Refused::Full) => self.grow()?,
            }
        }
        let is_new = self.insert(&entry)?;
        self.tally.met(is_new);
        self.add(&entry, 0, 0)
    }

    fn expand(&mut self, node: u32, wanted: Wanted, level: u32) -> ControlFlow<End> {
        loop {
            self.node.decode(self.nodes.entry(node), &self.keeper, &mut self.base);
            self.worker.load(self.node.state());
            self.successors.clear();
            self.turn = Turn { last: self.node.last, wanted, ..std::mem::take(&mut self.turn) };
            self.turn.has_preemptions = false;
            let mut collector = Collector {
                keeper: &self.keeper,
                base: &mut self.base,
                question: self.question,
                is_again: wanted != Wanted::Free,
                before: *self.node.words.last().unwrap_or(&0),
                words: &mut self.node.words,
                changed: Vec::new(),
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
        match self.worker.too_large() {
            Some(TooLarge::Shapes) => return restart(Restart::Shapes),
            Some(TooLarge::TooManyShapes) => return restart(Restart::TooManyShapes),
            Some(TooLarge::Narrow(owner, value)) => return restart(Restart::Narrow(owner, value)),
            Some(TooLarge::System(reason)) => self.too_large = Some(reason),
            None => {}
        }
        if wanted == Wanted::Free && self.turn.has_preemptions {
            self.interrupted.push(node);
        }
        let mut successors = std::mem::take(&mut self.successors);
        let flow = match wanted {
            Wanted::Beyond => self.look_beyond(&successors),
            _ => self.arrive(node, &mut successors, level + (wanted == Wanted::Preemptions) as u32),
        };
        self.successors = successors;
        if self.keeper.wants_growth() {
            self.grow()?;
        }
        flow
    }

    /// Adds the successors of a node that were not visited yet.
    fn arrive(&mut self, node: u32, successors: &mut Successors, preemptions: u32) -> ControlFlow<End> {
        self.tally.fault_cut |= successors.fault_cut;
        let depth = self.depths[node as usize];
        for (entry, length) in successors.entries.chunks_exact(self.keeper.width()).zip(&successors.lengths) {
            let is_new = self.insert(entry)?;
            self.tally.met(is_new);
            if is_new {
                self.add(entry, node, depth.saturating_add(*length))?;
            }
        }
        for (kind, what, count, last) in successors.violations.drain(..) {
            match self.found.iter_mut().find(|known| known.kind == kind) {
                Some(known) => known.count += count,
                None => self.found.push(Candidate { kind, what, node, last, preemptions, count }),
            }
        }
        // All runs with fewer preemptions were looked at before.
        match self.found.is_empty() || self.question.keep_going {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(End::Stopped(Stopped::Violation)),
        }
    }

    /// Sees whether anything more can be reached beyond the bound.
    fn look_beyond(&mut self, successors: &Successors) -> ControlFlow<End> {
        self.tally.bound_cut |= successors.fault_cut || !successors.violations.is_empty();
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

    fn add(&mut self, entry: &[u64], parent: u32, depth: u32) -> ControlFlow<End> {
        if self.nodes.is_full() {
            return ControlFlow::Break(End::Stopped(Stopped::Memory));
        }
        self.nodes.push(entry, parent);
        self.depths.push(depth);
        self.tally.depth = self.tally.depth.max(depth.into());
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
        if !self.clock.tick() {
            return ControlFlow::Continue(());
        }
        let bytes = self.bytes();
        self.clock.tell(&self.tally, self.question, self.keeper.bytes(), bytes)
    }

    /// What the nodes take that are kept besides those in the store.
    fn bytes(&self) -> u64 {
        self.nodes.bytes() + 4 * (self.depths.capacity() + self.interrupted.capacity()) as u64
    }

    fn finish(mut self, end: End) -> (Report, K) {
        for found in std::mem::take(&mut self.found) {
            let path = self.nodes.path(found.node);
            let mut steps = steps_along(self.worker.machine, &self.keeper, &path);
            steps.extend(found.last);
            let Candidate { kind, what, count, preemptions, .. } = found;
            self.tally.found.push(Found { kind, what, steps, count, preemptions: Some(preemptions) });
        }
        let store_bytes = self.keeper.bytes() + self.bytes();
        (Report { end, tally: self.tally, too_large: self.too_large, store_bytes }, self.keeper)
    }
}

impl Successors {
    fn clear(&mut self) {
        self.entries.clear();
        self.lengths.clear();
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
    /// The last word of the node.
    before: u64,
    /// Scratch for a successor.
    words: &'c mut [u64],
    changed: Vec<(u32, u64)>,
    into: &'c mut Successors,
}

impl<K: Keeper> Collector<'_, K> {
    fn encode(&mut self, arrival: &Arrival) -> Result<(), Refused> {
        let at = self.words.len() - 1;
        if arrival.n_words > at {
            return Err(Refused::TooWide(arrival.n_words));
        }
        self.words[..at].copy_from_slice(&arrival.words[..at]);
        self.words[at] = arrival.steps.last().map_or(0, |step| mover(*step) as u64 + 1);
        self.changed.clear();
        // A word of the worker's that was used only on the way is not the state's.
        self.changed.extend(arrival.changed.iter().filter(|(word, _)| (*word as usize) < at));
        self.changed.push((at as u32, self.before));
        let arrival = Arrival { words: self.words, n_words: at + 1, changed: &self.changed, ..*arrival };
        self.keeper.encode(&arrival, self.base, &mut self.into.entries)
    }
}

impl<K: Keeper> Visitor for Collector<'_, K> {
    fn arrive(&mut self, arrival: &Arrival) -> ControlFlow<()> {
        match self.encode(arrival) {
            Ok(()) => {
                self.into.lengths.push(arrival.n_steps as u32);
                ControlFlow::Continue(())
            }
            Err(refused) => {
                self.into.refused = Some(refused);
                ControlFlow::Break(())
            }
        }
    }

    fn violation(&mut self, wrong: Wrong, steps: &[Step]) -> ControlFlow<()> {
        let is_of_the_state =
            wrong == Wrong::InvalidEnd || wrong == Wrong::Nondeterminism && steps.len() == 1;
        if is_of_the_state && self.is_again {
            return ControlFlow::Continue(());
        }
        self.into.fault_cut |= wrong == Wrong::Fault;
        let Some((kind, what)) = asked_for(self.question, wrong) else { return ControlFlow::Continue(()) };
        match self.into.violations.iter_mut().find(|known| known.0 == kind) {
            Some(known) => known.2 += 1,
            None => self.into.violations.push((kind, what, 1, steps.to_vec())),
        }
        ControlFlow::Continue(())
    }
}

/// The steps along a path, given as the entries of its nodes, the first one first.
fn steps_along<K: Keeper>(machine: &Machine, keeper: &K, entries: &[u64]) -> Vec<Step> {
    let mut worker = Worker::new(machine);
    let mut base = K::Base::default();
    let mut steps = Vec::new();
    let node = || Node { words: vec![0; keeper.room()], last: None };
    let (mut from, mut to) = (node(), node());
    let nodes: Vec<&[u64]> = entries.chunks_exact(keeper.width()).collect();
    for pair in nodes.windows(2) {
        from.decode(pair[0], keeper, &mut base);
        to.decode(pair[1], keeper, &mut base);
        // With as few preemptions as possible: otherwise it would have been met earlier.
        for wanted in [Wanted::Free, Wanted::Preemptions] {
            let mut finder = Finder { target: &to, found: None };
            let mut turn = Turn { last: from.last, wanted, ..Turn::default() };
            worker.forget_long_sequences();
            worker.load(from.state());
            worker.expand(&mut finder, &mut turn, u64::MAX);
            if let Some(found) = finder.found {
                steps.extend(found);
                break;
            }
        }
    }
    steps
}

/// Finds the fewest steps that lead to a node.
struct Finder<'f> {
    target: &'f Node,
    found: Option<Vec<Step>>,
}

impl Visitor for Finder<'_> {
    fn arrive(&mut self, arrival: &Arrival) -> ControlFlow<()> {
        let (n, state) = (arrival.n_words, self.target.state());
        let is_target = n <= state.len()
            && arrival.words[..n] == state[..n]
            && state[n..].iter().all(|word| *word == 0)
            && arrival.steps.last().map(|step| mover(*step)) == self.target.last;
        let is_better = self.found.as_ref().is_none_or(|found| arrival.steps.len() < found.len());
        if is_target && is_better {
            self.found = Some(arrival.steps.to_vec());
        }
        ControlFlow::Continue(())
    }

    fn violation(&mut self, _: Wrong, _: &[Step]) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
