//! `allways explore`, and `allways replay` for what it writes.

use std::path::Path;
use std::process::Command;

use crate::validator::assert_valid;
use crate::{Place, assert_contains};

/// A place with a program of `tests/programs`, compiled with debug information.
fn with_program(test: &str, program: &str) -> Place {
    let place = Place::new(test);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/programs/{program}.c"));
    let compiler = Command::new("cc")
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
            "transfer: 1 of 6 properties is violated",
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
    assert_eq!(verdicts, ["violated", "holds", "holds", "holds", "holds", "holds"]);
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
    assert_contains(&finished.stderr, &["error: the program cannot be started"]);
    assert_eq!(place.run("explore").code, Some(2));
}
