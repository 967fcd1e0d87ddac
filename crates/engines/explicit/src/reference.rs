//! The plain search: any [`Successors`], states as bytes in one arena. Slow and simple; the fast searches are tested
//! against it, and systems that cannot be compiled are left to it.
//!
//! What all orders do with a state they arrive at is in `exploration.rs`; start reading there.

mod breadth_first;
mod depth_first;
mod exploration;
mod preemptions;
pub mod store;

use allways_system::{Fault, Successors};

use crate::{Monitor, Order, Outcome, Question};

/// Explores everything that can be reached, or as much as the question allows.
pub fn search<S: Successors>(
    model: &S,
    question: &Question,
    monitor: &mut dyn Monitor,
) -> Result<Outcome, Fault> {
    match question.order {
        Order::DepthFirst | Order::Random(_) => depth_first::search(model, question, monitor),
        Order::BreadthFirst => breadth_first::search(model, question, monitor),
        Order::Preemptions(at_most) => preemptions::search(model, question, at_most, monitor),
    }
}
