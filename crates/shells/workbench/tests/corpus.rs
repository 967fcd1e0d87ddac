//! Every model of `corpus/`, through every search there is.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use allways_source::Severity;
use allways_testkit::corpus::{Counts, Entry, read_folder};
use allways_verdict::{Statistics, Verdict};
use allways_workbench::{
    Algorithm, CheckOptions, CheckResult, Fairness, LoadError, LoadOptions, Model, Monitor, Order, Stopped,
    UnlessOrder, Until, check, load,
};

struct Patient;

impl Monitor for Patient {
    fn tick(&mut self, _: &Statistics) -> ControlFlow<Stopped> {
        ControlFlow::Continue(())
    }
}

fn folder(name: &str) -> Vec<Entry> {
    let corpus: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../corpus").join(name);
    let entries = read_folder(&corpus).expect("the corpus is readable");
    assert!(entries.len() > 20, "{name} has only {} models", entries.len());
    entries
}

/// Loading options and search options, as the header's `options` say.
fn options(entry: &Entry) -> (LoadOptions, CheckOptions) {
    let mut load = LoadOptions::default();
    let mut check = CheckOptions {
        properties: vec!["assertions".to_string(), "deadlock".to_string()],
        until: Until::AllExplored,
        // Spin's counts are without them.
        leave_out_hidden: entry.expectation.plain.is_some(),
        ..CheckOptions::default()
    };
    if entry.expectation.verdicts.iter().any(|(property, _)| property == "exclusive") {
        check.properties.push("exclusive".to_string());
    }
    let mut words = entry.expectation.options.iter().map(String::as_str);
    while let Some(word) = words.next() {
        match word {
            "--full-channel" => check.semantics.lossy = words.next() == Some("lose"),
            "--strict-end" => check.semantics.strict_end = true,
            "--check-overflow" => check.semantics.check_overflow = true,
            "--unless" => {
                if words.next() == Some("innermost") {
                    load.unless = UnlessOrder::Innermost;
                }
            }
            other => panic!("{}: unknown option {other}", entry.path.display()),
        }
    }
    (load, check)
}

fn run(model: &Model, options: &CheckOptions) -> CheckResult {
    check(model, options, &mut Patient).unwrap_or_else(|error| panic!("{}: {error}", model.path.display()))
}

fn counts(result: &CheckResult) -> Counts {
    let statistics = &result.statistics;
    Counts {
        stored: statistics.states,
        matched: statistics.matched,
        transitions: statistics.transitions(),
        atomic: statistics.atomic_steps,
        depth: statistics.depth,
        errors: result.properties.iter().any(|property| {
            // Spin does not look at claims of exclusive use in a search without reduction.
            property.property.name != "exclusive" && matches!(property.verdict, Verdict::Violated(_))
        }),
    }
}

/// What is wrong with a model's results, if anything.
fn problems(entry: &Entry) -> Vec<String> {
    let (load_options, mut check_options) = options(entry);
    let model = match load(&entry.path, &load_options) {
        Ok(model) => model,
        Err(error) => return vec![format!("{error}: {error:?}")],
    };
    let mut problems = Vec::new();
    let depth_first = run(&model, &check_options);
    let found = counts(&depth_first);
    if let Some(expected) = entry.expectation.plain
        && found != expected
    {
        problems.push(format!("expected {expected:?}, found {found:?}"));
    }
    check_options.order = Order::BreadthFirst;
    let breadth_first = run(&model, &check_options);
    let other = counts(&breadth_first);
    // Depth depends on the order, and only a breadth-first search remembers what is inside atomic sequences.
    if (other.stored, other.errors) != (found.stored, found.errors) {
        problems.push(format!("depth first {found:?}, breadth first {other:?}"));
    }
    for (result, order) in [(&depth_first, "depth first"), (&breadth_first, "breadth first")] {
        let violated = result.properties.iter().filter(|p| matches!(p.verdict, Verdict::Violated(_))).count();
        if result.statistics.replayed != violated as u64 {
            problems.push(format!("{order}: {violated} violations, {} replayed", result.statistics.replayed));
        }
        for (name, holds) in &entry.expectation.verdicts {
            let found = result.properties.iter().find(|property| property.property.name == *name);
            let word = found.map_or("missing", |property| property.verdict.word());
            // Behind a run-time error nothing is known; everywhere else `holds` must be said.
            let unknown = word == "inconclusive" && !result.complete;
            let fits = if *holds { word == "holds" || unknown } else { word == "violated" };
            if !fits {
                problems.push(format!("{order}: {name} is {word}"));
            }
        }
    }
    problems
}

fn report(failures: Vec<(PathBuf, Vec<String>)>) {
    for (path, problems) in &failures {
        eprintln!("{}", path.display());
        problems.iter().for_each(|problem| eprintln!("    {problem}"));
    }
    assert!(failures.is_empty(), "{} models failed", failures.len());
}

fn check_folder(name: &str, problems: impl Fn(&Entry) -> Vec<String>) {
    let entries = folder(name);
    let failures = entries.iter().map(|entry| (entry.path.clone(), problems(entry)));
    report(failures.filter(|(_, problems)| !problems.is_empty()).collect());
}

#[test]
fn semantics() {
    check_folder("semantics", problems);
}

/// Every temporal property, by every search there is.
fn temporal_problems(entry: &Entry) -> Vec<String> {
    let model = match load(&entry.path, &LoadOptions::default()) {
        Ok(model) => model,
        Err(error) => return vec![format!("{error}: {error:?}")],
    };
    let expectation = &entry.expectation;
    let mut problems = Vec::new();
    let plain = CheckOptions::default();
    let full = CheckOptions { simplify: true, reduce: true, ..CheckOptions::default() };
    let ways = [
        ("plain", plain.clone()),
        ("full", full.clone()),
        ("nested", CheckOptions { algorithm: Algorithm::Nested, ..full.clone() }),
        ("components", CheckOptions { algorithm: Algorithm::Components, ..full.clone() }),
        ("plain components", CheckOptions { algorithm: Algorithm::Components, ..plain.clone() }),
        ("reduced", CheckOptions { reduce: true, ..plain.clone() }),
        ("simplified", CheckOptions { simplify: true, ..plain.clone() }),
        ("shortest", CheckOptions { order: Order::BreadthFirst, ..full.clone() }),
        ("interpreted", CheckOptions { interpret: true, ..plain }),
    ];
    for (fairness, expected) in [
        (Fairness::None, &expectation.verdicts),
        (Fairness::Weak, &expectation.weak),
        (Fairness::Strong, &expectation.strong),
    ] {
        for (name, holds) in expected {
            for (way, options) in &ways {
                let options =
                    CheckOptions { properties: vec![name.clone()], fair: fairness.into(), ..options.clone() };
                let result = run(&model, &options);
                let word = result.properties[0].verdict.word();
                if word != if *holds { "holds" } else { "violated" } {
                    problems.push(format!("{way}, {fairness:?} fairness: {name} is {word}"));
                }
            }
        }
    }
    problems
}

#[test]
fn temporal() {
    check_folder("temporal", temporal_problems);
}

#[test]
fn runtime_errors() {
    check_folder("runtime", problems);
}

/// The lines of the diagnostics of one severity; 0 for those in another file.
fn lines(entry: &Entry, severity: Severity) -> Vec<u32> {
    let (sources, diagnostics) = match load(&entry.path, &LoadOptions::default()) {
        Ok(model) => (model.sources, model.warnings),
        Err(LoadError::Mistakes { sources, diagnostics }) => (sources, diagnostics),
        Err(other) => panic!("{}: {other}", entry.path.display()),
    };
    let mut lines: Vec<u32> = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == severity)
        .map(|diagnostic| match sources.path(diagnostic.primary.span.file) == entry.path {
            true => sources.line(diagnostic.primary.span),
            false => 0,
        })
        .collect();
    lines.sort_unstable();
    lines
}

fn compare_lines(expected: &[u32], found: Vec<u32>) -> Vec<String> {
    if found == expected { Vec::new() } else { vec![format!("expected lines {expected:?}, found {found:?}")] }
}

#[test]
fn errors_are_reported_once_at_their_lines() {
    check_folder("errors", |entry| {
        assert!(!entry.expectation.errors.is_empty(), "{} expects no error", entry.path.display());
        compare_lines(&entry.expectation.errors, lines(entry, Severity::Error))
    });
}

#[test]
fn warnings_are_reported_once_at_their_lines() {
    check_folder("warnings", |entry| {
        let mut problems = compare_lines(&entry.expectation.warnings, lines(entry, Severity::Warning));
        problems.extend(compare_lines(&[], lines(entry, Severity::Error)));
        problems
    });
}
