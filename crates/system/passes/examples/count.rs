//! Counts the states of models: as they are, with dead variables forgotten, with statements merged, with both.
//!
//! `cargo run --release -p allways-passes --example count -- 2000000 model.pml …` (the number is a limit)

#[path = "../tests/common/mod.rs"]
mod common;

use std::path::Path;

use allways_passes::{PassOptions, simplify};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let limit = arguments.next().and_then(|limit| limit.parse().ok()).expect("a limit");
    for path in arguments {
        let text = String::from_utf8_lossy(&std::fs::read(&path).expect("readable")).into_owned();
        let Some(system) = common::system_of(Path::new(&path), &text) else {
            println!("{path} refused");
            continue;
        };
        let mut counts = Vec::new();
        for (dead_variables, merge) in [(false, false), (true, false), (false, true), (true, true)] {
            let options = PassOptions { dead_variables, merge, ..PassOptions::default() };
            let (simplified, _) = simplify(&system, &options);
            let explored = common::explore(&simplified, limit);
            counts.push(if explored.cut { "-".to_string() } else { explored.states.to_string() });
        }
        println!("{path} {}", counts.join(" "));
    }
}
