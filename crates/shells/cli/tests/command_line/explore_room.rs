//! `allways explore`: what makes steps, how much there is room for, and what of the world outside
//! is in schedule files.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::explore::with_program;
use crate::validator::assert_valid;
use crate::{Place, assert_contains};

fn schedule(place: &Place, file: &str) -> Value {
    serde_json::from_str(&place.read(file)).unwrap()
}

#[test]
fn s6_objects_of_one_thread_make_no_steps() {
    let place = with_program("s6-private", "private");
    let finished = place.run("explore --visible sync --format json -- ./private");
    let document = finished.json();
    // 20,000 pairs, and nothing was cut.
    assert_eq!(finished.code, Some(1), "{}", finished.stdout);
    assert!(document["stats"]["depth"].as_u64().unwrap() < 20, "{}", document["stats"]);
    let schedule = schedule(&place, "private.assertions.schedule.json");
    assert_valid(&schedule, "schedule-1.json", None);
    assert_eq!(schedule["objects"].as_array().unwrap().len(), 1, "{schedule}");
    assert_eq!(place.run("replay --check private.assertions.schedule.json").code, Some(0));
    // Searches that do not leave out anything show every operation.
    let all =
        place.run("explore --visible sync --search random --max-executions 1 --format json -- ./private");
    assert!(all.json()["stats"]["depth"].as_u64().unwrap() > 40_000);
}

#[test]
fn s6_slots_of_joined_threads_are_used_again() {
    let place = with_program("s6-slots", "many");
    let finished = place.run("explore --visible sync --format json -- ./many 600 after");
    assert_eq!(finished.code, Some(0), "{}", finished.stdout);
    assert_eq!(finished.json()["stats"]["executions"], 1);
}

#[test]
fn s6_a_limit_is_named_with_its_number() {
    let place = with_program("s6-limit", "many");
    for (arguments, hint) in [
        ("-- ./many 300 once", "hint: join threads"),
        ("-- ./many 300 detached", "hint: join threads"),
        ("--search persistent -- ./many 300 after", "not with --search persistent"),
    ] {
        let finished = place.run(&format!("explore --visible sync {arguments}"));
        assert_eq!(finished.code, Some(3), "{}", finished.stdout);
        assert_contains(&finished.stdout, &["an execution has more than 256 slots for threads in use", hint]);
    }
}

/// What is reserved here does not count against a limit that was set before; a soft limit stays
/// one.
#[test]
fn f7_a_limit_of_the_address_space_is_the_programs_own() {
    let place = with_program("f7-limit", "limited");
    let allways = env!("CARGO_BIN_EXE_allways");
    let command = format!("ulimit -S -v 60000; {allways} explore --visible sync -- ./limited 60000 -1");
    let finished = Command::new("sh").args(["-c", &command]).current_dir(&place.folder).output().unwrap();
    let told = String::from_utf8_lossy(&finished.stdout);
    assert_contains(&told, &["limited 60000 -1: all properties hold"]);
}

#[test]
fn r3_a_schedule_has_the_variables_that_mattered() {
    let place = with_program("r3-variables", "outside");
    let finished = place.run_with("explore --visible sync -- ./outside variable", &[("HUNTX", "1")]);
    assert_eq!(finished.code, Some(1), "{}", finished.stdout);
    let schedule = schedule(&place, "outside.assertions.schedule.json");
    assert_valid(&schedule, "schedule-1.json", None);
    assert_eq!(schedule["environment"], json!([{"name": "HUNTX", "value": "1"}]));
    let again = place.run("replay --check outside.assertions.schedule.json");
    assert_eq!(again.code, Some(0), "{}", again.stdout);
    assert_contains(&again.stderr, &["note: HUNTX is \"1\", as when the schedule was written"]);
    // A variable that was not there is not there in the replay either.
    let mut without = schedule;
    without["environment"] = json!([{"name": "HUNTX"}]);
    place.write("outside.assertions.schedule.json", &without.to_string());
    let other = place.run_with("replay --check outside.assertions.schedule.json", &[("HUNTX", "1")]);
    assert_eq!(other.code, Some(1), "{}", other.stdout);
    assert_contains(&other.stderr, &["note: HUNTX is not set"]);
}

#[test]
fn r3_a_replay_says_that_other_variables_have_changed() {
    let place = with_program("r3-list", "outside");
    place.run_with("explore --visible sync -- ./outside list", &[("HUNTX", "1")]);
    let same = place.run_with("replay --check outside.assertions.schedule.json", &[("HUNTX", "1")]);
    assert_eq!(same.code, Some(0), "{}", same.stdout);
    let other = place.run("replay --check outside.assertions.schedule.json");
    assert_eq!(other.code, Some(1), "{}", other.stdout);
    assert_contains(&other.stdout, &["environment variables that the program did not ask for by getenv"]);
}

#[test]
fn r3_a_schedule_has_its_directory() {
    let place = with_program("r3-directory", "outside");
    place.write("marker.txt", "");
    assert_eq!(place.run("explore --visible sync -- ./outside directory").code, Some(1));
    let schedule = place.folder.join("outside.assertions.schedule.json");
    let elsewhere = Place::new("r3-elsewhere");
    let again = elsewhere.run(&format!("replay --check {} -o answer.txt", schedule.display()));
    assert_eq!(again.code, Some(0), "{}", again.stdout);
    assert_contains(&again.stderr, &["note: it runs in ", "r3-directory, as when the schedule was written"]);
    assert_contains(&elsewhere.read("answer.txt"), &["it happens again"]);
}

#[test]
fn r3_files_that_executions_leave_are_named() {
    let place = with_program("r3-files", "outside");
    for _ in 0..3 {
        // Whatever the number is by now, nothing is said to hold.
        let finished = place.run("explore --visible sync --no-trail -- ./outside file");
        assert_eq!(finished.code, Some(3), "{}", finished.stdout);
        let parts = ["a file that an earlier execution wrote: counter.txt", "hint: --scratch"];
        assert_contains(&finished.stdout, &parts);
    }
    let finished = place.run("explore --visible sync --scratch -- ./outside file");
    assert_eq!(finished.code, Some(0), "{}", finished.stdout);
}

/// Whatever depends on what an earlier execution left is named, and no violation rests on it.
#[test]
fn r3_names_that_executions_leave_are_named() {
    const OPERATIONS: [&str; 10] =
        ["stat", "lstat", "access", "mkdir", "rename", "link", "symlink", "readlink", "opendir", "open"];
    let place = with_program("r3-names", "leaves");
    let explored = |arguments: &str| {
        let _ = std::fs::remove_dir_all(place.folder.join("f"));
        let _ = std::fs::remove_file(place.folder.join("f"));
        place.write("a", "ab");
        place.run(&format!("explore --visible sync --search naive {arguments}"))
    };
    for operation in OPERATIONS {
        let finished = explored(&format!("-- ./leaves {operation}"));
        assert_eq!(finished.code, Some(3), "{operation}: {}", finished.stdout);
        let parts =
            ["assertions  inconclusive  violated in an execution", "a file that an earlier execution"];
        assert_contains(&finished.stdout, &[&parts[..], &["hint: --scratch"]].concat());
        let cleans = explored(&format!("-- ./leaves {operation} cleans"));
        assert_eq!(cleans.code, Some(0), "{operation}: {}", cleans.stdout);
        if !["rename", "link", "access", "open"].contains(&operation) {
            let scratch = explored(&format!("--scratch -- ./leaves {operation}"));
            assert_eq!(scratch.code, Some(0), "{operation}: {}", scratch.stdout);
        }
    }
    // What is only removed is as if it had never been there.
    for operation in ["unlink", "rmdir"] {
        let finished = explored(&format!("-- ./leaves {operation}"));
        assert_eq!(finished.code, Some(0), "{operation}: {}", finished.stdout);
    }
    let finished = explored("-- ./leaves rmdir fills");
    assert_contains(&finished.stdout, &["a file that an earlier execution left: f"]);
}

/// A program in Rust that announces its accesses; none if this compiler cannot do that.
fn with_rust(test: &str, name: &str) -> Option<Place> {
    let place = Place::new(test);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/programs/{name}.rs"));
    let status = Command::new(option_env!("RUSTC").unwrap_or("rustc"))
        .env("RUSTC_BOOTSTRAP", "1")
        .args(["-g", "-Awarnings", "--edition=2024", "-Zsanitizer=thread", "-Zexternal-clangrt"])
        .args(["-Cunsafe-allow-abi-mismatch=sanitizer", "-Clink-arg=-Wl,--unresolved-symbols=ignore-all"])
        .args(["-o", name])
        .arg(source)
        .current_dir(&place.folder)
        .status();
    status.is_ok_and(|status| status.success()).then_some(place)
}

/// Lines of steps are those of the user's code, panics are assertions, and what is reported with
/// backtraces repeats.
#[test]
fn r1_programs_of_rust_are_told_by_their_lines_and_repeat() {
    let Some(place) = with_rust("r1-rust", "increments") else { return };
    let backtraces = [("RUST_BACKTRACE", "1")];
    let finished = place.run_with("explore --format json -- ./increments", &backtraces);
    assert_eq!(finished.code, Some(1), "{}{}", finished.stdout, finished.stderr);
    let document = finished.json();
    let reason = document["properties"].as_array().unwrap().iter().find(|one| one["verdict"] == "violated");
    assert_contains(
        reason.unwrap()["reason"].as_str().unwrap(),
        &["panic: assertion `left == right` failed", "increments.rs:"],
    );
    // The library that comes with the compiler is not asked for hooks.
    let assumptions = document["assumptions"].to_string();
    assert!(!assumptions.contains("memory-not-visible"), "{assumptions}");
    let schedule = schedule(&place, "increments.assertions.schedule.json");
    let steps = schedule["steps"].as_array().unwrap();
    let is_own = |step: &&Value| step["file"].as_str().is_some_and(|file| file.ends_with("increments.rs"));
    let locks = steps.iter().filter(is_own).filter(|step| step["line"] == 8 || step["line"] == 9).count();
    assert!(locks >= 8, "{locks} steps of {} are in lines 8 and 9", steps.len());
    let foreign = |step: &&Value| step["file"].as_str().is_some_and(|file| file.contains("/deps/"));
    assert_eq!(steps.iter().filter(foreign).count(), 0, "{schedule}");
    for variables in [&backtraces[..], &[]] {
        for _ in 0..3 {
            let again = place.run_with("replay --check increments.assertions.schedule.json", variables);
            assert_eq!(again.code, Some(0), "{}{}", again.stdout, again.stderr);
        }
    }
}
