//! Depth-first search of several states at a time.
//!
//! Where states are looked up is nowhere near the processor. So the states that wait last are taken in batches, and each
//! of the things to do is done for all of them before the next: fetch their words, find their successors, encode these, and
//! look them up. What one of them needs is fetched while the processor is busy with the others.
//!
//! Only new states wait, so each state is added to the visited ones where it is found, not where it is expanded.

use std::sync::RwLockReadGuard;
use std::sync::atomic::Ordering;

use allways_compiled::{Recollected, SHORT};
use allways_store::Insertion;

use crate::Order;
use crate::depth_first::{Clock, EAGER_TICK, Expansion, MANY, Searcher, TICK, below};
use crate::forest::Reached;
use crate::keeper::Keeper;
use crate::tally::{Origins, Successors};

/// At most so many states are expanded together...
const BATCH: usize = 32;
/// ...and so many long ones, of which more would not stay near the processor.
const LONG_BATCH: usize = 16;
/// With fewer states that wait none are left to others, unless these ask.
const WORTH_OFFERING: usize = 64;
/// So many batches add new states before these are counted.
const COUNT_AFTER: u32 = 8;

/// States that are expanded together. Their entries are [`Searcher::origins`].
#[derive(Default)]
pub struct Batch {
    pub reached: Vec<Reached>,
    /// The node of each from which others were reached.
    nodes: [u32; BATCH],
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
        let mut n_short = self.short_words(&keeper);
        let tick = if shared.question.eager { EAGER_TICK } else { TICK };
        let mut until_tick = tick;
        loop {
            if until_tick == 0 || self.is_due() {
                until_tick = tick;
                let Some(after) = self.tick(keeper, clock.as_deref_mut()) else { return };
                keeper = after;
                // The reduction may have been given up.
                n_short = self.short_words(&keeper);
            }
            let most = if n_short == MANY { LONG_BATCH } else { BATCH };
            self.origins.clear();
            self.batch.reached.clear();
            self.forest.pop(most, &mut self.origins.entries, &mut self.batch.reached);
            let n_states = self.batch.reached.len();
            if n_states == 0 {
                keeper.count(&mut self.batch.insertion);
                drop(keeper);
                self.tell(clock.as_deref_mut());
                if !helps {
                    return;
                }
                let Some(job) = shared.jobs.next() else { return };
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
                if self.batch.patience == 0 && shared.jobs.are_wanted() {
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
        let mut first = 0;
        while first < n_states {
            let (origin, expansion) = match N {
                MANY => {
                    let depth = self.batch.reached[first].depth as u64;
                    (first, self.expand(&keeper, first as u32, depth, false))
                }
                _ => self.expand_short::<N>(&keeper, first),
            };
            match expansion {
                Expansion::Done => first = origin + 1,
                Expansion::Stop => return None,
                Expansion::Full => {
                    first = origin;
                    keeper = self.grow(keeper)?;
                }
            }
        }
        while self.successors.encode_short(&*keeper, &self.origins, &mut self.base).is_err() {
            keeper = self.grow(keeper)?;
        }
        while keeper.encode_rest(&mut self.base, &mut self.successors.entries).is_err() {
            keeper = self.grow(keeper)?;
        }
        let n_before = self.forest.n_waiting();
        self.batch.insertion.start();
        while keeper.insert_all(&self.successors.entries, &mut self.batch.insertion).is_err() {
            keeper = self.grow(keeper)?;
        }
        let n_new = self.batch.insertion.fresh().len() as u64;
        self.tally.states += n_new;
        self.tally.matched += self.successors.from.len() as u64 - n_new;
        match self.shared.depth_limit {
            None => self.add_fresh(width),
            Some(_) => self.add_earlier(width),
        }
        if let Order::Random(_) = self.shared.question.order {
            for i in (n_before + 1..self.forest.n_waiting()).rev() {
                let j = n_before + below(&mut self.batch.random, i + 1 - n_before);
                self.forest.swap(i, j);
            }
        }
        Some(keeper)
    }

    /// Expands states of so many words, all steps of them, from the one with the number `first` on, until one is not as usual. The number
    /// of the last one, and what became of it.
    #[inline(always)]
    fn expand_short<const N: usize>(&mut self, keeper: &K, first: usize) -> (usize, Expansion) {
        let Searcher { origins, successors, worker, tally, batch, .. } = self;
        let reached = &batch.reached[..];
        tally.depth = reached[first..].iter().map(|reached| reached.depth as u64).fold(tally.depth, u64::max);
        let Successors { short, short_from, .. } = successors;
        let recollected =
            worker.recollect::<N>(origins.words.get(), first, short, short_from, |origin, deepest, steps| {
                tally.atomic_steps += steps;
                tally.depth = tally.depth.max(reached[origin].depth as u64 + deepest as u64);
            });
        match recollected {
            Recollected::All => (reached.len(), Expansion::Done),
            Recollected::Until(origin, found) => {
                let depth = reached[origin].depth as u64;
                (origin, self.expand_rest(keeper, origin as u32, depth, &found))
            }
            Recollected::Unknown(origin) => {
                let depth = reached[origin].depth as u64;
                (origin, self.expand(keeper, origin as u32, depth, false))
            }
        }
    }

    /// The successors that are new wait.
    #[inline(always)]
    fn add_fresh(&mut self, width: usize) {
        let Searcher { batch, successors, .. } = self;
        let mut n_children = [0; BATCH];
        for number in batch.insertion.fresh() {
            n_children[successors.from[*number as usize].origin as usize] += 1;
        }
        self.enter_all(width, &n_children);
        let Searcher { batch, successors, forest, .. } = self;
        let Batch { insertion, nodes, reached, .. } = batch;
        forest.push_all(
            &successors.entries,
            insertion.fresh(),
            insertion.fresh().iter().map(|number| {
                let from = successors.from[*number as usize];
                let origin = from.origin as usize;
                Reached { parent: nodes[origin], depth: reached[origin].depth.saturating_add(from.length) }
            }),
        );
    }

    /// The same with a depth limit: those that were met later before wait as well.
    #[cold]
    #[inline(never)]
    fn add_earlier(&mut self, width: usize) {
        let Searcher { batch, successors, shared, .. } = self;
        let mut is_fresh = vec![false; successors.from.len()];
        batch.insertion.fresh().iter().for_each(|number| is_fresh[*number as usize] = true);
        let mut n_children = [0; BATCH];
        let mut waiting = Vec::new();
        for (number, from) in successors.from.iter().enumerate() {
            let is_new = is_fresh[number];
            let entry = &successors.entries[number * width..][..width];
            let origin = from.origin as usize;
            let depth = batch.reached[origin].depth.saturating_add(from.length);
            if shared.is_met_earlier(entry, depth as u64, is_new) {
                n_children[origin] += 1;
                waiting.push((number as u32, origin, depth));
            }
        }
        self.enter_all(width, &n_children);
        let Searcher { batch, successors, forest, .. } = self;
        let numbers: Vec<u32> = waiting.iter().map(|(number, ..)| *number).collect();
        forest.push_all(
            &successors.entries,
            &numbers,
            waiting.iter().map(|(_, origin, depth)| Reached { parent: batch.nodes[*origin], depth: *depth }),
        );
    }

    /// So many states will wait that were reached from each of those that were expanded.
    #[inline(always)]
    fn enter_all(&mut self, width: usize, n_children: &[u32; BATCH]) {
        let Searcher { batch, forest, origins, .. } = self;
        let Batch { nodes, reached, .. } = batch;
        for (((node, reached), entry), n_children) in
            nodes.iter_mut().zip(reached).zip(origins.entries.chunks_exact(width)).zip(n_children)
        {
            if *n_children > 0 {
                *node = forest.enter(entry, reached.parent, *n_children);
            } else {
                forest.leave(reached.parent);
            }
        }
    }

    /// Leaves work to other threads.
    #[cold]
    #[inline(never)]
    fn give(&mut self) {
        let Searcher { shared, forest, batch, .. } = self;
        shared.jobs.offer(|is_waited_for| {
            if !is_waited_for && forest.n_waiting() < WORTH_OFFERING {
                return None;
            }
            let handover = forest.hand_over()?;
            batch.patience = handover.size() / 4;
            Some(handover)
        });
    }
}
