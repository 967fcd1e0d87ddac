//! Counts the states of models with and without reduction, for comparisons with other tools.
//!
//! `count_states [--limit N] [--single] [--check] model.pml...` prints one line per model: states of the full system
//! (with `--check`, which also compares what was found), states of the reduced one, and how the choices went.

#[path = "../tests/common/mod.rs"]
mod common;

use std::path::Path;
use std::time::Instant;

use allways_interpreter::Semantics;
use allways_reduction::{Level, Options};
use common::{Explorer, Order, options, system_at};

fn main() {
    let (mut limit, mut level, mut check) = (2_000_000, Level::Closure, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--limit" => limit = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(limit),
            "--single" => level = Level::Single,
            "--check" => check = true,
            path => count(path, limit, level, check),
        }
    }
}

fn count(path: &str, limit: usize, level: Level, check: bool) {
    let name = path.rsplit('/').next().unwrap_or(path);
    let system = std::fs::read_to_string(path).ok().and_then(|text| system_at(Path::new(path), &text));
    let Some(system) = system else {
        println!("{name}: not read");
        return;
    };
    let semantics = Semantics::default();
    let mut explorer = Explorer::new(&system, semantics);
    explorer.max_states = limit;
    let full = check.then(|| explorer.full(Order::DepthFirst)).flatten();
    let started = Instant::now();
    let options = Options { level, exclusive: false, ..options(semantics) };
    match explorer.reduced(&options, Order::DepthFirst) {
        Some(reduced) => {
            let same = full.as_ref().map(|full| {
                let mut findings = full.findings.clone();
                findings.exclusive = reduced.findings.exclusive.clone();
                findings == reduced.findings
            });
            println!(
                "{name}: full {} reduced {} same {same:?} objects {} sticky {} restarts {} {:?} {:.1} s",
                full.map_or("-".to_string(), |full| full.states.len().to_string()),
                reduced.states.len(),
                reduced.n_objects,
                reduced.n_sticky,
                reduced.n_restarts,
                reduced.counters,
                started.elapsed().as_secs_f64(),
            );
        }
        None => println!("{name}: full - reduced >{limit} {:.1} s", started.elapsed().as_secs_f64()),
    }
}
