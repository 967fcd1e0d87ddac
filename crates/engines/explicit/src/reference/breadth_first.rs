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
pub struct Waiting {
    pub node: u32,
    pub depth: u64,
    pub state: Kept,
    pub steps: Box<[Step]>,
}

#[derive(Clone)]
pub enum Kept {
    Stored(StateId),
    /// A state inside an atomic sequence is not in the store.
    Passing(Box<[u8]>),
}

#[derive(Default)]
pub struct Frontier {
    nodes: Vec<Node>,
    pub queue: VecDeque<Waiting>,
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
            waiting.unpack(&exploration, &mut state);
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

impl Waiting {
    pub fn unpack<S: Successors>(&self, exploration: &Exploration<S>, state: &mut S::State) {
        let bytes = match &self.state {
            Kept::Stored(id) => exploration.store.get(*id),
            Kept::Passing(bytes) => bytes,
        };
        exploration.model.unpack(bytes, state);
    }
}

impl Frontier {
    pub fn visit<S: Successors>(
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
    pub fn path(&self, node: u32, last: Option<Step>) -> Vec<Step> {
        let mut steps: Vec<Step> = last.into_iter().collect();
        let mut node = node as usize;
        while let Some(Node { parent, step: Some(step) }) = self.nodes.get(node) {
            steps.push(*step);
            node = *parent as usize;
        }
        steps.reverse();
        steps
    }

    pub fn memory(&self) -> u64 {
        let waiting = size_of::<Waiting>() + 2 * size_of::<Step>();
        (self.nodes.len() * size_of::<Node>() + self.queue.len() * waiting) as u64 + self.passed.memory()
    }
}
