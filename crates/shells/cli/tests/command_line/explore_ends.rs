//! `allways explore` for executions that do not end, or end in a way that is no crash, and for programs that cannot be executed.

use serde_json::Value;

use crate::explore::with_program;
use crate::validator::assert_valid;
use crate::{Place, assert_contains};

/// Name, verdict and reason of a property.
fn verdict<'d>(document: &'d Value, name: &str) -> (&'d str, &'d str) {
    let properties = document["properties"].as_array().unwrap();
    let property = properties.iter().find(|property| property["name"] == name).unwrap();
    (property["verdict"].as_str().unwrap(), property["reason"].as_str().unwrap_or(""))
}

#[test]
fn h8_to_sleep_again_and_again_is_no_divergence() {
    let place = with_program("h8-sleep", "sleeps-alone");
    for how in ["s", "u", "n", "p", "c"] {
        let finished = place.run(&format!("explore --format json --patience 1s -- ./sleeps-alone {how}"));
        assert_eq!(finished.code, Some(3), "{how}: {}", finished.stdout);
        let document = finished.json();
        let (verdict, reason) = verdict(&document, "divergence");
        assert_eq!(verdict, "inconclusive", "{how}");
        assert_contains(reason, &["the program only sleeps, again and again, at sleeps-alone.c:"]);
    }
    // Who slept once and runs on and on diverges all the same.
    let finished = place.run("explore --format json --patience 2s -- ./sleeps-alone once");
    assert_eq!(verdict(&finished.json(), "divergence").0, "violated");
}

#[test]
fn h8_what_waits_in_the_kernel_does_not_run() {
    let place = with_program("h8-wait", "waits-outside");
    const LOCK: &str = "a wait in a lock inside of the C library, as functions for streams (FILE *) take one";
    let waits =
        [("", "a wait in read of inotify"), (" socket", "a wait in recv of a socket"), (" lock", LOCK)];
    for (arguments, what) in waits {
        let finished =
            place.run(&format!("explore --format json --patience 1s -- ./waits-outside{arguments}"));
        assert_eq!(finished.code, Some(3), "{}", finished.stdout);
        let document = finished.json();
        let uncontrolled: Vec<&str> =
            document["uncontrolled"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert!(uncontrolled.contains(&what), "{uncontrolled:?}");
        assert!(!finished.stdout.contains("ran on and on"));
        let (verdict, reason) = verdict(&document, "divergence");
        assert_eq!(verdict, "inconclusive");
        assert_contains(reason, &["which is not modelled"]);
    }
}

#[test]
fn h8_only_signals_of_faults_are_crashes() {
    let place = with_program("h8-signals", "ended-by");
    // `SIGHUP`, `SIGINT`, `SIGKILL`, `SIGUSR1`, `SIGPIPE` sent and from the kernel, `SIGALRM`, `SIGTERM`, `SIGXCPU`.
    for signal in ["1", "2", "9", "10", "13", "", "14", "15", "24"] {
        let document = place.run(&format!("explore --format json -- ./ended-by {signal}")).json();
        assert_eq!(verdict(&document, "exit").0, "violated", "{signal}");
        assert_ne!(verdict(&document, "crash").0, "violated", "{signal}");
    }
    for signal in ["4", "5", "6", "7", "8", "11", "31"] {
        let document = place.run(&format!("explore --format json -- ./ended-by {signal}")).json();
        assert_eq!(verdict(&document, "crash").0, "violated", "{signal}");
        assert_ne!(verdict(&document, "exit").0, "violated", "{signal}");
    }
}

#[test]
fn h8_failures_are_documents() {
    let place = Place::new("h8-failures");
    place.write("unusable.json", "{\"schema\": \"allways/schedule/1\"}");
    for (command, message) in [
        ("explore --format json -- ./nowhere", "the program ./nowhere cannot be started"),
        ("replay unusable.json --format json", "cannot read the schedule unusable.json"),
    ] {
        let finished = place.run(command);
        assert_eq!(finished.code, Some(4), "{command}");
        let document = finished.json();
        assert_valid(&document, "explore-1.json", None);
        assert_valid(&document, "explore-1.json", Some("FailureDocument"));
        assert_contains(document["error"]["message"].as_str().unwrap(), &[message]);
        assert_contains(&finished.stderr, &[message]);
    }
    // It goes where the result would have gone.
    assert_eq!(place.run("explore --format json -o failure.json -- ./nowhere").stdout, "");
    assert_contains(&place.read("failure.json"), &["./nowhere"]);
}

/// What is ours does not count against the limits of the program, or the limit is named that stands in the way.
#[test]
fn f7_small_limits_of_the_shell() {
    let place = with_program("f7-limits", "transfer");
    let run = |limits: &str| {
        let output = place.shell(&format!("{limits}; exec $A explore --visible sync -- ./transfer"));
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    for limits in ["ulimit -s 64", "ulimit -S -v 200000", "ulimit -S -f 0", "ulimit -n 16"] {
        let (code, stdout, stderr) = run(limits);
        assert_eq!(code, Some(1), "{limits}: {stdout}{stderr}");
        assert_contains(&stdout, &["deadlock    violated"]);
    }
    for (limits, advice) in [("ulimit -v 200000", "see `ulimit -v`"), ("ulimit -f 0", "see `ulimit -f`")] {
        let (code, stdout, stderr) = run(limits);
        // A user who may raise the limit gets a verdict.
        let is_explained = code == Some(5) && stdout.is_empty() && stderr.contains(advice);
        assert!(is_explained || code == Some(1), "{limits}: {stdout}{stderr}");
    }
}
