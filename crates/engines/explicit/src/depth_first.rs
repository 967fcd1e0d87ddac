//! Depth-first search, by one thread or several.
//!
//! All successors of a state are encoded when it is expanded, and the processor is asked to fetch the place where each
//! will be looked up. A small search looks a successor up when it is its turn: then the order, and the depth that is
//! reached, are those of a plain depth-first search. A larger one looks all of them up at once and keeps only the new
//! ones on the stack, which is then a fraction as large.
//!
//! With several threads each searches depth first on its own and they share the set of visited states: whoever inserts a
//! state expands it. A thread that has nothing left says so, and another one hands over half of the states that wait on
//! its stack, the lowest ones, where the most is likely to be left to do, with the path that leads there. Threads start
//! only when the search has turned out not to be small.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

use allways_compiled::{Machine, Owner, TooLarge, Worker};
use allways_reduction::Reduction;
use allways_store::Full;
use allways_system::Step;
use allways_verdict::Statistics;
use rustc_hash::FxHashMap;

use crate::choose::Reducing;
use crate::collapse::Refused;
use crate::keeper::{Keeper, Key};
use crate::stack::{HandedFrame, Stack};
use crate::tally::{Collector, Successors, Tally};
use crate::{Found, Monitor, Order, Question, Stopped};

/// How a search ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    Done,
    Stopped(Stopped),
    /// Something was not as expected: begin anew.
    Restart(Restart),
}

/// Why to begin anew.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Restart {
    /// States have up to so many words.
    Words(usize),
    Shapes,
    /// A variable needs more bits than expected, for this value.
    Narrow(Option<Owner>, i32),
    /// There are so many kinds of states that the compiled steps are of no use.
    TooManyShapes,
    /// The reduction does not know some process.
    Instances,
}

/// Everything that a search has to say.
pub struct Report {
    pub end: End,
    pub tally: Tally,
    pub too_large: Option<String>,
    pub store_bytes: u64,
}

/// How many states are visited between two looks at the clock.
const TICK: u32 = 4096;
/// Threads start after so many states were visited.
const SMALL: u32 = 2_000;

/// A single thread searches in the order of a plain depth-first search until it has visited so many states.
const STRICT: u64 = 1_000_000;

struct Shared<'s, K> {
    keeper: RwLock<K>,
    question: &'s Question,
    jobs: Mutex<Jobs>,
    wake: Condvar,
    /// How many threads want the keeper to grow.
    growing: AtomicUsize,
    /// How many threads have nothing to do.
    hungry: AtomicUsize,
    stop: AtomicBool,
    end: Mutex<Option<End>>,
    states: AtomicU64,
    matched: AtomicU64,
    stack_bytes: AtomicU64,
    /// With a depth limit: at which depth each state was met. One met again at a smaller depth is expanded again.
    depths: Mutex<FxHashMap<Box<[u64]>, u64>>,
}

#[derive(Default)]
struct Jobs {
    waiting: Vec<Job>,
    done: bool,
}

/// States handed from one thread to another.
struct Job {
    path: Arc<Path>,
    frames: Vec<HandedFrame>,
    /// So many words of them, the first ones, were not added to the visited states yet.
    unclaimed: usize,
}

/// A path from the initial state, in pieces that several jobs share.
#[derive(Default)]
struct Path {
    before: Option<Arc<Path>>,
    entries: Vec<u64>,
}

/// Searches from the initial state of a machine.
pub fn search<K: Keeper>(
    machine: &Machine,
    keeper: K,
    question: &Question,
    monitor: &mut dyn Monitor,
    reduction: Option<&Reduction>,
    statistics: &mut Statistics,
    started: std::time::Instant,
) -> (Report, K) {
    let width = keeper.width();
    let shared = Shared {
        keeper: RwLock::new(keeper),
        question,
        jobs: Mutex::default(),
        wake: Condvar::new(),
        growing: AtomicUsize::new(0),
        hungry: AtomicUsize::new(0),
        stop: AtomicBool::new(false),
        end: Mutex::new(None),
        states: AtomicU64::new(0),
        matched: AtomicU64::new(0),
        stack_bytes: AtomicU64::new(0),
        depths: Mutex::default(),
    };
    let n_known = machine.n_instances();
    let chooser = || Reducing::new(reduction, n_known);
    let mut first = Searcher::new(machine, &shared, chooser(), width);
    first.begin();
    let mut report = Report { end: End::Done, tally: Tally::default(), too_large: None, store_bytes: 0 };
    let mut clock = Clock { monitor, statistics, started };
    first.run(Some(&mut clock), Some(if question.eager { 1 } else { SMALL }));
    if question.threads > 1 && !first.is_done() && !shared.is_stopped() {
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..question.threads)
                .map(|_| {
                    let (shared, chooser) = (&shared, &chooser);
                    scope.spawn(move || {
                        let _guard = StopOnPanic(shared);
                        let mut searcher = Searcher::new(machine, shared, chooser(), width);
                        searcher.run(None, None);
                        searcher.finish()
                    })
                })
                .collect();
            let _guard = StopOnPanic(&shared);
            first.run(Some(&mut clock), None);
            for other in others {
                match other.join() {
                    Ok(finished) => report.add(finished),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
        });
    } else if !first.is_done() && !shared.is_stopped() {
        first.run(Some(&mut clock), None);
    }
    report.add(first.finish());
    let keeper = shared.keeper.into_inner().unwrap_or_else(PoisonError::into_inner);
    report.store_bytes = keeper.bytes();
    report.end = shared.end.into_inner().unwrap_or_else(PoisonError::into_inner).unwrap_or(End::Done);
    (report, keeper)
}

/// If a thread panics, the others must not wait for it.
struct StopOnPanic<'s, 'q, K: Keeper>(&'s Shared<'q, K>);

impl<K: Keeper> Drop for StopOnPanic<'_, '_, K> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop(End::Stopped(Stopped::Interrupt));
        }
    }
}

struct Clock<'c> {
    monitor: &'c mut dyn Monitor,
    statistics: &'c mut Statistics,
    started: std::time::Instant,
}

struct Finished {
    tally: Tally,
    too_large: Option<String>,
}

impl Report {
    fn add(&mut self, finished: Finished) {
        self.tally.merge(finished.tally);
        if self.too_large.is_none() {
            self.too_large = finished.too_large;
        }
    }
}

impl<K: Keeper> Shared<'_, K> {
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn stop(&self, end: End) {
        self.end.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(end);
        self.stop.store(true, Ordering::Relaxed);
        self.wake.notify_all();
    }

    /// Lets those through that want to grow: the lock alone would let them wait as long as others read.
    fn read(&self) -> RwLockReadGuard<'_, K> {
        while self.growing.load(Ordering::Relaxed) > 0 {
            std::thread::yield_now();
        }
        self.keeper.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the keeper grow, unless another thread has just done it.
    fn grow(&self, stack_bytes: u64) {
        let limit = self.question.limits.memory.map(|limit| limit.saturating_sub(stack_bytes));
        self.growing.fetch_add(1, Ordering::Relaxed);
        let mut keeper = self.keeper.write().unwrap_or_else(PoisonError::into_inner);
        let grown = keeper.grow(limit);
        drop(keeper);
        self.growing.fetch_sub(1, Ordering::Relaxed);
        if grown.is_err() {
            self.stop(End::Stopped(Stopped::Memory));
        }
    }

    /// Whether a state is to be expanded that was met at this depth, if there is a depth limit.
    fn is_met_earlier(&self, entry: &[u64], depth: u64, is_new: bool) -> bool {
        let mut depths = self.depths.lock().unwrap_or_else(PoisonError::into_inner);
        match depths.get_mut(entry) {
            Some(known) if *known <= depth => is_new,
            Some(known) => {
                *known = depth;
                true
            }
            None => {
                depths.insert(entry.into(), depth);
                true
            }
        }
    }

    /// Waits for work. None when there is nothing left for anybody.
    fn next_job(&self) -> Option<Job> {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        let hungry = self.hungry.fetch_add(1, Ordering::Relaxed) + 1;
        if hungry == self.question.threads && jobs.waiting.is_empty() {
            jobs.done = true;
            self.wake.notify_all();
        }
        loop {
            if jobs.done || self.is_stopped() {
                return None;
            }
            if let Some(job) = jobs.waiting.pop() {
                return Some(job);
            }
            let pause = Duration::from_millis(20);
            jobs = self.wake.wait_timeout(jobs, pause).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Gives one of the hungry threads something to do, unless another thread was quicker.
    fn give(&self, job: impl FnOnce() -> Option<Job>) {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        if self.hungry.load(Ordering::Relaxed) == 0 {
            return;
        }
        if let Some(job) = job() {
            // Whoever wakes up is no longer hungry; nobody else need give.
            self.hungry.fetch_sub(1, Ordering::Relaxed);
            jobs.waiting.push(job);
            self.wake.notify_one();
        }
    }
}

/// One thread's part of the search.
struct Searcher<'m, 's, 'q, K: Keeper> {
    worker: Worker<'m, 's>,
    shared: &'q Shared<'q, K>,
    chooser: Reducing<'q>,
    base: K::Base,
    stack: Stack,
    /// The path to the bottom of the stack.
    before: Arc<Path>,
    tally: Tally,
    /// Successors are added to the visited states as soon as they are found.
    claims: bool,
    /// So many words of the stack are states that were not.
    unclaimed: usize,
    successors: Successors,
    too_large: Option<String>,
    told: (u64, u64, u64),
}

impl<'m, 's, 'q, K: Keeper> Searcher<'m, 's, 'q, K> {
    fn new(machine: &'m Machine<'s>, shared: &'q Shared<'q, K>, chooser: Reducing<'q>, width: usize) -> Self {
        Searcher {
            worker: Worker::new(machine),
            shared,
            chooser,
            base: K::Base::default(),
            stack: Stack::new(width),
            before: Arc::default(),
            tally: Tally::default(),
            claims: false,
            unclaimed: 0,
            successors: Successors::default(),
            too_large: None,
            told: (0, 0, 0),
        }
    }

    /// Puts the initial state on the stack. It was found to exist before.
    fn begin(&mut self) {
        let room = self.shared.read().room();
        self.worker.words_mut(room);
        if self.worker.start().is_err() {
            return;
        }
        let mut entry = Vec::new();
        loop {
            let keeper = self.shared.read();
            let words = self.worker.words_mut(room);
            match keeper.encode_all(words, &mut self.base, &mut entry) {
                Ok(()) => break,
                Err(Refused::TooWide(words)) => {
                    return self.shared.stop(End::Restart(Restart::Words(words)));
                }
                Err(Refused::Full) => {
                    drop(keeper);
                    self.shared.grow(0);
                }
            }
            if self.shared.is_stopped() {
                return;
            }
        }
        self.stack.start(&entry, &[0]);
        self.unclaimed = self.stack.n_waiting();
    }

    fn is_done(&self) -> bool {
        self.stack.is_empty()
    }

    /// Searches until all is done, somebody stops the search, or so many states were visited.
    fn run(&mut self, mut clock: Option<&mut Clock>, most: Option<u32>) {
        let shared = self.shared;
        let mut keeper = shared.read();
        let mut key = K::Key::new(self.stack.width());
        let mut left = most.unwrap_or(u32::MAX);
        let mut until_tick = left.min(TICK);
        let helps = most.is_none() && shared.question.threads > 1;
        let limit = shared.question.limits.depth;
        if most.is_none() {
            // Not worth it for a small search.
            self.worker.remember();
            self.claims |= helps || shared.question.eager;
        }
        loop {
            if until_tick == 0 {
                if most.is_some() {
                    left -= left.min(TICK);
                }
                until_tick = left.min(TICK);
                let grow = keeper.would_like_growth();
                drop(keeper);
                if grow {
                    shared.grow(self.stack.bytes());
                }
                self.tell(clock.as_deref_mut());
                if shared.is_stopped() || left == 0 {
                    return;
                }
                keeper = shared.read();
                self.claims |= self.tally.states >= STRICT;
            }
            until_tick -= 1;
            let Some(depth) = self.stack.pop(&mut key) else {
                if !helps {
                    return;
                }
                drop(keeper);
                self.tell(clock.as_deref_mut());
                let Some(job) = shared.next_job() else { return };
                self.adopt(job);
                keeper = shared.read();
                continue;
            };
            if self.stack.n_waiting() < self.unclaimed {
                self.unclaimed = self.stack.n_waiting();
                let is_new = loop {
                    match keeper.insert(key.as_ref()) {
                        Ok(is_new) => break is_new,
                        Err(Full) => {
                            drop(keeper);
                            shared.grow(self.stack.bytes());
                            keeper = shared.read();
                            if shared.is_stopped() {
                                return;
                            }
                        }
                    }
                };
                self.tally.met(is_new);
                if !is_new && (limit.is_none() || !shared.is_met_earlier(key.as_ref(), depth, false)) {
                    continue;
                }
                if is_new && limit.is_some() {
                    shared.is_met_earlier(key.as_ref(), depth, true);
                }
            }
            self.tally.depth = self.tally.depth.max(depth);
            loop {
                match self.expand(&keeper, key.as_ref(), depth, limit) {
                    Expansion::Done => break,
                    Expansion::Stop => return,
                    Expansion::Full => {
                        drop(keeper);
                        shared.grow(self.stack.bytes());
                        keeper = shared.read();
                        if shared.is_stopped() {
                            return;
                        }
                    }
                }
            }
            if self.claims {
                while !self.claim(&keeper, depth, limit) {
                    drop(keeper);
                    shared.grow(self.stack.bytes());
                    keeper = shared.read();
                    if shared.is_stopped() {
                        return;
                    }
                }
            }
            if !self.successors.entries.is_empty() {
                let Successors { entries, long, .. } = &self.successors;
                self.stack.push(key.as_ref(), depth, entries, long);
                if !self.claims {
                    self.unclaimed = self.stack.n_waiting();
                }
            }
            self.successors.restart();
            if keeper.wants_growth() {
                drop(keeper);
                shared.grow(self.stack.bytes());
                keeper = shared.read();
            }
            if helps {
                if shared.growing.load(Ordering::Relaxed) > 0 {
                    drop(keeper);
                    keeper = shared.read();
                }
                if shared.hungry.load(Ordering::Relaxed) > 0 {
                    self.give();
                }
            }
        }
    }

    /// Adds the successors to the visited states; only those that are new are kept. False if the keeper must grow first.
    #[inline(always)]
    fn claim(&mut self, keeper: &K, depth: u64, limit: Option<u64>) -> bool {
        let width = self.stack.width();
        let Successors { entries, long, n_visited, n_new, n_long, n_new_long, .. } = &mut self.successors;
        while *n_visited * width < entries.len() {
            let number = *n_visited;
            let entry = &entries[number * width..][..width];
            let Ok(is_new) = keeper.insert(entry) else { return false };
            *n_visited += 1;
            self.tally.met(is_new);
            let mut length = 1;
            // Those that more than one step leads to are listed in order.
            if let Some((other, steps)) = long.get(*n_long)
                && *other as usize == number
            {
                length = *steps;
                *n_long += 1;
            }
            let goes_on = match limit {
                None => is_new,
                Some(_) => self.shared.is_met_earlier(entry, depth + length as u64, is_new),
            };
            if goes_on {
                if length != 1 {
                    long[*n_new_long] = (*n_new as u32, length);
                    *n_new_long += 1;
                }
                if *n_new != number {
                    entries.copy_within(number * width..(number + 1) * width, *n_new * width);
                }
                *n_new += 1;
            }
        }
        entries.truncate(*n_new * width);
        long.truncate(*n_new_long);
        true
    }

    /// Expands a state, that of `entry`, and puts its successors on the stack.
    #[inline(always)]
    fn expand(&mut self, keeper: &K, entry: &[u64], depth: u64, limit: Option<u64>) -> Expansion {
        keeper.load(entry, &mut self.worker, &mut self.base);
        let mut collector = Collector {
            keeper,
            base: &mut self.base,
            question: self.shared.question,
            into: &mut self.successors,
        };
        let below = limit.map_or(u64::MAX, |limit| limit.saturating_sub(depth));
        let expanded = self.worker.expand(&mut collector, &mut self.chooser, below);
        if self.successors.is_unusual
            || self.worker.is_too_large()
            || self.chooser.is_lost(self.worker.machine)
        {
            match self.note_unusual(keeper, entry) {
                Expansion::Done => {}
                Expansion::Stop => {
                    self.tally.expanded(depth, &expanded);
                    return Expansion::Stop;
                }
                Expansion::Full => return Expansion::Full,
            }
        }
        self.tally.expanded(depth, &expanded);
        if let Order::Random(seed) = self.shared.question.order {
            let Successors { entries, long, .. } = &mut self.successors;
            shuffle(entries, self.stack.width(), long, entry, seed);
        }
        Expansion::Done
    }

    /// Deals with what seldom happens when a state is expanded.
    #[cold]
    #[inline(never)]
    fn note_unusual(&mut self, keeper: &K, entry: &[u64]) -> Expansion {
        let restart = match self.successors.refused {
            Some(Refused::Full) => {
                self.successors.clear();
                return Expansion::Full;
            }
            Some(Refused::TooWide(words)) => Some(Restart::Words(words)),
            None if self.chooser.is_lost(self.worker.machine) => Some(Restart::Instances),
            None => None,
        };
        let restart = match self.worker.too_large() {
            Some(TooLarge::Shapes) => Some(Restart::Shapes),
            Some(TooLarge::TooManyShapes) => Some(Restart::TooManyShapes),
            Some(TooLarge::Narrow(owner, value)) => Some(Restart::Narrow(owner, value)),
            Some(TooLarge::System(reason)) => {
                self.too_large = Some(reason);
                restart
            }
            None => restart,
        };
        if let Some(restart) = restart {
            self.shared.stop(End::Restart(restart));
            return Expansion::Stop;
        }
        self.tally.fault_cut |= self.successors.fault_cut;
        let is_wrong = !self.successors.violations.is_empty();
        if is_wrong {
            self.note_violations(keeper, entry);
        }
        self.successors.forget_unusual();
        if is_wrong && !self.shared.question.keep_going { Expansion::Stop } else { Expansion::Done }
    }

    #[cold]
    fn note_violations(&mut self, keeper: &K, entry: &[u64]) {
        for (kind, what, count, last) in std::mem::take(&mut self.successors.violations) {
            match self.tally.found.iter_mut().find(|found| found.kind == kind) {
                Some(known) => known.count += count,
                None => {
                    let steps = self.steps_to(keeper, entry, &last);
                    self.tally.found.push(Found { kind, what, steps, count });
                }
            }
        }
        if !self.shared.question.keep_going {
            self.shared.stop(End::Stopped(Stopped::Violation));
        }
    }

    /// The steps from the initial state to the one of `entry`, and then `last`.
    fn steps_to(&self, keeper: &K, entry: &[u64], last: &[Step]) -> Vec<Step> {
        let mut entries = self.before.entries();
        entries.extend_from_slice(self.stack.path());
        entries.extend_from_slice(entry);
        let mut steps = crate::trail::steps_along(self.worker.machine, keeper, &entries);
        steps.extend_from_slice(last);
        steps
    }

    /// Hands over work to a thread that has none.
    #[cold]
    #[inline(never)]
    fn give(&mut self) {
        let shared = self.shared;
        shared.give(|| {
            let handover = self.stack.hand_over()?;
            let n_words = handover.path * self.stack.width();
            let entries = self.stack.path()[..n_words].to_vec();
            let path = Path { before: Some(self.before.clone()), entries };
            // Those that were not claimed are the lowest ones here, and will be there.
            let unclaimed = handover.frames.iter().filter(|frame| frame.start < self.unclaimed);
            let unclaimed = unclaimed.map(|frame| frame.waiting.len()).sum();
            Some(Job { path: Arc::new(path), frames: handover.frames, unclaimed })
        });
    }

    fn adopt(&mut self, job: Job) {
        self.before = job.path;
        self.stack.take_over(&job.frames);
        self.unclaimed = job.unclaimed;
    }

    /// Tells the others how far this one is; the first thread also looks at the clock and at the memory.
    fn tell(&mut self, clock: Option<&mut Clock>) {
        let now = (self.tally.states, self.tally.matched, self.stack.bytes());
        let shared = self.shared;
        shared.states.fetch_add(now.0 - self.told.0, Ordering::Relaxed);
        shared.matched.fetch_add(now.1 - self.told.1, Ordering::Relaxed);
        shared.stack_bytes.fetch_add(now.2.wrapping_sub(self.told.2), Ordering::Relaxed);
        self.told = now;
        let Some(clock) = clock else { return };
        let store_bytes = shared.read().bytes();
        let stack_bytes = shared.stack_bytes.load(Ordering::Relaxed);
        clock.statistics.states = shared.states.load(Ordering::Relaxed);
        clock.statistics.matched = shared.matched.load(Ordering::Relaxed);
        clock.statistics.depth = self.tally.depth;
        clock.statistics.store_bytes = store_bytes;
        clock.statistics.search = clock.started.elapsed();
        if shared.question.limits.memory.is_some_and(|limit| store_bytes + stack_bytes > limit) {
            shared.stop(End::Stopped(Stopped::Memory));
        }
        if let ControlFlow::Break(stopped) = clock.monitor.tick(clock.statistics) {
            shared.stop(End::Stopped(stopped));
        }
    }

    fn finish(self) -> Finished {
        Finished { tally: self.tally, too_large: self.too_large }
    }
}

/// What became of the expansion of a state.
enum Expansion {
    Done,
    /// The search is over.
    Stop,
    /// The keeper must grow, then the state is expanded again.
    Full,
}

impl Path {
    fn entries(&self) -> Vec<u64> {
        let mut pieces = vec![&self.entries];
        let mut path = self;
        while let Some(before) = &path.before {
            pieces.push(&before.entries);
            path = before;
        }
        pieces.into_iter().rev().flatten().copied().collect()
    }
}

/// Reorders the successors of a state, always in the same way for the same state and seed.
fn shuffle(successors: &mut [u64], width: usize, long: &mut Vec<(u32, u32)>, entry: &[u64], seed: u64) {
    let n = successors.len() / width;
    let mut lengths = vec![1; n];
    long.drain(..).for_each(|(number, length)| lengths[number as usize] = length);
    let mut random = entry.iter().fold(seed ^ 0x9e37_79b9_7f4a_7c15, |hash, word| {
        (hash ^ word).wrapping_mul(0xbf58_476d_1ce4_e5b9).rotate_left(31)
    });
    for i in (1..n).rev() {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let j = ((random >> 33) % (i as u64 + 1)) as usize;
        lengths.swap(i, j);
        for word in 0..width {
            successors.swap(i * width + word, j * width + word);
        }
    }
    let numbered = lengths.into_iter().enumerate().filter(|(_, length)| *length != 1);
    long.extend(numbered.map(|(number, length)| (number as u32, length)));
}
