//! Everything: no reduction.

use crate::execution::Execution;
use crate::stack::{Stack, Strategy};

/// Tries every thread that can move, in every state.
#[derive(Default)]
pub struct Naive;

impl Strategy for Naive {
    fn uses_sleep(&self) -> bool {
        false
    }

    fn plan(&mut self, stack: &mut Stack, _: &Execution, known: usize) {
        for node in &mut stack.nodes[known..] {
            node.backtrack = node.enabled;
        }
    }
}
