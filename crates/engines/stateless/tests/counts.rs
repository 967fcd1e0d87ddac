//! Known numbers of executions and transitions, from real programs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use allways_stateless::{
    Bound, Control, Execution, Executor, ExecutorOptions, PropertyName, SearchKind, SearchOptions,
    SearchResult, SearchStatistics, Stopped, Streams, replay, search,
};

/// Compiles one of the example programs.
fn build(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/programs");
    build_file(&folder.join(format!("{name}.c")), name)
}

/// A program that exists for a test only.
fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(format!("{name}.c"))
}

fn build_file(source: &Path, name: &str) -> PathBuf {
    let binary =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{:?}", std::thread::current().id()));
    let status = Command::new("gcc").args(["-O1", "-pthread", "-o"]).arg(&binary).arg(source).status();
    assert!(status.expect("gcc can be started").success(), "{name} does not compile");
    binary
}

struct Quiet;

impl Control for Quiet {
    fn goes_on(&mut self, _: &SearchStatistics) -> bool {
        true
    }

    fn executed(&mut self, _: &Execution) {}
}

fn executor(program: &Path, arguments: &[&str]) -> Executor {
    let options = ExecutorOptions {
        program: program.to_path_buf(),
        name: program.into(),
        arguments: arguments.iter().map(|argument| argument.into()).collect(),
        streams: Streams::Hidden,
        patience: Duration::from_secs(30),
        retries: 3,
        folder: allways_stateless::Folder::Current,
        tolerance: Default::default(),
        visible: allways_stateless::Visible::Sync,
        spurious_wakeups: false,
        world: allways_stateless::World::default(),
    };
    Executor::new(&options).unwrap_or_else(|error| panic!("{error:?}"))
}

fn options(kind: SearchKind) -> SearchOptions {
    SearchOptions {
        kind,
        max_executions: None,
        max_depth: None,
        max_time: None,
        keep_going: true,
        seed: 1,
        bound: None,
    }
}

fn explore(program: &Path, arguments: &[&str], kind: SearchKind) -> SearchResult {
    explore_with(program, arguments, &options(kind))
}

fn explore_with(program: &Path, arguments: &[&str], options: &SearchOptions) -> SearchResult {
    let result = search(&mut executor(program, arguments), options, &mut Quiet);
    result.unwrap_or_else(|error| panic!("{error:?}"))
}

fn deadlocks(result: &SearchResult) -> u64 {
    let is_deadlock = |finding: &&allways_stateless::Finding| finding.property == PropertyName::Deadlock;
    result.findings.iter().find(is_deadlock).map_or(0, |finding| finding.count)
}

const PHILOSOPHERS: [&str; 2] = ["philosophers", "philosopher_threads"];

fn naive(seats: &str, executions: u64, transitions: u64) {
    for name in PHILOSOPHERS {
        let result = explore(&build(name), &[seats], SearchKind::Naive);
        assert!(result.is_complete(), "{name}: {:?}", result.stopped);
        let statistics = result.statistics;
        assert_eq!((statistics.executions, statistics.transitions), (executions, transitions), "{name}");
        assert!(deadlocks(&result) >= 1, "{name}");
    }
}

#[test]
fn all_schedules_of_two_and_three_philosophers() {
    naive("2", 4, 18);
    naive("3", 396, 1_680);
}

#[test]
#[ignore = "takes minutes"]
fn all_schedules_of_four_philosophers() {
    naive("4", 104_704, 386_816);
}

#[test]
fn one_execution_for_each_trace_of_the_philosophers() {
    // An execution for each orientation of the forks but the impossible one; transitions at most those of a reference model.
    let most = [17, 66, 187, 461, 1_040, 2_254, 4_753];
    for name in PHILOSOPHERS {
        let program = build(name);
        for (seats, most) in (2..=8_u32).zip(most) {
            let result = explore(&program, &[&seats.to_string()], SearchKind::Source);
            let statistics = result.statistics;
            assert!(result.is_complete(), "{name} {seats}: {:?}", result.stopped);
            assert_eq!(statistics.executions, (1 << seats) - 1, "{name} {seats}");
            assert_eq!(statistics.sleep_blocked, 0, "{name} {seats}");
            assert_eq!(deadlocks(&result), 1, "{name} {seats}");
            assert!(statistics.transitions <= most, "{name} {seats}: {}", statistics.transitions);
        }
    }
}

#[test]
fn persistent_sets_of_the_philosophers() {
    // Transitions, executions and those that were sleep-blocked, from a reference model.
    let expected = [(17, 3, 0), (67, 8, 1), (198, 19, 4), (507, 43, 12), (1_205, 94, 31)];
    for name in PHILOSOPHERS {
        let program = build(name);
        for (seats, expected) in (2..=6_u32).zip(expected) {
            let result = explore(&program, &[&seats.to_string()], SearchKind::Persistent);
            let statistics = result.statistics;
            assert!(result.is_complete(), "{name} {seats}: {:?}", result.stopped);
            let counts = (statistics.transitions, statistics.executions, statistics.sleep_blocked);
            assert_eq!(counts, expected, "{name} {seats}");
            assert_eq!(deadlocks(&result), 1, "{name} {seats}");
        }
    }
}

#[test]
fn persistent_sets_know_what_only_some_executions_show() {
    // The deadlock is behind a lock that is taken only if the other thread came first.
    let program = build_file(&fixture("late_lock"), "late_lock");
    for kind in [SearchKind::Naive, SearchKind::Persistent, SearchKind::Source] {
        let result = explore(&program, &[], kind);
        assert!(result.is_complete(), "{kind:?}: {:?}", result.stopped);
        assert!(deadlocks(&result) >= 1, "{kind:?}");
    }
}

#[test]
fn every_search_meets_what_the_order_of_the_first_locks_decides() {
    for name in ["own_trylock", "failing_unlock", "unlock_of_another"] {
        let program = build_file(&fixture(name), name);
        for kind in [SearchKind::Naive, SearchKind::Persistent, SearchKind::Source] {
            let result = explore(&program, &[], kind);
            assert!(result.is_complete(), "{name} {kind:?}: {:?}", result.stopped);
            let found: Vec<PropertyName> = result.findings.iter().map(|finding| finding.property).collect();
            assert_eq!(found, [PropertyName::Exit], "{name} {kind:?}");
        }
    }
}

#[test]
fn bounds_leave_out_schedules_and_say_so() {
    let program = build("philosopher_threads");
    let bounded = |bound| {
        let options = SearchOptions { bound: Some(bound), ..options(SearchKind::Naive) };
        explore_with(&program, &["3"], &options)
    };
    // Without a preemption each philosopher eats alone: one execution for each order.
    let result = bounded(Bound::Preemptions(0));
    assert_eq!((result.statistics.executions, deadlocks(&result)), (6, 0));
    assert_eq!(result.stopped, [Stopped::Bound]);
    // One philosopher is interrupted with the left fork; then the one to the left takes one fork and waits, and so does the next.
    let result = bounded(Bound::Preemptions(1));
    assert_eq!(deadlocks(&result), 3);
    assert_eq!(result.stopped, [Stopped::Bound]);
    let result = bounded(Bound::Delays(0));
    assert_eq!((result.statistics.executions, deadlocks(&result)), (1, 0));
    // More than any schedule needs: everything.
    for bound in [Bound::Preemptions(12), Bound::Delays(24)] {
        let result = bounded(bound);
        assert!(result.is_complete(), "{:?}", result.stopped);
        assert_eq!((result.statistics.executions, result.statistics.transitions), (396, 1_680));
    }
}

#[test]
fn random_searches_find_the_deadlock_and_a_seed_repeats_them() {
    for name in PHILOSOPHERS {
        let program = build(name);
        for kind in [SearchKind::Random, SearchKind::Pct] {
            let found = |seed| {
                let options =
                    SearchOptions { seed, keep_going: false, max_executions: Some(5_000), ..options(kind) };
                let result = explore_with(&program, &["3"], &options);
                assert_eq!(deadlocks(&result), 1, "{name} {kind:?} {seed}");
                assert!(!result.is_complete());
                (result.statistics.executions, result.findings[0].execution.schedule())
            };
            assert_eq!(found(7), found(7), "{name} {kind:?}");
            let others: Vec<_> = (1..=5).map(found).collect();
            assert!(others.iter().any(|other| *other != found(7)), "{name} {kind:?}: the seed does nothing");
        }
    }
}

#[test]
fn one_execution_for_each_order_of_turns() {
    let program = build("turns");
    for (threads, turns, executions) in [("2", "2", 6), ("2", "4", 70), ("3", "2", 90), ("3", "3", 1_680)] {
        let result = explore(&program, &[threads, turns], SearchKind::Source);
        assert!(result.is_complete() && result.findings.is_empty());
        assert_eq!(result.statistics.executions, executions, "{threads} {turns}");
        assert_eq!(result.statistics.sleep_blocked, 0, "{threads} {turns}");
    }
}

#[test]
fn a_schedule_repeats_the_deadlock_every_time() {
    let program = build("philosophers");
    let result = explore(&program, &["3"], SearchKind::Source);
    let schedule = result.findings[0].execution.schedule();
    let mut executor = executor(&program, &["3"]);
    for _ in 0..50 {
        let execution = replay(&mut executor, &schedule).unwrap_or_else(|error| panic!("{error:?}"));
        assert_eq!(PropertyName::violated_by(&execution), Some(PropertyName::Deadlock));
        assert_eq!(execution.schedule(), schedule);
    }
}

/// A search depth first would get to the threads at fault after very many executions.
#[test]
fn a_mistake_of_few_among_many_threads_is_found_early() {
    let program = build_file(&fixture("one_of_twenty"), "one_of_twenty");
    for seed in 1..=3 {
        let limits = SearchOptions {
            max_executions: Some(1_000),
            keep_going: false,
            seed,
            ..options(SearchKind::Source)
        };
        assert_eq!(deadlocks(&explore_with(&program, &[], &limits)), 1, "{seed}");
    }
}

/// Threads that only wait again are no reason for each other to go on for ever.
#[test]
fn loops_that_wait_with_a_time_limit_are_left() {
    let result = explore(&build_file(&fixture("timed_loops"), "timed_loops"), &[], SearchKind::Source);
    assert_eq!(result.stopped, [Stopped::Retries]);
    assert!(result.findings.is_empty() && result.statistics.depth < 100);
}
