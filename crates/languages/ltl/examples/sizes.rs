//! Sizes and times over the formulas of `tests/formulas.txt`, each with its negation:
//! `cargo run --release -p allways-ltl --example sizes [-- --all]`.

use std::time::Instant;

use allways_ltl::{Formula, TranslateOptions, is_deterministic, parse, translate, translate_to_buchi};

fn main() {
    let verbose = std::env::args().any(|a| a == "--all");
    let options = TranslateOptions::default();
    let (mut total, mut edges, mut generalized, mut deterministic, mut theirs) = (0, 0, 0, 0, 0);
    let mut times = Vec::new();
    let mut sets: Vec<(String, usize, usize, usize)> = Vec::new();
    for line in include_str!("../tests/formulas.txt").lines().filter(|l| !l.starts_with('#')) {
        let fields: Vec<&str> = line.split(" | ").collect();
        let formula = parse(fields[1]).expect("the list is well-formed").formula;
        let set = fields[0].trim_end_matches(|c: char| c.is_ascii_digit()).to_string();
        if sets.last().is_none_or(|s| s.0 != set) {
            sets.push((set, 0, 0, 0));
        }
        let negation: Formula = formula.negated();
        for (sign, formula, spot) in [("", &formula, fields[2]), ("!", &negation, fields[3])] {
            let spot: usize = spot.parse().expect("a number");
            let start = Instant::now();
            let buchi = translate_to_buchi(formula, &options).expect("small enough");
            let time = start.elapsed();
            let tgba = translate(formula, &options).expect("small enough");
            times.push((time, format!("{sign}{}", fields[0])));
            total += buchi.states.len();
            edges += buchi.n_edges();
            generalized += tgba.states.len();
            deterministic += usize::from(is_deterministic(&buchi));
            theirs += spot;
            if let Some(last) = sets.last_mut() {
                let own = if sign.is_empty() { &mut last.1 } else { &mut last.2 };
                *own += buchi.states.len();
                last.3 += spot;
            }
            let (ours, n_edges) = (buchi.states.len(), buchi.n_edges());
            if verbose && ours != spot {
                println!(
                    "{sign}{}: {ours}/{n_edges}, Spot {spot}, generalized {}  {:?}",
                    fields[0],
                    tgba.states.len(),
                    time
                );
            }
        }
    }
    for (set, f, not_f, spot) in sets {
        println!("{set}: {f} states, negations {not_f}; Spot {spot} for both");
    }
    times.sort();
    println!(
        "{total} states, {edges} edges, {deterministic} deterministic; Spot {theirs} states; generalized {generalized} states"
    );
    println!("median {:?}, slowest {:?}", times[times.len() / 2].0, &times[times.len() - 5..]);
}
