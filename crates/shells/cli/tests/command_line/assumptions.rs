//! What verdicts on programs rest on: findings h3, h4, h5 and f5.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::validator::assert_valid;
use crate::{Place, assert_contains};

const HOOKS: &str = "-fsanitize=thread";

/// Compiles files of `corpus/programs/assumptions`, each with its own options, to `program`.
fn build(place: &Place, files: &[(&str, &[&str])], options: &[&str]) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../corpus/programs/assumptions");
    let cc = |arguments: &mut Command| {
        let status = arguments.arg("-pthread").current_dir(&place.folder).status();
        assert!(status.expect("there is a C compiler").success());
    };
    let mut objects = Vec::new();
    for (name, options) in files {
        let object = format!("{name}.o");
        cc(Command::new("cc")
            .args(*options)
            .args(["-c", "-o", &object])
            .arg(corpus.join(format!("{name}.c"))));
        objects.push(object);
    }
    cc(Command::new("cc").args(options).args(["-o", "program"]).args(&objects));
}

fn explored(place: &Place, options: &str) -> (Option<i32>, Value) {
    let finished = place.run(&format!("explore --patience 60s --format json {options} -- ./program"));
    (finished.code, finished.json())
}

fn verdict<'a>(report: &'a Value, property: &str) -> &'a str {
    let properties = report["properties"].as_array().expect("there are properties");
    let found = properties.iter().find(|one| one["name"] == property);
    found.map_or("none", |one| one["verdict"].as_str().expect("a word"))
}

fn kinds(report: &Value) -> Vec<&str> {
    let assumptions = report["assumptions"].as_array().expect("there is a list");
    assumptions.iter().map(|one| one["kind"].as_str().expect("a word")).collect()
}

#[test]
fn h3_memory_that_is_not_looked_at_is_said() {
    for name in ["h3-counter", "h3-atomics", "h3-shared-atomics", "h3-queue", "h3-stack"] {
        let place = Place::new(&format!("assumptions-{name}"));
        build(&place, &[(name, &["-g"])], &[]);
        let (code, report) = explored(&place, "");
        assert_valid(&report, "explore-1.json", None);
        assert_eq!(code, Some(3), "{name}: {report}");
        assert_eq!(verdict(&report, "races"), "inconclusive", "{name}: {report}");
        assert_eq!(verdict(&report, "assertions"), "holds", "{name}: {report}");
        assert_eq!(kinds(&report), ["memory-not-visible"], "{name}");
        assert_eq!(report["visible"], "sync");
        let told = place.run("explore -- ./program").stdout;
        assert_contains(
            &told,
            &[
                "assertions  holds, assuming that unseen memory does not matter\n",
                "races       inconclusive  memory was not looked at: compile with -fsanitize=thread\n",
                "\nAssumption: memory that ",
            ],
        );
        assert!(!told.contains("holds\n"), "{told}");
        // Whoever asks for it gets what was asked.
        let (code, report) = explored(&place, "--visible sync");
        assert_eq!((code, verdict(&report, "races")), (Some(0), "none"), "{name}: {report}");
        assert_eq!(kinds(&report), ["memory-not-visible"], "{name}");
        let told = place.run("explore --visible sync -- ./program").stdout;
        assert_contains(&told, &["assertions  holds\n", "races       not asked     --visible sync"]);
        assert_eq!(explored(&place, "--visible sync --no-assumptions").0, Some(3), "{name}");
        // With the hooks, memory is looked at unless that is forbidden.
        build(&place, &[(name, &["-g", HOOKS])], &[HOOKS]);
        let (code, report) = explored(&place, "");
        assert_eq!((code, verdict(&report, "assertions")), (Some(1), "violated"), "{name}: {report}");
        assert_eq!(report["visible"], "memory");
        let (code, _) = explored(&place, "--visible sync");
        assert_eq!(code, Some(0), "{name}");
    }
}

#[test]
fn h3_one_thread_has_nothing_to_interleave() {
    let place = Place::new("assumptions-one");
    std::fs::write(place.folder.join("one.c"), "int main(void) { return 0; }\n").expect("a file");
    let compiled = Command::new("cc").args(["one.c", "-o", "program"]).current_dir(&place.folder).status();
    assert!(compiled.expect("there is a C compiler").success());
    let (code, report) = explored(&place, "");
    assert_eq!((code, verdict(&report, "races"), kinds(&report).len()), (Some(0), "holds", 0), "{report}");
    assert_contains(
        &place.run("explore -- ./program").stdout,
        &["all properties hold\n", "note: only one thread was seen: nothing to interleave"],
    );
}

#[test]
fn h4_sequential_consistency_is_said() {
    for (name, weaker) in [("h4-sb-relaxed", 4), ("h4-sb-release-acquire", 4), ("h4-dekker-relaxed", 2)] {
        let place = Place::new(&format!("assumptions-{name}"));
        build(&place, &[(name, &["-g", HOOKS])], &[HOOKS]);
        let (code, report) = explored(&place, "");
        assert_eq!((code, kinds(&report)), (Some(0), vec!["sequential-consistency"]), "{name}: {report}");
        let assumption = &report["assumptions"][0];
        assert!(assumption["line"].is_u64() && assumption["file"].is_string(), "{assumption}");
        let told = place.run("explore -- ./program").stdout;
        let counted =
            format!("sequential consistency was assumed: {weaker} operations are weaker, first at {name}.c:");
        assert_contains(
            &told,
            &[
                "all properties hold, assuming sequential consistency",
                "holds, assuming sequential consistency",
                &counted,
            ],
        );
        assert_eq!(explored(&place, "--no-assumptions").0, Some(3), "{name}");
    }
    let place = Place::new("assumptions-sequential");
    build(&place, &[("h4-sb-sequential", &["-g", HOOKS])], &[HOOKS]);
    let (code, report) = explored(&place, "--no-assumptions");
    assert_eq!((code, kinds(&report).len()), (Some(0), 0), "{report}");
}

#[test]
fn h5_files_without_hooks_are_named() {
    let place = Place::new("assumptions-half");
    // With and without debug information; of a file that has none, the functions are named.
    for (options, name) in
        [(&["-g"][..], "h5-other-half.c"), (&[], "count()"), (&["-O2", "-g"], "h5-other-half.c")]
    {
        build(&place, &[("h5-half", &["-g", HOOKS]), ("h5-other-half", options)], &[HOOKS]);
        let (code, report) = explored(&place, "");
        assert_eq!((code, kinds(&report)), (Some(3), vec!["memory-not-visible"]), "{name}: {report}");
        let text = report["assumptions"][0]["text"].as_str().expect("a sentence");
        assert!(text.starts_with(&format!("accesses to memory in {name} were not seen")), "{text}");
        assert!(!place.run("explore -- ./program").stdout.contains("holds\n"));
    }
    // With hooks everywhere nothing is unseen.
    for options in [&["-g", HOOKS][..], &[HOOKS], &["-O2", HOOKS]] {
        build(&place, &[("h5-half", options), ("h5-other-half", options)], &[HOOKS]);
        let (code, report) = explored(&place, "--keep-going");
        assert_eq!((code, kinds(&report).len()), (Some(1), 0), "{options:?}: {report}");
    }
}

#[test]
fn f5_races_are_doubtful_beside_locks_of_libraries() {
    let place = Place::new("assumptions-openmp");
    build(&place, &[("f5-openmp", &["-g", "-fopenmp", HOOKS])], &[HOOKS, "-fopenmp"]);
    let (code, report) = explored(&place, "");
    assert_eq!((code, verdict(&report, "races")), (Some(3), "inconclusive"), "{report}");
}
