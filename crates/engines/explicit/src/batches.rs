//! Depth-first search of several states at a time.
//!
//! Where states are looked up is nowhere near the processor. So the states that wait last are taken in batches, and each
//! of the things to do is done for all of them before the next: fetch their words, find their successors, encode these, and
//! look them up. What one of them needs is fetched while the processor is busy with the others.
//!
//! Only new states wait, so each state is added to the visited ones where it is found, not where it is expanded.

use std::sync::RwLockReadGuard;
use std::sync::atomic::Ordering;

use allways_store::Uncounted;

use crate::Order;
use crate::depth_first::{Clock, Expansion, Searcher, TICK, below};
use crate::forest::{ROOT, Reached};
use crate::keeper::Keeper;

/// So many states are expanded together.
const BATCH: usize = 16;
/// So many batches add new states before these are counted.
const COUNT_AFTER: u32 = 8;

/// States that are expanded together. Their entries are [`Searcher::origins`].
#[derive(Default)]
pub struct Batch {
    pub reached: Vec<Reached>,
    /// The node of each, once others were reached from it.
    nodes: Vec<u32>,
    tickets: Vec<u64>,
    pub news: Uncounted,
    /// After so many batches they are counted.
    until_count: u32,
    /// States were handed over at such a cost; until so many others were expanded it is not done again.
    patience: usize,
    random: u64,
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
                keeper.count(&mut self.batch.news);
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
            let Some(after) = self.visit(keeper) else { return };
            keeper = after;
            if self.batch.until_count == 0 {
                self.batch.until_count = COUNT_AFTER;
                keeper.count(&mut self.batch.news);
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
    /// None if the search is over.
    #[inline(always)]
    fn visit(&mut self, mut keeper: RwLockReadGuard<'q, K>) -> Option<RwLockReadGuard<'q, K>> {
        let width = keeper.width();
        let n_states = self.batch.reached.len();
        self.origins.entries.chunks_exact(width).for_each(|entry| keeper.prefetch_state(entry));
        self.successors.clear();
        for origin in 0..n_states {
            let depth = self.batch.reached[origin].depth as u64;
            loop {
                match self.expand(&keeper, origin as u32, depth, false) {
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
        let (mut first, mut n_new) = (0, 0);
        while !self.add(&keeper, &mut first, &mut n_new) {
            keeper = self.grow(keeper)?;
        }
        self.tally.states += n_new;
        self.tally.matched += self.successors.from.len() as u64 - n_new;
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

    /// Adds the successors to the visited states, from the one with the number `first` on. False if the keeper must grow
    /// first.
    #[inline(always)]
    fn add(&mut self, keeper: &K, first: &mut usize, n_new: &mut u64) -> bool {
        let width = keeper.width();
        let limit = self.shared.question.limits.depth;
        let Searcher { batch, successors, forest, origins, shared, .. } = self;
        batch.tickets.clear();
        let entries = || successors.entries[*first * width..].chunks_exact(width);
        for entry in entries() {
            let Ok(ticket) = keeper.ticket(entry) else {
                entries().for_each(|entry| keeper.expect(entry));
                return false;
            };
            batch.tickets.push(ticket);
        }
        let start = *first;
        for (number, ticket) in batch.tickets.iter().enumerate() {
            let Ok(is_new) = keeper.insert_ticket(*ticket, &mut batch.news) else { return false };
            *first += 1;
            *n_new += is_new as u64;
            if !is_new && limit.is_none() {
                continue;
            }
            let entry = &successors.entries[(start + number) * width..][..width];
            let from = successors.from[start + number];
            let origin = from.origin as usize;
            let depth = batch.reached[origin].depth.saturating_add(from.length);
            if limit.is_some() && !shared.is_met_earlier(entry, depth as u64, is_new) {
                continue;
            }
            let mut parent = batch.nodes[origin];
            if parent == ROOT {
                let own = &origins.entries[origin * width..][..width];
                parent = forest.enter(own, batch.reached[origin].parent);
                batch.nodes[origin] = parent;
            }
            forest.push(entry, Reached { parent, depth });
        }
        true
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
