//! What searches by distance have in common: every visited state is kept and remembers the one it was reached from, so that a
//! trail can be read off backwards; and one thread does it all, which looks at the clock now and then.

use std::ops::ControlFlow;
use std::time::Instant;

use allways_verdict::Statistics;

use crate::depth_first::{End, Restart, TICK, TICK_EFFORT};
use crate::tally::Tally;
use crate::{Monitor, Question, Stopped};

/// The visited states, in the order in which they were met.
pub struct Nodes {
    /// Words of an entry.
    width: usize,
    entries: Vec<u64>,
    /// Where each was reached from; the first one from itself.
    parents: Vec<u32>,
}

impl Nodes {
    pub fn new(width: usize) -> Nodes {
        Nodes { width, entries: Vec::new(), parents: Vec::new() }
    }

    pub fn len(&self) -> u32 {
        self.parents.len() as u32
    }

    /// No more can be numbered.
    pub fn is_full(&self) -> bool {
        self.len() == u32::MAX
    }

    pub fn push(&mut self, entry: &[u64], parent: u32) {
        self.entries.extend_from_slice(entry);
        self.parents.push(parent);
    }

    pub fn entry(&self, node: u32) -> &[u64] {
        &self.entries[node as usize * self.width..][..self.width]
    }

    /// The states that lead to a state, and itself.
    pub fn path(&self, mut node: u32) -> Vec<u32> {
        let mut path = vec![node];
        while self.parents[node as usize] != node {
            node = self.parents[node as usize];
            path.push(node);
        }
        path.reverse();
        path
    }

    pub fn bytes(&self) -> u64 {
        (self.entries.capacity() * 8 + self.parents.capacity() * 4) as u64
    }
}

/// Tells the monitor how the search goes.
pub struct Clock<'c> {
    monitor: &'c mut dyn Monitor,
    statistics: &'c mut Statistics,
    started: Instant,
    until_tick: u32,
    /// The effort after which it is time, too.
    due: u64,
}

impl<'c> Clock<'c> {
    pub fn new(monitor: &'c mut dyn Monitor, statistics: &'c mut Statistics, started: Instant) -> Clock<'c> {
        Clock { monitor, statistics, started, until_tick: TICK, due: TICK_EFFORT }
    }

    /// To be called after every expansion, with the effort so far: whether it is time to call [`Clock::tell`].
    pub fn tick(&mut self, effort: u64) -> bool {
        self.until_tick -= 1;
        if self.until_tick > 0 && effort < self.due {
            return false;
        }
        self.until_tick = TICK;
        self.due = effort + TICK_EFFORT;
        true
    }

    /// Tells how far it is. `bytes` is what is kept besides the store.
    pub fn tell(
        &mut self,
        tally: &Tally,
        question: &Question,
        store_bytes: u64,
        bytes: u64,
    ) -> ControlFlow<End> {
        self.statistics.states = tally.states;
        self.statistics.matched = tally.matched;
        self.statistics.depth = tally.depth;
        self.statistics.store_bytes = store_bytes;
        self.statistics.search = self.started.elapsed();
        self.monitor.tick(self.statistics).map_break(End::Stopped)?;
        match question.limits.memory.is_some_and(|limit| store_bytes + bytes > limit) {
            true => ControlFlow::Break(End::Stopped(Stopped::Memory)),
            false => ControlFlow::Continue(()),
        }
    }
}

pub fn restart(why: Restart) -> ControlFlow<End> {
    ControlFlow::Break(End::Restart(why))
}
