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
    assert_eq!(code("check formula.pml"), 0);
    assert_eq!(code("check formula.pml -p assertions -p deadlock"), 0);
    assert_eq!(code("check handshake.pml --max-depth 3"), 3);
    assert_eq!(code("check large.pml --max-time 100ms"), 3);
    assert_eq!(code("check large.pml --max-mem 10M"), 3);
    assert_eq!(code("check mistakes.pml"), 4);
    assert_eq!(code("check absent.pml"), 4);
    assert_eq!(code("check mutex.pml --trail no/such/folder/t.json"), 5);
}

/// `run` splits at spaces, so there are none.
#[test]
fn formulas_in_the_notations_of_others() {
    let place = Place::new("notations");
    let code = |formula: &str| {
        place.run(&format!("check formula.pml -p assertions --no-trail --ltl {formula}")).code.unwrap()
    };
    assert_eq!(code("G(F(x==3))"), 0);
    assert_eq!(code("G(x==3=>F(x==0))"), 0);
    assert_eq!(code("□(x<3)"), 1);
    assert_eq!(code("F(G(x==3))"), 1);
    assert_eq!(code("G(y==3)"), 4);
}

#[test]
fn automata_and_fairness() {
    let place = Place::new("automata");
    let automaton = "HOA: v1 States: 1 Start: 0 AP: 1 \"x == 3\" Acceptance: 1 Fin(0) --BODY-- State: 0 [0] 0 {0} [!0] 0 --END--";
    std::fs::write(place.folder.join("a.hoa"), automaton).unwrap();
    let code = |arguments: &str| place.run(arguments).code.unwrap();
    assert_eq!(code("check formula.pml --forbid a.hoa"), 0);
    assert_eq!(code("check formula.pml -p again --require a.hoa"), 1);
    assert_eq!(code("replay --check formula.require_option.trail.json"), 0);
    assert_eq!(code("check formula.pml --require formula.pml"), 4);
    assert_eq!(code("check formula.pml --require absent.hoa"), 4);
    assert_eq!(code("check formula.pml --fair weak --fair-to counter"), 0);
    assert_eq!(code("check formula.pml --fair weak --fair-to conter"), 2);
    assert_eq!(code("check formula.pml --fair-to counter"), 2);
}

#[test]
fn people_see_what_went_wrong_and_what_to_do() {
    let place = Place::new("people");
    let finished = place.run("check mutex.pml");
    let parts = [
        "mutex.pml: 1 of 2 properties is violated",
        "assertion violated: (critical==1), at mutex.pml:14:9",
        "the last 8 of",
        "critical: 1 -> 2",
        "allways replay mutex.assertions.trail.json",
        "deadlock    holds",
        "every reachable state was explored",
    ];
    assert_contains(&finished.stdout, &parts);
    assert!(!finished.stdout.contains('\x1b'), "colours are for terminals");
    let finished = place.run("check mutex.pml --first");
    assert_contains(&finished.stdout, &["hint: leave out --first", "ended at the first violation"]);
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

/// Two thousand states of this model take minutes.
#[test]
fn a_time_limit_is_kept_where_steps_are_long() {
    let place = Place::new("long_steps");
    let model = "byte a, b, i, j; short n;
        active [2] proctype P() { do :: a++ :: a-- od }
        active proctype Q() {
            do :: atomic { for (i : 1 .. 200) { for (j : 1 .. 200) { n++ } } b++ } od
        }";
    place.write("long.pml", model);
    for options in ["--plain", "--plain --order bfs"] {
        let finished = place.run(&format!("check long.pml {options} --max-time 200ms --format json"));
        let result: Value = serde_json::from_str(&finished.stdout).unwrap();
        assert_eq!(result["stopped"], "time", "{options}");
        assert!(result["stats"]["states"].as_u64().unwrap() < 2000, "{options}");
    }
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
fn options_that_contradict_each_other_are_refused() {
    let place = Place::new("contradictions");
    for (arguments, message) in [
        ("--bits 3", "--bits has a meaning only in a bitstate search"),
        ("--searches 2", "add --store bitstate or --on-full bitstate"),
        ("--searches 0 --store bitstate", "0 is not in 1.."),
        ("--plain --reduce por", "--plain means that nothing is reduced"),
        ("--store compact --on-full bitstate", "--on-full is about the exact store"),
        ("--order dfs --shortest", "cannot be used with"),
        ("--shortest -j 2", "done by one thread"),
        ("--shortest --reduce por", "without reduction"),
        ("--context-bound 1 --order random", "cannot be used with"),
        ("--context-bound 1 --shortest", "cannot be used with"),
        ("--context-bound 1 -j 0", "done by one thread"),
        ("--context-bound 1 --reduce por", "without reduction"),
        ("--context-bound 1 --max-depth 9", "by their preemptions or by their length"),
        ("--context-bound 1 -p progress", "not for temporal properties"),
        ("--context-bound -1", "unexpected argument"),
    ] {
        let finished = place.run(&format!("check handshake.pml {arguments}"));
        assert_eq!(finished.code, Some(2), "{arguments}");
        assert_contains(&finished.stderr, &[message]);
    }
}

#[test]
fn reports_say_how_it_was_searched() {
    let place = Place::new("method");
    let stats = |arguments: &str| {
        let document = place.run(&format!("check {arguments} --format json")).json();
        assert_valid(&document, "result-1.json", Some("CheckedDocument"));
        document["stats"].clone()
    };
    let plain = stats("unread.pml --plain");
    assert_eq!(plain["simplified"], json!({ "never_read": [], "merged": 0, "resets": 0 }));
    assert_eq!((&plain["store"], &plain["loss"]), (&json!("exact"), &Value::Null));
    assert_eq!((&plain["reduced"], &plain["varies"]), (&json!(false), &json!([])));
    let simplified = stats("unread.pml");
    assert_eq!(simplified["simplified"]["never_read"], json!(["steps", "count:last"]));
    assert!(simplified["states"].as_u64() < plain["states"].as_u64());
    let finished = place.run("check unread.pml -v");
    let parts =
        ["2 variables never read: steps, count:last (left out of the states)", "exact store, 1 thread"];
    assert_contains(&finished.stdout, &parts);
    let threads = stats("large.pml -D SIZE=7 --reduce none -j 2");
    assert_eq!(threads["states"], 7 * 7 * 7 * 7 * 7);
    assert_eq!((&threads["threads"], &threads["varies"]), (&json!(2), &json!(["depth"])));
    assert!(stats("large.pml -D SIZE=7 -j 0")["threads"].as_u64().unwrap() >= 1);
}

#[test]
fn preemptions_are_bounded_and_counted() {
    let place = Place::new("preemptions");
    let result = |arguments: &str| {
        let document = place.run(&format!("check mutex.pml {arguments} --format json")).json();
        assert_valid(&document, "result-1.json", Some("CheckedDocument"));
        document
    };
    let unbounded = result("");
    assert_eq!(unbounded["stats"].get("context_bound"), None);
    assert_eq!(unbounded["properties"][0].get("preemptions"), None);
    let none = result("--context-bound 0");
    assert_eq!((&none["stats"]["context_bound"], &none["complete"]), (&json!(0), &json!(false)));
    assert_eq!(none["properties"][0]["verdict"], "inconclusive");
    assert_eq!(none["properties"][0]["reason"], "runs with preemptions were not explored");
    let bounds: Vec<Value> =
        (1..4).map(|bound| result(&format!("--context-bound {bound}"))["properties"][0].clone()).collect();
    let fewest = bounds.iter().position(|property| property["verdict"] == "violated").expect("few suffice");
    assert!(bounds[fewest..].iter().all(|property| property["preemptions"] == fewest + 1));
    let finished = place.run("check mutex.pml --context-bound 3");
    assert_contains(&finished.stdout, &["the fewest possible", "in runs with at most 3 preemptions"]);
    assert_eq!(place.run("replay mutex.assertions.trail.json --check").code, Some(0));
}

#[test]
fn what_a_store_loses_is_reported_and_nothing_holds() {
    let place = Place::new("loss");
    let result = |arguments: &str| {
        let finished = place.run(&format!("check large.pml {arguments} --format json"));
        assert_eq!(finished.code, Some(3), "{arguments}: {}", finished.stdout);
        let document = finished.json();
        assert_valid(&document, "result-1.json", Some("CheckedDocument"));
        assert_eq!(document["complete"], false);
        document
    };
    let compact = result("-D SIZE=5 --store compact");
    assert_eq!(compact["stats"]["states"], 3125);
    assert!(compact["stats"]["loss"]["missed_probability"].as_f64().unwrap() < 1e-9);
    let bitstate = result("-D SIZE=15 --store bitstate --max-mem 1M --searches 3 --seed 5");
    let searches = bitstate["stats"]["searches"].as_array().unwrap();
    let seeds: Vec<u64> = searches.iter().map(|search| search["seed"].as_u64().unwrap()).collect();
    assert_eq!(seeds, [5, 6, 7]);
    let coverage = |record: &Value| record["loss"]["coverage"].as_f64().unwrap();
    assert!(searches.iter().all(|search| coverage(search) < coverage(&bitstate["stats"])));
    let human = place.run("check large.pml -D SIZE=15 --store bitstate --max-mem 1M --searches 2");
    let parts = [
        "the store forgets, so states can be missed",
        "search 2, seed 1:",
        "all searches together: about 99",
    ];
    assert_contains(&human.stdout, &parts);
}

#[test]
fn a_full_store_can_be_exchanged_for_one_that_forgets() {
    let place = Place::new("on_full");
    let stopped = place.run("check large.pml -D SIZE=12 --max-mem 1M --format json").json();
    assert_eq!((&stopped["stopped"], &stopped["stats"]["full_after"]), (&json!("memory"), &Value::Null));
    let went_on =
        place.run("check large.pml -D SIZE=12 --max-mem 64M --on-full bitstate --format json").json();
    assert_eq!(went_on["stats"]["full_after"], Value::Null, "64 MB are enough");
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../bench/models/bank.pml -D COINS=30 --plain");
    let all = place.run(&format!("check {model} --format json")).json();
    let states = |document: &Value| document["stats"]["states"].as_f64().unwrap();
    for (arguments, is_anew, goes_to_its_end) in [
        ("--on-full compact", true, false),
        ("--on-full bitstate", false, true),
        ("--on-full bitstate -j 2", false, true),
        ("--on-full bitstate --searches 2", true, true),
        ("--on-full bitstate --order bfs", true, false),
    ] {
        let finished = place.run(&format!("check {model} --max-mem 1200K {arguments} --format json"));
        assert_eq!(finished.code, Some(3), "{arguments}");
        let document = finished.json();
        let store = arguments.split(' ').nth(1).unwrap();
        assert_eq!(document["stats"]["store"], store);
        let full_after = document["stats"]["full_after"].as_f64().unwrap();
        assert!(full_after > 1000.0 && full_after < states(&all), "{arguments}");
        assert_eq!(document["stopped"].is_null(), goes_to_its_end, "{arguments}");
        if goes_to_its_end {
            let part = states(&document) / states(&all);
            assert!(part > 0.95 && part < 1.01, "{arguments}: {part}");
        }
        assert_eq!(document["stats"]["begun_anew"] == json!(true), is_anew, "{arguments}");
        let how = if is_anew { "began anew in the" } else { "went on in the" };
        let reason = document["properties"][0]["reason"].as_str().unwrap();
        assert_contains(reason, &[how, store]);
    }
}

#[test]
fn compiled_and_interpreted_steps_can_be_compared() {
    let place = Place::new("compare_steps");
    for arguments in ["handshake.pml", "handshake.pml --plain", "large.pml"] {
        let finished = place.run(&format!("check {arguments} --compare-steps=200"));
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        assert_contains(&finished.stdout, &["compiled and interpreted steps agree in"]);
    }
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

/// An allocation that fails would end the program without a result.
#[cfg(target_os = "linux")]
#[test]
fn limited_address_space_is_told_as_a_limit() {
    let place = Place::new("address_space");
    let check = format!("{} check large.pml --no-trail", env!("CARGO_BIN_EXE_allways"));
    for options in ["--order bfs", "--order bfs --max-mem 8G"] {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit -v 80000; exec {check} {options}")]).current_dir(&place.folder);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        let told = String::from_utf8(output.stdout).unwrap();
        assert_contains(&told, &["limit of the address space", "allow more with `ulimit -v`", "states,"]);
    }
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

#[test]
fn l13_every_property_gets_its_verdict_in_one_run() {
    let place = Place::new("l13_decided");
    let model =
        "byte x;\nactive proctype A() { x = 1; x == 2 }\nactive proctype B() { x == 1; assert(false) }\n";
    place.write("both.pml", model);
    let verdicts = |options: &str| {
        let finished = place.run(&format!("check both.pml --no-trail --format json {options}"));
        assert_eq!(finished.code, Some(1), "{options}");
        let document = finished.json();
        let verdict = |n: usize| document["properties"][n]["verdict"].as_str().unwrap().to_string();
        (verdict(0), verdict(1), document["stopped"].clone())
    };
    let both = |stopped| ("violated".to_string(), "violated".to_string(), stopped);
    for options in
        ["", "--plain", "-j 2", "--order bfs", "--order random", "--context-bound 3", "--interpret"]
    {
        let (assertions, deadlock, _) = verdicts(options);
        assert_eq!((&*assertions, &*deadlock), ("violated", "violated"), "{options}");
    }
    assert_eq!(verdicts("--keep-going"), both(Value::Null));
    let (assertions, deadlock, stopped) = verdicts("--first");
    assert_eq!(stopped, "violation");
    assert_ne!(assertions, deadlock);
    assert_eq!(place.run("check both.pml --first --keep-going").code, Some(2));
}

#[test]
fn people_9_each_search_is_told_with_its_properties() {
    let place = Place::new("people_9");
    let model = "byte x, seen; active proctype A() { do :: x = 1 - x; seen = x od }
        trace { do :: c!1 od }
        chan c = [1] of { byte };
        ltl low { [] (x < 2) }
        ltl up { <> [] (x == 1) }
";
    place.write("several.pml", model);
    let told = place.run("check several.pml --no-trail").stdout;
    assert_contains(
        &told,
        &[
            "Search for assertions, deadlock: every reachable state was explored",
            "never read: x, seen (left out of the states for assertions, deadlock)",
            "Search for low: to its end; 2 states",
            "never read: seen (left out of the states for low)",
            "Search for up: ended at the violation; ",
            "Search for trace: to its end; ",
            "Total of 4 searches: ",
        ],
    );
    let one = place.run("check several.pml --no-trail -p low").stdout;
    assert_contains(&one, &["\nSearch: every reachable state was explored"]);
    assert!(!one.contains("Total"), "{one}");
    let formula = place.run("check several.pml --no-trail -p up").stdout;
    assert_contains(&formula, &["\nSearch: ended at the violation"]);
}
