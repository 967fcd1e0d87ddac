//! From the states of a path to the steps between them.

use std::ops::ControlFlow;

use allways_compiled::{Arrival, Everything, Machine, StepsTo, Visitor, Worker, Wrong};
use allways_system::Step;

use crate::cycles::Pids;
use crate::keeper::Keeper;

/// The steps along a path, given as the entries of its states, the initial one first. None if there
/// is no time left for them.
pub fn steps_along<K: Keeper>(machine: &Machine, keeper: &K, entries: &[u64]) -> Option<Vec<Step>> {
    let mut worker = Worker::new(machine);
    worker.keep_steps();
    worker.will_repeat();
    let mut base = K::Base::default();
    let mut steps = Vec::new();
    let mut target = vec![0; keeper.room()];
    let states: Vec<&[u64]> = entries.chunks_exact(keeper.width()).collect();
    for pair in states.windows(2) {
        keeper.decode(pair[1], &mut target, &mut base);
        let mut finder = Finder { target: &target, movers: None, found: None };
        keeper.load(pair[0], &mut worker, &mut base);
        worker.expand(&mut finder, &mut Everything, u64::MAX);
        steps.extend(finder.found?);
    }
    Some(steps)
}

/// Finds the fewest steps that lead to a state; there are several ways only through atomic sequences.
pub struct Finder<'f> {
    pub target: &'f [u64],
    /// Exactly these processes must move, if it matters.
    pub movers: Option<Pids>,
    pub found: Option<Vec<Step>>,
}

impl Visitor for Finder<'_> {
    fn arrive(&mut self, arrival: &Arrival) -> ControlFlow<()> {
        let n = arrival.n_words;
        if n <= self.target.len()
            && arrival.words[..n] == self.target[..n]
            && self.target[n..].iter().all(|word| *word == 0)
            && self.movers.is_none_or(|movers| movers == Pids::from(arrival.movers))
        {
            let is_better = self.found.as_ref().is_none_or(|found| arrival.steps.len() < found.len());
            if is_better {
                self.found = Some(arrival.steps.to_vec());
            }
            if arrival.steps.len() == 1 {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    fn violation(&mut self, _: Wrong, _: usize, _: StepsTo) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
