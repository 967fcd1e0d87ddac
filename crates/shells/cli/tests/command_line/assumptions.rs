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
    explored_with(place, options, "")
}

fn explored_with(place: &Place, options: &str, arguments: &str) -> (Option<i32>, Value) {
    let command = format!("explore --patience 60s --format json {options} -- ./program {arguments}");
    let finished = place.run(&command);
    (finished.code, finished.json())
}

fn renamed(place: &Place, to: &str) {
    std::fs::rename(place.folder.join("program"), place.folder.join(to)).expect("it was built");
}

/// The texts of all assumptions, which must be of this one kind.
fn unseen(report: &Value) -> String {
    assert!(kinds(report).iter().all(|kind| *kind == "memory-not-visible"), "{report}");
    let assumptions = report["assumptions"].as_array().expect("there is a list");
    assumptions.iter().map(|one| one["text"].as_str().expect("a sentence")).collect::<Vec<_>>().join("; ")
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
fn h5_functions_without_hooks_are_named() {
    let place = Place::new("assumptions-assembly");
    // Assembly without a lock is found where nothing else in the function has a hook.
    for (how, debug) in
        [("-DATOMIC", "-g"), ("-DASSEMBLY", "-g"), ("-DATTRIBUTE", "-g"), ("-DATTRIBUTE", "-g0")]
    {
        for level in ["-O0", "-O2"] {
            build(&place, &[("h5-assembly", &[how, debug, level, "-fno-inline", HOOKS])], &[HOOKS]);
            let (code, report) = explored(&place, "");
            let text = report["assumptions"][0]["text"].as_str().unwrap_or_default();
            assert!(
                text.starts_with("accesses to memory in count() were not seen"),
                "{how} {level}: {report}"
            );
            assert_eq!(
                (code, kinds(&report)),
                (Some(3), vec!["memory-not-visible"]),
                "{how} {level}: {report}"
            );
        }
    }
    // Tables of constants, what is on the stack, and switches are nobody else's business.
    for options in [&["-g", "-O0"][..], &["-g", "-O2"], &["-g0", "-O0"], &["-g0", "-O1"], &["-Os"], &["-O3"]]
    {
        let options = [options, &["-fno-inline", HOOKS]].concat();
        build(&place, &[("h5-assembly", &options)], &[HOOKS]);
        let (code, report) = explored(&place, "--no-assumptions");
        assert_eq!((code, kinds(&report).len()), (Some(0), 0), "{options:?}: {report}");
    }
    // A file without debug information that only follows pointers.
    std::fs::write(place.folder.join("half.c"), "void count(int *counter) { *counter += 1; }\n")
        .expect("a file");
    std::fs::write(
        place.folder.join("main.c"),
        "#include <pthread.h>\nvoid count(int *); int counter; void *work(void *unused) { count(&counter); return unused; }\n\
         int main(void) { pthread_t thread; pthread_create(&thread, 0, work, 0); work(0); return pthread_join(thread, 0); }\n",
    )
    .expect("a file");
    for level in ["-O0", "-O2"] {
        for arguments in
            [&["-c", level, "half.c"][..], &[level, "-pthread", HOOKS, "main.c", "half.o", "-o", "program"]]
        {
            let status = Command::new("cc").args(arguments).current_dir(&place.folder).status();
            assert!(status.expect("there is a C compiler").success());
        }
        let (code, report) = explored(&place, "");
        assert_eq!((code, kinds(&report)), (Some(3), vec!["memory-not-visible"]), "{level}: {report}");
        assert!(
            report["assumptions"][0]["text"].as_str().is_some_and(|text| text.contains("count()")),
            "{report}"
        );
    }
}

#[test]
fn memory_of_programs_that_are_executed_is_not_looked_at() {
    let place = Place::new("assumptions-executed");
    build(&place, &[("h3-counter", &["-g"])], &[]);
    renamed(&place, "counter");
    build(&place, &[("h3-counter", &["-g", HOOKS])], &[HOOKS]);
    renamed(&place, "watched");
    for options in [&["-g", HOOKS][..], &["-g"]] {
        build(&place, &[("executes", options)], options);
        for arguments in ["fork ./counter", "itself ./counter", "fork ./watched", "itself ./watched"] {
            let (code, report) = explored_with(&place, "", arguments);
            let text = unseen(&report);
            assert_eq!(code, Some(3), "{options:?} {arguments}: {report}");
            let name = arguments.rsplit('/').next().unwrap_or_default();
            assert!(text.contains(&format!("were executed was not looked at ({name})")), "{text}");
            assert!(!text.contains("--visible memory"), "{text}");
            assert_eq!(explored_with(&place, "--visible sync", arguments).0, Some(0), "{arguments}");
        }
        // One thread has nothing to interleave, whatever it executes.
        let (code, report) = explored_with(&place, "", "fork /bin/true");
        assert_eq!((code, kinds(&report).len()), (Some(0), 0), "{report}");
    }
    build(&place, &[("executes-itself", &["-g", HOOKS])], &[HOOKS]);
    let (code, report) = explored(&place, "");
    assert_eq!(code, Some(3), "{report}");
    assert!(unseen(&report).contains("(program)"), "{report}");
}

#[test]
fn libraries_that_are_loaded_later_are_named() {
    let place = Place::new("assumptions-later");
    for (options, code) in [(&["-g"][..], 3), (&["-s"], 3), (&["-g", HOOKS], 1)] {
        build(
            &place,
            &[("loaded-library", &[options, &["-fPIC"]].concat())],
            &[options, &["-shared"]].concat(),
        );
        renamed(&place, "library.so");
        build(&place, &[("loads-library", &["-g", HOOKS])], &[HOOKS, "-ldl"]);
        for arguments in ["", "close"] {
            let (found, report) = explored_with(&place, "", arguments);
            assert_eq!(found, Some(code), "{options:?} {arguments}: {report}");
            if code == 3 {
                let text = unseen(&report);
                assert!(text.starts_with("accesses to memory in library.so were not seen"), "{text}");
            }
        }
    }
}

#[test]
fn functions_without_names_are_looked_at() {
    let place = Place::new("assumptions-stripped");
    let hooks = &["-g", HOOKS][..];
    for (options, linking) in
        [(&["-g"][..], &[HOOKS, "-s"][..]), (&[], &[HOOKS, "-s"]), (&["-O2"], &[HOOKS, "-s"])]
    {
        build(&place, &[("h5-half", hooks), ("h5-other-half", options)], linking);
        let (code, report) = explored(&place, "");
        assert_eq!(code, Some(3), "{options:?}: {report}");
        assert!(unseen(&report).starts_with("accesses to memory in program were not seen"), "{report}");
    }
    for level in ["-O0", "-O2"] {
        build(&place, &[("h5-assembly", &["-g", level, "-fno-inline", HOOKS])], &[HOOKS, "-s"]);
        let (code, report) = explored(&place, "--no-assumptions");
        assert_eq!((code, kinds(&report).len()), (Some(0), 0), "{level}: {report}");
    }
}

#[test]
fn signals_may_come_between_accesses() {
    let place = Place::new("assumptions-signals");
    for options in [&["-g"][..], &["-g", HOOKS]] {
        build(&place, &[("signal-between-accesses", options)], options);
        for sender in ["child", "thread", "timer"] {
            let (code, report) = explored_with(&place, "", sender);
            assert_eq!(code, Some(3), "{options:?} {sender}: {report}");
            assert!(unseen(&report).contains("signals were delivered at operations only"), "{report}");
            assert_eq!(explored_with(&place, "--visible sync", sender).0, Some(0), "{sender}");
        }
        for sender in ["itself", "waited"] {
            let (code, report) = explored_with(&place, "", sender);
            assert_eq!((code, kinds(&report).len()), (Some(0), 0), "{options:?} {sender}: {report}");
        }
    }
}

#[test]
fn f5_races_are_doubtful_beside_locks_of_libraries() {
    let place = Place::new("assumptions-openmp");
    build(&place, &[("f5-openmp", &["-g", "-fopenmp", HOOKS])], &[HOOKS, "-fopenmp"]);
    let (code, report) = explored(&place, "");
    assert_eq!((code, verdict(&report, "races")), (Some(3), "inconclusive"), "{report}");
}

#[test]
fn a_false_assumption_ends_an_execution_and_loses_no_other() {
    let place = Place::new("assumptions-assume");
    let include = format!("-I{}/../../../include", env!("CARGO_MANIFEST_DIR"));
    build(&place, &[("assume", &["-g", &include])], &[]);
    for search in ["source", "persistent", "naive"] {
        let ask = |mode: u32| {
            let options = "--visible sync --keep-going --format json";
            let finished = place.run(&format!("explore {options} --search {search} -- ./program {mode}"));
            (finished.code, finished.json())
        };
        let assumed = |report: &Value| report["stats"]["assumed"].as_u64().expect("a number");
        let (code, report) = ask(0);
        assert_eq!(code, Some(0), "{search}: {report}");
        assert!(assumed(&report) > 0 && report["stats"]["executions"].as_u64() > Some(assumed(&report)));
        let (code, report) = ask(1);
        assert_eq!(code, Some(0), "{search}: {report}");
        assert!(report["notices"].to_string().contains("what holds, holds of nothing"), "{report}");
        let (_, report) = ask(2);
        assert_eq!(verdict(&report, "assertions"), "violated", "{search}: {report}");
        // Nothing that happens beside the false assumption is lost.
        let (_, report) = ask(3);
        assert_eq!(verdict(&report, "deadlock"), "violated", "{search}: {report}");
        assert!(assumed(&report) > 0);
    }
    // Without Allways, such a run just ends.
    let alone = Command::new(place.folder.join("program")).arg("1").status().expect("it can be run");
    assert_eq!(alone.code(), Some(0));
}

#[test]
fn expected_ends_are_no_violations() {
    let place = Place::new("assumptions-ends");
    build(&place, &[("expected-ends", &["-g"])], &[]);
    let ask = |options: &str, how: &str| {
        let finished = place.run(&format!("explore --format json {options} -- ./program {how}"));
        (finished.code, finished.json())
    };
    for (options, how, violated) in [
        ("", "1", "exit"),
        ("--exit-status 0,1", "1", ""),
        ("--exit-status 0,1", "2", "exit"),
        ("--exit-status 1", "0", "exit"),
        ("--exit-status any", "77", ""),
        ("", "abort", "assertions"),
        ("", "crash", "crash"),
        ("--children-may-crash", "abort", ""),
        ("--children-may-crash", "assert", ""),
        ("--children-may-crash", "crash", ""),
        ("--children-may-crash", "self", "assertions"),
    ] {
        let (code, report) = ask(options, how);
        let expected = if violated.is_empty() { Some(0) } else { Some(1) };
        assert_eq!(code, expected, "{options} {how}: {report}");
        if !violated.is_empty() {
            assert_eq!(verdict(&report, violated), "violated", "{options} {how}: {report}");
            let again = place.run(&format!("replay --check program.{violated}.schedule.json"));
            assert_eq!(again.code, Some(0), "{options} {how}: {}{}", again.stdout, again.stderr);
        }
    }
    assert_eq!(place.run("explore --exit-status 0,300 -- ./program").code, Some(2));
}

#[test]
fn the_verdict_is_printed_where_no_file_can_be_written() {
    let place = Place::new("assumptions-unwritable");
    build(&place, &[("expected-ends", &["-g"])], &[]);
    // Where the file would be is a directory.
    std::fs::create_dir(place.folder.join("program.exit.schedule.json")).expect("a directory");
    let finished = place.run("explore -- ./program 1");
    assert_eq!(finished.code, Some(1), "{}", finished.stderr);
    assert_contains(
        &finished.stdout,
        &["violated", "exit status 1", "note: cannot write program.exit.schedule.json"],
    );
}

#[test]
fn what_cannot_be_started_is_named_with_the_reason() {
    let place = Place::new("assumptions-unstartable");
    std::fs::create_dir(place.folder.join("directory")).expect("a directory");
    std::fs::write(place.folder.join("text"), "no program\n").expect("a file");
    std::fs::write(place.folder.join("race.c"), "int main;\n").expect("a file");
    for (program, words) in [
        ("./missing", "the program ./missing cannot be started: there is no such file"),
        ("missing-name", "the program missing-name cannot be started: there is no program of that name"),
        ("./directory", "the program ./directory cannot be started: it is a directory"),
        ("./text", "the program ./text cannot be started: it is not executable"),
        ("./race.c", "the program ./race.c cannot be started: it is not executable"),
        ("./race.c", "compile it: gcc -g -fsanitize=thread -pthread ./race.c -o ./race"),
    ] {
        let finished = place.run(&format!("explore -- {program}"));
        assert_eq!(finished.code, Some(4), "{program}: {}", finished.stderr);
        assert_contains(&finished.stderr, &[words]);
    }
    std::fs::copy("/bin/true", place.folder.join("true")).expect("a program");
    let finished = place.run_with("explore -- ./true", &[("TMPDIR", "/nowhere/at/all")]);
    assert_contains(&finished.stderr, &["temporary files are made in /nowhere/at/all: TMPDIR must"]);
}
