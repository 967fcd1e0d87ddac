//! The corpus, with and without reduction: the same findings.

mod common;

use std::path::Path;

use allways_interpreter::Semantics;
use allways_reduction::{Level, Options};
use common::{Explorer, Order, options, system};

fn compare(folder: &str, at_least: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../corpus").join(folder);
    let (mut compared, mut reduced_models) = (0, 0);
    for entry in std::fs::read_dir(folder).expect("the corpus is there") {
        let path = entry.expect("readable").path();
        if path.extension().is_none_or(|extension| extension != "pml") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("readable");
        let Some(system) = system(&text) else { continue };
        for semantics in [Semantics::default(), Semantics { lossy: true, ..Semantics::default() }] {
            let mut explorer = Explorer::new(&system, semantics);
            explorer.max_states = 3000;
            let Some(full) = explorer.full(Order::DepthFirst) else { continue };
            for specialise in [true, false] {
                explorer.specialise = specialise;
                for level in [Level::Single, Level::Closure] {
                    let options = Options { level, ..options(semantics) };
                    let reduced = explorer.reduced(&options, Order::BreadthFirst).expect("it is smaller");
                    assert_eq!(full.findings, reduced.findings, "{}", path.display());
                    reduced_models += (reduced.states.len() < full.states.len()) as usize;
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 100 && reduced_models >= at_least, "{compared} compared, {reduced_models} reduced");
}

#[test]
fn semantics() {
    compare("semantics", 100);
}

#[test]
fn runtime() {
    compare("runtime", 5);
}
