use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::validator::assert_valid;
use crate::{Place, assert_contains};

#[test]
fn exit_codes_tell_the_verdict() {
    let place = Place::new("exit_codes");
    let code = |arguments: &str| place.run(arguments).code.unwrap();
    assert_eq!(code("check handshake.pml"), 0);
    assert_eq!(code("check mutex.pml"), 1);
    assert_eq!(code("check blocked.pml -p assertions"), 0);
    assert_eq!(code("check handshake.pml --no-such-flag"), 2);
    assert_eq!(code("check formula.pml"), 3);
    assert_eq!(code("check formula.pml -p assertions -p deadlock"), 0);
    assert_eq!(code("check handshake.pml --max-depth 3"), 3);
    assert_eq!(code("check large.pml --max-time 100ms"), 3);
    assert_eq!(code("check large.pml --max-mem 10M"), 3);
    assert_eq!(code("check mistakes.pml"), 4);
    assert_eq!(code("check absent.pml"), 4);
    assert_eq!(code("check mutex.pml --trail no/such/folder/t.json"), 5);
}

#[test]
fn people_see_what_went_wrong_and_what_to_do() {
    let place = Place::new("people");
    let finished = place.run("check mutex.pml");
    let parts = [
        "mutex.pml: 1 of 2 properties is violated",
        "assertion violated: (critical==1), at mutex.pml:14:9",
        "hint: use --keep-going",
        "the last 8 of",
        "critical: 1 -> 2",
        "allways replay mutex.assertions.trail.json",
        "ended at the first violation",
    ];
    assert_contains(&finished.stdout, &parts);
    assert!(!finished.stdout.contains('\x1b'), "colours are for terminals");
    let finished = place.run("check mutex.pml --shortest");
    assert_contains(&finished.stdout, &["the last 8 of 9 steps"]);
    let finished = place.run("check blocked.pml");
    assert_contains(
        &finished.stdout,
        &["one[0]  blocked.pml:7   left?1;", "two[1]  blocked.pml:13  right?1;"],
    );
    let finished = place.run("check blocked.pml --keep-going");
    assert_contains(&finished.stdout, &["Statements that no run executes", "blocked.pml:8  right!1"]);
    let quiet = place.run("check blocked.pml --keep-going -q");
    assert!(quiet.stdout.lines().count() < 6, "{}", quiet.stdout);
}

#[test]
fn mistakes_are_shown_at_their_place() {
    let place = Place::new("mistakes");
    let finished = place.run("check mistakes.pml");
    assert_eq!(finished.stdout, "");
    assert_contains(
        &finished.stderr,
        &["--> mistakes.pml:6:5", "    y = 1;\n  |     ^", "cannot be checked: 3 errors"],
    );
    let document = place.run("check mistakes.pml --format json").json();
    assert_valid(&document, "result-1.json", Some("UnreadableDocument"));
    assert_eq!(document["diagnostics"][0]["line"], 6);
    let document = place.run("check absent.pml --format json").json();
    assert_valid(&document, "result-1.json", Some("UnreadableDocument"));
    assert_eq!(document["diagnostics"][0]["code"], "unreadable-file");
}

#[test]
fn unknown_properties_are_refused_with_a_suggestion() {
    let finished = Place::new("unknown_property").run("check handshake.pml -p asertions");
    assert_eq!(finished.code, Some(2));
    assert_contains(&finished.stderr, &["no property `asertions`", "did you mean `assertions`?"]);
}

#[test]
fn json_is_as_published() {
    let place = Place::new("json");
    let finished = place.run("check mutex.pml --plain --keep-going -p assertions -p deadlock --format json");
    assert_eq!(finished.code, Some(1));
    let document = finished.json();
    assert_valid(&document, "result-1.json", None);
    assert_valid(&document, "result-1.json", Some("CheckedDocument"));
    assert_eq!(document["model"]["path"], "mutex.pml");
    assert_eq!(document["complete"], true);
    assert_eq!(document["stats"]["replayed"], 1);
    let transitions =
        document["stats"]["states"].as_u64().unwrap() + document["stats"]["matched"].as_u64().unwrap();
    assert_eq!(document["stats"]["transitions"], transitions);
    let property = &document["properties"][0];
    assert_eq!(property["verdict"], "violated");
    assert_eq!(property["location"], json!({ "file": "mutex.pml", "line": 14, "column": 9 }));
    assert_eq!(property["trail"], "mutex.assertions.trail.json");
    assert_eq!(document["properties"][1]["verdict"], "holds");
    let trail: Value = serde_json::from_str(&place.read("mutex.assertions.trail.json")).unwrap();
    assert_valid(&trail, "trail-1.json", None);
    assert_eq!(trail["model"]["sha256"], document["model"]["sha256"]);
}

#[test]
fn jsonl_tells_while_it_goes_on() {
    let place = Place::new("jsonl");
    let finished = place.run("check large.pml --format jsonl --max-time 2500ms");
    let lines: Vec<Value> = finished.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    lines.iter().for_each(|line| assert_valid(line, "events-1.json", None));
    let mut events: Vec<&str> = lines.iter().map(|line| line["event"].as_str().unwrap()).collect();
    events.dedup();
    assert_eq!(events, ["started", "progress", "property", "finished"]);
    assert_eq!(lines.last().unwrap()["stopped"], "time");
    let refused = place.run("check large.pml --format jsonl -p nothing");
    assert_eq!((refused.code, &*refused.stdout), (Some(2), ""));
}

#[test]
fn the_same_input_gives_the_same_output() {
    let place = Place::new("determinism");
    let result = || {
        let mut document = place.run("check mutex.pml --keep-going --format json").json();
        for timing in ["seconds", "search_seconds", "peak_rss_bytes"] {
            document["stats"].as_object_mut().unwrap().remove(timing);
        }
        (document, place.read("mutex.assertions.trail.json"))
    };
    assert_eq!(result(), result());
}

#[test]
fn output_goes_to_a_file() {
    let place = Place::new("output");
    let finished = place.run("check handshake.pml --format json -o result.json");
    assert_eq!((finished.code, &*finished.stdout), (Some(0), ""));
    assert_valid(&serde_json::from_str(&place.read("result.json")).unwrap(), "result-1.json", None);
    let finished = place.run("check handshake.pml -o no/such/folder/result.json");
    assert_eq!(finished.code, Some(2));
    assert_contains(&finished.stderr, &["cannot write no/such/folder/result.json"]);
}

#[test]
fn a_trail_that_cannot_be_written_does_not_hide_the_verdict() {
    let finished = Place::new("full_disk").run("check mutex.pml --format json --trail /dev/full");
    assert_eq!(finished.code, Some(5));
    assert_contains(&finished.stderr, &["cannot write the trail /dev/full", "the verdict stands"]);
    assert_eq!(finished.json()["properties"][0]["verdict"], "violated");
    assert_eq!(finished.json()["properties"][0]["trail"], Value::Null);
}

#[test]
fn options_reach_the_model() {
    let place = Place::new("options");
    let states = |arguments: &str| place.run(arguments).json()["stats"]["states"].as_u64().unwrap();
    let small = states("check large.pml -D SIZE=1 -p assertions --format json");
    assert!(small < states("check large.pml -D SIZE=2 -p assertions --format json"));
    assert_eq!(place.run("check blocked.pml --full-channel lose --strict-end -q").code, Some(1));
}

#[test]
fn the_first_interrupt_ends_with_what_is_known() {
    let place = Place::new("interrupt");
    let mut command = place.command("check large.pml --format jsonl");
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    // The first line says that the search begins; from then on an interrupt is heard.
    stdout.read_line(&mut String::new()).unwrap();
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_contains(&rest, &["\"inconclusive\"", "the search was interrupted", "\"stopped\":\"interrupt\""]);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let place = Place::new("closed_pipe");
    let mut command = place.command("simulate large.pml --seed 1");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "seed 1\n");
}
