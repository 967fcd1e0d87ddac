//! What is read, what is written, and what was there before.

use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::validator::assert_valid;
use crate::{Place, assert_contains};

const BINARY: &str = env!("CARGO_BIN_EXE_allways");

impl Place {
    /// Runs a line of a shell in which `$A` is the program.
    pub fn shell(&self, line: &str) -> Output {
        let mut command = Command::new("sh");
        command.args(["-c", line]).env("A", BINARY).current_dir(&self.folder).stdin(Stdio::null());
        command.output().unwrap()
    }

    fn files(&self) -> Vec<String> {
        let names = std::fs::read_dir(&self.folder).unwrap();
        let mut names: Vec<String> =
            names.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

#[test]
fn l1_special_files_are_written_in_place() {
    let place = Place::new("l1_special");
    let output = place.shell("$A check mutex.pml -q --format json -o /dev/stdout --no-trail");
    assert_contains(&String::from_utf8(output.stdout).unwrap(), &["\"violated\""]);
    let output = place.shell("$A check mutex.pml -q -o /dev/stdout --no-trail > here; cat here");
    assert_contains(&String::from_utf8(output.stdout).unwrap(), &["violated"]);
    let output =
        place.shell("mkfifo pipe; cat pipe > there & $A check mutex.pml -q --trail pipe; wait; cat there");
    assert_contains(&String::from_utf8(output.stdout).unwrap(), &["allways/trail/1", "violated"]);
    for line in ["check handshake.pml -o /dev/full", "graph handshake.pml -o /dev/full --format dot"] {
        assert_eq!(place.run(line).code, Some(5), "{line}");
    }
}

#[test]
fn l1_nothing_is_left_but_what_is_complete() {
    let place = Place::new("l1_complete");
    let before = place.files();
    place.write("result.json", "kept");
    let refused = place.run("check handshake.pml -p nothing -o result.json");
    assert_eq!((refused.code, &*place.read("result.json")), (Some(2), "kept"));
    let commands = [
        ("check mutex.pml --format json -o result.json --trail t.json", 1),
        ("simulate handshake.pml --seed 1 -o run.txt --trail s.json", 0),
        ("graph mutex.pml -o g.svg", 0),
        ("property []p -o p.txt", 0),
    ];
    for (command, code) in commands {
        assert_eq!(place.run(command).code, Some(code), "{command}");
    }
    let mut expected = before;
    expected.extend(["result.json", "t.json", "run.txt", "s.json", "g.svg", "p.txt"].map(String::from));
    expected.sort();
    assert_eq!(place.files(), expected);
    for file in ["result.json", "t.json", "s.json"] {
        serde_json::from_str::<Value>(&place.read(file)).unwrap();
    }
}

#[test]
fn l2_one_file_is_not_written_twice() {
    let place = Place::new("l2");
    place.write("inc.h", "#define N 2\n");
    place.write("inc.pml", "#include \"inc.h\"\nactive proctype P() { assert(N == 3) }\n");
    for command in [
        "check mutex.pml --format json -o same.json --trail same.json",
        "check mutex.pml --format json -o same.json --trail ./same.json",
        "check mutex.pml -o mutex.assertions.trail.json",
        "check mutex.pml -o t.deadlock.json --trail t.json",
        "check inc.pml -o inc.h",
        "check inc.pml --trail inc.h",
        "simulate inc.pml -o inc.h",
        "simulate inc.pml --trail inc.h",
        "graph inc.pml --format text -o inc.h",
        "simulate mutex.pml -o same.json --trail same.json",
        "explore -o same.json --executions same.json -- true",
    ] {
        let finished = place.run(command);
        assert_eq!(finished.code, Some(2), "{command}: {}", finished.stderr);
    }
    assert!(!place.files().iter().any(|file| file.contains("same") || file.contains("trail")));
    assert_eq!(place.run("check inc.pml").code, Some(1));
    for options in ["-o inc.h", "--chart svg -o inc.h"] {
        let command = format!("replay inc.assertions.trail.json {options}");
        assert_eq!(place.run(&command).code, Some(2), "{command}");
    }
    assert_eq!(place.read("inc.h"), "#define N 2\n");
    assert_eq!(place.run("check mutex.pml").code, Some(1));
    let over_itself =
        place.run("replay mutex.assertions.trail.json --format json -o mutex.assertions.trail.json");
    assert_eq!(over_itself.code, Some(2));
    assert_eq!(place.run("replay mutex.assertions.trail.json --check").code, Some(0));
}

#[test]
fn people_16_a_trail_that_was_not_asked_for_does_not_decide_the_exit_code() {
    let place = Place::new("people_16");
    std::fs::create_dir(place.folder.join("mutex.assertions.trail.json")).unwrap();
    let finished = place.run("check mutex.pml --format json");
    assert_eq!(finished.code, Some(1));
    assert_contains(&finished.stderr, &["warning: cannot write the trail", "the verdict stands"]);
    assert_eq!(finished.json()["properties"][0]["trail"], Value::Null);
    let asked = place.run("check mutex.pml --format json --trail mutex.assertions.trail.json");
    assert_eq!(asked.code, Some(5));
    assert_eq!(asked.json()["properties"][0]["verdict"], "violated");
}

#[test]
fn people_17_old_trails_are_mentioned() {
    let place = Place::new("people_17");
    let wrong = "byte x;\nactive proctype P() { x = 1; assert(x == 2) }\n";
    place.write("m.pml", wrong);
    let first = place.run("check m.pml").stdout;
    assert_contains(&first, &["Trail: m.assertions.trail.json\n"]);
    let again = place.run("check m.pml").stdout;
    assert_contains(&again, &["m.assertions.trail.json (replaces the trail of a moment ago)"]);
    place.write("m.pml", &wrong.replace("x == 2", "x == 1"));
    let mended = place.run("check m.pml");
    assert_eq!(mended.code, Some(0));
    assert_contains(&mended.stdout, &["note: m.assertions.trail.json is of an older model"]);
    assert!(!place.run("check m.pml -q").stdout.contains("note"));
    // Of another model, or no trail at all.
    place.write("n.assertions.trail.json", "{}");
    place.write("n.pml", "active proctype P() { skip }\n");
    assert!(!place.run("check n.pml").stdout.contains("note"));
}

#[test]
fn l5_the_stack_of_the_shell_is_enough() {
    let place = Place::new("l5_stack");
    let nested = format!("byte x; active proctype P() {{ x = {}1{} }}", "(".repeat(400), ")".repeat(400));
    place.write("nested.pml", &nested);
    for stack in ["64", "1024", "unlimited"] {
        for command in
            ["check nested.pml", "check mutex.pml -p deadlock -j 2", "graph mutex.pml", "--version"]
        {
            let output = place.shell(&format!("ulimit -s {stack}; $A {command}"));
            assert_eq!(output.status.code(), Some(0), "{stack} {command}: {output:?}");
        }
    }
}

#[test]
fn l5_what_has_no_end_is_refused() {
    let place = Place::new("l5_endless");
    place.write("includes.pml", "#include \"/dev/zero\"\nactive proctype P() { skip }\n");
    for command in [
        "check /dev/zero",
        "check includes.pml",
        "check handshake.pml --forbid /dev/zero",
        "simulate /dev/zero",
        "graph /dev/zero",
        "replay /dev/zero",
    ] {
        let output = place.shell(&format!("ulimit -v 2000000; $A {command}"));
        assert_eq!(output.status.code(), Some(4), "{command}: {output:?}");
        assert_contains(&String::from_utf8(output.stderr).unwrap(), &["not a text file"]);
    }
    let long = place.shell("yes 'byte x;' | $A check - --max-mem 20M");
    assert!([Some(3), Some(4)].contains(&long.status.code()), "{long:?}");
}

#[test]
fn l7_the_last_of_two_options_counts() {
    let place = Place::new("l7");
    let limited = place.run("check large.pml --max-time 10m --max-time 100ms --max-mem 10M --max-mem 1G --format human --format json");
    assert_eq!(limited.code, Some(3));
    assert_eq!(limited.json()["stopped"], "time");
    assert_eq!(place.run("check mutex.pml -q -q --plain --plain -j 2 -j 1 -p deadlock").code, Some(0));
    // These are collected.
    let both = place.run("check mutex.pml -p deadlock -p assertions --no-trail --format json").json();
    assert_eq!(both["properties"].as_array().unwrap().len(), 2);
    assert_eq!(place.run("simulate handshake.pml --seed 1 --seed 2 --steps 3 --steps 4").code, Some(0));
    assert_eq!(place.run("check handshake.pml mutex.pml").code, Some(2));
}

#[test]
fn l8_a_model_comes_from_standard_input() {
    let place = Place::new("l8");
    let model = place.read("mutex.pml");
    let finished = place.run_with_input("check - --format json", &model);
    assert_eq!(finished.code, Some(1));
    let document = finished.json();
    assert_valid(&document, "result-1.json", None);
    assert_eq!(document["properties"][0]["trail"], "stdin.assertions.trail.json");
    let again = place.run_with_input("replay stdin.assertions.trail.json --check --model -", &model);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    let other = place.run_with_input("replay stdin.assertions.trail.json --check --model -", "byte x;");
    assert_eq!(other.code, Some(4));
    let formula = place.run_with_input("check - --no-trail --ltl G(critical<2)", &model);
    assert_eq!(formula.code, Some(1), "{}", formula.stderr);
    assert_eq!(place.run_with_input("graph - --format text", &model).code, Some(0));
    assert_eq!(place.run_with_input("simulate - --steps 3", &model).code, Some(0));
    let mistaken = place.run_with_input("check -", "byte x\nbyte");
    assert_eq!(mistaken.code, Some(4));
    assert_contains(&mistaken.stderr, &["stdin:2:"]);
    assert_eq!(place.run("simulate - -i").code, Some(2));
}

#[test]
fn l16_lines_without_end_are_refused() {
    let place = Place::new("l16");
    assert_eq!(place.run("check mutex.pml").code, Some(1));
    for command in ["simulate -i mutex.pml", "replay -i mutex.assertions.trail.json"] {
        for input in ["/dev/zero", "/dev/urandom"] {
            let output = place.shell(&format!("ulimit -v 2000000; $A {command} < {input} > /dev/null"));
            assert!(
                [Some(0), Some(1), Some(2)].contains(&output.status.code()),
                "{command} {input}: {output:?}"
            );
        }
        let output = place.shell(&format!("ulimit -v 2000000; $A {command} < /dev/zero > /dev/null"));
        assert_eq!(output.status.code(), Some(2));
        assert_contains(&String::from_utf8(output.stderr).unwrap(), &["longer than 4096 characters"]);
    }
}

#[test]
fn people_15_a_few_bytes_are_never_meant() {
    let place = Place::new("people_15");
    let finished = place.run("check mutex.pml --max-mem 8");
    assert_eq!(finished.code, Some(2));
    assert_contains(&finished.stderr, &["did you mean 8G?"]);
    let finished = place.run("check mutex.pml --max-time ten");
    assert_contains(&finished.stderr, &["a number alone means seconds"]);
}

#[test]
fn s6_more_threads_than_can_be_started() {
    let place = Place::new("s6_threads");
    let finished = place.run("check large.pml -D SIZE=7 -j 20000 --format json");
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_contains(&finished.stderr, &["warning: -j 20000: the search has 1024 threads"]);
    assert_eq!(finished.json()["stats"]["threads"], 1024);
    let output = place.shell("ulimit -v 3000000; $A check large.pml -D SIZE=7 -j 20000 -q");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

/// A macro that doubles 29 times, and a text that goes on and on.
#[test]
fn limits_hold_while_a_model_is_read() {
    let place = Place::new("limits_reading");
    let mut bomb = "#define A0 x = 1;\n".to_string();
    (0..29).for_each(|n| bomb += &format!("#define A{} A{n} A{n}\n", n + 1));
    place.write("bomb.pml", &format!("{bomb}byte x;\nactive proctype P() {{ A29 }}\n"));
    place.write("long.pml", &format!("byte x; active proctype P() {{ {} }}", "x = 1; ".repeat(3_000_000)));
    for model in ["bomb.pml", "long.pml"] {
        let started = Instant::now();
        let finished = place.run(&format!("check {model} --max-time 300ms --max-mem 100M --format json"));
        assert!([Some(3), Some(4)].contains(&finished.code), "{model}: {}", finished.stderr);
        assert!(started.elapsed() < Duration::from_secs(3), "{model}: {:?}", started.elapsed());
        if finished.code == Some(3) {
            assert_valid(&finished.json(), "result-1.json", Some("UnreadableDocument"));
            assert_eq!(finished.json()["diagnostics"][0]["code"], "limit-reached");
        }
    }
    let finished = place.run("check long.pml --max-mem 30M");
    assert_eq!(finished.code, Some(3));
    assert_contains(&finished.stderr, &["the memory limit was reached while the model long.pml was read"]);
}

#[test]
fn the_first_interrupt_is_heard_while_a_model_is_read() {
    let place = Place::new("interrupt_reading");
    place.write("long.pml", &format!("byte x; active proctype P() {{ {} }}", "x = 1; ".repeat(3_000_000)));
    let child = place.command("check long.pml").stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert_contains(
        &String::from_utf8(output.stderr).unwrap(),
        &["interrupted while the model long.pml was read"],
    );
}

/// Nothing can be created in the directory, but the file itself can be written.
#[test]
fn l1_a_file_in_a_directory_that_cannot_be_written() {
    let place = Place::new("l1_directory");
    let directory = place.folder.join("d");
    std::fs::create_dir(&directory).unwrap();
    std::fs::write(directory.join("out.txt"), "").unwrap();
    std::fs::set_permissions(&directory, std::fs::Permissions::from_mode(0o555)).unwrap();
    assert_eq!(place.run("check handshake.pml -q -o d/out.txt").code, Some(0));
    assert_contains(&place.read("d/out.txt"), &["all properties hold"]);
    std::fs::set_permissions(&directory, std::fs::Permissions::from_mode(0o755)).unwrap();
}
