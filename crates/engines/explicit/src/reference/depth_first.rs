//! Depth-first search. The stack holds references to stored states, not states; it grows as needed.
//!
//! A state is expanded once, when it is first met; its steps wait on a stack of their own and are taken one by one,
//! so that the path on the stack is always the path to the current state.

use allways_system::{Fault, Step, Successors};

use super::exploration::{Arrival, Exploration};
use super::store::{StateId, Store};
use crate::{Monitor, Outcome, Question};

struct Frame {
    state: Kept,
    /// The state's steps start here on the stack of steps...
    first: usize,
    /// ...and this one is next.
    next: usize,
    depth: u64,
}

/// Where the state of a frame is kept.
#[derive(Clone, Copy)]
enum Kept {
    Stored(StateId),
    /// A state inside an atomic sequence is not in the store: its bytes start here in `passing`.
    Passing {
        start: usize,
        is_first: bool,
    },
}

/// Inside an atomic sequence no state is stored, so a loop in it would be followed for ever, and branches in it
/// multiply. Once an atomic sequence has led to this many states they are remembered after all, and those that are
/// met again are dropped: that loses nothing, only the figures are then lower than those of a search without memory.
const LONG_ATOMIC: u32 = 10_000;

#[derive(Default)]
struct Stack {
    frames: Vec<Frame>,
    steps: Vec<Step>,
    passing: Vec<u8>,
    /// For each atomic sequence under way, how many states it has led to.
    atomic: Vec<u32>,
    /// The states of those that are long.
    remembered: Store,
    /// Scratch: the steps of the state just arrived at.
    found: Vec<Step>,
}

pub fn search<S: Successors>(
    model: &S,
    question: &Question,
    monitor: &mut dyn Monitor,
) -> Result<Outcome, Fault> {
    let mut exploration = Exploration::new(model, question, monitor);
    let mut stack = Stack::default();
    let mut state = model.initial()?;
    stack.visit(&mut exploration, &mut state, 0);
    while let Some(frame) = stack.frames.last_mut() {
        if exploration.is_stopped() {
            break;
        }
        if frame.next == stack.steps.len() {
            stack.pop();
            continue;
        }
        let step = stack.steps[frame.next];
        frame.next += 1;
        let (kept, depth) = (frame.state, frame.depth);
        match kept {
            Kept::Stored(id) => model.unpack(exploration.store.get(id), &mut state),
            Kept::Passing { start, .. } => model.unpack(&stack.passing[start..], &mut state),
        }
        exploration.tick(|| stack.memory());
        if !exploration.take(&mut state, step, &mut || stack.path()) {
            continue;
        }
        // The two halves of a rendezvous count as two steps, and the first half alone is a place that was reached.
        let length = if step.partner.is_some() { 2 } else { 1 };
        if question.limits.depth.is_some_and(|limit| depth + length > limit) {
            exploration.outcome.depth_cut = true;
            continue;
        }
        exploration.reached(depth + length - 1);
        stack.visit(&mut exploration, &mut state, depth + length);
    }
    Ok(exploration.finish())
}

impl Stack {
    fn visit<S: Successors>(&mut self, exploration: &mut Exploration<S>, state: &mut S::State, depth: u64) {
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        let arrival = exploration.arrive(state, depth, &mut found, &mut || self.path());
        let first = self.steps.len();
        self.steps.extend_from_slice(&found);
        self.found = found;
        let Arrival::Expanded { stored } = arrival else { return };
        if self.steps.len() == first {
            return;
        }
        let state = match stored {
            Some(id) => Kept::Stored(id),
            None => match self.pass(exploration.pack(state)) {
                Some(kept) => kept,
                None => {
                    self.steps.truncate(first);
                    return;
                }
            },
        };
        self.frames.push(Frame { state, first, next: first, depth });
    }

    /// Keeps a state inside an atomic sequence. None if there is no need to look at it again.
    fn pass(&mut self, bytes: &[u8]) -> Option<Kept> {
        let is_first = !matches!(self.frames.last(), Some(Frame { state: Kept::Passing { .. }, .. }));
        if is_first {
            self.atomic.push(0);
        }
        if let Some(states) = self.atomic.last_mut() {
            *states = states.saturating_add(1);
            if *states > LONG_ATOMIC && self.remembered.insert(bytes, bytes.len()).is_none() {
                return None;
            }
        }
        let start = self.passing.len();
        self.passing.extend_from_slice(bytes);
        Some(Kept::Passing { start, is_first })
    }

    fn pop(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        self.steps.truncate(frame.first);
        if let Kept::Passing { start, is_first } = frame.state {
            self.passing.truncate(start);
            if is_first {
                self.atomic.pop();
            }
        }
    }

    /// The steps that are being taken, from the initial state on.
    fn path(&self) -> Vec<Step> {
        self.frames.iter().map(|frame| self.steps[frame.next - 1]).collect()
    }

    fn memory(&self) -> u64 {
        let stacks = self.frames.len() * size_of::<Frame>()
            + self.steps.len() * size_of::<Step>()
            + self.passing.len();
        stacks as u64 + self.remembered.memory()
    }
}
