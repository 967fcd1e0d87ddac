//! `allways explore`, and `allways replay` for what it writes.

use std::path::Path;
use std::process::Command;

use crate::validator::assert_valid;
use crate::{Place, assert_contains};

/// A place with a program of `tests/programs` or of the examples, compiled with debug information.
pub fn with_program(test: &str, program: &str) -> Place {
    let place = Place::new(test);
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["tests/programs", "../../../examples/programs"];
    let file = |ending: &str| {
        let mut files = folders.iter().map(|folder| here.join(folder).join(format!("{program}.{ending}")));
        files.find(|file| file.exists())
    };
    let (compiler, source) = match file("c") {
        Some(source) => ("cc", source),
        None => ("c++", file("cpp").expect("the program exists")),
    };
    let compiler = Command::new(compiler)
        .args(["-g", "-pthread", "-o", program])
        .arg(source)
        .current_dir(&place.folder)
        .status();
    assert!(compiler.expect("there is a C compiler").success());
    place
}

#[test]
fn a_deadlock_is_told_in_the_words_of_the_source() {
    let place = with_program("explore-deadlock", "transfer");
    let finished = place.run("explore -- ./transfer");
    assert_eq!(finished.code, Some(1), "{}{}", finished.stdout, finished.stderr);
    assert_contains(
        &finished.stdout,
        &[
            "transfer: 1 of 8 properties is violated",
            "deadlock    violated      deadlock: 3 threads wait for ever",
            "1  there:1  mutex_lock accounts[0].lock  transfer.c:14 in move",
            "2  back:2   mutex_lock accounts[1].lock  transfer.c:14 in move",
            "mutex_lock accounts[1].lock, which back:2 holds   transfer.c:15 in move",
            "mutex_lock accounts[0].lock, which there:1 holds  transfer.c:15 in move",
            "join there:1",
            "Repeat it: allways replay transfer.deadlock.schedule.json",
        ],
    );
    let quiet = place.run("explore --quiet --no-trail -- ./transfer");
    assert!(!quiet.stdout.contains("Counterexample") && !quiet.stdout.contains("Search"), "{}", quiet.stdout);
}

#[test]
fn why_a_program_gives_up_is_told() {
    let place = with_program("explore-gives-up", "gives_up");
    for (argument, reason) in [
        ("throw", "nobody catches an exception: std::runtime_error: came second at [..]/gives_up.cpp:20"),
        ("again", "nobody catches an exception: std::runtime_error: thrown again at [..]/gives_up.cpp:22"),
        ("number", "nobody catches an exception: int at [..]/gives_up.cpp:24"),
        ("pure", "a pure virtual function was called at [..]/gives_up.cpp:11"),
        (
            "thread",
            "std::terminate() was called for a std::thread that was neither joined nor detached at [..]/gives_up.cpp:28",
        ),
        ("abort", "abort() was called at [..]/gives_up.cpp:33"),
    ] {
        let finished = place.run(&format!("explore --no-trail -- ./gives_up {argument}"));
        let words = reason.split("[..]").collect::<Vec<_>>();
        assert_contains(&finished.stdout, &words);
        assert_contains(&finished.stdout, &["It gave up here:\n  at  ", "gives_up.cpp"]);
    }
}

#[test]
fn what_is_not_the_same_under_the_same_schedule_is_told() {
    let place = with_program("explore-remembers", "remembers");
    let finished = place.run("explore --search naive -- ./remembers");
    assert_contains(
        &finished.stdout,
        &[
            "the program does not behave the same under the same schedule",
            "note: choice 1 was expected to be mutex_lock at remembers.c:12 in work by thread 1, when 0, 1 could move; \
             instead it was mutex_lock at remembers.c:15 in work by thread 1, when 0, 1 could move",
        ],
    );
}

/// A program may do something else under another name, so it is executed as it was called: links are not followed.
#[test]
fn f2_a_program_is_called_by_the_name_that_was_typed() {
    let place = with_program("explore-f2", "called");
    std::os::unix::fs::symlink("called", place.folder.join("alias")).expect("links can be made");
    let path = format!("{}:{}", place.folder.display(), std::env::var("PATH").unwrap_or_default());
    for (command, title, status) in [
        ("./called", "called", 1),
        ("./alias", "alias", 2),
        ("--scratch -- ./alias", "alias", 2),
        ("alias", "alias", 3),
        ("./alias ./alias", "alias ./alias", 4),
    ] {
        let options = if command.contains("-- ") { "" } else { "-- " };
        let finished = place.run_with(&format!("explore {options}{command}"), &[("PATH", &path)]);
        let words = format!("{title}: 1 of 8 properties is violated");
        let reason = format!("the program ended with exit status {status}");
        assert_contains(&finished.stdout, &[&words, &reason]);
        let name = title.split(' ').next().unwrap_or_default();
        let again = place.run(&format!("replay --check {name}.exit.schedule.json"));
        assert_contains(&again.stdout, &[&format!("it happens again: {reason}")]);
    }
}

/// The functions of another heap stay together, and its locks are no steps of the program.
#[test]
fn f1_another_heap_is_left_alone() {
    let place = with_program("explore-f1", "heap");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/heap.c");
    for arguments in [
        &["-DLIBRARY", "-shared", "-fPIC", "-o", "libheap.so"][..],
        &["-o", "sync", "-L.", "-lheap", "-Wl,-rpath,$ORIGIN"],
        &["-fsanitize=thread", "-o", "memory", "-L.", "-lheap", "-Wl,-rpath,$ORIGIN"],
    ] {
        let mut compiler = Command::new("cc");
        compiler.args(["-g", "-pthread", "-fno-builtin"]).arg(&source).args(arguments);
        assert!(compiler.current_dir(&place.folder).status().expect("there is a C compiler").success());
    }
    for level in ["sync", "memory"] {
        let finished = place.run(&format!("explore --visible {level} --format json -- ./{level}"));
        let report = finished.json();
        assert_eq!(report["properties"][3]["verdict"], "holds", "{level}: {report}");
        assert_eq!(report["stats"]["executions"], 2, "{level}: {report}");
    }
}

/// A replay that leaves its schedule says where.
#[test]
fn r3_where_a_replay_leaves_its_schedule_is_told() {
    let place = with_program("explore-r3", "transfer");
    assert_eq!(place.run("explore -- ./transfer").code, Some(1));
    let schedule = place.read("transfer.deadlock.schedule.json");
    let mut document: serde_json::Value = serde_json::from_str(&schedule).expect("it is JSON");
    let choices = document["choices"].as_array().expect("a list").clone();
    let n_choices = choices.len();
    let mut told = |choices: Vec<serde_json::Value>| {
        document["choices"] = choices.into();
        place.write("other.json", &document.to_string());
        place.run("replay --check other.json").stdout
    };
    let mut other = choices.clone();
    other[0] = 9999.into();
    assert_contains(&told(other), &[&format!("choice 1 of {n_choices}: thread 9999 does not exist")]);
    let mut other = choices.clone();
    other[0] = 0.into();
    assert_contains(&told(other), &[&format!("choice 1 of {n_choices}: thread 0 cannot move, only 1")]);
    let cut = choices[..1].to_vec();
    assert_contains(&told(cut), &["all 1 choices were made, and the program was not over by then"]);
}

#[test]
fn documents_are_as_published() {
    let place = with_program("explore-json", "transfer");
    let finished = place.run("explore --format json --keep-going -- ./transfer");
    let document = finished.json();
    assert_valid(&document, "explore-1.json", None);
    assert_eq!(document["schema"], "allways/explore/1");
    assert_eq!(document["complete"], true);
    let verdicts: Vec<&str> = document["properties"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["verdict"].as_str().unwrap())
        .collect();
    assert_eq!(verdicts, ["violated", "holds", "holds", "holds", "holds", "holds", "inconclusive", "holds"]);
    let schedule = place.run("replay transfer.deadlock.schedule.json --format json").json();
    assert_valid(&schedule, "schedule-1.json", None);
    let written: serde_json::Value =
        serde_json::from_str(&place.read("transfer.deadlock.schedule.json")).unwrap();
    assert_eq!(schedule, written);
}

#[test]
fn a_schedule_is_repeated_and_drawn() {
    let place = with_program("explore-replay", "transfer");
    place.run("explore -- ./transfer");
    let again = place.run("replay transfer.deadlock.schedule.json --check");
    assert_eq!(
        (again.code, &*again.stdout),
        (Some(0), "it happens again: deadlock: 3 threads wait for ever\n")
    );
    let chart = place.run("replay transfer.deadlock.schedule.json --chart text");
    assert_contains(
        &chart.stdout,
        &["main:0", "there:1", "back:2", "●", "mutex_lock accounts[0].lock  transfer.c:14", "✗"],
    );
    let picture = place.run("replay transfer.deadlock.schedule.json --chart svg");
    assert_contains(
        &picture.stdout,
        &["<svg", "there:1", "transfer.c:14\nmutex_lock accounts[0].lock", "</svg>"],
    );
}

#[test]
fn schedules_are_shrunk() {
    let place = with_program("explore-shrink", "transfer");
    let switches = |options: &str| {
        let command = format!(
            "explore --search random --seed 3 --max-executions 1000 --format json {options} -- ./transfer"
        );
        let document = place.run(&command).json();
        let property = &document["properties"][0];
        assert_eq!(property["verdict"], "violated");
        (property["switches"].as_u64().unwrap(), property["switches_found"].as_u64().unwrap())
    };
    let (as_found, found) = switches("--shrink 0");
    assert_eq!(as_found, found);
    assert!(found > 2, "the seed finds a schedule that cannot be shrunk");
    // One thread after the other: whoever audits must come to an end too.
    assert_eq!(switches(""), (2, found));
    assert_eq!(place.run("replay transfer.deadlock.schedule.json --check").code, Some(0));
}

#[test]
fn what_is_no_program_is_said_so() {
    let place = Place::new("explore-none");
    let finished = place.run("explore -- ./nowhere");
    assert_eq!(finished.code, Some(4));
    assert_contains(&finished.stderr, &["error: the program ./nowhere cannot be started"]);
    assert_eq!(place.run("explore").code, Some(2));
}

#[test]
fn the_user_can_choose() {
    let place = with_program("explore-interactive", "transfer");
    let finished =
        place.run_with_input("explore --interactive -- ./transfer", "1\n0\n2\ne\nl\ns\nb 99\n2\n7\nq\n");
    assert_eq!(finished.code, Some(0), "{}{}", finished.stdout, finished.stderr);
    let (chosen, after_going_back) =
        finished.stdout.split_once("saved as transfer.deadlock.schedule.json\n").unwrap();
    assert_contains(
        chosen,
        &[
            "can go on:\n  there:1  mutex_lock accounts[0].lock  transfer.c:14 in move\n",
            "cannot go on:\n  main:0  join there:1  transfer.c:51 in main\n",
            "main:0 cannot go on now",
            "  there:1  mutex_lock accounts[1].lock, which back:2 holds",
            "deadlock: 3 threads wait for ever",
            "    8           mutex_unlock audit_lock      transfer.c:37 in audit",
        ],
    );
    assert_contains(
        after_going_back,
        &["    1  back:2  mutex_lock accounts[1].lock", "there is no thread 7"],
    );
    assert_eq!(place.run("replay transfer.deadlock.schedule.json --check").code, Some(0));
}

#[test]
fn values_are_chosen_too() {
    let place = with_program("explore-toss", "toss");
    let finished = place.run_with_input("explore --interactive -- ./toss", "0\n0 5\n0 2\nq\n");
    assert_eq!(finished.code, Some(1), "{}{}", finished.stdout, finished.stderr);
    assert_contains(
        &finished.stdout,
        &[
            "it has 4 ways to go on: `0 0` to `0 3`",
            "there is no value 5; the highest is 3",
            "    1  main:0  toss -> 2  toss.c:6 in main",
            "the program ended with exit status 1",
        ],
    );
}

#[test]
fn workers_find_what_one_finds() {
    let place = with_program("explore-workers", "philosopher_threads");
    let found = |options: &str| {
        let command =
            format!("explore --keep-going --no-trail --format json {options} -- ./philosopher_threads 3");
        let document = place.run(&command).json();
        let deadlocks = document["properties"][0]["count"].as_u64().unwrap();
        assert_eq!(document["complete"], true);
        (
            document["stats"]["executions"].as_u64().unwrap(),
            document["stats"]["transitions"].as_u64().unwrap(),
            deadlocks,
        )
    };
    assert_eq!(found("--search naive -j 3"), found("--search naive"));
    assert_eq!(found("--bound preemption=12 -j 2"), found("--search naive"));
    assert!(found("--search persistent -j 2").2 > 0);
    let (one, several) = (found("--search source"), found("--search source -j 3"));
    assert!(several.0 >= one.0 && several.2 >= one.2 && one.2 > 0, "{one:?} {several:?}");
}
