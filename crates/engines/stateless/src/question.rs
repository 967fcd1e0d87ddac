//! The state in which a program asks who moves next.

use std::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Region, ThreadSet, limits, load_set, state};

use crate::execution::Pending;

/// A look at the program while it waits for an answer.
pub struct Question<'r> {
    pub region: &'r Region,
}

impl Question<'_> {
    /// Who could move.
    pub fn enabled(&self) -> ThreadSet {
        load_set(&self.region.header.asked)
    }

    /// Who need not.
    pub fn asleep(&self) -> ThreadSet {
        load_set(&self.region.header.sleep)
    }

    /// How many choices were made so far.
    pub fn depth(&self) -> usize {
        self.region.header.n_steps.load(Relaxed) as usize
    }

    /// In how many ways the next step of a thread can go.
    pub fn n_values(&self, thread: usize) -> u32 {
        self.region.threads[thread].n_values.load(Relaxed)
    }

    /// Every thread that is not over, with what it is about to do.
    pub fn pending(&self) -> Vec<Pending> {
        pending(self.region)
    }
}

/// Every thread that is not over, with what it is about to do.
pub fn pending(region: &Region) -> Vec<Pending> {
    let count = (region.header.n_threads.load(Relaxed) as usize).min(limits::THREADS);
    let threads = region.threads[..count].iter().enumerate();
    threads
        .filter(|(_, slot)| slot.state.load(Relaxed) == state::PENDING)
        .map(|(thread, slot)| Pending::new(thread, slot.operation.load()))
        .collect()
}
