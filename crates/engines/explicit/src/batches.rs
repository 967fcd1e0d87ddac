//! Depth-first search of several states at a time.
//!
//! Where states are looked up is nowhere near the processor. So the states that wait last are taken in batches, and each
//! of the things to do is done for all of them before the next: fetch their words, find their successors, encode these, and
//! look them up. What one of them needs is fetched while the processor is busy with the others.
//!
//! Only new states wait, so each state is added to the visited ones where it is found, not where it is expanded.

use std::sync::RwLockReadGuard;
use std::sync::atomic::Ordering;

use allways_compiled::{Chooser, SHORT};
use allways_store::Insertion;

use crate::Order;
use crate::depth_first::{Clock, Expansion, Searcher, TICK, below};
use crate::forest::{ROOT, Reached};
use crate::keeper::Keeper;
use crate::tally::Origins;

/// So many states are expanded together.
const BATCH: usize = 16;
/// Stands for a number of words that is not small.
const MANY: usize = 0;
/// So many batches add new states before these are counted.
const COUNT_AFTER: u32 = 8;

/// States that are expanded together. Their entries are [`Searcher::origins`].
#[derive(Default)]
pub struct Batch {
    pub reached: Vec<Reached>,
    /// The node of each, once others were reached from it.
    nodes: Vec<u32>,
    pub insertion: Insertion,
    /// After so many batches what is new is counted.
    until_count: u32,
    /// States were handed over at such a cost; until so many others were expanded it is not done again.
    patience: usize,
    random: u64,
}

impl Batch {
    /// `alone` if there is one thread only.
    pub fn new(alone: bool) -> Batch {
        Batch { insertion: Insertion::new(alone), ..Batch::default() }
    }
}

impl<'q, K: Keeper> Searcher<'_, '_, 'q, K> {
    /// Searches until nobody has anything left to do, or somebody stops the search.
    pub fn run_in_batches(&mut self, mut clock: Option<&mut Clock>) {
        let shared = self.shared;
        if let Order::Random(seed) = shared.question.order {
            self.batch.random = seed;
        }
        self.worker.remember();
        let helps = shared.question.threads > 1;
        let mut keeper = shared.read();
        // Where reduction or a depth limit have a say, states are expanded one by one.
        let is_free = !self.chooser.chooses() && shared.question.limits.depth.is_none();
        let n_short = if is_free { keeper.room() } else { MANY };
        let mut until_tick = TICK;
        loop {
            if until_tick == 0 {
                until_tick = TICK;
                let Some(after) = self.tick(keeper, clock.as_deref_mut()) else { return };
                keeper = after;
            }
            self.origins.clear();
            self.batch.reached.clear();
            self.forest.pop(BATCH, &mut self.origins.entries, &mut self.batch.reached);
            let n_states = self.batch.reached.len();
            if n_states == 0 {
                keeper.count(&mut self.batch.insertion);
                drop(keeper);
                self.tell(clock.as_deref_mut());
                if !helps {
                    return;
                }
                let Some(job) = shared.next_job() else { return };
                self.forest.take_over(job);
                keeper = shared.read();
                continue;
            }
            until_tick = until_tick.saturating_sub(n_states as u32);
            let visited = match n_short {
                1 => self.visit::<1>(keeper),
                2 => self.visit::<2>(keeper),
                3 => self.visit::<3>(keeper),
                SHORT => self.visit::<SHORT>(keeper),
                _ => self.visit::<MANY>(keeper),
            };
            let Some(after) = visited else { return };
            keeper = after;
            if self.batch.until_count == 0 {
                self.batch.until_count = COUNT_AFTER;
                keeper.count(&mut self.batch.insertion);
            }
            self.batch.until_count -= 1;
            if keeper.wants_growth() {
                let Some(grown) = self.grow(keeper) else { return };
                keeper = grown;
            }
            if helps {
                if shared.growing.load(Ordering::Relaxed) > 0 {
                    drop(keeper);
                    keeper = shared.read();
                }
                self.batch.patience = self.batch.patience.saturating_sub(n_states);
                if shared.hungry.load(Ordering::Relaxed) > 0 && self.batch.patience == 0 {
                    self.give();
                }
            }
        }
    }

    /// Expands the states of the batch and adds their successors to the visited states; those that are new wait then.
    /// None if the search is over. States have so many words, or [`MANY`].
    #[inline(never)]
    fn visit<const N: usize>(
        &mut self,
        mut keeper: RwLockReadGuard<'q, K>,
    ) -> Option<RwLockReadGuard<'q, K>> {
        let width = keeper.width();
        let n_states = self.batch.reached.len();
        self.origins.entries.chunks_exact(width).for_each(|entry| keeper.prefetch_state(entry));
        self.successors.clear();
        if N != MANY {
            let Origins { entries, words } = &mut self.origins;
            words.set(entries.chunks_exact(width).map(|entry| keeper.decode_short::<N>(entry)));
        }
        for origin in 0..n_states {
            let depth = self.batch.reached[origin].depth as u64;
            loop {
                let expanded = match N {
                    MANY => self.expand(&keeper, origin as u32, depth, false),
                    _ => self.expand_short::<N>(&keeper, origin as u32, depth),
                };
                match expanded {
                    Expansion::Done => break,
                    Expansion::Stop => return None,
                    Expansion::Full => keeper = self.grow(keeper)?,
                }
            }
        }
        while self.successors.encode_short(&*keeper, &self.origins, &mut self.base).is_err() {
            keeper = self.grow(keeper)?;
        }
        self.batch.nodes.clear();
        self.batch.nodes.resize(n_states, ROOT);
        let n_before = self.forest.n_waiting();
        self.batch.insertion.start();
        while keeper.insert_all(&self.successors.entries, &mut self.batch.insertion).is_err() {
            keeper = self.grow(keeper)?;
        }
        let n_new = self.batch.insertion.fresh().len() as u64;
        self.tally.states += n_new;
        self.tally.matched += self.successors.from.len() as u64 - n_new;
        match self.shared.question.limits.depth {
            None => self.add_fresh(width),
            Some(_) => self.add_earlier(width),
        }
        for (reached, node) in self.batch.reached.iter().zip(&self.batch.nodes) {
            if *node == ROOT {
                self.forest.leave(reached.parent);
            }
        }
        if let Order::Random(_) = self.shared.question.order {
            for i in (n_before + 1..self.forest.n_waiting()).rev() {
                let j = n_before + below(&mut self.batch.random, i + 1 - n_before);
                self.forest.swap(i, j);
            }
        }
        Some(keeper)
    }

    /// The successors that are new wait.
    #[inline(always)]
    fn add_fresh(&mut self, width: usize) {
        let Searcher { batch, successors, forest, origins, .. } = self;
        let Batch { insertion, nodes, reached, .. } = batch;
        for number in insertion.fresh() {
            let number = *number as usize;
            let from = successors.from[number];
            let before = &reached[from.origin as usize];
            let depth = before.depth.saturating_add(from.length);
            let parent = &mut nodes[from.origin as usize];
            if *parent == ROOT {
                let own = &origins.entries[from.origin as usize * width..][..width];
                *parent = forest.enter(own, before.parent);
            }
            let entry = &successors.entries[number * width..][..width];
            forest.push(entry, Reached { parent: *parent, depth });
        }
    }

    /// The same with a depth limit: those that were met later before wait as well.
    #[cold]
    #[inline(never)]
    fn add_earlier(&mut self, width: usize) {
        let Searcher { batch, successors, forest, origins, shared, .. } = self;
        let mut fresh = batch.insertion.fresh().iter().map(|number| *number as usize).peekable();
        for (number, from) in successors.from.iter().enumerate() {
            let is_new = fresh.next_if_eq(&number).is_some();
            let entry = &successors.entries[number * width..][..width];
            let origin = from.origin as usize;
            let depth = batch.reached[origin].depth.saturating_add(from.length);
            if !shared.is_met_earlier(entry, depth as u64, is_new) {
                continue;
            }
            if batch.nodes[origin] == ROOT {
                let own = &origins.entries[origin * width..][..width];
                batch.nodes[origin] = forest.enter(own, batch.reached[origin].parent);
            }
            forest.push(entry, Reached { parent: batch.nodes[origin], depth });
        }
    }

    /// Hands over work to a thread that has none.
    #[cold]
    #[inline(never)]
    fn give(&mut self) {
        let Searcher { shared, forest, batch, .. } = self;
        shared.give(|| {
            let handover = forest.hand_over()?;
            batch.patience = handover.size() / 4;
            Some(handover)
        });
    }
}
