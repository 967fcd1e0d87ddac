//! Random small models, each determined by its seed.
//!
//! A model is made in this order, one file per stage: its `features`, then what it declares and which process
//! does what with which channel (`plan`), then the `bodies` (`statements`, `messages`, `expressions`). What keeps
//! the models interesting is the plan: every channel has a sender and a receiver, every passive proctype is run.
//! What keeps them small is that a step that may be repeated assigns only values of a small range.
//!
//! `temporal` adds to such models what temporal properties are about: `formulas`, never `claims`, `labels`.
//!
//! Not generated, because pan's behaviour is undefined there: zero divisors, uninitialised channels, wrong numbers
//! of message fields, polls of rendezvous channels, arrays of single bits (pan does not truncate their elements),
//! d_steps that block or do not end, and atomic loops that do not end. Indices out of range are drawn rarely and
//! only read.

mod bodies;
mod census;
mod claims;
pub(crate) mod dice;
mod expressions;
mod features;
mod formulas;
mod labels;
mod messages;
mod plan;
mod print;
mod scope;
mod statements;
mod temporal;
pub mod tree;
pub mod walk;

pub use census::{CONSTRUCTS, constructs};
pub use features::{Feature, Odds};
pub use temporal::{Kind, generate_temporal};

use dice::Dice;
use features::Features;
use plan::Plan;
use scope::Scope;
use tree::{Model, Stmt};
use walk::{Visitor, walk};

/// The model of a seed. The same seed and odds give the same model within one version of this crate.
pub fn generate(seed: u64, odds: &Odds) -> Model {
    let mut dice = Dice::new(seed);
    let features = Features::draw(&mut dice, odds);
    let plan = Plan::draw(&mut dice, &features);
    let mut generator = Generator { dice, features, plan, scope: Scope::default() };
    let inlines = generator.inlines();
    let proctypes = generator.proctypes();
    let mut model = Model {
        semantics: generator.semantics(),
        mtypes: generator.plan.mtypes,
        typedefs: generator.plan.typedefs,
        globals: generator.plan.globals,
        inlines,
        proctypes,
        ltl: vec![],
        never: None,
    };
    walk(&mut model, &mut SeparateDSteps);
    model
}

/// Puts a skip between loops and d_steps: to Spin the jump from a loop to a d_step that follows is a jump into the
/// d_step, and so an error.
struct SeparateDSteps;

impl Visitor for SeparateDSteps {
    fn body(&mut self, body: &mut Vec<Stmt>) {
        for i in (1..body.len()).rev() {
            if body[i - 1].ends_with_loop() && body[i].starts_with_d_step() {
                body.insert(i, Stmt::Skip);
            }
        }
    }
}

/// The state of generation. Its methods are spread over the files of this module by what they generate.
struct Generator {
    dice: Dice,
    features: Features,
    plan: Plan,
    /// Of the proctype or inline whose body is being generated.
    scope: Scope,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_text() {
        for seed in 0..50 {
            let text = || generate(seed, &Odds::default()).to_string();
            assert_eq!(text(), text());
        }
    }

    #[test]
    fn different_seeds_give_different_texts() {
        let texts: BTreeSet<_> = (0..500).map(|seed| generate(seed, &Odds::default()).to_string()).collect();
        assert_eq!(texts.len(), 500);
    }

    #[test]
    fn every_construct_occurs() {
        let mut missing: BTreeSet<_> = CONSTRUCTS.iter().copied().collect();
        for seed in 0..2000 {
            for construct in constructs(&generate(seed, &Odds::default())) {
                assert!(CONSTRUCTS.contains(&construct), "{construct} is not listed");
                missing.remove(construct);
            }
        }
        assert!(missing.is_empty(), "never generated: {missing:?}");
    }
}
