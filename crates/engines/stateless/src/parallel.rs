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

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use allways_stateless_host::{LaunchError, pin_to_one_cpu};
use allways_stateless_protocol::{Policy, ThreadSet};

use crate::execution::{Execution, Step};
use crate::executor::{Executor, ExecutorOptions, Run};
use crate::naive::Naive;
use crate::random::{change_points, seed_of};
use crate::search::{Control, Search, SearchKind, SearchOptions, SearchResult, SearchStatistics, Stopped};
use crate::source::Source;
use crate::stack::{Choice, Node, Stack, Strategy};

/// Searches with so many workers. `executor` is left to the caller; it learns what the workers learn about the program.
pub fn search_parallel(
    program: &ExecutorOptions,
    executor: &mut Executor,
    options: &SearchOptions,
    n_workers: usize,
    control: &mut (dyn Control + Send),
) -> Result<SearchResult, LaunchError> {
    loop {
        let exits_are_visible = executor.exits_are_visible();
        let pool = Pool::new(program, exits_are_visible, options, n_workers, &mut *control);
        let results: Vec<Result<SearchResult, LaunchError>> = std::thread::scope(|scope| {
            let start = |number| {
                scope.spawn({
                    let pool = &pool;
                    move || pool.work(number)
                })
            };
            let workers: Vec<_> = (0..n_workers).map(start).collect();
            workers.into_iter().map(|worker| worker.join().expect("workers do not panic")).collect()
        });
        if pool.begins_anew.load(Relaxed) && !exits_are_visible {
            executor.make_exits_visible();
            continue;
        }
        return pool.merge(results);
    }
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
    /// Who is asleep when the choice is made.
    asleep: ThreadSet,
    /// Are the other values of the choice ours to try?
    owns_values: bool,
    /// Did the step end everything, with some value?
    is_fatal: bool,
}

type Path = Vec<Waypoint>;

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no worker panics")
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
            asleep: node.sleep,
            owns_values: true,
            is_fatal: false,
        }
    }

    /// Takes over what an execution showed about the choice.
    fn learn(&mut self, step: &Step) {
        self.n_values = step.n_values;
        self.is_fatal |= step.is_fatal;
        if !self.is_fatal && self.choice.value + 1 >= self.n_values {
            locked(&self.state.plan).harmless.insert(self.choice.thread);
        }
    }

    /// As a strategy sees it.
    fn node(&self) -> Node {
        let plan = *locked(&self.state.plan);
        let mut done = plan.claimed;
        done.remove(self.choice.thread);
        Node {
            enabled: self.state.enabled,
            sleep: self.state.sleep,
            backtrack: plan.backtrack,
            done,
            fatal: plan.claimed.without(plan.harmless),
            choice: self.choice,
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
        self.owns_values = true;
        self.is_fatal = false;
        true
    }
}

/// What the workers share.
struct Pool<'a> {
    program: &'a ExecutorOptions,
    exits_are_visible: bool,
    options: SearchOptions,
    max_executions: Option<u64>,
    /// Where each worker is.
    paths: Vec<Mutex<Path>>,
    n_idle: Mutex<usize>,
    /// Everybody shall stop.
    stops: AtomicBool,
    begins_anew: AtomicBool,
    n_samples: AtomicU64,
    totals: Mutex<Totals<'a>>,
}

struct Totals<'a> {
    control: &'a mut (dyn Control + Send),
    /// Of each worker.
    statistics: Vec<SearchStatistics>,
    was_interrupted: bool,
    reached_limit: bool,
}

impl<'a> Pool<'a> {
    fn new(
        program: &'a ExecutorOptions,
        exits_are_visible: bool,
        options: &SearchOptions,
        n_workers: usize,
        control: &'a mut (dyn Control + Send),
    ) -> Pool<'a> {
        Pool {
            program,
            exits_are_visible,
            max_executions: options.max_executions,
            options: SearchOptions { max_executions: None, ..options.clone() },
            paths: (0..n_workers).map(|_| Mutex::default()).collect(),
            // The first one begins.
            n_idle: Mutex::new(n_workers - 1),
            stops: AtomicBool::new(false),
            begins_anew: AtomicBool::new(false),
            n_samples: AtomicU64::new(0),
            totals: Mutex::new(Totals {
                control,
                statistics: vec![SearchStatistics::default(); n_workers],
                was_interrupted: false,
                reached_limit: false,
            }),
        }
    }

    fn work(&self, number: usize) -> Result<SearchResult, LaunchError> {
        let result = self.search(number);
        if result.is_err() {
            self.stops.store(true, Relaxed);
        }
        result
    }

    fn search(&self, number: usize) -> Result<SearchResult, LaunchError> {
        pin_to_one_cpu(Some(number));
        let mut executor = Executor::new(self.program)?;
        if self.exits_are_visible {
            executor.make_exits_visible();
        }
        let mut control = WorkerControl { pool: self, number };
        let mut search = Search::new(&mut executor, &self.options, &mut control);
        match self.options.kind {
            SearchKind::Naive => self.systematic(number, &mut search, &mut Naive)?,
            // Persistent sets are for one worker.
            SearchKind::Source | SearchKind::Persistent => {
                self.systematic(number, &mut search, &mut Source::default())?
            }
            SearchKind::Random => self.sample(&mut search, Policy::Random)?,
            SearchKind::Pct => self.sample(&mut search, Policy::Pct)?,
        }
        Ok(search.result)
    }

    fn systematic(
        &self,
        number: usize,
        search: &mut Search,
        strategy: &mut dyn Strategy,
    ) -> Result<(), LaunchError> {
        let mut path = Path::new();
        let mut has_work = number == 0;
        while !self.stops.load(Relaxed) {
            if !has_work {
                let Some(stolen) = self.steal(number) else { return Ok(()) };
                path = stolen;
            }
            if !self.step(search, strategy, &mut path)? {
                self.stops.store(true, Relaxed);
                return Ok(());
            }
            has_work = backtrack(&mut path);
            locked(&self.paths[number]).clone_from(&path);
            if !has_work {
                *locked(&self.n_idle) += 1;
            }
        }
        Ok(())
    }

    /// One execution along the path and on. False to stop everything.
    fn step(
        &self,
        search: &mut Search,
        strategy: &mut dyn Strategy,
        path: &mut Path,
    ) -> Result<bool, LaunchError> {
        let schedule: Vec<Choice> = path.iter().map(|waypoint| waypoint.choice).collect();
        let asleep = path.last().map_or(ThreadSet::EMPTY, |last| {
            let mut asleep = last.asleep;
            asleep.remove(last.choice.thread);
            asleep
        });
        let sleep = strategy.uses_sleep().then_some(asleep);
        let run = Run { sleep, max_depth: self.options.max_depth, ..Run::along(&schedule) };
        let execution = search.execute(&run, &mut |_| None)?;
        if self.must_begin_anew(&execution) {
            return Ok(false);
        }
        let mut stack = Stack { nodes: path.iter().map(Waypoint::node).collect() };
        let Some(edges) = search.followed(&mut stack, &execution) else {
            search.stop(Stopped::NotRepeatable);
            return Ok(false);
        };
        if execution.visible.len() < schedule.len() {
            // Given up before it got to something new.
            return Ok(search.record(&execution, edges)? && search.is_within_limits());
        }
        path.extend(stack.nodes[schedule.len()..].iter().map(Waypoint::new));
        let known = schedule.len().saturating_sub(1);
        for (index, waypoint) in path.iter_mut().enumerate().skip(known) {
            waypoint.learn(execution.choice(index));
        }
        strategy.plan(&mut stack, &execution, known);
        for (waypoint, node) in path.iter().zip(&stack.nodes) {
            let mut plan = locked(&waypoint.state.plan);
            plan.backtrack = plan.backtrack.union(node.backtrack);
        }
        Ok(search.record(&execution, edges)? && search.is_within_limits())
    }

    /// Does the order in which processes end matter to this program, and was it no choice?
    fn must_begin_anew(&self, execution: &Execution) -> bool {
        let must = execution.waited_for_any && !self.exits_are_visible;
        if must {
            self.begins_anew.store(true, Relaxed);
        }
        must
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

    fn sample(&self, search: &mut Search, policy: Policy) -> Result<(), LaunchError> {
        search.stop(Stopped::Sampling);
        let mut length = 1;
        while !self.stops.load(Relaxed) {
            let number = self.n_samples.fetch_add(1, Relaxed);
            let seed = seed_of(self.options.seed, number);
            let points = change_points(seed, 2, length);
            let run = Run {
                policy,
                seed,
                change_points: &points,
                max_depth: self.options.max_depth,
                ..Run::along(&[])
            };
            let execution = search.execute(&run, &mut |_| None)?;
            length = length.max(execution.visible.len() as u32);
            let goes_on = !self.must_begin_anew(&execution)
                && search.record(&execution, execution.visible.len() as u64)?
                && search.is_within_limits();
            if !goes_on {
                self.stops.store(true, Relaxed);
            }
        }
        Ok(())
    }

    /// One result of all.
    fn merge(self, results: Vec<Result<SearchResult, LaunchError>>) -> Result<SearchResult, LaunchError> {
        let totals = self.totals.into_inner().expect("no worker panics");
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
        if !totals.was_interrupted {
            merged.stopped.retain(|reason| *reason != Stopped::Interrupted);
        }
        if totals.reached_limit {
            merged.stopped.push(Stopped::Executions);
        }
        merged.findings.sort_by_key(|finding| finding.property);
        Ok(merged)
    }
}

/// How long somebody without work waits before it looks again.
const PAUSE: Duration = Duration::from_micros(200);

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
}

fn sum(one: &SearchStatistics, other: &SearchStatistics) -> SearchStatistics {
    SearchStatistics {
        executions: one.executions + other.executions,
        transitions: one.transitions + other.transitions,
        samples: one.samples + other.samples,
        sleep_blocked: one.sleep_blocked + other.sleep_blocked,
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
        if self.pool.max_executions.is_some_and(|limit| all.executions >= limit) {
            totals.reached_limit = true;
            self.pool.stops.store(true, Relaxed);
        }
        if !totals.control.goes_on(&all) {
            totals.was_interrupted = true;
            self.pool.stops.store(true, Relaxed);
        }
        !self.pool.stops.load(Relaxed)
    }

    fn executed(&mut self, execution: &Execution) {
        locked(&self.pool.totals).control.executed(execution);
    }
}
