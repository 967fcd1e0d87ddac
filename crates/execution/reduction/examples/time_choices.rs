//! Measures how long a choice takes: `time_choices model.pml...` prints nanoseconds per state, over all states of the
//! reduced system in which there is something to choose.

#[path = "../tests/common/mod.rs"]
mod common;

use std::path::Path;

use allways_interpreter::Semantics;
use allways_reduction::{Level, Options, Scratch};
use common::{Explorer, Order, options, system_at};

/// As many choices are timed.
const CHOICES: usize = 2_000_000;

fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).expect("readable");
        let Some(system) = system_at(Path::new(&path), &text) else {
            println!("{path}: not read");
            continue;
        };
        let semantics = Semantics::default();
        let mut explorer = Explorer::new(&system, semantics);
        explorer.max_states = 200_000;
        for level in [Level::Single, Level::Closure] {
            let options = Options { level, exclusive: false, ..options(semantics) };
            let Some((reduction, states)) = explorer.states_to_choose_in(&options, Order::DepthFirst, 2000)
            else {
                println!("{path}: nothing to reduce, or too much");
                continue;
            };
            let mut scratch = Scratch::default();
            let started = on_cpu();
            for (processes, steps) in states.iter().cycle().take(CHOICES) {
                reduction.choose(&mut scratch, processes, steps, false);
            }
            println!(
                "{path} {level:?}: {:.0} ns, {} objects, {:?}",
                (on_cpu() - started) as f64 / CHOICES as f64,
                reduction.n_objects(),
                scratch.counters,
            );
        }
    }
}

/// Nanoseconds that this thread has run; other work on the machine does not count. Linux only.
fn on_cpu() -> u64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}
