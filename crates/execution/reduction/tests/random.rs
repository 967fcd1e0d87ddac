//! Random systems, with and without reduction: the same findings. And the rules are all needed.

mod common;

use allways_interpreter::Semantics;
use allways_reduction::{Level, Options, Weakened};
use common::{Explorer, Order, options, random};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

#[derive(Default, Debug)]
struct Tally {
    systems: usize,
    mismatches: usize,
    with_deadlocks: usize,
    with_assertions: usize,
    with_faults: usize,
    reduced_systems: usize,
    full_states: usize,
    reduced_states: usize,
}

/// Compares one random system; false if it was too small or too large.
fn compare(seed: u64, weakened: Option<Weakened>, tally: &mut Tally, complain: bool) -> bool {
    let mut rng = SmallRng::seed_from_u64(seed);
    let system = random::system(&mut rng);
    let semantics =
        Semantics { lossy: rng.random_bool(0.1), strict_end: false, check_overflow: rng.random_bool(0.1) };
    let mut explorer = Explorer::new(&system, semantics);
    explorer.max_states = 250;
    explorer.specialise = rng.random_bool(0.7);
    let Some(full) = explorer.full(Order::BreadthFirst) else { return false };
    if full.states.len() < 6 {
        return false;
    }
    tally.systems += 1;
    tally.with_deadlocks += !full.findings.deadlocks.is_empty() as usize;
    tally.with_assertions += !full.findings.assertions.is_empty() as usize;
    tally.with_faults += !full.findings.faults.is_empty() as usize;
    let mut is_wrong = false;
    for level in [Level::Single, Level::Closure] {
        let options = Options { level, weakened, ..options(semantics) };
        let reduced = explorer.reduced(&options, Order::DepthFirst).expect("it is smaller");
        if reduced.findings != full.findings {
            is_wrong = true;
            assert!(
                !complain,
                "seed {seed}, {level:?}, {semantics:?}\n{}{}",
                full.findings.difference(&reduced.findings),
                allways_system::print::print(&system)
            );
        }
        if level == Level::Closure {
            tally.full_states += full.states.len();
            tally.reduced_states += reduced.states.len();
            tally.reduced_systems += (reduced.states.len() < full.states.len()) as usize;
            let other = explorer.reduced(&options, Order::Random(&mut rng)).expect("it is smaller");
            assert!(other.states == reduced.states || complain, "the choice depends on the state alone");
        }
    }
    tally.mismatches += is_wrong as usize;
    true
}

fn compare_many(seeds: std::ops::Range<u64>, weakened: Option<Weakened>, complain: bool) -> Tally {
    let mut tally = Tally::default();
    seeds.for_each(|seed| {
        compare(seed, weakened, &mut tally, complain);
    });
    eprintln!("{weakened:?}: {tally:?}");
    tally
}

#[test]
fn the_same_is_found() {
    let tally = compare_many(0..3000, None, true);
    assert!(tally.systems > 500 && tally.reduced_states < tally.full_states);
}

/// Without any one of these rules the comparison fails.
#[test]
fn every_rule_is_needed() {
    for weakened in [
        Weakened::NoSticky,
        Weakened::FirstStatement,
        Weakened::IgnoreDisabled,
        Weakened::LocalRunAndDeath,
        Weakened::CurrentPartners,
    ] {
        let tally = compare_many(0..1500, Some(weakened), false);
        assert!(tally.mismatches > 0, "{weakened:?} goes unnoticed");
    }
}

/// How many is said by the environment; a million takes hours.
#[test]
#[ignore = "long"]
fn the_same_is_found_in_many() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let (first, count) = (number("FIRST_SEED").unwrap_or(0), number("SEEDS").unwrap_or(100_000));
    compare_many(first..first + count, None, true);
}
