//! The search: one execution after another until nothing is left to try.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use allways_stateless_host::LaunchError;
use allways_stateless_protocol::{Failures, Limit, Misuse, Outcome, Policy, Race};

use crate::bounded::{Bound, Bounded};
use crate::difference::{Difference, Turn};
use crate::execution::Execution;
use crate::executor::{Executor, Run};
use crate::facts::Facts;
use crate::naive::Naive;
use crate::persistent::{Learned, Persistent};
use crate::question::Question;
use crate::random::{change_points, seed_of};
use crate::source::Source;
use crate::stack::{Choice, Stack, Strategy};

/// Which executions are tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchKind {
    /// All.
    Naive,
    /// Persistent sets and sleep sets, from what threads were seen to do.
    Persistent,
    /// One for each set of executions that differ only in the order of independent operations.
    Source,
    /// Random choices.
    Random,
    /// Random priorities, lowered at a few random steps.
    Pct,
}

/// What to search, and how far.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    pub kind: SearchKind,
    pub max_executions: Option<u64>,
    pub max_depth: Option<u32>,
    pub max_time: Option<Duration>,
    /// Go on after a violation.
    pub keep_going: bool,
    pub seed: u64,
    /// Only the schedules within a bound, and of those all, whatever the kind; not for random searches.
    pub bound: Option<Bound>,
}

/// What is checked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum PropertyName {
    Deadlock,
    Assertions,
    Crash,
    Exit,
    Divergence,
    Livelock,
    Races,
    Misuse,
}

impl PropertyName {
    pub const ALL: [PropertyName; 8] = [
        PropertyName::Deadlock,
        PropertyName::Assertions,
        PropertyName::Crash,
        PropertyName::Exit,
        PropertyName::Divergence,
        PropertyName::Livelock,
        PropertyName::Races,
        PropertyName::Misuse,
    ];

    /// The word used in reports.
    pub fn word(self) -> &'static str {
        match self {
            PropertyName::Deadlock => "deadlock",
            PropertyName::Assertions => "assertions",
            PropertyName::Crash => "crash",
            PropertyName::Exit => "exit",
            PropertyName::Divergence => "divergence",
            PropertyName::Livelock => "livelock",
            PropertyName::Races => "races",
            PropertyName::Misuse => "misuse",
        }
    }

    /// What an execution violates.
    pub fn violated_by(execution: &Execution) -> Option<PropertyName> {
        match execution.outcome {
            Outcome::Deadlock if !execution.has_outsiders => Some(PropertyName::Deadlock),
            Outcome::Assertion => Some(PropertyName::Assertions),
            Outcome::Crash => Some(PropertyName::Crash),
            Outcome::Divergence if execution.standstill.is_none() => Some(PropertyName::Divergence),
            Outcome::Livelock => Some(PropertyName::Livelock),
            Outcome::Finished if !execution.ends_well => Some(PropertyName::Exit),
            _ => None,
        }
    }

    /// Does an execution go on after it violates this property? Then what comes of it may tell more.
    pub fn goes_on(self) -> bool {
        matches!(self, PropertyName::Races | PropertyName::Misuse)
    }

    /// Does an execution violate this property?
    pub fn is_violated_by(self, execution: &Execution) -> bool {
        match self {
            PropertyName::Races => !execution.races.is_empty(),
            PropertyName::Misuse => !execution.misuses.is_empty(),
            _ => PropertyName::violated_by(execution) == Some(self),
        }
    }
}

/// A property that is violated, with the first execution that shows it.
#[derive(Clone, Debug)]
pub struct Finding {
    pub property: PropertyName,
    pub execution: Execution,
    /// The places in memory whose accesses were visible, by their addresses.
    pub promoted: Vec<u64>,
    /// How often it was met.
    pub count: u64,
}

/// Why a search did not cover everything.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stopped {
    /// At the first violation.
    Violation,
    Executions,
    Time,
    Interrupted,
    /// Some executions were cut at the limit of the depth.
    Depth,
    /// There are schedules beyond the bound.
    Bound,
    /// It is a search that never covers everything.
    Sampling,
    /// The program did something else under the same schedule.
    NotRepeatable,
    /// A thread that tried again and again in vain was made to wait for others.
    Retries,
    /// An execution that goes on for ever was given up.
    Endless,
    /// The program needs more room than there is.
    TooLarge,
}

/// What a search did.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct SearchStatistics {
    pub executions: u64,
    /// Executions with random choices beside the search.
    pub samples: u64,
    /// Edges of the tree of executions; what is repeated is not counted again.
    pub transitions: u64,
    pub sleep_blocked: u64,
    /// Executions that ended where something which the program assumes was not so.
    pub assumed: u64,
    pub cut: u64,
    pub depth: u64,
    pub seconds: f64,
    /// The part of the tree that is done, as far as one can tell from where the search is: see [`Stack::part_done`].
    pub part_done: f64,
}

/// The answer.
#[derive(Clone, Debug, Default)]
pub struct SearchResult {
    pub findings: Vec<Finding>,
    /// Empty if the search was complete.
    pub stopped: Vec<Stopped>,
    pub statistics: SearchStatistics,
    pub uncontrolled: Vec<String>,
    /// See [`Execution::standstill`]: of the first execution that was given up so.
    pub standstill: Option<String>,
    /// See [`Execution::limit`]: of the first execution that met one.
    pub limit: Option<(Limit, u64)>,
    /// Different pairs of accesses that race, in the order they were met.
    pub races: Vec<Race>,
    /// See [`Execution::doubtful_races`].
    pub doubtful_races: Vec<String>,
    /// What is violated only by executions that depend on files of earlier ones.
    pub violated_with_leftovers: Vec<PropertyName>,
    /// What verdicts may rest on.
    pub facts: Facts,
    /// Different misuses, in the order they were met.
    pub misuses: Vec<Misuse>,
    /// What was not the same under the same schedule, if that is known.
    pub difference: Option<Box<Difference>>,
}

impl SearchResult {
    pub fn is_complete(&self) -> bool {
        self.stopped.is_empty()
    }

    /// Adds those that are not known.
    pub(crate) fn add_doubtful_races(&mut self, races: &[String]) {
        for race in races {
            if !self.doubtful_races.contains(race) {
                self.doubtful_races.push(race.clone());
            }
        }
    }

    /// Adds those that are not known.
    pub(crate) fn add_violated_with_leftovers(&mut self, properties: &[PropertyName]) {
        for property in properties {
            if !self.violated_with_leftovers.contains(property) {
                self.violated_with_leftovers.push(*property);
            }
        }
    }

    /// Adds those that are not known.
    pub(crate) fn add_uncontrolled(&mut self, remarks: &[String]) {
        for remark in remarks {
            if !self.uncontrolled.contains(remark) {
                self.uncontrolled.push(remark.clone());
            }
        }
    }

    /// Adds those that are others than all so far.
    pub(crate) fn add_misuses(&mut self, misuses: &[Misuse]) {
        for misuse in misuses {
            let is_it = |known: &Misuse| (known.fault, known.place) == (misuse.fault, misuse.place);
            if !self.misuses.iter().any(is_it) {
                self.misuses.push(*misuse);
            }
        }
    }

    /// Adds those that are between other places than all so far.
    pub(crate) fn add_races(&mut self, races: &[Race]) {
        let places = |race: &Race| {
            let mut places = race.accesses.map(|access| access.place);
            places.sort_unstable();
            places
        };
        for race in races {
            if !self.races.iter().any(|known| places(known) == places(race)) {
                self.races.push(*race);
            }
        }
    }
}

/// Who follows a search.
pub trait Control {
    /// Called after each execution; false to stop.
    fn goes_on(&mut self, statistics: &SearchStatistics) -> bool;

    /// Called with each execution.
    fn executed(&mut self, execution: &Execution);
}

/// Searches.
pub fn search(
    executor: &mut Executor,
    options: &SearchOptions,
    control: &mut dyn Control,
) -> Result<SearchResult, LaunchError> {
    let mut search = Search::new(executor, options, control);
    let mut learned = Arc::default();
    let mut strategy = search.strategy(&learned);
    loop {
        let next = match &mut strategy {
            Some(strategy) => search.systematic(&mut **strategy)?,
            None => search.sample()?,
        };
        match next {
            Next::Over => return search.finish(),
            Next::Memory => search.learn()?,
            Next::VisibleExits | Next::Round | Next::Shorter => {}
        }
        search.begin_anew(next);
        if next != Next::Round {
            learned = Arc::default();
            strategy = search.strategy(&learned);
        }
    }
}

/// What comes after a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Next {
    Over,
    /// Anew, with the end of a process as a choice: the order in which processes end matters to the program.
    VisibleExits,
    /// Anew, with more of the memory visible.
    Memory,
    /// Anew, with what was learned.
    Round,
    /// Anew, with executions that are cut earlier.
    Shorter,
}

/// If nobody said how deep to search: a program that takes more steps than this is searched to a smaller depth, for one that goes on
/// for ever would not be searched at all.
const LONG: u32 = 100_000;
const SHORT: u32 = 5_000;

/// When there were so many executions, as many are tried with random choices: what is wrong may be far from where a search is that
/// goes depth first. Long executions, of which so many steps are enough, need not be as many.
const SAMPLED_AFTER: u64 = 256;
const SAMPLED_STEPS: u64 = 50_000;

/// Each time the executions have doubled again, so many of them as this part are; more if it seems that the search will not come to an end.
const SAMPLED_PART: u64 = 8;
const SAMPLED_PART_IF_HOPELESS: u64 = 2;

/// The part of the tree that must be done by then, if there is hope.
const HOPEFUL_PART: f64 = 0.001;

/// Executions with random choices that must all touch no new memory before a search begins anew.
const QUIET_EXECUTIONS: u64 = 8;

/// How long that may take, if there is no limit of time; else a part of what is left.
const LEARNING_TIME: Duration = Duration::from_secs(20);
const LEARNING_PART: u32 = 4;

/// How long one may look for a race, at the end, that was met while learning.
const RACE_TIME: Duration = Duration::from_secs(10);

/// How far a search goes on after a race: what comes of it, an assertion that fails, tells more, but may be nothing.
const EXECUTIONS_AFTER_RACE: u64 = 4_000;
const TIME_AFTER_RACE: Duration = Duration::from_secs(10);

/// Repeats one execution.
pub fn replay(executor: &mut Executor, schedule: &[Choice]) -> Result<Execution, LaunchError> {
    executor.execute(&Run::along(schedule))
}

/// Repeats one execution to show it: with who called what.
pub fn replay_with_callers(executor: &mut Executor, schedule: &[Choice]) -> Result<Execution, LaunchError> {
    executor.execute(&Run { with_callers: true, ..Run::along(schedule) })
}

/// The same, no further than the schedule goes: an execution that was cut is cut again.
pub fn repeat_with_callers(executor: &mut Executor, schedule: &[Choice]) -> Result<Execution, LaunchError> {
    let max_depth = Some(schedule.len() as u32);
    executor.execute(&Run { with_callers: true, max_depth, ..Run::along(schedule) })
}

/// A search under way, or the part of one that a worker does.
pub(crate) struct Search<'a> {
    pub executor: &'a mut Executor,
    options: &'a SearchOptions,
    control: &'a mut dyn Control,
    started: Instant,
    /// The executions before the search began anew.
    earlier: u64,
    /// Where executions are cut.
    pub depth: u32,
    /// Random executions so far, beside the search.
    n_samples: u64,
    /// Which worker this is, and of how many: each has random numbers of its own.
    worker: (u64, u64),
    /// Seeds of executions that met a race before it was known which memory is shared.
    racy: Vec<Option<u64>>,
    /// When a race or misuse was first found, and the executions since.
    race: Option<(Instant, u64)>,
    /// Is it known whether there are locks and the like that one thread alone uses?
    has_looked_for_private: bool,
    pub result: SearchResult,
}

impl<'a> Search<'a> {
    pub fn new(
        executor: &'a mut Executor,
        options: &'a SearchOptions,
        control: &'a mut dyn Control,
    ) -> Search<'a> {
        // What persistent sets know is known by thread.
        executor.keep_slots(options.kind == SearchKind::Persistent);
        executor.await_failures(if options.keep_going { Failures::Awaited } else { Failures::AtOnce });
        Search {
            executor,
            options,
            control,
            started: Instant::now(),
            earlier: 0,
            depth: options.max_depth.unwrap_or(LONG),
            n_samples: 0,
            worker: (0, 1),
            racy: Vec::new(),
            race: None,
            has_looked_for_private: false,
            result: SearchResult::default(),
        }
    }

    /// The part of one of several workers.
    pub fn of_worker(self, number: usize, n_workers: usize) -> Search<'a> {
        Search { worker: (number as u64, n_workers as u64), ..self }
    }

    /// What to try, unless that is left to chance.
    pub fn strategy(&self, learned: &Arc<Mutex<Learned>>) -> Option<Box<dyn Strategy>> {
        match (self.options.kind, self.options.bound) {
            (SearchKind::Random | SearchKind::Pct, _) => None,
            (_, Some(bound)) => Some(Box::new(Bounded::new(bound))),
            (SearchKind::Naive, None) => Some(Box::new(Naive)),
            (SearchKind::Persistent, None) => Some(Box::new(Persistent::new(learned))),
            (SearchKind::Source, None) => {
                let deadline = self.options.max_time.map(|limit| self.started + limit);
                Some(Box::new(Source { deadline }))
            }
        }
    }

    /// Forgets what was counted, and what was found unless it was found with the same steps.
    pub fn begin_anew(&mut self, next: Next) {
        self.earlier += self.result.statistics.executions;
        match next {
            Next::VisibleExits => self.executor.make_exits_visible(),
            Next::Shorter => self.depth = SHORT,
            Next::Over | Next::Memory | Next::Round => {}
        }
        if next == Next::Round {
            self.result.statistics = SearchStatistics::default();
            self.result.stopped.clear();
            self.result.findings.iter_mut().for_each(|finding| finding.count = 0);
        } else {
            self.result = SearchResult::default();
        }
    }

    /// The answer.
    pub fn finish(mut self) -> Result<SearchResult, LaunchError> {
        self.report_races()?;
        self.result.statistics.seconds = self.started.elapsed().as_secs_f64();
        for finding in &mut self.result.findings {
            finding.count = finding.count.max(1);
        }
        Ok(self.result)
    }

    /// Depth first.
    fn systematic(&mut self, strategy: &mut dyn Strategy) -> Result<Next, LaunchError> {
        let mut stack = Stack::default();
        strategy.begin_round();
        loop {
            let schedule = stack.schedule();
            let sleep = strategy.uses_sleep().then(|| stack.branch_sleep());
            let policy = strategy.policy();
            let run = Run { sleep, policy, max_depth: Some(self.depth), ..Run::along(&schedule) };
            strategy.begin(schedule.len());
            let execution = self.execute(&run, &mut |question| strategy.answer(question))?;
            if let Some(next) = self.is_blind(&execution) {
                return Ok(next);
            }
            strategy.end(self.executor.region());
            let known = schedule.len().saturating_sub(1);
            let edges = match self.followed(&mut stack, &execution) {
                Ok(edges) => edges,
                Err(difference) => {
                    self.differs(&execution, difference);
                    return Ok(Next::Over);
                }
            };
            if execution.outcome != Outcome::Cut || execution.visible.len() >= stack.nodes.len() {
                strategy.plan(&mut stack, &execution, known);
            }
            if strategy.has_left_out() {
                self.stop(Stopped::Bound);
            }
            if !self.record(&execution, edges)? {
                return Ok(Next::Over);
            }
            let is_over = !stack.backtrack();
            if strategy.has_samples()
                && !is_over
                && let Some(next) = self.samples()?
            {
                return Ok(next);
            }
            self.result.statistics.part_done = stack.part_done();
            if strategy.is_outdated(is_over) && self.is_within_limits() {
                return Ok(Next::Round);
            }
            if is_over || !self.is_within_limits() {
                return Ok(Next::Over);
            }
        }
    }

    /// One execution, unless time is up or somebody wants to stop.
    pub fn execute(
        &mut self,
        run: &Run,
        answer: &mut dyn FnMut(&Question) -> Option<Choice>,
    ) -> Result<Execution, LaunchError> {
        let (started, limit, statistics) = (self.started, self.options.max_time, self.result.statistics);
        let control = &mut *self.control;
        let mut goes_on =
            || limit.is_none_or(|limit| started.elapsed() < limit) && control.goes_on(&statistics);
        self.executor.execute_while(run, &mut goes_on, answer)
    }

    /// Random executions, as long as they touch memory that was not known to be shared. So a search begins anew once, not for each place.
    pub fn learn(&mut self) -> Result<(), LaunchError> {
        let now = Instant::now();
        let time_left = self.options.max_time.map(|limit| limit.saturating_sub(self.started.elapsed()));
        let limit = time_left.map_or(LEARNING_TIME, |left| LEARNING_TIME.min(left / LEARNING_PART));
        let (mut quiet, mut number) = (0, 0);
        while quiet < QUIET_EXECUTIONS && number < 100 * QUIET_EXECUTIONS && now.elapsed() < limit {
            let seed = seed_of(!self.options.seed, number);
            let execution = self.random(seed, limit.saturating_sub(now.elapsed()))?;
            if !execution.races.is_empty() {
                self.racy.push(Some(seed));
            }
            quiet = if execution.has_promoted { 0 } else { quiet + 1 };
            number += 1;
        }
        Ok(())
    }

    /// One execution with random choices, or as much of it as there is time for.
    fn random(&mut self, seed: u64, limit: Duration) -> Result<Execution, LaunchError> {
        let run = Run { policy: Policy::Random, seed, max_depth: Some(self.depth), ..Run::along(&[]) };
        let started = Instant::now();
        self.executor.execute_while(&run, &mut || started.elapsed() < limit, &mut |_| None)
    }

    /// If races were met while learning, but not afterwards because time was up, they are looked for once more.
    fn report_races(&mut self) -> Result<(), LaunchError> {
        let now = Instant::now();
        for seed in std::mem::take(&mut self.racy) {
            let has_races =
                self.result.findings.iter().any(|finding| finding.property == PropertyName::Races);
            if has_races || now.elapsed() > RACE_TIME {
                break;
            }
            let limit = RACE_TIME.saturating_sub(now.elapsed());
            let execution = match seed {
                Some(seed) => self.random(seed, limit)?,
                None => self.executor.execute_while(
                    &Run { max_depth: Some(self.depth), ..Run::along(&[]) },
                    &mut || now.elapsed() < RACE_TIME,
                    &mut |_| None,
                )?,
            };
            self.races(&execution)?;
        }
        Ok(())
    }

    /// Did something happen that should have been visible? Then the search begins anew, if there is time.
    pub fn is_blind(&mut self, execution: &Execution) -> Option<Next> {
        if !execution.races.is_empty() && (execution.has_promoted || self.is_too_long(execution)) {
            self.racy.push(None);
        }
        let hides = self.hides_objects(execution);
        let next = if execution.waited_for_any && !self.executor.exits_are_visible() {
            Next::VisibleExits
        } else if execution.has_promoted || hides {
            Next::Memory
        } else if self.is_too_long(execution) {
            self.depth = SHORT;
            Next::Shorter
        } else {
            return None;
        };
        Some(if self.is_within_limits() { next } else { Next::Over })
    }

    /// The first execution shows whether there are locks and the like that one thread alone uses.
    /// If so, what is done to those is no step from now on.
    fn hides_objects(&mut self, execution: &Execution) -> bool {
        let is_reduced = matches!(self.options.kind, SearchKind::Source | SearchKind::Persistent)
            && self.options.bound.is_none();
        let is_first = !std::mem::replace(&mut self.has_looked_for_private, true);
        let is_worth_it = is_reduced
            && is_first
            && !self.executor.hides_objects()
            && !self.executor.exits_are_visible()
            && !execution.waited_for_any
            && execution.has_private_steps();
        if is_worth_it {
            self.executor.hide_objects(execution.shared_objects());
        }
        is_worth_it
    }

    fn is_too_long(&self, execution: &Execution) -> bool {
        self.options.max_depth.is_none() && execution.visible.len() as u32 >= LONG
    }

    /// Now and then some executions with random choices. Whatever they show, it is a reason to end
    /// this search. Everything is visible in them: they may meet what the search does not look for.
    pub fn samples(&mut self) -> Result<Option<Next>, LaunchError> {
        if !self.are_samples_due() {
            return Ok(None);
        }
        let objects = self.executor.show_objects();
        let result = self.take_samples();
        if !objects.is_empty() {
            self.executor.hide_objects(objects.into_iter());
        }
        result
    }

    fn are_samples_due(&self) -> bool {
        let n_executions = self.result.statistics.executions;
        let sampled_after = SAMPLED_AFTER.min(SAMPLED_STEPS / self.result.statistics.depth.max(1)).max(2);
        n_executions >= sampled_after && n_executions.is_power_of_two()
    }

    fn take_samples(&mut self) -> Result<Option<Next>, LaunchError> {
        let n_executions = self.result.statistics.executions;
        let n_samples = match self.result.statistics.samples {
            0 => n_executions,
            _ if self.result.statistics.part_done < HOPEFUL_PART => n_executions / SAMPLED_PART_IF_HOPELESS,
            _ => n_executions / SAMPLED_PART,
        };
        for _ in 0..n_samples {
            let seed = self.seed(self.n_samples);
            let points = change_points(seed, 2, self.result.statistics.depth.max(1) as u32);
            let policy = match self.n_samples {
                0 => Policy::Backwards,
                number if number.is_multiple_of(2) => Policy::Pct,
                _ => Policy::Random,
            };
            let (max_depth, change_points) = (Some(self.depth), &points[..]);
            self.n_samples += 1;
            self.result.statistics.samples += 1;
            let run = Run { policy, seed, change_points, max_depth, ..Run::along(&[]) };
            let execution = self.execute(&run, &mut |_| None)?;
            if let Some(next) = self.is_blind(&execution) {
                return Ok(Some(next));
            }
            self.races(&execution)?;
            self.misuses(&execution)?;
            let goes_on = match PropertyName::violated_by(&execution) {
                Some(property) => self.violation(property, &execution)?,
                None => true,
            };
            if !goes_on || !self.is_within_limits() {
                return Ok(Some(Next::Over));
            }
        }
        Ok(None)
    }

    /// The seed of a random execution of this worker.
    fn seed(&self, number: u64) -> u64 {
        let (worker, n_workers) = self.worker;
        seed_of(self.options.seed, number * n_workers + worker)
    }

    /// The new edges, if the execution went as it was told.
    pub fn followed(&self, stack: &mut Stack, execution: &Execution) -> Result<u64, Option<Box<Difference>>> {
        if execution.outcome == Outcome::Mismatch {
            return Err(stack.difference(execution));
        }
        if execution.outcome == Outcome::Cut && execution.visible.len() < stack.nodes.len() {
            // Given up before it got to something new.
            return Ok(0);
        }
        stack.extend(execution).map_err(Some)
    }

    /// Independent executions.
    pub fn sample(&mut self) -> Result<Next, LaunchError> {
        let policy = if self.options.kind == SearchKind::Pct { Policy::Pct } else { Policy::Random };
        self.stop(Stopped::Sampling);
        let mut length = 1;
        loop {
            let seed = self.seed(self.result.statistics.executions);
            let points = change_points(seed, 2, length);
            let run =
                Run { policy, seed, change_points: &points, max_depth: Some(self.depth), ..Run::along(&[]) };
            let execution = self.execute(&run, &mut |_| None)?;
            if let Some(next) = self.is_blind(&execution) {
                return Ok(next);
            }
            length = length.max(execution.visible.len() as u32);
            if !self.record(&execution, execution.visible.len() as u64)? || !self.is_within_limits() {
                return Ok(Next::Over);
            }
        }
    }

    /// Counts an execution and keeps what it violates. False to stop.
    pub fn record(&mut self, execution: &Execution, edges: u64) -> Result<bool, LaunchError> {
        let statistics = &mut self.result.statistics;
        statistics.executions += 1;
        statistics.transitions += edges;
        statistics.depth = statistics.depth.max(execution.visible.len() as u64);
        statistics.seconds = self.started.elapsed().as_secs_f64();
        match execution.outcome {
            Outcome::SleepBlocked => statistics.sleep_blocked += 1,
            Outcome::Assumed => statistics.assumed += 1,
            Outcome::Cut => {
                statistics.cut += 1;
                self.stop(Stopped::Depth);
            }
            Outcome::Livelock | Outcome::Divergence => self.stop(Stopped::Endless),
            Outcome::TooLarge => self.stop(Stopped::TooLarge),
            _ => {}
        }
        if execution.gave_up {
            self.stop(Stopped::Retries);
        }
        if self.result.standstill.is_none() {
            self.result.standstill.clone_from(&execution.standstill);
        }
        self.result.limit = self.result.limit.or(execution.limit);
        self.result.add_uncontrolled(&execution.uncontrolled);
        self.control.executed(execution);
        self.races(execution)?;
        self.misuses(execution)?;
        match PropertyName::violated_by(execution) {
            Some(property) => self.violation(property, execution),
            None => Ok(true),
        }
    }

    /// A race is a violation, but what comes of it is of more interest: the search goes on for a while.
    fn races(&mut self, execution: &Execution) -> Result<(), LaunchError> {
        if let Some((_, n_executions)) = &mut self.race {
            *n_executions += 1;
        }
        self.result.facts.add(&execution.facts);
        if !execution.has_leftovers {
            self.result.add_races(&execution.races);
        }
        self.result.add_doubtful_races(&execution.doubtful_races);
        if !execution.races.is_empty() {
            self.violation(PropertyName::Races, execution)?;
        }
        Ok(())
    }

    /// So is a misuse.
    fn misuses(&mut self, execution: &Execution) -> Result<(), LaunchError> {
        if !execution.has_leftovers {
            self.result.add_misuses(&execution.misuses);
        }
        if !execution.misuses.is_empty() {
            self.violation(PropertyName::Misuse, execution)?;
        }
        Ok(())
    }

    /// The program did something else under the same schedule, in this execution.
    pub fn differs(&mut self, execution: &Execution, difference: Option<Box<Difference>>) {
        self.result.add_uncontrolled(&execution.uncontrolled);
        self.result.difference = self.result.difference.take().or(difference);
        self.stop(Stopped::NotRepeatable);
    }

    /// Nothing is reported that was not repeated. False to stop.
    fn violation(&mut self, property: PropertyName, execution: &Execution) -> Result<bool, LaunchError> {
        if property == PropertyName::Divergence && !execution.uncontrolled.is_empty() {
            // It may wait for something that only looks like running.
            return Ok(true);
        }
        if let Some(finding) = self.result.findings.iter_mut().find(|finding| finding.property == property) {
            finding.count += 1;
            return Ok(true);
        }
        if execution.has_leftovers {
            // Of the program as it is started by its user that says nothing.
            self.result.add_violated_with_leftovers(&[property]);
            return Ok(true);
        }
        // What this execution shows to be shared is visible only in the next one.
        let promoted = self.executor.promoted();
        let again = self.repeat(execution)?;
        // An execution that was cut short goes on when it is repeated; what it violates by then, it still violates.
        if !property.is_violated_by(&again) || !again.schedule().starts_with(&execution.schedule()) {
            let expected = execution.visible.iter().map(|index| Turn::of(&execution.steps[*index]));
            self.differs(&again, Difference::find(expected, &again));
            return Ok(self.options.keep_going);
        }
        self.result.findings.push(Finding { property, execution: again, promoted, count: 1 });
        if property.goes_on() {
            self.race.get_or_insert((Instant::now(), 0));
        } else if !self.options.keep_going {
            self.stop(Stopped::Violation);
        }
        Ok(self.options.keep_going)
    }

    /// The same execution once more, as far as it went.
    fn repeat(&mut self, execution: &Execution) -> Result<Execution, LaunchError> {
        let schedule = execution.schedule();
        let is_cut = execution.outcome == Outcome::Cut;
        let max_depth = is_cut.then_some(schedule.len() as u32);
        self.executor.execute(&Run { max_depth, ..Run::along(&schedule) })
    }

    pub fn is_within_limits(&mut self) -> bool {
        let statistics = self.result.statistics;
        let executions = self.earlier + statistics.executions;
        let reached = if self.options.max_executions.is_some_and(|limit| executions >= limit) {
            Some(Stopped::Executions)
        } else if self.options.max_time.is_some_and(|limit| self.started.elapsed() >= limit) {
            Some(Stopped::Time)
        } else if !self.options.keep_going && self.has_followed_race() {
            Some(Stopped::Violation)
        } else if !self.control.goes_on(&statistics) {
            Some(Stopped::Interrupted)
        } else {
            None
        };
        match reached {
            Some(reason) => {
                self.stop(reason);
                false
            }
            None => true,
        }
    }

    /// Was a race found, in this search and not only before it began anew, and long enough ago?
    fn has_followed_race(&self) -> bool {
        let is_found = self.result.findings.iter().any(|finding| finding.property.goes_on());
        let is_enough = |(found, n_executions): (Instant, u64)| {
            n_executions >= EXECUTIONS_AFTER_RACE || found.elapsed() >= TIME_AFTER_RACE
        };
        is_found && self.race.is_some_and(is_enough)
    }

    pub fn stop(&mut self, reason: Stopped) {
        if !self.result.stopped.contains(&reason) {
            self.result.stopped.push(reason);
        }
    }
}
