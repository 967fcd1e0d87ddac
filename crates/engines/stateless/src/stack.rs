//! The choices of the last execution, and what else is to be tried.

use allways_stateless_protocol::{Policy, Region, ThreadSet};

use crate::difference::{Deed, Difference, Turn};
use crate::execution::{Execution, Step};
use crate::question::Question;

/// Which thread moves, and with which value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Choice {
    pub thread: usize,
    pub value: u32,
}

/// A state that the last execution passed, with what was chosen there.
#[derive(Clone, Debug)]
pub struct Node {
    /// Who could move.
    pub enabled: ThreadSet,
    /// Who need not be tried, because an equivalent execution was explored elsewhere.
    pub sleep: ThreadSet,
    /// Who is to be tried.
    pub backtrack: ThreadSet,
    /// Who was tried with all values.
    pub done: ThreadSet,
    /// Whose step ended the execution: the others did not get further, so nobody knows what is independent of it.
    pub fatal: ThreadSet,
    /// Who moves now.
    pub choice: Choice,
    /// What it does; `None` until that was executed.
    pub deed: Option<Deed>,
    /// The values of the operation.
    pub n_values: u32,
}

impl Node {
    fn new(step: &Step) -> Node {
        Node {
            enabled: step.enabled,
            sleep: step.sleep,
            backtrack: ThreadSet::single(step.thread),
            done: ThreadSet::EMPTY,
            fatal: ThreadSet::EMPTY,
            choice: Choice { thread: step.thread, value: step.value },
            deed: Some(Deed::of(step)),
            n_values: step.n_values,
        }
        .with_fatal(step)
    }

    fn with_fatal(mut self, step: &Step) -> Node {
        if step.is_fatal {
            self.fatal.insert(step.thread);
        }
        self
    }

    /// The choice, as an execution is expected to make it.
    pub fn turn(&self) -> Turn {
        Turn { choice: self.choice, deed: self.deed, enabled: self.enabled }
    }

    /// How many threads were tried, and how many are to be.
    fn progress(&self) -> (f64, f64) {
        let mut all = self.backtrack.without(self.sleep).union(self.done);
        all.insert(self.choice.thread);
        let values = f64::from(self.choice.value) / f64::from(self.n_values.max(1));
        (self.done.len() as f64 + values, all.len() as f64)
    }

    /// Turns to the next choice, if any is left.
    fn advance(&mut self) -> bool {
        if self.choice.value + 1 < self.n_values {
            self.choice.value += 1;
            return true;
        }
        self.done.insert(self.choice.thread);
        match self.backtrack.without(self.done).without(self.sleep).first() {
            Some(thread) => {
                self.choice = Choice { thread, value: 0 };
                // Known when it is executed.
                self.n_values = 1;
                self.deed = None;
                true
            }
            None => false,
        }
    }
}

/// The path through the tree of all executions.
#[derive(Clone, Debug, Default)]
pub struct Stack {
    pub nodes: Vec<Node>,
}

impl Stack {
    /// Takes over the new part of an execution that followed the stack; the number of tree edges that are new. An error if it did not
    /// follow it.
    pub fn extend(&mut self, execution: &Execution) -> Result<u64, Box<Difference>> {
        let followed = self.nodes.len();
        if let Some(difference) = self.difference(execution) {
            return Err(difference);
        }
        if let Some(last) = self.nodes.last_mut() {
            let step = execution.choice(followed - 1);
            last.n_values = step.n_values;
            last.deed = Some(Deed::of(step));
            if step.is_fatal {
                last.fatal.insert(step.thread);
            }
        }
        self.nodes
            .extend((followed..execution.visible.len()).map(|index| Node::new(execution.choice(index))));
        Ok((self.nodes.len() - followed.saturating_sub(1)) as u64)
    }

    /// Where an execution did not follow the stack.
    pub fn difference(&self, execution: &Execution) -> Option<Box<Difference>> {
        Difference::find(self.nodes.iter().map(Node::turn), execution)
    }

    /// Goes back to the deepest state where something is left to try. False when nothing is.
    pub fn backtrack(&mut self) -> bool {
        while let Some(node) = self.nodes.last_mut() {
            if node.advance() {
                return true;
            }
            self.nodes.pop();
        }
        false
    }

    /// An estimate of the part of the tree that is done: along the current path, as if every branch of a state led to as much as every other, and
    /// nothing were added to what is to be tried. With a reduction more is added while one goes back, so the estimate can fall.
    pub fn part_done(&self) -> f64 {
        let (mut done, mut weight) = (0.0, 1.0);
        for node in &self.nodes {
            let (tried, all) = node.progress();
            done += weight * tried / all;
            weight /= all * f64::from(node.n_values.max(1));
        }
        if self.nodes.is_empty() { 1.0 } else { done }
    }

    pub fn schedule(&self) -> Vec<Choice> {
        self.nodes.iter().map(|node| node.choice).collect()
    }

    /// Who is asleep where the last choice is made.
    pub fn branch_sleep(&self) -> ThreadSet {
        let asleep = |node: &Node| {
            let mut asleep = node.sleep.union(node.done.without(node.fatal));
            asleep.remove(node.choice.thread);
            asleep
        };
        self.nodes.last().map_or(ThreadSet::EMPTY, asleep)
    }
}

/// Decides what else is to be tried.
pub trait Strategy {
    /// Does it leave out what sleeps?
    fn uses_sleep(&self) -> bool;

    /// Who moves after the prefix.
    fn policy(&self) -> Policy {
        Policy::Lowest
    }

    /// An execution along a prefix of this length begins.
    fn begin(&mut self, _prefix: usize) {}

    /// Who moves next, if the policy is to ask; nobody if all that is worth trying was explored elsewhere.
    fn answer(&mut self, _question: &Question) -> Option<Choice> {
        None
    }

    /// An execution is over.
    fn end(&mut self, _region: &Region) {}

    /// Was something learned that makes earlier decisions wrong, so that the search must begin anew?
    fn is_outdated(&self, _is_over: bool) -> bool {
        false
    }

    /// The search begins, perhaps anew; said by one worker.
    fn begin_round(&mut self) {}

    /// May random executions be tried beside it?
    fn has_samples(&self) -> bool {
        false
    }

    /// Were there choices that are never tried?
    fn has_left_out(&self) -> bool {
        false
    }

    /// Looks at an execution whose first choices, up to `known`, were looked at before, and adds to the `backtrack` sets.
    fn plan(&mut self, stack: &mut Stack, execution: &Execution, known: usize);
}
