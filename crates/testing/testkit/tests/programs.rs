//! Every program of `corpus/programs` has the verdicts and figures that its header says, and every schedule replays.
//!
//! The checker is `$ALLWAYS`, or what `cargo build --release` made; gcc and g++ compile the programs. Set `$PROGRAMS` to a
//! part of a name to try only some of them, `$SEARCHES` to a list such as `source,naive/2` for other searches (`/2`: with two workers).

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use allways_testkit::child;
use allways_testkit::programs::corpus::{Count, Entry, Expectation, read_folder};
use allways_testkit::programs::explorer::{compile, report, search_options};
use allways_testkit::spin::Scratch;
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

/// Searches that must agree about the verdicts.
const SEARCHES: &str = "source,persistent,source/2,persistent/2";
const REPLAYS: usize = 3;
const TIME_LIMIT: Duration = Duration::from_secs(120);

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

fn checker() -> PathBuf {
    let given = std::env::var_os("ALLWAYS").map(PathBuf::from);
    let binary = given.unwrap_or_else(|| {
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root().join("target"), PathBuf::from);
        target.join("release/allways")
    });
    binary.canonicalize().expect("the checker is built: cargo build --release -p allways-cli")
}

/// The findings of trials that are tested on their own: the sentence of a program begins with the
/// finding that it is about, as in `// H7: …`.
const FINDINGS: [&str; 8] = ["H1", "H2", "H6", "H7", "H11", "F3", "F4", "F9"];

/// The finding that a program is about.
fn finding(entry: &Entry) -> Option<&'static str> {
    let (name, _) = entry.expectation.title.split_once(':')?;
    FINDINGS.into_iter().find(|finding| *finding == name)
}

#[test]
fn every_program_has_its_verdicts() {
    check_all(None);
}

#[test]
fn h1_programs_see_the_processors_of_the_machine() {
    check_all(Some("H1"));
}

#[test]
fn h2_alarms_hide_no_deadlock() {
    check_all(Some("H2"));
}

#[test]
fn h6_names_are_looked_up_in_their_step() {
    check_all(Some("H6"));
}

#[test]
fn h7_what_the_c_library_keeps_is_shared() {
    check_all(Some("H7"));
}

#[test]
fn h11_what_posix_leaves_undefined_is_misuse() {
    check_all(Some("H11"));
}

#[test]
fn f3_quick_exit_is_no_crash() {
    check_all(Some("F3"));
}

#[test]
fn f4_exit_beside_exit_is_no_crash() {
    check_all(Some("F4"));
}

#[test]
fn f9_long_limits_of_time_pass_late() {
    check_all(Some("F9"));
}

/// Checks the programs about a finding, or all that are about none of those with a test of their
/// own.
fn check_all(about: Option<&'static str>) {
    let checker = checker();
    let only = std::env::var("PROGRAMS").unwrap_or_default();
    let entries = read_folder(&root().join("corpus/programs")).expect("the corpus is readable");
    let entries: Vec<Entry> = entries.into_iter().filter(|entry| finding(entry) == about).collect();
    assert!(entries.len() >= if about.is_none() { 30 } else { 2 }, "the corpus is there");
    let mut failures = String::new();
    for entry in entries {
        let name = entry.path.file_name().and_then(|name| name.to_str()).expect("a plain name").to_string();
        if name.contains(&only)
            && let Err(error) = check(&checker, &entry, &name)
        {
            let _ = writeln!(failures, "{name}: {error:#}");
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

/// FIXME: these programs are right or wrong, too, but use what is not modelled yet. Until then nothing may be said to hold of them.
#[test]
fn nothing_holds_of_what_is_not_under_control() {
    let checker = checker();
    let entries = read_folder(&root().join("corpus/programs/uncontrolled")).expect("the corpus is readable");
    assert!(!entries.is_empty(), "the corpus is there");
    for entry in entries {
        let name = entry.path.file_name().and_then(|name| name.to_str()).expect("a plain name").to_string();
        check_uncontrolled(&checker, &entry, &name).unwrap_or_else(|error| panic!("{name}: {error:#}"));
    }
}

fn check_uncontrolled(checker: &Path, entry: &Entry, name: &str) -> Result<()> {
    let scratch = Scratch::new(9001)?;
    let scratch = scratch.path();
    std::fs::copy(&entry.path, scratch.join(name))?;
    let program = compile(name, &entry.expectation.compile, scratch)?;
    let report = explore(checker, entry, &program, "source", &[], scratch)?;
    let properties = report["properties"].as_array().context("there are properties")?;
    let verdicts: Vec<_> = properties.iter().map(|property| &property["verdict"]).collect();
    ensure!(verdicts.iter().all(|verdict| *verdict == "inconclusive"), "{verdicts:?}");
    if let Some(call) = name.strip_prefix("direct-") {
        // The program was executed to its end, and what it did is named with its place.
        ensure!(report["complete"] == true, "the search is complete");
        let call = call.strip_suffix(".c").context("it is a program in C")?;
        let expected = format!("a direct system call: {call} at {name}:");
        let remarks = report["uncontrolled"].as_array().context("there is a list")?;
        let is_expected = |remark: &Value| remark.as_str().is_some_and(|text| text.starts_with(&expected));
        ensure!(remarks.iter().any(is_expected), "{expected} is not in {remarks:?}");
    }
    Ok(())
}

/// Where the kernel does not tell about direct system calls, the report says so, and everything else is as usual.
#[test]
fn a_kernel_that_does_not_tell_is_noticed() {
    let forbidding = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/forbids_dispatch.c");
    let scratch = Scratch::new(9002).expect("there is room");
    let scratch = scratch.path();
    std::fs::copy(forbidding, scratch.join("forbids_dispatch.c")).expect("it can be copied");
    let shell = compile("forbids_dispatch.c", &[], scratch).expect("it compiles");
    let mut command = Command::new(shell);
    command.arg(checker()).args(["explore", "--format", "json", "--", "/bin/true"]);
    let finished = child::run(command, scratch, TIME_LIMIT).expect("it can be run");
    let report = report(&finished).expect("there is a report");
    let notices = report["notices"].as_array().expect("there is a list");
    assert!(
        notices.iter().any(|notice| notice.as_str().is_some_and(|text| text.contains("direct system calls"))),
        "{report}"
    );
    assert_eq!(report["properties"][0]["verdict"], "holds", "{report}");
}

fn check(checker: &Path, entry: &Entry, name: &str) -> Result<()> {
    // One number for each test, for they run side by side.
    let number = finding(entry).and_then(|name| FINDINGS.iter().position(|finding| *finding == name));
    let scratch = Scratch::new(number.map_or(9000, |number| 9010 + number))?;
    let scratch = scratch.path();
    std::fs::copy(&entry.path, scratch.join(name))?;
    let program = compile(name, &entry.expectation.compile, scratch)?;
    let searches = std::env::var("SEARCHES").unwrap_or(SEARCHES.into());
    for search in searches.split(',') {
        let report = explore(checker, entry, &program, search, &[], scratch)?;
        verdicts(&report, &entry.expectation).with_context(|| format!("search {search}"))?;
        replay(checker, &report, scratch).with_context(|| format!("search {search}"))?;
    }
    for count in &entry.expectation.counts {
        let report = explore(checker, entry, &program, &count.search, &count.arguments, scratch)?;
        compare(count, &report)?;
    }
    Ok(())
}

fn explore(
    checker: &Path,
    entry: &Entry,
    program: &Path,
    search: &str,
    arguments: &[String],
    scratch: &Path,
) -> Result<Value> {
    let mut command = Command::new(checker);
    command.args(["explore", "--keep-going", "--format", "json"]).args(search_options(search));
    if search.contains('/') && !entry.expectation.options.iter().any(|option| option == "--scratch") {
        // Several workers must not find the files of each other.
        command.arg("--scratch");
    }
    if !entry.expectation.options.iter().any(|option| option == "--visible") {
        // Most programs of the corpus are about synchronisation, and what they share is protected or announced.
        command.args(["--visible", "sync"]);
    }
    command.args(&entry.expectation.options).arg("--").arg(program).args(arguments);
    let finished = child::run(command, scratch, TIME_LIMIT)?;
    ensure!(finished.status.is_some(), "{search} {arguments:?} takes too long");
    report(&finished).with_context(|| format!("{search} {arguments:?}: {}", finished.stderr))
}

fn verdicts(report: &Value, expectation: &Expectation) -> Result<()> {
    let violated = &expectation.violated;
    let properties = report["properties"].as_array().context("there are properties")?;
    for name in violated {
        let found = properties.iter().find(|property| property["name"] == name.as_str());
        let verdict = found.map_or(&Value::Null, |property| &property["verdict"]);
        ensure!(verdict == "violated", "{name} should be violated and is {verdict}");
    }
    for property in properties {
        let name = property["name"].as_str().context("a property has a name")?;
        let verdict = &property["verdict"];
        if violated.iter().any(|other| other == name) {
            continue;
        }
        ensure!(verdict != "violated", "{name} is violated and should not be");
        // Where nothing is wrong the search must be able to say so.
        ensure!(!violated.is_empty() || verdict == "holds", "{name} should hold: {property}");
    }
    for remark in report["uncontrolled"].as_array().context("there is a list")? {
        let is_expected = expectation.uncontrolled.iter().any(|expected| remark == expected.as_str());
        ensure!(is_expected, "uncontrolled: {remark}");
    }
    Ok(())
}

fn replay(checker: &Path, report: &Value, scratch: &Path) -> Result<()> {
    for property in report["properties"].as_array().context("there are properties")? {
        if property["verdict"] != "violated" {
            continue;
        }
        let name = &property["name"];
        let Some(schedule) = property["trail"].as_str() else { bail!("{name} has no schedule") };
        for _ in 0..REPLAYS {
            let mut command = Command::new(checker);
            command.args(["replay", "--check", schedule]);
            let finished = child::run(command, scratch, TIME_LIMIT)?;
            ensure!(finished.success(), "the schedule of {name} does not replay:\n{}", finished.output());
        }
    }
    Ok(())
}

fn compare(count: &Count, report: &Value) -> Result<()> {
    let Count { what, search, number, arguments } = count;
    let counted = &report["stats"][what];
    ensure!(
        counted.as_u64() == Some(*number),
        "{search} {arguments:?}: {counted} {what} instead of {number}"
    );
    if what == "executions" && search == "source" {
        let blocked = &report["stats"]["sleep_blocked"];
        ensure!(blocked.as_u64() == Some(0), "{search} {arguments:?}: {blocked} executions were blocked");
    }
    Ok(())
}
