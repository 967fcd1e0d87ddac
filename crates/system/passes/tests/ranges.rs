//! Nothing ever holds a value outside its range.

mod common;

use allways_interpreter::{Semantics, State};
use allways_passes::{Ranges, ranges};
use allways_system::{ProctypeId, System};
use allways_testkit::generate::{Odds, generate};
use common::{corpus, explore_with, system, system_of};

fn assert_inside(name: &str, system: &System, ranges: &Ranges, state: &State) {
    let inside = |values: &[i32], ranges: &[(i32, i32)], what: &str| {
        for (slot, (value, (low, high))) in values.iter().zip(ranges).enumerate() {
            assert!(low <= value && value <= high, "{name}: {what} {slot} is {value}, not {low}..{high}");
        }
    };
    inside(&state.globals, &ranges.globals, "global");
    for (pid, process) in state.processes.iter().enumerate() {
        inside(state.frame(system, pid as u32), &ranges.locals[process.proctype.index()], "local");
    }
    for channel in &state.channels {
        for message in state.messages(system, channel) {
            inside(message, &ranges.fields[channel.kind.index()], "field");
        }
    }
}

fn check(name: &str, system: &System) {
    let ranges = ranges(system);
    let all = ranges.globals.iter().chain(ranges.locals.iter().chain(&ranges.fields).flatten());
    assert!({ all }.all(|(low, high)| *low <= 0 && 0 <= *high), "{name}: 0 is not inside");
    explore_with(system, Semantics::default(), 3000, &mut |state| {
        assert_inside(name, system, &ranges, state);
    });
}

#[test]
fn values_of_the_corpus_stay_inside() {
    for (name, system) in corpus(&["semantics", "runtime"]) {
        check(&name, &system);
    }
}

#[test]
fn values_of_random_models_stay_inside() {
    let count = std::env::var("SEEDS").ok().and_then(|count| count.parse().ok()).unwrap_or(300);
    for seed in 0..count {
        let model = generate(seed, &Odds::default()).to_string();
        let Some(system) = system_of(std::path::Path::new("random.pml"), &model) else { continue };
        check(&format!("seed {seed}\n{model}"), &system);
    }
}

#[test]
fn small_values_have_small_ranges() {
    let system = system(
        "mtype = { red, green, blue }; mtype color; byte turn, n; int x; chan q = [2] of { mtype, byte };
         chan other = [3] of { byte };
         proctype p(byte id; chan c) { byte k; c!green, id; turn = 1 - turn; k = (k + 1) % 5; n++ }
         init { byte i; color = blue; run p(3, q); q?color, i; other!100; x = len(q) * 2 }",
    );
    let ranges = ranges(&system);
    // The names are numbered from the last one.
    assert_eq!(ranges.globals[0], (0, 2));
    assert_eq!(ranges.globals[1], (0, 1));
    assert_eq!(ranges.globals[2], (0, 255));
    assert_eq!(ranges.globals[3], (0, 4));
    assert_eq!(ranges.fields[0], [(0, 2), (0, 3)]);
    assert_eq!(ranges.fields[1], [(0, 100)]);
    let p = ProctypeId(0).index();
    assert_eq!(ranges.locals[p], [(0, 3), (0, 1), (0, 4)]);
}
