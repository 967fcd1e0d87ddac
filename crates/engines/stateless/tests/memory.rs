//! Programs compiled with `-fsanitize=thread`, wrong ones and right ones, with memory visible.
//!
//! The first line of each program says what is violated, or that everything holds.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use allways_stateless::{
    Control, Execution, Executor, ExecutorOptions, SearchKind, SearchOptions, SearchResult, SearchStatistics,
    Stopped, Streams, Visible, replay, search,
};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../corpus/programs/memory")
}

fn build(name: &str, level: &str) -> PathBuf {
    build_file(&folder().join(format!("{name}.c")), name, &[level])
}

/// A program that exists for a test only.
fn fixture(name: &str, options: &[&str]) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(format!("{name}.c"));
    build_file(&source, name, options)
}

fn build_file(source: &Path, name: &str, options: &[&str]) -> PathBuf {
    let binary = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!(
        "memory-{name}{}-{:?}",
        options.concat(),
        std::thread::current().id()
    ));
    let status = Command::new("gcc")
        .args(options)
        .args(["-g", "-w", "-pthread", "-fsanitize=thread", "-o"])
        .arg(&binary)
        .arg(source)
        .status();
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

fn executor(program: &Path, visible: Visible) -> Executor {
    executor_with(program, &[], visible)
}

fn executor_with(program: &Path, arguments: &[&str], visible: Visible) -> Executor {
    let options = ExecutorOptions {
        program: program.to_path_buf(),
        name: program.into(),
        arguments: arguments.iter().map(|argument| argument.into()).collect(),
        streams: Streams::Hidden,
        patience: Duration::from_secs(30),
        retries: 3,
        folder: allways_stateless::Folder::Current,
        tolerance: Default::default(),
        visible,
        spurious_wakeups: false,
        world: allways_stateless::World::default(),
    };
    Executor::new(&options).unwrap_or_else(|error| panic!("{error:?}"))
}

fn explore(executor: &mut Executor, kind: SearchKind) -> SearchResult {
    let options = SearchOptions {
        kind,
        max_executions: None,
        max_depth: None,
        max_time: Some(Duration::from_secs(120)),
        keep_going: true,
        seed: 1,
        bound: None,
    };
    search(executor, &options, &mut Quiet).unwrap_or_else(|error| panic!("{error:?}"))
}

/// What a search violates, by name.
fn violated(result: &SearchResult) -> Vec<&'static str> {
    let mut names: Vec<_> = result.findings.iter().map(|finding| finding.property.word()).collect();
    names.sort_unstable();
    names
}

/// A loop in which no two rounds are the same is left some time; does the second line of a program say so?
fn is_left(name: &str) -> bool {
    let text = std::fs::read_to_string(folder().join(format!("{name}.c"))).expect("the program is there");
    text.lines().nth(1).is_some_and(|line| line == "// not complete")
}

/// What the first line of a program says.
fn expected(name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(folder().join(format!("{name}.c"))).expect("the program is there");
    let first = text.lines().next().unwrap_or_default();
    if first == "// holds" {
        return Vec::new();
    }
    let words = first.strip_prefix("// violated: ").expect("the first line says what to expect");
    let mut words: Vec<String> = words.split_whitespace().map(str::to_string).collect();
    words.sort_unstable();
    words
}

fn programs() -> Vec<String> {
    let files = std::fs::read_dir(folder()).expect("the folder is there");
    let name = |file: PathBuf| Some(file.file_stem()?.to_str()?.to_string());
    let mut names: Vec<String> = files.filter_map(|file| name(file.ok()?.path())).collect();
    names.sort_unstable();
    assert!(names.len() > 20, "{names:?}");
    names
}

/// The findings of trials that are tested on their own: so begins the second line of a program that
/// is about one.
const FINDINGS: [&str; 3] = ["// H3:", "// H9:", "// H10:"];

/// Checks the programs about a finding, or all that are about none.
fn check_all(about: Option<&str>, level: &str) {
    let is_about = |name: &str| {
        let text = std::fs::read_to_string(folder().join(format!("{name}.c"))).expect("the program is there");
        let second = text.lines().nth(1).unwrap_or_default();
        FINDINGS.into_iter().find(|finding| second.starts_with(finding)) == about
    };
    let names: Vec<String> = programs().into_iter().filter(|name| is_about(name)).collect();
    assert!(names.len() > 1, "{about:?}");
    names.iter().for_each(|name| check(name, level));
}

fn check(name: &str, level: &str) {
    let mut executor = executor(&build(name, level), Visible::Memory);
    let result = explore(&mut executor, SearchKind::Source);
    assert_eq!(violated(&result), expected(name), "{name} {level}: {:?}", result.races);
    let is_endless = violated(&result).contains(&"livelock");
    let stopped = if is_left(name) { vec![Stopped::Retries] } else { Vec::new() };
    assert!(is_endless || result.stopped == stopped, "{name} {level}: {:?}", result.stopped);
    for finding in &result.findings {
        let again = replay(&mut executor, &finding.execution.schedule());
        let again = again.unwrap_or_else(|error| panic!("{error:?}"));
        assert!(finding.property.is_violated_by(&again), "{name} {level}: {:?}", finding.property);
        assert_eq!(again.schedule(), finding.execution.schedule(), "{name} {level}");
    }
}

#[test]
fn verdicts_without_optimisation() {
    check_all(None, "-O0");
}

#[test]
fn verdicts_with_optimisation() {
    check_all(None, "-O2");
}

#[test]
fn h3_memory_of_several_processes_races() {
    for level in ["-O0", "-O2"] {
        check_all(Some("// H3:"), level);
    }
}

#[test]
fn h9_mappings_change_under_those_who_use_them() {
    for level in ["-O0", "-O2"] {
        check_all(Some("// H9:"), level);
    }
}

#[test]
fn h10_blocks_and_dead_stacks_have_bounds() {
    for level in ["-O0", "-O2"] {
        check_all(Some("// H10:"), level);
    }
}

/// What is left in a block that was given back is the same in every process, so the schedule repeats in another one.
#[test]
fn what_was_given_back_is_found_again() {
    let program = build("freed_and_counted", "-O1");
    let mut first = executor(&program, Visible::Memory);
    let result = explore(&mut first, SearchKind::Source);
    let finding = result.findings.first().expect("the block is used too late");
    for _ in 0..4 {
        let mut other = executor(&program, Visible::Memory);
        other.set_promoted(&first.promoted());
        let again = replay(&mut other, &finding.execution.schedule());
        let again = again.unwrap_or_else(|error| panic!("{error:?}"));
        assert!(finding.property.is_violated_by(&again));
        assert_eq!(again.schedule(), finding.execution.schedule());
    }
}

#[test]
fn a_race_has_two_places_and_an_address() {
    let mut executor = executor(&build("counter_plain", "-O1"), Visible::Memory);
    let result = explore(&mut executor, SearchKind::Source);
    let race = result.races.first().expect("the counter races");
    assert!(race.accesses.iter().any(|access| access.is_write), "{race:?}");
    assert!(race.accesses.iter().all(|access| access.place != 0), "{race:?}");
    assert_ne!(race.accesses[0].thread, race.accesses[1].thread);
    assert_eq!(executor.promoted(), [race.address], "the counter, and nothing else");
}

/// Every schedule of the smaller programs: the reduced search finds the same.
#[test]
fn all_schedules_agree_with_the_reduced_search() {
    let small = [
        "counter_plain",
        "counter_load_store",
        "flag_atomic",
        "flag_plain",
        "double_checked_right",
        "spin_exchange",
        "spin_compare",
        "refcount_right",
        "refcount_wrong",
        "bounded_reads",
    ];
    for name in small {
        let mut executor = executor(&build(name, "-O1"), Visible::Memory);
        let naive = explore(&mut executor, SearchKind::Naive);
        let source = explore(&mut executor, SearchKind::Source);
        assert!(naive.is_complete(), "{name}: {:?}", naive.stopped);
        assert_eq!(violated(&naive), violated(&source), "{name}");
        assert!(source.statistics.executions <= naive.statistics.executions, "{name}");
    }
}

#[test]
fn memory_that_is_not_visible_changes_nothing() {
    for name in ["counter_plain", "counter_mutex"] {
        let mut executor = executor(&build(name, "-O1"), Visible::Sync);
        let result = explore(&mut executor, SearchKind::Source);
        assert!(result.is_complete() && result.findings.is_empty(), "{name}: {:?}", violated(&result));
        assert!(executor.promoted().is_empty());
    }
}

/// Programs as the compiler makes them by itself, and as distributions like them.
const LEVELS: [&[&str]; 2] = [&["-O0"], &["-O2", "-D_FORTIFY_SOURCE=2"]];

/// Whatever function of the C library touches memory that another thread changes: it is a race, unless there is a lock.
#[test]
fn functions_of_the_c_library_touch_memory() {
    for level in LEVELS {
        let program = fixture("touches", level);
        let source =
            std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/touches.c"));
        let source = source.expect("the program is there");
        let names: Vec<&str> = source
            .lines()
            .filter_map(|line| line.strip_prefix("static void call_")?.split_once('(').map(|(name, _)| name))
            .collect();
        assert!(names.len() > 40, "{names:?}");
        for name in names {
            let mut plain = executor_with(&program, &[name], Visible::Memory);
            let result = explore(&mut plain, SearchKind::Source);
            assert!(violated(&result).contains(&"races"), "{name} {level:?}: {:?}", result.stopped);
            let mut locked = executor_with(&program, &[name, "locked"], Visible::Memory);
            let result = explore(&mut locked, SearchKind::Source);
            assert!(result.is_complete(), "{name} {level:?}: {:?}", result.stopped);
            assert_eq!(violated(&result), [""; 0], "{name} {level:?}: {:?}", result.races);
            assert_eq!(result.uncontrolled, [""; 0], "{name} {level:?}");
        }
    }
}

#[test]
fn what_functions_of_the_c_library_do_not_touch_does_not_race() {
    for level in LEVELS {
        let mut executor = executor(&fixture("untouched", level), Visible::Memory);
        let result = explore(&mut executor, SearchKind::Source);
        assert!(result.is_complete(), "{level:?}: {:?}", result.stopped);
        assert_eq!(violated(&result), [""; 0], "{level:?}: {:?}", result.races);
    }
}

/// A program in Rust; none if this compiler does not announce accesses.
fn rust_fixture(name: &str) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(format!("{name}.rs"));
    let binary = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("memory-{name}"));
    let status = Command::new(option_env!("RUSTC").unwrap_or("rustc"))
        .env("RUSTC_BOOTSTRAP", "1")
        .args(["-g", "-Awarnings", "--edition=2024", "-Zsanitizer=thread", "-Zexternal-clangrt"])
        .args([
            "-Cunsafe-allow-abi-mismatch=sanitizer",
            "-Clink-arg=-Wl,--unresolved-symbols=ignore-all",
            "-o",
        ])
        .arg(&binary)
        .arg(source)
        .status();
    status.is_ok_and(|status| status.success()).then_some(binary)
}

/// What the standard library of Rust orders is not announced: a race that it may order is none, and is not said to be absent either.
#[test]
fn races_in_rust_are_certain_or_in_doubt() {
    let cases: [(&str, &[&str], bool); 3] = [
        ("counter_with_lock", &[], false),
        ("counter_without_lock", &["assertions", "races"], true),
        ("message_behind_flag", &[], true),
    ];
    for (name, wrong, is_doubtful) in cases {
        let Some(program) = rust_fixture(name) else { return };
        let result = explore(&mut executor(&program, Visible::Memory), SearchKind::Source);
        assert_eq!(violated(&result), wrong, "{name}");
        assert_eq!(!result.doubtful_races.is_empty(), is_doubtful, "{name}: {:?}", result.doubtful_races);
        assert!(result.is_complete(), "{name}: {:?}", result.stopped);
    }
}

#[test]
fn a_search_ends_a_while_after_a_race() {
    let program = fixture("race_among_many_locks", &["-O1"]);
    let mut executor = executor(&program, Visible::Memory);
    let options = SearchOptions {
        kind: SearchKind::Source,
        max_executions: None,
        max_depth: None,
        max_time: Some(Duration::from_secs(120)),
        keep_going: false,
        seed: 1,
        bound: None,
    };
    let result = search(&mut executor, &options, &mut Quiet).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(violated(&result), ["races"]);
    assert_eq!(result.stopped, [Stopped::Violation]);
}
