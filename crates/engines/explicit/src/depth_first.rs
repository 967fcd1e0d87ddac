//! Depth-first search, by one thread or several.
//!
//! A small search is a plain one: one state at a time, in the order, and with the depth, of a textbook's depth-first search.
//! That is slow where the processor waits for memory. So a larger search goes on in batches (`batches.rs`), and with
//! several threads, each of which has a forest of its own while all share the set of visited states: whoever inserts a state
//! expands it. A thread that has nothing left goes on with what others left to it (`jobs.rs`).

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError,
};
use std::time::{Duration, Instant};

use allways_compiled::{
    Chooser, Expanded, Machine, Owner, Recollected, Recollection, SHORT, Source, TooLarge, Worker,
};
use allways_store::{Full, Hands, OutOfMemory};
use allways_system::Step;
use allways_verdict::Statistics;
use rustc_hash::FxHashMap;

use crate::batches::Batch;
use crate::choose::{Reducer, Reducing};
use crate::collapse::Refused;
use crate::forest::Forest;
use crate::jobs::{Jobs, SPINS};
use crate::keeper::{Keeper, Key};
use crate::stack::Stack;
use crate::tally::{Collector, Mark, Origins, SharedViolated, Successors, Tally, Violated};
use crate::{Found, Keep, Monitor, Order, Question, Stopped};

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
    /// The reduction leaves out too little to be worth it.
    Unreduced,
    /// Runs reach the depth limit.
    Deep,
}

impl Restart {
    /// Because a step led beyond what can be represented; otherwise why that does not help.
    pub fn because(too_large: TooLarge) -> Result<Restart, Helpless> {
        match too_large {
            TooLarge::Shapes => Ok(Restart::Shapes),
            TooLarge::TooManyShapes => Ok(Restart::TooManyShapes),
            TooLarge::Narrow(owner, value) => Ok(Restart::Narrow(owner, value)),
            TooLarge::System(reason) => Err(Helpless::System(reason)),
            TooLarge::Halted(halt) => Err(Helpless::Stopped(halt.into())),
        }
    }
}

/// Why a step was not taken although to begin anew would not help.
pub enum Helpless {
    /// The system itself is too large.
    System(String),
    /// The time or the memory was used up inside the step.
    Stopped(Stopped),
}

/// Everything that a search has to say.
pub struct Report {
    pub end: End,
    pub tally: Tally,
    pub too_large: Option<String>,
    pub store_bytes: u64,
    /// How many threads there were; those that could not be started are not among them.
    pub threads: usize,
}

/// Stands for a number of words that is not small.
pub const MANY: usize = 0;
/// How many states are expanded between two looks at the clock.
pub const TICK: u32 = 4096;
/// Sooner if so many statements inside `d_step`s and atomic sequences were carried out since.
pub const TICK_EFFORT: u64 = 100_000;
/// How many states if small searches are to be like large ones.
pub const EAGER_TICK: u32 = 64;
/// What was remembered so often should be at hand.
const OFTEN: u32 = 256;
/// Threads start after so many states were visited.
const SMALL: u64 = 2_000;
/// A thread that waits for others to grow, and can do nothing for them, sleeps after that.
const PATIENCE: Duration = Duration::from_millis(10);
/// Where another store is to take the place of a full one, such a part of the memory is left to it: while the states go over, segment
/// after segment, both need memory.
const SPARE: u64 = 16;
/// A single thread searches in the order of a plain depth-first search until it has visited so many states.
const STRICT: u64 = 50_000;

pub struct Shared<'s, K> {
    keeper: RwLock<K>,
    pub question: &'s Question,
    pub jobs: Jobs,
    /// How many threads want the keeper to grow.
    pub growing: AtomicUsize,
    /// Whoever wants to grow has it, and whoever wants to read waits for it.
    turn: Mutex<()>,
    hands: Arc<Hands>,
    stop: Arc<AtomicBool>,
    end: Mutex<Option<End>>,
    /// What any thread has found so far.
    violated: SharedViolated,
    states: AtomicU64,
    matched: AtomicU64,
    stack_bytes: AtomicU64,
    /// No run is followed further.
    pub depth_limit: Option<u64>,
    /// All runs are expected to be shorter; if one is not, the search begins anew.
    expected_depth: Option<u64>,
    /// With a depth limit: at which depth each state was met. One met again at a smaller depth is expanded again.
    depths: Mutex<FxHashMap<Box<[u64]>, u64>>,
}

/// Searches from the initial state of a machine.
///
/// To keep to a depth limit, states that are met earlier than before must be expanded again, as often as not. So a search may first go on as if
/// there were none, in the hope that no run is that long.
#[allow(clippy::too_many_arguments)]
pub fn search<K: Keeper>(
    machine: &Machine,
    keeper: K,
    question: &Question,
    monitor: &mut dyn Monitor,
    reduction: Option<&Reducer>,
    keeps_to_limit: bool,
    statistics: &mut Statistics,
    started: Instant,
) -> (Report, K) {
    let width = keeper.width();
    let hands = keeper.hands().clone();
    let shared = Shared {
        keeper: RwLock::new(keeper),
        question,
        jobs: Jobs::new(question.threads),
        growing: AtomicUsize::new(0),
        turn: Mutex::default(),
        hands,
        stop: Arc::default(),
        end: Mutex::new(None),
        violated: SharedViolated::default(),
        states: AtomicU64::new(0),
        matched: AtomicU64::new(0),
        stack_bytes: AtomicU64::new(0),
        depth_limit: question.limits.depth.filter(|_| keeps_to_limit),
        expected_depth: question.limits.depth.filter(|_| !keeps_to_limit),
        depths: Mutex::default(),
    };
    let chooser = || Reducing::new(reduction, machine);
    let mut first = Searcher::new(machine, &shared, chooser(), width);
    first.begin();
    let mut report = Report {
        end: End::Done,
        tally: Tally::default(),
        too_large: None,
        store_bytes: 0,
        threads: question.threads.max(1),
    };
    let mut clock = Clock { monitor, statistics, started };
    first.run_in_order(&mut clock);
    let first = if first.is_done() || shared.is_stopped() {
        first.finish()
    } else {
        first.prepare_batches();
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..question.threads)
                .map_while(|_| {
                    let (shared, chooser) = (&shared, &chooser);
                    let work = move || {
                        let _guard = StopOnPanic(shared);
                        let mut searcher = Searcher::new(machine, shared, chooser(), width);
                        searcher.run_in_batches(None);
                        searcher.finish()
                    };
                    std::thread::Builder::new().spawn_scoped(scope, work).ok()
                })
                .collect();
            report.threads = others.len() + 1;
            shared.jobs.set_threads(report.threads);
            let _guard = StopOnPanic(&shared);
            first.run_in_batches(Some(&mut clock));
            let first = first.finish();
            for other in others {
                match other.join() {
                    Ok(finished) => report.add(finished),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            first
        })
    };
    report.add(first);
    let keeper = shared.keeper.into_inner().unwrap_or_else(PoisonError::into_inner);
    report.store_bytes = keeper.bytes();
    let is_wrong = chooser().was_wrong(machine);
    let end = shared.end.into_inner().unwrap_or_else(PoisonError::into_inner);
    report.end = end.unwrap_or(if is_wrong { End::Restart(Restart::Instances) } else { End::Done });
    if shared.expected_depth.is_some_and(|expected| report.tally.depth >= expected)
        && !matches!(report.end, End::Restart(_) | End::Stopped(Stopped::Time | Stopped::Interrupt))
    {
        report.end = End::Restart(Restart::Deep);
    }
    (report, keeper)
}

/// A thread wants the keeper to grow, as long as this exists: others must not wait for one that panicked.
struct Growing<'g>(&'g AtomicUsize);

impl<'g> Growing<'g> {
    fn new(growing: &'g AtomicUsize) -> Growing<'g> {
        growing.fetch_add(1, Ordering::Relaxed);
        Growing(growing)
    }
}

impl Drop for Growing<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
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

pub struct Clock<'c> {
    monitor: &'c mut dyn Monitor,
    statistics: &'c mut Statistics,
    started: Instant,
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
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub fn stop(&self, end: End) {
        self.end.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(end);
        self.stop.store(true, Ordering::Relaxed);
        self.jobs.end();
    }

    /// Lets those through that want to grow: the lock alone would let them wait as long as others read.
    pub fn read(&self) -> RwLockReadGuard<'_, K> {
        while self.growing.load(Ordering::Relaxed) > 0 {
            drop(self.wait_for_turn());
            std::thread::yield_now();
        }
        self.keeper.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the keeper grow, unless another thread has just done it.
    pub fn grow(&self, stack_bytes: u64) {
        let spare = |limit: u64| if self.next_store().is_some() { limit / SPARE } else { 0 };
        let memory = self.question.limits.memory;
        let limit = memory.map(|limit| limit.saturating_sub(stack_bytes + spare(limit)));
        self.change(|keeper| keeper.grow(limit).or_else(|OutOfMemory| self.give_way(keeper)));
    }

    /// Lets the keeper become another one; if it cannot, the memory is used up.
    fn change(&self, change: impl FnOnce(&mut K) -> Result<(), OutOfMemory>) {
        let growing = Growing::new(&self.growing);
        let turn = self.wait_for_turn();
        let mut keeper = self.write();
        let changed = change(&mut keeper);
        drop(keeper);
        drop(growing);
        drop(turn);
        if changed.is_err() {
            self.stop(End::Stopped(Stopped::Memory));
        }
    }

    /// How much of the memory an atomic sequence may take, if so much is in use.
    fn allow(&self, worker: &mut Worker, in_use: u64) {
        if let Some(limit) = self.question.limits.memory {
            worker.allow(limit.saturating_sub(in_use) / self.question.threads.max(1) as u64);
        }
    }

    /// Waits for those that grow, and helps them.
    fn wait_for_turn(&self) -> MutexGuard<'_, ()> {
        let (mut n_spins, mut since) = (0, None);
        loop {
            match self.turn.try_lock() {
                Ok(turn) => return turn,
                Err(TryLockError::Poisoned(turn)) => return turn.into_inner(),
                Err(TryLockError::WouldBlock) => {}
            }
            if self.hands.lend() {
                (n_spins, since) = (0, None);
            } else if n_spins < SPINS {
                n_spins += 1;
                std::hint::spin_loop();
            } else if since.get_or_insert_with(Instant::now).elapsed() < PATIENCE {
                std::thread::yield_now();
            } else {
                return self.turn.lock().unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// Waits for those that read: not for long, for they see that somebody does.
    fn write(&self) -> RwLockWriteGuard<'_, K> {
        for _ in 0..SPINS {
            if let Ok(keeper) = self.keeper.try_write() {
                return keeper;
            }
            std::hint::spin_loop();
        }
        self.keeper.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Memory is used up: goes on in a store that forgets, if that is wished and can be done.
    fn give_way(&self, keeper: &mut K) -> Result<(), OutOfMemory> {
        let (Some(store), Some(limit)) = (self.next_store(), self.question.limits.memory) else {
            return Err(OutOfMemory);
        };
        keeper.give_way(store, limit, self.stack_bytes.load(Ordering::Relaxed))
    }

    /// Whether to go on in another store although there is memory left.
    fn gives_way_early(&self) -> bool {
        self.question.eager && self.next_store().is_some() && self.read().gave_way().is_none()
    }

    /// The store in which the search goes on when memory is used up. A search that is to be repeated begins anew.
    fn next_store(&self) -> Option<Keep> {
        self.question.on_full.filter(|_| self.question.searches <= 1)
    }

    /// Whether a state is to be expanded that was met at this depth, if there is a depth limit.
    pub fn is_met_earlier(&self, entry: &[u64], depth: u64, is_new: bool) -> bool {
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
}

/// One thread's part of the search.
pub struct Searcher<'m, 's, 'q, K: Keeper> {
    pub worker: Worker<'m, 's>,
    pub shared: &'q Shared<'q, K>,
    pub chooser: Reducing<'q>,
    pub base: K::Base,
    stack: Stack,
    /// What is left to do for a search in batches.
    pub forest: Forest,
    pub batch: Batch,
    pub origins: Origins,
    pub successors: Successors,
    pub tally: Tally,
    too_large: Option<String>,
    told: (u64, u64, u64),
    /// The effort after which the clock is to be looked at.
    due: u64,
}

impl<'m, 's, 'q, K: Keeper> Searcher<'m, 's, 'q, K> {
    fn new(machine: &'m Machine<'s>, shared: &'q Shared<'q, K>, chooser: Reducing<'q>, width: usize) -> Self {
        let mut worker = Worker::new(machine);
        worker.cancel_by(shared.stop.clone());
        shared.allow(&mut worker, 0);
        // A longer one makes a run that is too long, too.
        worker.limit_length(shared.expected_depth.unwrap_or(u64::MAX));
        Searcher {
            worker,
            shared,
            chooser,
            base: K::Base::default(),
            stack: Stack::new(width),
            forest: Forest::new(width),
            batch: Batch::new(shared.question.threads == 1),
            origins: Origins::default(),
            successors: Successors::default(),
            tally: Tally::default(),
            too_large: None,
            told: (0, 0, 0),
            due: TICK_EFFORT,
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
        self.stack.start(&entry);
    }

    fn is_done(&self) -> bool {
        self.stack.is_empty()
    }

    /// Searches in the order of a plain depth-first search: until all is done, somebody stops the search, or it turns out
    /// not to be small.
    fn run_in_order(&mut self, clock: &mut Clock) {
        let shared = self.shared;
        let question = shared.question;
        let mut keeper = shared.read();
        let most = match question {
            Question { eager: true, .. } => 1,
            Question { threads: 2.., .. } => SMALL,
            // What is lost changes the order anyway.
            _ if K::IS_LOSSY => SMALL,
            _ => STRICT,
        };
        let mut key = K::Key::new(self.stack.width());
        let limit = shared.depth_limit;
        let mut n_short = self.short_words(&keeper);
        let mut until_tick = SMALL as u32;
        while let Some(depth) = self.stack.pop(&mut key) {
            let is_new = loop {
                match keeper.insert(key.as_ref()) {
                    Ok(is_new) => break is_new,
                    Err(Full) => match self.grow(keeper) {
                        Some(grown) => keeper = grown,
                        None => return,
                    },
                }
            };
            self.tally.met(is_new);
            if !is_new && (limit.is_none() || !shared.is_met_earlier(key.as_ref(), depth, false)) {
                continue;
            }
            if is_new && limit.is_some() {
                shared.is_met_earlier(key.as_ref(), depth, true);
            }
            self.origins.clear();
            self.successors.clear();
            self.origins.entries.extend_from_slice(key.as_ref());
            loop {
                match self.expand_in_order(&keeper, depth, n_short) {
                    Expansion::Done => break,
                    Expansion::Stop => return,
                    Expansion::Full => match self.grow(keeper) {
                        Some(grown) => keeper = grown,
                        None => return,
                    },
                }
            }
            let Successors { entries, from, .. } = &mut self.successors;
            if !entries.is_empty() {
                if let Order::Random(seed) = question.order {
                    shuffle(entries, self.stack.width(), from, key.as_ref(), seed);
                }
                for entry in entries.chunks_exact(self.stack.width()) {
                    keeper.prefetch(entry);
                }
                self.stack.push(key.as_ref(), depth, entries, from.iter().map(|from| from.length));
            }
            if keeper.wants_growth() {
                match self.grow(keeper) {
                    Some(grown) => keeper = grown,
                    None => return,
                }
            }
            until_tick -= 1;
            if until_tick == 0 || self.is_due() {
                until_tick = TICK;
                match self.tick(keeper, Some(clock)) {
                    Some(after) => keeper = after,
                    None => return,
                }
                // Not worth it for a small search.
                self.worker.remember();
                // The reduction may have been given up.
                n_short = self.short_words(&keeper);
            }
            if self.tally.states >= most {
                return;
            }
        }
        drop(keeper);
        self.tell(Some(clock));
    }

    /// Lets the keeper grow in between. None if the search is over.
    #[cold]
    #[inline(never)]
    pub fn grow(&mut self, keeper: RwLockReadGuard<'q, K>) -> Option<RwLockReadGuard<'q, K>> {
        keeper.count(&mut self.batch.insertion);
        drop(keeper);
        self.shared.grow(self.bytes());
        (!self.shared.is_stopped()).then(|| self.shared.read())
    }

    /// Whether states take so long that the clock is to be looked at now.
    #[inline(always)]
    pub fn is_due(&self) -> bool {
        self.worker.effort() >= self.due
    }

    /// What is to be done from time to time. None if the search is over.
    #[cold]
    #[inline(never)]
    pub fn tick(
        &mut self,
        keeper: RwLockReadGuard<'q, K>,
        clock: Option<&mut Clock>,
    ) -> Option<RwLockReadGuard<'q, K>> {
        self.due = self.worker.effort() + TICK_EFFORT;
        self.chooser.tick();
        let grow = keeper.would_like_growth();
        drop(keeper);
        if grow {
            self.shared.grow(self.bytes());
        }
        self.tell(clock);
        if self.shared.expected_depth.is_some_and(|expected| self.tally.depth >= expected) {
            self.shared.stop(End::Restart(Restart::Deep));
        }
        self.worker.settle(if self.shared.question.eager { 1 } else { OFTEN });
        (!self.shared.is_stopped()).then(|| self.shared.read())
    }

    /// What is on the stack is left to a search in batches.
    fn prepare_batches(&mut self) {
        let shared = self.shared;
        // What waits is in both for a while.
        let bytes = self.bytes() + self.stack.bytes();
        let Searcher { stack, forest, tally, .. } = self;
        stack.move_into(forest, |entry, depth| {
            loop {
                let inserted = shared.read().insert(entry);
                match inserted {
                    Ok(is_new) => {
                        tally.met(is_new);
                        return match shared.depth_limit {
                            None => is_new,
                            Some(_) => shared.is_met_earlier(entry, depth, is_new),
                        };
                    }
                    Err(Full) => shared.grow(bytes),
                }
                if shared.is_stopped() {
                    return false;
                }
            }
        });
    }

    /// How many words states have if they may be expanded from memory alone; else [`MANY`]. Where reduction or a depth limit have a
    /// say, they may not.
    pub fn short_words(&mut self, keeper: &K) -> usize {
        let is_free = !self.chooser.chooses()
            && !self.chooser.was_wrong(self.worker.machine)
            && self.shared.depth_limit.is_none();
        if is_free && keeper.room() <= SHORT { keeper.room() } else { MANY }
    }

    /// Expands the only origin; its successors are in order. States have so many words, or [`MANY`].
    #[inline(always)]
    fn expand_in_order(&mut self, keeper: &K, depth: u64, n_short: usize) -> Expansion {
        let recollected = match n_short {
            1 => self.recollect_one::<1>(keeper),
            2 => self.recollect_one::<2>(keeper),
            3 => self.recollect_one::<3>(keeper),
            SHORT => self.recollect_one::<SHORT>(keeper),
            _ => None,
        };
        let Some((deepest, atomic_steps)) = recollected else {
            return self.expand(keeper, 0, depth, true);
        };
        let Searcher { origins, successors, base, tally, .. } = self;
        match successors.encode_short(keeper, origins, base) {
            Ok(()) => {
                tally.atomic_steps += atomic_steps;
                tally.depth = tally.depth.max(depth + deepest as u64);
                Expansion::Done
            }
            Err(Full) => {
                successors.clear();
                Expansion::Full
            }
        }
    }

    /// Expands the only origin from memory alone: how long the longest of its steps is, and how
    /// many states inside of atomic sequences they lead to. None, and nothing is done, if that
    /// cannot be.
    #[inline(always)]
    fn recollect_one<const N: usize>(&mut self, keeper: &K) -> Option<(u32, u64)> {
        let Searcher { origins, successors, worker, .. } = self;
        let Origins { entries, words } = origins;
        words.set([keeper.decode_short::<N>(entries)].into_iter());
        let Successors { short, short_from, .. } = successors;
        let (mut deepest, mut atomic_steps) = (0, 0);
        let recollected = worker.recollect::<N>(words.get(), 0, short, short_from, |_, longest, steps| {
            (deepest, atomic_steps) = (longest, steps);
        });
        if matches!(recollected, Recollected::All) {
            Some((deepest, atomic_steps))
        } else {
            successors.clear();
            None
        }
    }

    /// Expands one of the origins; its successors are added to the others.
    #[inline(always)]
    pub fn expand(&mut self, keeper: &K, origin: u32, depth: u64, in_order: bool) -> Expansion {
        let mark = self.successors.mark();
        self.load(keeper, origin);
        let limit = self.shared.depth_limit;
        let mut collector = Collector {
            keeper,
            base: &mut self.base,
            question: self.shared.question,
            known: &self.shared.violated,
            origins: &self.origins,
            origin,
            in_order,
            into: &mut self.successors,
        };
        let below = limit.map_or(u64::MAX, |limit| limit.saturating_sub(depth));
        let expanded = self.worker.expand(&mut collector, &mut self.chooser, below);
        if in_order && self.successors.refused.is_none() {
            let Searcher { origins, successors, base, .. } = self;
            if let Err(Full) = successors.encode_short(keeper, origins, base) {
                let _ = successors.refuse(Refused::Full);
            }
        }
        self.expanded(keeper, origin, depth, &expanded, mark)
    }

    /// Finds those successors of a state of which nothing is remembered; the others are there already.
    #[inline(never)]
    pub fn expand_rest(&mut self, keeper: &K, origin: u32, depth: u64, found: &Recollection) -> Expansion {
        let mark = self.successors.mark_before(origin);
        self.load(keeper, origin);
        let mut collector = Collector {
            keeper,
            base: &mut self.base,
            question: self.shared.question,
            known: &self.shared.violated,
            origins: &self.origins,
            origin,
            in_order: false,
            into: &mut self.successors,
        };
        let expanded = self.worker.expand_rest(found, &mut collector);
        self.expanded(keeper, origin, depth, &expanded, mark)
    }

    /// Goes to one of the origins.
    #[inline(always)]
    fn load(&mut self, keeper: &K, origin: u32) {
        let width = keeper.width();
        let entry = &self.origins.entries[origin as usize * width..][..width];
        keeper.load(entry, &mut self.worker, &mut self.base);
        self.origins.set_words(origin, &self.worker.words_mut(keeper.room())[..keeper.room()]);
    }

    /// What is to be done after the expansion of a state whose successors come after the mark.
    #[inline(always)]
    fn expanded(
        &mut self,
        keeper: &K,
        origin: u32,
        depth: u64,
        expanded: &Expanded,
        mark: Mark,
    ) -> Expansion {
        let is_lost = self.chooser.is_lost(self.worker.machine);
        if self.successors.is_unusual || self.worker.is_too_large() || is_lost {
            match self.note_unusual(keeper, origin, is_lost) {
                Expansion::Done => {}
                Expansion::Stop => {
                    self.tally.expanded(depth, expanded);
                    return Expansion::Stop;
                }
                Expansion::Full => {
                    self.successors.back(mark);
                    return Expansion::Full;
                }
            }
        }
        self.tally.expanded(depth, expanded);
        Expansion::Done
    }

    /// Deals with what seldom happens when a state is expanded.
    #[cold]
    #[inline(never)]
    fn note_unusual(&mut self, keeper: &K, origin: u32, is_lost: bool) -> Expansion {
        let restart = match self.successors.refused {
            Some(Refused::Full) => return Expansion::Full,
            Some(Refused::TooWide(words)) => Some(Restart::Words(words)),
            None if is_lost => Some(Restart::Instances),
            None => None,
        };
        let restart = match self.worker.too_large().map(Restart::because) {
            Some(Ok(other)) => Some(other),
            Some(Err(Helpless::System(reason))) => {
                self.too_large = Some(reason);
                restart
            }
            Some(Err(Helpless::Stopped(stopped))) => {
                if !self.successors.violations.is_empty() && self.successors.refused.is_none() {
                    self.note_violations(keeper, origin);
                }
                self.shared.stop(End::Stopped(stopped));
                return Expansion::Stop;
            }
            None => restart,
        };
        if let Some(restart) = restart {
            self.shared.stop(End::Restart(restart));
            return Expansion::Stop;
        }
        self.tally.fault_cut |= self.successors.fault_cut;
        let is_over = !self.successors.violations.is_empty() && self.note_violations(keeper, origin);
        self.successors.forget_unusual();
        if is_over { Expansion::Stop } else { Expansion::Done }
    }

    /// True if the search is over.
    #[cold]
    fn note_violations(&mut self, keeper: &K, origin: u32) -> bool {
        let more = Violated::of(self.successors.violations.iter().map(|violation| violation.0));
        for (kind, what, count, last) in std::mem::take(&mut self.successors.violations) {
            match self.tally.found.iter_mut().find(|found| found.kind == kind) {
                Some(known) => known.count += count,
                None => {
                    let steps = self.steps_to(keeper, origin, &last);
                    let (is_cut, steps) = (steps.is_none(), steps.unwrap_or_default());
                    self.tally.found.push(Found { kind, what, steps, is_cut, count, preemptions: None });
                }
            }
        }
        let is_over = self.shared.question.is_over(self.shared.violated.add(more));
        if is_over {
            self.shared.stop(End::Stopped(Stopped::Violation));
        }
        is_over
    }

    /// The steps from the initial state to one that is being expanded, and then `last`.
    fn steps_to(&self, keeper: &K, origin: u32, last: &[Step]) -> Option<Vec<Step>> {
        let mut entries = match self.batch.reached.get(origin as usize) {
            Some(reached) => self.forest.path(reached.parent),
            None => self.stack.path().to_vec(),
        };
        entries
            .extend_from_slice(&self.origins.entries[origin as usize * keeper.width()..][..keeper.width()]);
        let mut steps = crate::trail::steps_along(self.worker.machine, keeper, &entries)?;
        steps.extend_from_slice(last);
        Some(steps)
    }

    /// What the states that wait take, and those that are found.
    pub fn bytes(&self) -> u64 {
        self.stack.bytes() + self.forest.bytes() + self.successors.bytes()
    }

    /// Tells the others how far this one is; the first thread also looks at the clock and at the memory.
    pub fn tell(&mut self, clock: Option<&mut Clock>) {
        let now = (self.tally.states, self.tally.matched, self.bytes());
        let shared = self.shared;
        shared.states.fetch_add(now.0 - self.told.0, Ordering::Relaxed);
        shared.matched.fetch_add(now.1 - self.told.1, Ordering::Relaxed);
        shared.stack_bytes.fetch_add(now.2.wrapping_sub(self.told.2), Ordering::Relaxed);
        self.told = now;
        if self.forest.is_full() {
            shared.stop(End::Stopped(Stopped::Memory));
        }
        let keeper = shared.read();
        let (store_bytes, gave_way) = (keeper.bytes(), keeper.gave_way());
        drop(keeper);
        let stack_bytes = shared.stack_bytes.load(Ordering::Relaxed);
        // The lists of successors are used again.
        shared.allow(&mut self.worker, (store_bytes + stack_bytes).saturating_sub(self.successors.bytes()));
        let Some(clock) = clock else { return };
        clock.statistics.states = shared.states.load(Ordering::Relaxed);
        clock.statistics.matched = shared.matched.load(Ordering::Relaxed);
        clock.statistics.depth = self.tally.depth;
        clock.statistics.store_bytes = store_bytes;
        clock.statistics.search = clock.started.elapsed();
        let is_full = |limit: u64| store_bytes + stack_bytes > limit || shared.gives_way_early();
        if shared.question.limits.memory.is_some_and(is_full) {
            // Another thread may have done it meanwhile.
            let is_done = |keeper: &K| keeper.gave_way() != gave_way;
            shared.change(|keeper| if is_done(keeper) { Ok(()) } else { shared.give_way(keeper) });
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
pub enum Expansion {
    Done,
    /// The search is over.
    Stop,
    /// The keeper must grow, then the state is expanded again.
    Full,
}

/// Reorders the successors of a state, always in the same way for the same state and seed.
fn shuffle(successors: &mut [u64], width: usize, from: &mut [Source], entry: &[u64], seed: u64) {
    let mut random = entry.iter().fold(seed ^ 0x9e37_79b9_7f4a_7c15, |hash, word| {
        (hash ^ word).wrapping_mul(0xbf58_476d_1ce4_e5b9).rotate_left(31)
    });
    for i in (1..from.len()).rev() {
        let j = below(&mut random, i + 1);
        from.swap(i, j);
        for word in 0..width {
            successors.swap(i * width + word, j * width + word);
        }
    }
}

/// A random number below `n`.
pub fn below(random: &mut u64, n: usize) -> usize {
    *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    ((*random >> 33) % n as u64) as usize
}
