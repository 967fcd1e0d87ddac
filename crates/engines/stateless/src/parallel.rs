//! The same search by several workers, each with a program of its own.
//!
//! Every worker goes depth first along a path of its own; the nodes of the paths are shared. A worker that has nothing to do looks at the paths
//! of the others, from the top, for a state where something is left to try, *claims* it, and goes on from there. A strategy adds what it
//! finds worth trying to the shared nodes, also to those that another worker came through; nothing gets lost, because whoever adds
//! something to a node comes back to that node before it is done.
//!
//! The sleep set of a branch has the siblings that were claimed before it and executed at least once, so that one knows that their step does not end
//! everything. They need not be done yet: it is enough that they will be. Without a reduction the executions are those of one worker, only in another order. With one, a worker may plan before
//! it hears what another has found; then something may be explored twice, but nothing is left out.
//!
//! A search has *rounds*: it begins anew when something is learned that makes it a search of other steps. The first worker that has a reason
//! to end a round tells it, and everybody stops; what the others were about to find, they will find again. Then all meet, and before the
//! next round everybody gets to know what anybody has learned. The last round is one that nobody had a reason to end, so it is as
//! complete as that of one worker.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use allways_stateless_host::{LaunchError, pin_to_one_cpu};
use allways_stateless_protocol::ThreadSet;

use crate::difference::Deed;
use crate::execution::{Execution, Step};
use crate::executor::{Executor, ExecutorOptions, Run};
use crate::persistent::Learned;
use crate::search::{Control, Next, Search, SearchOptions, SearchResult, SearchStatistics, Stopped};
use crate::stack::{Choice, Node, Stack, Strategy};

/// Searches with so many workers. `executor` is left to the caller; it learns whether the ends of processes are choices. What else is needed
/// to repeat a finding is in the finding.
pub fn search_parallel(
    program: &ExecutorOptions,
    executor: &mut Executor,
    options: &SearchOptions,
    n_workers: usize,
    control: &mut (dyn Control + Send),
) -> Result<SearchResult, LaunchError> {
    let pool = Pool::new(program, executor, options, n_workers, control);
    // A program ends with the thread that started it, so workers stay until everything is over.
    let results: Vec<Result<SearchResult, LaunchError>> = std::thread::scope(|scope| {
        let start = |number| {
            scope.spawn({
                let pool = &pool;
                move || pool.work(number)
            })
        };
        let workers: Vec<_> = (0..n_workers).map(start).collect();
        // All of them, before one that panicked makes this thread panic.
        let ends: Vec<_> = workers.into_iter().map(|worker| worker.join()).collect();
        ends.into_iter().map(|end| end.unwrap_or_else(|cause| std::panic::resume_unwind(cause))).collect()
    });
    if pool.exits_are_visible.load(Relaxed) {
        executor.make_exits_visible();
    }
    pool.merge(results)
}

/// A state that some path goes through.
struct State {
    enabled: ThreadSet,
    sleep: ThreadSet,
    plan: Mutex<Plan>,
}

/// What is done about it.
#[derive(Clone, Copy)]
struct Plan {
    backtrack: ThreadSet,
    /// Who was tried, or is being tried.
    claimed: ThreadSet,
    /// Whose step was executed, with all its values, and did not end everything.
    harmless: ThreadSet,
}

/// A state on the path of a worker.
#[derive(Clone)]
struct Waypoint {
    state: Arc<State>,
    choice: Choice,
    n_values: u32,
    /// See [`Node::deed`].
    deed: Option<Deed>,
    /// Who is asleep when the choice is made.
    asleep: ThreadSet,
    /// Are the other values of the choice ours to try?
    owns_values: bool,
    /// Did the step end everything, with some value?
    is_fatal: bool,
}

type Path = Vec<Waypoint>;

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // If a worker panicked nothing that is there counts any more: everybody is about to stop.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Waypoint {
    /// Of a state that was not met before.
    fn new(node: &Node) -> Waypoint {
        let claimed = ThreadSet::single(node.choice.thread);
        let plan = Mutex::new(Plan { backtrack: claimed, claimed, harmless: ThreadSet::EMPTY });
        let state = State { enabled: node.enabled, sleep: node.sleep, plan };
        Waypoint {
            state: Arc::new(state),
            choice: node.choice,
            n_values: node.n_values,
            deed: node.deed,
            asleep: node.sleep,
            owns_values: true,
            is_fatal: false,
        }
    }

    /// Takes over what an execution showed about the choice, and what the strategy made of that.
    fn learn(&mut self, step: &Step, node: &Node) {
        self.n_values = step.n_values;
        self.deed = Some(Deed::of(step));
        self.is_fatal |= node.fatal.contains(self.choice.thread);
        if !self.is_fatal && self.choice.value + 1 >= self.n_values {
            locked(&self.state.plan).harmless.insert(self.choice.thread);
        }
    }

    /// As a strategy sees it.
    fn node(&self) -> Node {
        let plan = *locked(&self.state.plan);
        let mut done = plan.claimed;
        done.remove(self.choice.thread);
        let fatal = if self.is_fatal { ThreadSet::single(self.choice.thread) } else { ThreadSet::EMPTY };
        Node {
            enabled: self.state.enabled,
            sleep: self.state.sleep,
            backtrack: plan.backtrack,
            done,
            fatal,
            choice: self.choice,
            deed: self.deed,
            n_values: self.n_values,
        }
    }

    /// Turns to the next choice, if any is left.
    fn advance(&mut self) -> bool {
        if self.owns_values && self.choice.value + 1 < self.n_values {
            self.choice.value += 1;
            return true;
        }
        self.claim()
    }

    /// Turns to a thread that nobody has tried.
    fn claim(&mut self) -> bool {
        let mut plan = locked(&self.state.plan);
        let Some(thread) = plan.backtrack.without(plan.claimed).without(self.state.sleep).first() else {
            return false;
        };
        self.asleep = self.state.sleep.union(plan.claimed.intersection(plan.harmless));
        plan.claimed.insert(thread);
        self.choice = Choice { thread, value: 0 };
        // Known when it is executed.
        self.n_values = 1;
        self.deed = None;
        self.owns_values = true;
        self.is_fatal = false;
        true
    }
}

/// Where all workers wait for each other, unless one will never come.
struct Meeting {
    n_workers: usize,
    attendance: Mutex<Attendance>,
    changed: Condvar,
}

#[derive(Default)]
struct Attendance {
    n_waiting: usize,
    n_meetings: u64,
    is_cancelled: bool,
}

impl Meeting {
    fn new(n_workers: usize) -> Meeting {
        Meeting { n_workers, attendance: Mutex::default(), changed: Condvar::new() }
    }

    /// Until all are there; false if it was cancelled.
    fn wait(&self) -> bool {
        let mut attendance = locked(&self.attendance);
        attendance.n_waiting += 1;
        if attendance.n_waiting == self.n_workers {
            attendance.n_waiting = 0;
            attendance.n_meetings += 1;
            self.changed.notify_all();
        }
        let own = attendance.n_meetings;
        let is_over = |attendance: &Attendance| attendance.n_waiting == 0 || attendance.n_meetings != own;
        while !is_over(&attendance) && !attendance.is_cancelled {
            attendance = self.changed.wait(attendance).unwrap_or_else(PoisonError::into_inner);
        }
        !attendance.is_cancelled
    }

    fn cancel(&self) {
        locked(&self.attendance).is_cancelled = true;
        self.changed.notify_all();
    }
}

/// If a worker panics the others stop, and do not wait for it.
struct Alarm<'p, 'a>(&'p Pool<'a>);

impl Drop for Alarm<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stops.store(true, Relaxed);
            self.0.meeting.cancel();
        }
    }
}

/// What the workers share.
struct Pool<'a> {
    program: &'a ExecutorOptions,
    options: SearchOptions,
    max_executions: Option<u64>,
    /// Where each worker is.
    paths: Vec<Mutex<Path>>,
    n_idle: Mutex<usize>,
    /// Everybody shall stop: the round has ended.
    stops: AtomicBool,
    /// Why, as the first one said; nothing if nothing is left to try.
    reason: Mutex<Option<Next>>,
    /// Where all workers wait for each other between two rounds.
    meeting: Meeting,
    /// What they agreed on there.
    next: Mutex<Next>,
    /// Is nothing left to try, in a round that nobody ended?
    is_exhausted: AtomicBool,
    exits_are_visible: AtomicBool,
    /// The places in memory that anybody knows to be shared.
    promoted: Mutex<BTreeSet<u64>>,
    /// How many of them were known when the round began.
    n_promoted: AtomicUsize,
    learned: Arc<Mutex<Learned>>,
    totals: Mutex<Totals<'a>>,
}

struct Totals<'a> {
    control: &'a mut (dyn Control + Send),
    /// The executions of earlier rounds.
    earlier: u64,
    /// Of each worker.
    statistics: Vec<SearchStatistics>,
    was_interrupted: bool,
    reached_limit: bool,
}

impl<'a> Pool<'a> {
    fn new(
        program: &'a ExecutorOptions,
        executor: &Executor,
        options: &SearchOptions,
        n_workers: usize,
        control: &'a mut (dyn Control + Send),
    ) -> Pool<'a> {
        let promoted: BTreeSet<u64> = executor.promoted().into_iter().collect();
        Pool {
            program,
            max_executions: options.max_executions,
            options: SearchOptions { max_executions: None, ..options.clone() },
            paths: (0..n_workers).map(|_| Mutex::default()).collect(),
            // The first one begins.
            n_idle: Mutex::new(n_workers - 1),
            stops: AtomicBool::new(false),
            reason: Mutex::new(None),
            meeting: Meeting::new(n_workers),
            next: Mutex::new(Next::Over),
            is_exhausted: AtomicBool::new(false),
            exits_are_visible: AtomicBool::new(executor.exits_are_visible()),
            n_promoted: AtomicUsize::new(promoted.len()),
            promoted: Mutex::new(promoted),
            learned: Arc::default(),
            totals: Mutex::new(Totals {
                control,
                earlier: 0,
                statistics: vec![SearchStatistics::default(); n_workers],
                was_interrupted: false,
                reached_limit: false,
            }),
        }
    }

    /// All rounds of one worker.
    fn work(&self, number: usize) -> Result<SearchResult, LaunchError> {
        let _alarm = Alarm(self);
        pin_to_one_cpu(Some(number));
        let mut executor = Executor::new(self.program).inspect_err(|_| self.leave())?;
        if self.exits_are_visible.load(Relaxed) {
            executor.make_exits_visible();
        }
        executor.set_promoted(&self.all_promoted());
        let mut control = WorkerControl { pool: self, number };
        let n_workers = self.paths.len();
        let mut search = Search::new(&mut executor, &self.options, &mut control).of_worker(number, n_workers);
        let mut strategy = search.strategy(&self.learned);
        loop {
            self.round(number, &mut search, strategy.as_deref_mut()).inspect_err(|_| self.leave())?;
            locked(&self.promoted).extend(search.executor.promoted());
            if !self.meeting.wait() {
                return search.finish();
            }
            let agreed = if number == 0 { self.agree(&mut search, strategy.as_deref()) } else { Ok(()) };
            if !self.meeting.wait() {
                return search.finish();
            }
            agreed?;
            let next = *locked(&self.next);
            if next == Next::Over {
                return search.finish();
            }
            search.executor.set_promoted(&self.all_promoted());
            self.count_as_earlier(number, &search.result.statistics);
            search.begin_anew(next);
            if next != Next::Round {
                strategy = search.strategy(&self.learned);
            }
        }
    }

    /// Ends the round, and with `Over` the search. Who comes later is not heard.
    fn end(&self, next: Next) {
        let mut reason = locked(&self.reason);
        if !self.stops.load(Relaxed) {
            *reason = Some(next);
            self.stops.store(true, Relaxed);
        }
    }

    /// A worker cannot go on; then nobody does.
    fn leave(&self) {
        *locked(&self.reason) = Some(Next::Over);
        self.stops.store(true, Relaxed);
        self.meeting.wait();
        *locked(&self.next) = Next::Over;
        self.meeting.wait();
    }

    fn all_promoted(&self) -> Vec<u64> {
        locked(&self.promoted).iter().copied().collect()
    }

    /// A worker begins anew.
    fn count_as_earlier(&self, number: usize, statistics: &SearchStatistics) {
        let mut totals = locked(&self.totals);
        totals.earlier += statistics.executions;
        totals.statistics[number] = SearchStatistics::default();
    }

    /// What comes next; one worker decides while the others wait.
    fn agree(&self, search: &mut Search, strategy: Option<&dyn Strategy>) -> Result<(), LaunchError> {
        *locked(&self.next) = Next::Over;
        let reason = locked(&self.reason).take();
        let is_blind = locked(&self.promoted).len() != self.n_promoted.load(Relaxed);
        let is_outdated = || strategy.is_some_and(|strategy| strategy.is_outdated(true));
        let wanted = match reason {
            // Somebody else may have met new memory just then.
            Some(Next::Round) | None if is_blind => Some(Next::Memory),
            None => is_outdated().then_some(Next::Round),
            reason => reason,
        };
        self.is_exhausted.store(wanted.is_none(), Relaxed);
        let next = match wanted {
            Some(next) if reason.is_some() || search.is_within_limits() => next,
            _ => Next::Over,
        };
        match next {
            Next::Over => return Ok(()),
            Next::VisibleExits => self.exits_are_visible.store(true, Relaxed),
            Next::Memory => {
                search.executor.set_promoted(&self.all_promoted());
                search.learn()?;
                locked(&self.promoted).extend(search.executor.promoted());
            }
            Next::Round | Next::Shorter => {}
        }
        if next != Next::Round {
            *locked(&self.learned) = Learned::default();
        }
        self.n_promoted.store(locked(&self.promoted).len(), Relaxed);
        self.paths.iter().for_each(|path| locked(path).clear());
        *locked(&self.n_idle) = self.paths.len() - 1;
        self.stops.store(false, Relaxed);
        *locked(&self.next) = next;
        Ok(())
    }

    fn round(
        &self,
        number: usize,
        search: &mut Search,
        strategy: Option<&mut (dyn Strategy + 'static)>,
    ) -> Result<(), LaunchError> {
        let next = match strategy {
            Some(strategy) => self.systematic(number, search, strategy)?,
            None => Some(search.sample()?),
        };
        if let Some(next) = next {
            self.end(next);
        }
        Ok(())
    }

    /// Until nothing is left to try, or something ends the round.
    fn systematic(
        &self,
        number: usize,
        search: &mut Search,
        strategy: &mut dyn Strategy,
    ) -> Result<Option<Next>, LaunchError> {
        let mut path = Path::new();
        let mut has_work = number == 0;
        if has_work {
            // Nobody else has anything to do yet.
            strategy.begin_round();
        }
        while !self.stops.load(Relaxed) {
            if !has_work {
                let Some(stolen) = self.steal(number) else { return Ok(None) };
                path = stolen;
            }
            if let Some(next) = self.step(search, strategy, &mut path)? {
                return Ok(Some(next));
            }
            if self.stops.load(Relaxed) {
                return Ok(None);
            }
            has_work = backtrack(&mut path);
            locked(&self.paths[number]).clone_from(&path);
            if strategy.has_samples() && has_work {
                search.result.statistics.part_done = nodes(&path).part_done();
                if let Some(next) = search.samples()? {
                    return Ok(Some(next));
                }
            }
            if !search.is_within_limits() {
                return Ok(Some(Next::Over));
            }
            if strategy.is_outdated(false) {
                return Ok(Some(Next::Round));
            }
            if !has_work {
                *locked(&self.n_idle) += 1;
            }
        }
        Ok(None)
    }

    /// One execution along the path and on. What ends the round, if anything does.
    fn step(
        &self,
        search: &mut Search,
        strategy: &mut dyn Strategy,
        path: &mut Path,
    ) -> Result<Option<Next>, LaunchError> {
        let schedule: Vec<Choice> = path.iter().map(|waypoint| waypoint.choice).collect();
        let asleep = path.last().map_or(ThreadSet::EMPTY, |last| {
            let mut asleep = last.asleep;
            asleep.remove(last.choice.thread);
            asleep
        });
        let (sleep, policy) = (strategy.uses_sleep().then_some(asleep), strategy.policy());
        let run = Run { sleep, policy, max_depth: Some(search.depth), ..Run::along(&schedule) };
        strategy.begin(schedule.len());
        let execution = search.execute(&run, &mut |question| strategy.answer(question))?;
        if self.stops.load(Relaxed) {
            // It may have been given up.
            return Ok(None);
        }
        if let Some(next) = search.is_blind(&execution) {
            return Ok(Some(next));
        }
        strategy.end(search.executor.region());
        let mut stack = nodes(path);
        let edges = match search.followed(&mut stack, &execution) {
            Ok(edges) => edges,
            Err(difference) => {
                search.differs(&execution, difference);
                return Ok(Some(Next::Over));
            }
        };
        // Unless it was given up before it got to something new.
        if execution.visible.len() >= schedule.len() {
            extend(path, &mut stack, strategy, &execution);
        }
        if strategy.has_left_out() {
            search.stop(Stopped::Bound);
        }
        Ok(if search.record(&execution, edges)? { None } else { Some(Next::Over) })
    }

    /// The path to something that nobody has tried; waits for it. None when everybody is done.
    fn steal(&self, thief: usize) -> Option<Path> {
        loop {
            {
                let mut n_idle = locked(&self.n_idle);
                if *n_idle == self.paths.len() || self.stops.load(Relaxed) {
                    return None;
                }
                let others = (0..self.paths.len()).filter(|number| *number != thief);
                if let Some(path) =
                    others.into_iter().find_map(|number| steal_from(&locked(&self.paths[number])))
                {
                    *n_idle -= 1;
                    return Some(path);
                }
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// One result of all.
    fn merge(self, results: Vec<Result<SearchResult, LaunchError>>) -> Result<SearchResult, LaunchError> {
        let totals = self.totals.into_inner().expect("no worker panicked");
        let mut merged: Option<SearchResult> = None;
        for result in results {
            let result = result?;
            match &mut merged {
                None => merged = Some(result),
                Some(merged) => add(merged, result),
            }
        }
        let mut merged = merged.expect("there is a worker");
        // Whoever was told to stop by another worker was not interrupted.
        merged.stopped.retain(|reason| *reason != Stopped::Interrupted);
        if totals.reached_limit {
            merged.stopped.push(Stopped::Executions);
        }
        // Whoever ended the search has said why; that it was not complete must not depend on that.
        let is_unexplained = !self.is_exhausted.load(Relaxed) && merged.stopped.is_empty();
        if totals.was_interrupted || is_unexplained {
            merged.stopped.push(Stopped::Interrupted);
        }
        merged.findings.sort_by_key(|finding| finding.property);
        Ok(merged)
    }
}

/// How long somebody without work waits before it looks again.
const PAUSE: Duration = Duration::from_micros(200);

/// A path as a strategy sees it.
fn nodes(path: &Path) -> Stack {
    Stack { nodes: path.iter().map(Waypoint::node).collect() }
}

/// Adds the new part of an execution to a path, and what the strategy finds worth trying to its states.
fn extend(path: &mut Path, stack: &mut Stack, strategy: &mut dyn Strategy, execution: &Execution) {
    let followed = path.len();
    let known = followed.saturating_sub(1);
    path.extend(stack.nodes[followed..].iter().map(Waypoint::new));
    strategy.plan(stack, execution, known);
    for (waypoint, node) in path.iter().zip(&stack.nodes) {
        let mut plan = locked(&waypoint.state.plan);
        plan.backtrack = plan.backtrack.union(node.backtrack);
    }
    for (index, waypoint) in path.iter_mut().enumerate().skip(known) {
        waypoint.learn(execution.choice(index), &stack.nodes[index]);
    }
}

/// Goes back to the deepest state where something is left to try.
fn backtrack(path: &mut Path) -> bool {
    while let Some(last) = path.last_mut() {
        if last.advance() {
            return true;
        }
        path.pop();
    }
    false
}

/// The shallowest: most is left to do there.
fn steal_from(path: &Path) -> Option<Path> {
    let position = path.iter().position(|waypoint| {
        let plan = *locked(&waypoint.state.plan);
        !plan.backtrack.without(plan.claimed).without(waypoint.state.sleep).is_empty()
    })?;
    let mut stolen: Path = path[..=position].to_vec();
    stolen.iter_mut().for_each(|waypoint| waypoint.owns_values = false);
    stolen[position].claim().then_some(stolen)
}

/// Adds what another worker found. Of two executions that violate the same, the one that comes first in the order of one worker.
fn add(merged: &mut SearchResult, other: SearchResult) {
    merged.statistics = sum(&merged.statistics, &other.statistics);
    for finding in other.findings {
        match merged.findings.iter_mut().find(|known| known.property == finding.property) {
            None => merged.findings.push(finding),
            Some(known) => {
                known.count += finding.count;
                if finding.execution.schedule() < known.execution.schedule() {
                    known.execution = finding.execution;
                    known.promoted = finding.promoted;
                }
            }
        }
    }
    for reason in other.stopped {
        if !merged.stopped.contains(&reason) {
            merged.stopped.push(reason);
        }
    }
    for operation in other.uncontrolled {
        if !merged.uncontrolled.contains(&operation) {
            merged.uncontrolled.push(operation);
        }
    }
    merged.uncontrolled.sort();
    merged.standstill = merged.standstill.take().or(other.standstill);
    merged.limit = merged.limit.or(other.limit);
    merged.difference = merged.difference.take().or(other.difference);
    merged.add_races(&other.races);
    merged.add_doubtful_races(&other.doubtful_races);
    merged.add_violated_with_leftovers(&other.violated_with_leftovers);
    merged.facts.add(&other.facts);
    merged.add_misuses(&other.misuses);
}

fn sum(one: &SearchStatistics, other: &SearchStatistics) -> SearchStatistics {
    SearchStatistics {
        executions: one.executions + other.executions,
        transitions: one.transitions + other.transitions,
        samples: one.samples + other.samples,
        sleep_blocked: one.sleep_blocked + other.sleep_blocked,
        assumed: one.assumed + other.assumed,
        cut: one.cut + other.cut,
        depth: one.depth.max(other.depth),
        seconds: one.seconds.max(other.seconds),
        part_done: 0.0,
    }
}

/// Tells the one who follows the search about all workers together.
struct WorkerControl<'p, 'a> {
    pool: &'p Pool<'a>,
    number: usize,
}

impl Control for WorkerControl<'_, '_> {
    fn goes_on(&mut self, statistics: &SearchStatistics) -> bool {
        let mut totals = locked(&self.pool.totals);
        totals.statistics[self.number] = *statistics;
        let all = totals.statistics.iter().fold(SearchStatistics::default(), |all, one| sum(&all, one));
        if self.pool.max_executions.is_some_and(|limit| totals.earlier + all.executions >= limit) {
            totals.reached_limit = true;
            self.pool.end(Next::Over);
        }
        if !totals.control.goes_on(&all) {
            totals.was_interrupted = true;
            self.pool.end(Next::Over);
        }
        !self.pool.stops.load(Relaxed)
    }

    fn executed(&mut self, execution: &Execution) {
        locked(&self.pool.totals).control.executed(execution);
    }
}
