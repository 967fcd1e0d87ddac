//! Every schedule within a bound.
//!
//! A *preemption* is a switch away from a thread that could have gone on. A *delay* is a deviation from a fixed scheduler, which lets the thread
//! that moved last go on as long as it can, and then takes the next one that can, in a circle; skipping n threads costs n.
//!
//! There is no reduction: of two executions that differ only in the order of independent operations, one may be within the bound and the
//! other not.

use allways_stateless_protocol::{Policy, ThreadSet};

use crate::execution::Execution;
use crate::stack::{Node, Stack, Strategy};

/// What is limited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    Preemptions(u32),
    Delays(u32),
}

/// Tries what is within the bound.
pub struct Bounded {
    bound: Bound,
    has_left_out: bool,
}

impl Bounded {
    pub fn new(bound: Bound) -> Bounded {
        Bounded { bound, has_left_out: false }
    }

    fn cost(&self, previous: Option<usize>, enabled: ThreadSet, thread: usize) -> u32 {
        let previous = previous.unwrap_or(0);
        match self.bound {
            Bound::Preemptions(_) => u32::from(thread != previous && enabled.contains(previous)),
            Bound::Delays(_) => {
                let is_after = thread >= previous;
                let skipped = |other: &usize| match *other >= previous {
                    true => !is_after || *other < thread,
                    false => !is_after && *other < thread,
                };
                enabled.iter().filter(skipped).count() as u32
            }
        }
    }

    fn limit(&self) -> u32 {
        match self.bound {
            Bound::Preemptions(limit) | Bound::Delays(limit) => limit,
        }
    }
}

impl Strategy for Bounded {
    fn uses_sleep(&self) -> bool {
        false
    }

    fn policy(&self) -> Policy {
        Policy::Continue
    }

    fn plan(&mut self, stack: &mut Stack, _: &Execution, known: usize) {
        let mut spent = 0;
        let mut previous = None;
        for (index, node) in stack.nodes.iter_mut().enumerate() {
            if index >= known {
                self.plan_node(node, previous, spent);
            }
            spent += self.cost(previous, node.enabled, node.choice.thread);
            previous = Some(node.choice.thread);
        }
    }

    fn has_left_out(&self) -> bool {
        self.has_left_out
    }
}

impl Bounded {
    fn plan_node(&mut self, node: &mut Node, previous: Option<usize>, spent: u32) {
        for thread in node.enabled.iter() {
            if spent + self.cost(previous, node.enabled, thread) <= self.limit() {
                node.backtrack.insert(thread);
            } else {
                self.has_left_out = true;
            }
        }
    }
}
