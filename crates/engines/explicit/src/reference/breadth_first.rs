//! Breadth-first search: the first trail found is a shortest one.

use std::collections::VecDeque;

use allways_system::{Fault, Step, Successors};

use super::exploration::{Arrival, Exploration};
use super::store::{StateId, Store};
use crate::{Monitor, Outcome, Question};

/// How a state was first reached; kept for ever, because trails lead back through it.
struct Node {
    /// Index of the node before; itself for the initial state.
    parent: u32,
    step: Option<Step>,
}

/// A state whose steps are still to be taken.
struct Waiting {
    node: u32,
    depth: u64,
    state: Kept,
    steps: Box<[Step]>,
}

enum Kept {
    Stored(StateId),
    /// A state inside an atomic sequence is not in the store.
    Passing(Box<[u8]>),
}

#[derive(Default)]
struct Frontier {
    nodes: Vec<Node>,
    queue: VecDeque<Waiting>,
    /// States inside atomic sequences: remembered as well, or a loop in one would never end.
    passed: Store,
}

pub fn search<S: Successors>(
    model: &S,
    question: &Question,
    monitor: &mut dyn Monitor,
) -> Result<Outcome, Fault> {
    let mut exploration = Exploration::new(model, question, monitor);
    let mut frontier = Frontier::default();
    let mut state = model.initial()?;
    frontier.visit(&mut exploration, &mut state, 0, 0, None);
    while let Some(waiting) = frontier.queue.pop_front() {
        let depth = waiting.depth + 1;
        for &step in &waiting.steps {
            if exploration.is_stopped() {
                return Ok(exploration.finish());
            }
            match &waiting.state {
                Kept::Stored(id) => model.unpack(exploration.store.get(*id), &mut state),
                Kept::Passing(bytes) => model.unpack(bytes, &mut state),
            }
            exploration.tick(|| frontier.memory());
            if !exploration.take(&mut state, step, &mut || frontier.path(waiting.node, Some(step))) {
                continue;
            }
            if question.limits.depth.is_some_and(|limit| depth > limit) {
                exploration.outcome.depth_cut = true;
                continue;
            }
            frontier.visit(&mut exploration, &mut state, depth, waiting.node, Some(step));
        }
    }
    Ok(exploration.finish())
}

impl Frontier {
    fn visit<S: Successors>(
        &mut self,
        exploration: &mut Exploration<S>,
        state: &mut S::State,
        depth: u64,
        parent: u32,
        step: Option<Step>,
    ) {
        let mut steps = Vec::new();
        let arrival = exploration.arrive(state, depth, &mut steps, &mut || self.path(parent, step));
        let Arrival::Expanded { stored } = arrival else { return };
        if steps.is_empty() {
            return;
        }
        let state = match stored {
            Some(id) => Kept::Stored(id),
            None => {
                let bytes = exploration.pack(state);
                if self.passed.insert(bytes, bytes.len()).is_none() {
                    return;
                }
                Kept::Passing(bytes.into())
            }
        };
        let node = self.nodes.len() as u32;
        self.nodes.push(Node { parent, step });
        self.queue.push_back(Waiting { node, depth, state, steps: steps.into() });
    }

    /// The steps from the initial state to a node, and one more.
    fn path(&self, node: u32, last: Option<Step>) -> Vec<Step> {
        let mut steps: Vec<Step> = last.into_iter().collect();
        let mut node = node as usize;
        while let Some(Node { parent, step: Some(step) }) = self.nodes.get(node) {
            steps.push(*step);
            node = *parent as usize;
        }
        steps.reverse();
        steps
    }

    fn memory(&self) -> u64 {
        let waiting = size_of::<Waiting>() + 2 * size_of::<Step>();
        (self.nodes.len() * size_of::<Node>() + self.queue.len() * waiting) as u64 + self.passed.memory()
    }
}
