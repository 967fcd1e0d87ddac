//! A nested search in a store that forgets: of nodes only hashes are kept, one for each of the two searches.
//!
//! What is on the path of the outer search is kept as it is, because a node that is mistaken for one of these would make a
//! cycle of what is none. So nothing is found that is not there; but as nodes are mistaken for others that were visited,
//! something may be missed.

use std::ops::ControlFlow;
use std::time::Instant;

use allways_compiled::{Arrival, Machine, StepsTo, Visitor, Watcher, Worker, Wrong};
use allways_store::{VisitedHash, hash};
use allways_system::{Observer, Step};
use rustc_hash::FxHashSet;

use super::lasso::cycle_at_end;
use super::product::next_level;
use super::{Algorithm, Clock, CycleOutcome, CycleQuestion, Halt, Lasso};
use crate::choose::{Reducer, Reducing};
use crate::depth_first::Restart;
use crate::keeper::Estimates;
use crate::trail::Finder;
use crate::{Monitor, Stopped};

/// Searches with a set of hashes, for states of so many words.
pub fn search<V: VisitedHash + Estimates>(
    machine: &Machine,
    n_words: usize,
    visited: V,
    reduction: Option<&Reducer>,
    question: &CycleQuestion,
    monitor: &mut dyn Monitor,
    started: Instant,
) -> Result<CycleOutcome, (Restart, u64)> {
    let mut search = Search {
        worker: Worker::new(machine),
        watcher: machine.watcher(&question.observer.propositions),
        chooser: Reducing::steady(reduction, machine),
        observer: question.observer,
        n_levels: question.observer.n_marks.max(1).into(),
        n_words,
        visited,
        limit: question.limits.memory,
        on_path: FxHashSet::default(),
        states: Vec::new(),
        fault_cut: false,
        endless: false,
        depth_cut: false,
        too_large: None,
    };
    search.worker.limit_length(question.limits.longest_sequence());
    let mut clock = Clock::new(monitor, started, question.limits);
    let mut outcome = CycleOutcome { algorithm: Algorithm::Nested, ..CycleOutcome::default() };
    match search.run(&mut clock, &mut outcome) {
        Ok(None) => {}
        Ok(Some(found)) => outcome.lasso = Some(search.lasso(&found)),
        Err(Halt::Restart(restart)) => return Err((restart, outcome.statistics.states)),
        Err(Halt::Stopped(stopped)) => outcome.stopped = Some(stopped),
        // Only in states that the outer search has seen.
        Err(Halt::Letter) => outcome.letter_fault = true,
        Err(Halt::TooLarge(reason)) => outcome.too_large = Some(reason),
    }
    outcome.fault_cut = search.fault_cut;
    outcome.endless = search.endless;
    outcome.depth_cut |= search.depth_cut;
    outcome.too_large = outcome.too_large.take().or(search.too_large);
    outcome.observer_states = vec![true; question.observer.states.len()];
    outcome.statistics.store_bytes = search.visited.bytes();
    outcome.statistics.search = started.elapsed();
    outcome.loss = Some(search.visited.estimate());
    Ok(outcome)
}

struct Search<'m, 's, 'q, V> {
    worker: Worker<'m, 's>,
    watcher: Watcher,
    chooser: Reducing<'m>,
    observer: &'q Observer,
    n_levels: u64,
    n_words: usize,
    visited: V,
    /// Bytes that it may take.
    limit: Option<u64>,
    /// The nodes on the path of the outer search.
    on_path: FxHashSet<Box<[u64]>>,
    /// Scratch: the words of the states that the one at hand leads to.
    states: Vec<u64>,
    fault_cut: bool,
    endless: bool,
    depth_cut: bool,
    too_large: Option<String>,
}

/// The words of a state, then the state of the observer and its level as one word.
type Node = Box<[u64]>;

/// A node on a path, and the successors that are still to be looked at, the next one last.
struct Frame {
    node: Node,
    /// The edge over which the path came here has the mark.
    is_marked: bool,
    rest: Vec<(Node, bool)>,
}

/// Nodes from the initial one, and the position of the one to which the last leads back.
struct Found {
    nodes: Vec<Node>,
    back: Option<usize>,
}

/// Tells the hashes of the inner search from those of the outer one.
const INNER: u64 = 0x9e6c_63d0_876a_68ee;

impl<V: VisitedHash + Estimates> Search<'_, '_, '_, V> {
    fn run(&mut self, clock: &mut Clock, outcome: &mut CycleOutcome) -> Result<Option<Found>, Halt> {
        let initial = self.initial()?;
        let mut frames = Vec::new();
        let mut entering = Some((initial, false));
        loop {
            if let Some((node, is_marked)) = entering.take() {
                outcome.statistics.states += 1;
                outcome.visits += 1;
                let expanded = match self.successors(&node) {
                    Err(Halt::Letter) => {
                        outcome.letter_fault = true;
                        None
                    }
                    expanded => expanded?,
                };
                self.on_path.insert(node.clone());
                let Some(rest) = expanded else {
                    let nodes = nodes_of(&frames).chain([node]).collect();
                    return Ok(Some(Found { nodes, back: None }));
                };
                frames.push(Frame { node, is_marked, rest });
                outcome.statistics.depth = outcome.statistics.depth.max(frames.len() as u64 - 1);
                clock.tick(outcome, self.worker.effort(), || self.bytes(&frames))?;
            }
            let Some(frame) = frames.last_mut() else { return Ok(None) };
            let Some((node, is_marked)) = frame.rest.pop() else {
                let Some(left) = frames.pop() else { return Ok(None) };
                self.on_path.remove(&left.node);
                if left.is_marked
                    && let Some(found) = self.search_inside(&frames, left.node, clock, outcome)?
                {
                    return Ok(Some(found));
                }
                continue;
            };
            if self.on_path.contains(&node) {
                outcome.statistics.matched += 1;
                if is_marked {
                    return Ok(Some(lasso_to(&frames, Vec::new(), &node)));
                }
            } else if self.insert(hash(&node))? {
                match clock.limits.depth {
                    Some(limit) if frames.len() as u64 > limit => outcome.depth_cut = true,
                    _ => entering = Some((node, is_marked)),
                }
            } else {
                outcome.statistics.matched += 1;
                if is_marked && let Some(found) = self.search_inside(&frames, node, clock, outcome)? {
                    return Ok(Some(found));
                }
            }
        }
    }

    /// Looks for a way from a node to the path of the outer search.
    fn search_inside(
        &mut self,
        outer: &[Frame],
        start: Node,
        clock: &mut Clock,
        outcome: &mut CycleOutcome,
    ) -> Result<Option<Found>, Halt> {
        let mut frames: Vec<Frame> = Vec::new();
        let mut entering = self.insert(hash(&start) ^ INNER)?.then_some(start);
        loop {
            if let Some(node) = entering.take() {
                outcome.visits += 1;
                // If it wins, the outer search has seen that.
                let rest = self.successors(&node)?.unwrap_or_default();
                frames.push(Frame { node, is_marked: false, rest });
                clock.tick(outcome, self.worker.effort(), || self.bytes(&frames))?;
            }
            let Some(frame) = frames.last_mut() else { return Ok(None) };
            let Some((node, _)) = frame.rest.pop() else {
                frames.pop();
                continue;
            };
            if self.on_path.contains(&node) {
                let inner = frames.into_iter().map(|frame| frame.node).collect();
                return Ok(Some(lasso_to(outer, inner, &node)));
            }
            if self.insert(hash(&node) ^ INNER)? {
                entering = Some(node);
            }
        }
    }

    fn bytes(&self, frames: &[Frame]) -> u64 {
        let node = (self.n_words as u64 + 1) * 8 + 24;
        let waiting: usize = frames.last().map_or(0, |frame| frame.rest.len());
        self.visited.bytes() + (frames.len() as u64 * 4 + waiting as u64) * node
    }

    fn insert(&mut self, hash: u64) -> Result<bool, Halt> {
        loop {
            let inserted = self.visited.insert_hash(hash);
            if inserted.is_err() || self.visited.wants_growth() {
                self.visited.grow(self.limit).map_err(|_| Halt::Stopped(Stopped::Memory))?;
            }
            if let Ok(is_new) = inserted {
                return Ok(is_new);
            }
        }
    }

    fn initial(&mut self) -> Result<Node, Halt> {
        self.worker.words_mut(self.n_words);
        if self.worker.start().is_err() {
            return Err(Halt::Restart(Restart::Shapes));
        }
        let words = self.worker.words();
        if words.len() > self.n_words {
            return Err(Halt::Restart(Restart::Words(words.len())));
        }
        let mut node = words.to_vec();
        node.resize(self.n_words, 0);
        node.push(u64::from(self.observer.initial) * self.n_levels);
        Ok(node.into())
    }

    /// The successors of a node, the first one last. None if the run is accepted whatever follows.
    fn successors(&mut self, node: &Node) -> Result<Option<Vec<(Node, bool)>>, Halt> {
        let (words, tag) = (&node[..self.n_words], node[self.n_words]);
        let (from, level) = (tag / self.n_levels, tag % self.n_levels);
        self.worker.load(words);
        if let Some(limit) = self.limit {
            self.worker.allow(limit.saturating_sub(self.visited.bytes()));
        }
        self.states.clear();
        let mut collector =
            Collector { n_words: self.n_words, states: &mut self.states, too_wide: None, fault: false };
        let expanded = self.worker.expand(&mut collector, &mut self.chooser, u64::MAX);
        let (too_wide, fault) = (collector.too_wide, collector.fault);
        if let Some(halt) =
            self.worker.too_large().and_then(|too_large| Halt::of(too_large, &mut self.too_large))
        {
            return Err(halt);
        }
        if let Some(words) = too_wide {
            return Err(Halt::Restart(Restart::Words(words)));
        }
        if let Some(restart) = self.chooser.begin_anew(self.worker.machine) {
            return Err(Halt::Restart(restart));
        }
        let letter = self.worker.letter(&self.watcher, expanded.timeout);
        if self.observer.lacks(from as u32, letter) {
            return Err(Halt::Letter);
        }
        self.fault_cut |= fault;
        self.endless |= expanded.is_endless;
        self.depth_cut |= expanded.depth_cut;
        if expanded.is_stuck && self.observer.stutters {
            self.states.extend_from_slice(words);
        }
        let mut successors = Vec::new();
        for edge in self.observer.states[from as usize].edges.iter().filter(|edge| edge.admits(letter.holds))
        {
            if edge.fails || self.observer.states[edge.target as usize].is_final {
                return Ok(None);
            }
            // Without marks every cycle counts.
            let (level, marks) = match self.observer.n_marks {
                0 => (0, 1),
                _ => next_level(level, edge.marks, self.n_levels),
            };
            let tag = u64::from(edge.target) * self.n_levels + level;
            successors.extend(self.states.chunks_exact(self.n_words).map(|state| {
                let mut node = Vec::with_capacity(self.n_words + 1);
                node.extend_from_slice(state);
                node.push(tag);
                (Node::from(node), marks & 1 == 1)
            }));
        }
        successors.reverse();
        Ok(Some(successors))
    }

    fn lasso(&mut self, found: &Found) -> Lasso {
        let mut steps: Vec<Step> = Vec::new();
        let mut observed = Vec::new();
        let mut cycle = None;
        for (position, node) in found.nodes.iter().enumerate() {
            if found.back == Some(position) {
                cycle = Some(steps.len());
            }
            observed.push((steps.len(), (node[self.n_words] / self.n_levels) as u32));
            let next = match found.nodes.get(position + 1) {
                Some(next) => next,
                None => match found.back {
                    Some(start) => &found.nodes[start],
                    None => break,
                },
            };
            let mut worker = Worker::new(self.worker.machine);
            worker.keep_steps();
            worker.load(&node[..self.n_words]);
            let mut finder = Finder { target: &next[..self.n_words], movers: None, found: None };
            worker.expand(&mut finder, &mut self.chooser, u64::MAX);
            steps.extend(finder.found.unwrap_or_default());
        }
        if found.back.is_none() {
            cycle = self.cycle_at_end(found, &steps, &observed);
        }
        Lasso { steps, cycle, observed }
    }

    /// The last state is read again and again where nothing moves any more.
    fn cycle_at_end(&self, found: &Found, steps: &[Step], observed: &[(usize, u32)]) -> Option<usize> {
        let of_system = |node: &Node| node[..self.n_words].to_vec();
        let last = found.nodes.last().map(of_system)?;
        let times = found.nodes.iter().rev().take_while(|node| of_system(node) == last).count();
        cycle_at_end(steps, observed[found.nodes.len() - times].0, times)
    }
}

fn nodes_of(frames: &[Frame]) -> impl Iterator<Item = Node> {
    frames.iter().map(|frame| frame.node.clone())
}

fn lasso_to(outer: &[Frame], inner: Vec<Node>, back: &Node) -> Found {
    let start = outer.iter().position(|frame| frame.node == *back);
    Found { nodes: nodes_of(outer).chain(inner).collect(), back: start.or(Some(0)) }
}

/// Collects the states that are reached.
struct Collector<'c> {
    n_words: usize,
    states: &'c mut Vec<u64>,
    too_wide: Option<usize>,
    fault: bool,
}

impl Visitor for Collector<'_> {
    fn arrive(&mut self, arrival: &Arrival) -> ControlFlow<()> {
        if arrival.n_words > self.n_words {
            self.too_wide = Some(arrival.n_words);
            return ControlFlow::Break(());
        }
        let n = arrival.n_words.min(arrival.words.len());
        self.states.extend_from_slice(&arrival.words[..n]);
        self.states.resize(self.states.len() + self.n_words - n, 0);
        ControlFlow::Continue(())
    }

    fn violation(&mut self, what: Wrong, _: usize, _: StepsTo) -> ControlFlow<()> {
        self.fault |= what == Wrong::Fault;
        ControlFlow::Continue(())
    }

    fn bytes(&self) -> u64 {
        let node = (self.n_words + 1) * 8 + size_of::<(Node, bool)>();
        (self.states.capacity() * 8 + self.states.len() / self.n_words.max(1) * node) as u64
    }
}
