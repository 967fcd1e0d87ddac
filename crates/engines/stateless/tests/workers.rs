//! Several workers find what one finds.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use allways_stateless::{
    Bound, Control, Execution, Executor, ExecutorOptions, Finding, Folder, PropertyName, SearchKind,
    SearchOptions, SearchResult, SearchStatistics, Stopped, Streams, Visible, replay, search,
    search_parallel,
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

fn build(source: &Path, options: &[&str]) -> PathBuf {
    let name = source.file_stem().and_then(|name| name.to_str()).expect("a plain name");
    let binary = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("workers-{name}-{:?}", std::thread::current().id()));
    let mut compiler = Command::new("gcc");
    compiler.args(["-O1", "-g", "-w", "-pthread", "-o"]).arg(&binary).arg(source).args(options);
    compiler.arg("-I").arg(root().join("include"));
    assert!(compiler.status().expect("gcc can be started").success(), "{name} does not compile");
    binary
}

fn example(name: &str) -> PathBuf {
    build(&root().join("examples/programs").join(format!("{name}.c")), &[])
}

fn fixture(name: &str) -> PathBuf {
    build(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(format!("{name}.c")), &[])
}

struct Quiet;

impl Control for Quiet {
    fn goes_on(&mut self, _: &SearchStatistics) -> bool {
        true
    }

    fn executed(&mut self, _: &Execution) {}
}

/// Has a bug.
struct Panics;

impl Control for Panics {
    fn goes_on(&mut self, _: &SearchStatistics) -> bool {
        true
    }

    fn executed(&mut self, _: &Execution) {
        panic!("as expected");
    }
}

/// A program with its arguments.
struct Subject(ExecutorOptions);

impl Subject {
    fn new(program: PathBuf, arguments: &[&str], visible: Visible) -> Subject {
        Subject(ExecutorOptions {
            name: program.clone().into_os_string(),
            program,
            arguments: arguments.iter().map(|argument| argument.into()).collect(),
            streams: Streams::Hidden,
            patience: Duration::from_secs(30),
            retries: 3,
            folder: Folder::Current,
            tolerance: Default::default(),
            visible,
            spurious_wakeups: false,
            world: allways_stateless::World::default(),
        })
    }

    fn executor(&self) -> Executor {
        Executor::new(&self.0).unwrap_or_else(|error| panic!("{error:?}"))
    }

    /// What so many workers find. Every finding can be repeated by the executor that is left.
    fn explore(&self, options: &SearchOptions, n_workers: usize) -> SearchResult {
        let mut executor = self.executor();
        let result = match n_workers {
            1 => search(&mut executor, options, &mut Quiet),
            _ => search_parallel(&self.0, &mut executor, options, n_workers, &mut Quiet),
        };
        let result = result.unwrap_or_else(|error| panic!("{error:?}"));
        for Finding { property, execution, promoted, .. } in &result.findings {
            executor.set_promoted(promoted);
            let again = replay(&mut executor, &execution.schedule());
            let again = again.unwrap_or_else(|error| panic!("{error:?}"));
            assert!(property.is_violated_by(&again), "{property:?}");
            assert_eq!(again.schedule(), execution.schedule(), "{property:?}");
        }
        result
    }
}

fn options(kind: SearchKind) -> SearchOptions {
    SearchOptions {
        kind,
        max_executions: None,
        max_depth: None,
        max_time: Some(Duration::from_secs(120)),
        keep_going: true,
        seed: 1,
        bound: None,
    }
}

fn violated(result: &SearchResult) -> Vec<PropertyName> {
    let mut names: Vec<_> = result.findings.iter().map(|finding| finding.property).collect();
    names.sort_unstable();
    names
}

/// Executions, transitions, and how often each property is violated.
fn counts(result: &SearchResult) -> (u64, u64, Vec<(PropertyName, u64)>) {
    let mut found: Vec<_> = result.findings.iter().map(|finding| (finding.property, finding.count)).collect();
    found.sort_unstable();
    (result.statistics.executions, result.statistics.transitions, found)
}

#[test]
fn within_a_bound_the_executions_are_those_of_one_worker() {
    let subject = Subject::new(example("philosopher_threads"), &["3"], Visible::Sync);
    let bounds = [
        Bound::Preemptions(0),
        Bound::Preemptions(1),
        Bound::Preemptions(2),
        Bound::Preemptions(12),
        Bound::Delays(0),
        Bound::Delays(2),
        Bound::Delays(24),
    ];
    for bound in bounds {
        let options = SearchOptions { bound: Some(bound), ..options(SearchKind::Naive) };
        let one = subject.explore(&options, 1);
        for n_workers in [2, 3] {
            let several = subject.explore(&options, n_workers);
            assert_eq!(counts(&several), counts(&one), "{bound:?}, {n_workers} workers");
            assert_eq!(several.stopped, one.stopped, "{bound:?}, {n_workers} workers");
        }
    }
}

#[test]
fn without_reduction_the_executions_are_those_of_one_worker() {
    for (name, argument) in [("philosopher_threads", "3"), ("philosophers", "3")] {
        let subject = Subject::new(example(name), &[argument], Visible::Sync);
        let one = subject.explore(&options(SearchKind::Naive), 1);
        let several = subject.explore(&options(SearchKind::Naive), 3);
        assert_eq!(counts(&several), counts(&one), "{name}");
        assert!(several.is_complete(), "{name}: {:?}", several.stopped);
    }
}

#[test]
fn persistent_sets_of_several_workers() {
    for name in ["philosophers", "philosopher_threads"] {
        let program = example(name);
        for seats in ["2", "3", "4", "5"] {
            let subject = Subject::new(program.clone(), &[seats], Visible::Sync);
            let several = subject.explore(&options(SearchKind::Persistent), 2);
            assert!(several.is_complete(), "{name} {seats}: {:?}", several.stopped);
            assert_eq!(violated(&several), [PropertyName::Deadlock], "{name} {seats}");
            let all = subject.explore(&options(SearchKind::Source), 1).statistics.executions;
            assert!(several.statistics.executions >= all, "{name} {seats}: there is one for each trace");
        }
    }
    // What is wrong is met only when others have moved first.
    for name in ["late_lock", "own_trylock", "failing_unlock", "unlock_of_another"] {
        let subject = Subject::new(fixture(name), &[], Visible::Sync);
        let one = subject.explore(&options(SearchKind::Persistent), 1);
        for n_workers in [2, 3] {
            let several = subject.explore(&options(SearchKind::Persistent), n_workers);
            assert!(several.is_complete(), "{name}: {:?}", several.stopped);
            assert_eq!(violated(&several), violated(&one), "{name}, {n_workers} workers");
        }
    }
}

/// What one worker learns about the memory, all know; addresses are the same for everybody.
#[test]
fn memory_is_the_same_for_all_workers() {
    let folder = root().join("corpus/programs/memory");
    let files = std::fs::read_dir(&folder).expect("the folder is there");
    let mut sources: Vec<PathBuf> = files.map(|file| file.expect("it can be read").path()).collect();
    sources.sort();
    assert!(sources.len() > 20);
    for source in sources {
        let subject = Subject::new(build(&source, &["-fsanitize=thread"]), &[], Visible::Memory);
        let one = subject.explore(&options(SearchKind::Source), 1);
        let several = subject.explore(&options(SearchKind::Source), 2);
        assert_eq!(violated(&several), violated(&one), "{}", source.display());
        // A thread that goes on for ever is found sooner or later, and what was found till then may differ.
        if !one.stopped.contains(&Stopped::Endless) {
            assert_eq!(several.stopped, one.stopped, "{}", source.display());
        }
        assert_eq!(several.races.is_empty(), one.races.is_empty(), "{}", source.display());
    }
}

#[test]
fn memory_without_reduction() {
    for name in ["counter_plain", "flag_plain", "refcount_wrong", "refcount_right", "bounded_reads"] {
        let source = root().join("corpus/programs/memory").join(format!("{name}.c"));
        let subject = Subject::new(build(&source, &["-fsanitize=thread"]), &[], Visible::Memory);
        for kind in [SearchKind::Naive, SearchKind::Persistent] {
            let (one, several) = (subject.explore(&options(kind), 1), subject.explore(&options(kind), 2));
            assert!(one.is_complete() && several.is_complete(), "{name} {kind:?}: {:?}", several.stopped);
            assert_eq!(violated(&several), violated(&one), "{name} {kind:?}");
            if kind == SearchKind::Naive {
                assert_eq!(counts(&several).0, counts(&one).0, "{name}");
            }
        }
    }
}

/// A search depth first would get to the threads at fault after very many executions.
#[test]
fn workers_try_random_schedules_too() {
    let subject = Subject::new(fixture("one_of_twenty"), &[], Visible::Sync);
    for seed in 1..=3 {
        let limits = SearchOptions {
            max_executions: Some(1_500),
            keep_going: false,
            seed,
            ..options(SearchKind::Source)
        };
        let result = subject.explore(&limits, 2);
        assert_eq!(violated(&result), [PropertyName::Deadlock], "{seed}: {:?}", result.statistics);
        assert!(result.stopped.contains(&Stopped::Violation), "{:?}", result.stopped);
    }
}

#[test]
fn random_searches_of_several_workers_find_the_deadlock() {
    let subject = Subject::new(example("philosophers"), &["3"], Visible::Sync);
    for kind in [SearchKind::Random, SearchKind::Pct] {
        let options = SearchOptions { max_executions: Some(400), ..options(kind) };
        let result = subject.explore(&options, 2);
        assert_eq!(violated(&result), [PropertyName::Deadlock], "{kind:?}");
        assert!(result.stopped.contains(&Stopped::Sampling) && result.stopped.contains(&Stopped::Executions));
        let executions = result.statistics.executions;
        assert!((400..404).contains(&executions), "{kind:?}: {executions}");
    }
}

#[test]
fn limits_hold_for_all_workers_together() {
    let subject = Subject::new(example("philosophers"), &["4"], Visible::Sync);
    for kind in [SearchKind::Naive, SearchKind::Source, SearchKind::Persistent] {
        let options = SearchOptions { max_executions: Some(8), ..options(kind) };
        let result = subject.explore(&options, 2);
        assert_eq!(result.stopped, [Stopped::Executions], "{kind:?}");
        assert!(result.statistics.executions <= 10, "{kind:?}: {:?}", result.statistics);
    }
}

#[test]
fn a_program_that_cannot_be_started_ends_all_workers() {
    let subject = Subject::new(example("philosophers"), &["2"], Visible::Sync);
    let mut executor = subject.executor();
    let nowhere = Subject::new("/nowhere/at/all".into(), &[], Visible::Sync);
    let result = search_parallel(&nowhere.0, &mut executor, &options(SearchKind::Source), 3, &mut Quiet);
    assert!(result.is_err());
}

#[test]
fn a_worker_that_panics_ends_the_search() {
    let subject = Subject::new(example("philosopher_threads"), &["3"], Visible::Sync);
    let mut executor = subject.executor();
    let options = options(SearchKind::Source);
    let end = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        search_parallel(&subject.0, &mut executor, &options, 2, &mut Panics).map(|_| ())
    }));
    assert!(end.is_err(), "it is not hidden");
}
