//! Random systems, with and without reduction: the same findings. And the rules are all needed.

mod common;

use allways_interpreter::Semantics;
use allways_reduction::{Level, Options, Weakened};
use allways_system::{Action, Expr, Place, Proctype, Scalar, Scope, System};
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
    /// In which processes are created and their numbers mean nothing.
    nameless: usize,
    /// In which channels are made by processes, and handed down only.
    with_families: usize,
    /// The same, and they are not only handed down, or somebody looks at numbers.
    with_strays: usize,
    /// In which numbers of processes mean nothing though one waits until all others are gone.
    with_joins: usize,
}

/// Which random systems.
type Generator = fn(&mut SmallRng) -> System;

/// Compares one random system; false if it was too small or too large.
fn compare(
    generator: Generator,
    seed: u64,
    weakened: Option<Weakened>,
    tally: &mut Tally,
    complain: bool,
) -> bool {
    let mut rng = SmallRng::seed_from_u64(seed);
    let system = generator(&mut rng);
    let semantics =
        Semantics { lossy: rng.random_bool(0.1), strict_end: false, check_overflow: rng.random_bool(0.1) };
    let mut explorer = Explorer::new(&system, semantics);
    explorer.max_states = if explorer.makes_channels { 800 } else { 250 };
    explorer.specialise = rng.random_bool(0.7);
    explorer.n_channels = [1, 2, 3, 16, 200][rng.random_range(0..5)];
    explorer.without_list = rng.random_bool(0.5);
    let Some(full) = explorer.full(Order::BreadthFirst) else { return false };
    if full.states.len() < 6 {
        return false;
    }
    tally.systems += 1;
    tally.with_deadlocks += !full.findings.deadlocks.is_empty() as usize;
    tally.with_assertions += !full.findings.assertions.is_empty() as usize;
    tally.with_faults += !full.findings.faults.is_empty() as usize;
    let creates = |code: &Proctype| {
        code.transitions.iter().any(|transition| matches!(transition.action, Action::Run { .. }))
    };
    tally.nameless += (explorer.nameless && system.proctypes.iter().any(creates)) as usize;
    tally.with_families += (explorer.nameless && explorer.makes_channels) as usize;
    tally.with_strays += (!explorer.nameless && explorer.makes_channels) as usize;
    tally.with_joins += (explorer.nameless && counts_processes(&system)) as usize;
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
            assert!(
                other.states == reduced.states || !complain,
                "seed {seed}: the choice depends on more than the state"
            );
        }
    }
    tally.mismatches += is_wrong as usize;
    true
}

fn counts_processes(system: &System) -> bool {
    let mut counts = false;
    for transition in system.proctypes.iter().flat_map(|code| &code.transitions) {
        transition.action.walk(&mut |expr| counts |= matches!(expr, Expr::ProcessCount));
    }
    counts
}

fn compare_many(generator: Generator, seeds: std::ops::Range<u64>) -> Tally {
    let mut tally = Tally::default();
    seeds.for_each(|seed| {
        compare(generator, seed, None, &mut tally, true);
    });
    eprintln!("{tally:?}");
    tally
}

#[test]
fn the_same_is_found() {
    let tally = compare_many(random::system, 0..1500);
    assert!(tally.systems > 500 && tally.reduced_states < tally.full_states);
}

#[test]
fn the_same_is_found_whatever_processes_are_called() {
    let tally = compare_many(random::nameless_system, 0..1500);
    assert!(tally.nameless > 400 && tally.reduced_states < tally.full_states);
}

#[test]
fn the_same_is_found_where_one_waits_for_all_others() {
    let tally = compare_many(random::joining_system, 0..6000);
    assert!(tally.with_joins > 400 && tally.reduced_states < tally.full_states);
}

#[test]
fn the_same_is_found_where_processes_count() {
    let tally = compare_many(random::counting_system, 0..6000);
    assert!(tally.systems > 2000 && tally.reduced_states < tally.full_states);
}

#[test]
fn the_same_is_found_whoever_made_a_channel() {
    let tally = compare_many(random::family_system, 0..3000);
    assert!(tally.with_families > 400 && tally.with_strays > 50 && tally.reduced_states < tally.full_states);
}

/// Without any one of these rules the comparison fails.
#[test]
fn every_rule_is_needed() {
    let general: Generator = random::system;
    for (weakened, generator) in [
        (Weakened::NoSticky, general),
        (Weakened::FirstStatement, general),
        (Weakened::IgnoreDisabled, general),
        (Weakened::LocalRunAndDeath, general),
        (Weakened::CurrentPartners, general),
        (Weakened::IgnoreDeaths, random::joining_system),
    ] {
        let mut tally = Tally::default();
        let found = (0..10_000).find(|seed| {
            compare(generator, *seed, Some(weakened), &mut tally, false);
            tally.mismatches > 0
        });
        assert!(found.is_some(), "{weakened:?} goes unnoticed");
    }
}

/// How many systems of these seeds lose a value of what is observed, and how many states are saved.
fn compare_values(seeds: std::ops::Range<u64>, is_observed: bool) -> (usize, usize) {
    let (mut n_wrong, mut n_saved) = (0, 0);
    for seed in seeds {
        let mut rng = SmallRng::seed_from_u64(seed);
        let system = random::system(&mut rng);
        let slots = system.globals.variables.iter().filter(|variable| variable.name.starts_with('g'));
        let (slots, scalars): (Vec<usize>, Vec<Scalar>) =
            slots.map(|variable| (variable.base as usize, variable.shape.scalars()[0])).unzip();
        let pair = (slots[0], slots[slots.len() - 1]);
        let load = |base: usize, scalar| {
            Expr::Load(Place { scope: Scope::Global, base: base as u32, indices: Default::default(), scalar })
        };
        let observed = [load(pair.0, scalars[0]), load(pair.1, scalars[scalars.len() - 1])];
        let mut explorer = Explorer::new(&system, Semantics::default());
        explorer.max_states = 250;
        let Some(full) = explorer.full(Order::BreadthFirst) else { continue };
        let mut options = options(Semantics::default());
        if is_observed {
            options.observed = observed.iter().collect();
        }
        let reduced = explorer.reduced(&options, Order::DepthFirst).expect("it is smaller");
        n_wrong += (explorer.values(&full, pair) != explorer.values(&reduced, pair)) as usize;
        n_saved += full.states.len() - reduced.states.len();
    }
    (n_wrong, n_saved)
}

#[test]
fn what_is_observed_takes_all_its_values() {
    let (n_wrong, n_saved) = compare_values(0..600, true);
    assert!(n_wrong == 0 && n_saved > 500, "{n_wrong} wrong, {n_saved} states saved");
    assert!(compare_values(0..600, false).0 > 0, "nobody notices");
}

/// How many is said by the environment; a million takes hours.
#[test]
#[ignore = "long"]
fn the_same_is_found_in_many() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let (first, count) = (number("FIRST_SEED").unwrap_or(0), number("SEEDS").unwrap_or(100_000));
    compare_many(random::system, first..first + count);
    compare_many(random::nameless_system, first..first + count);
    compare_many(random::family_system, first..first + count);
    compare_many(random::joining_system, first..first + count);
    compare_many(random::counting_system, first..first + count);
}
