//! Families of formulas that grow with an index: neither time nor size may explode where it need not.
//! `cargo test --release -p allways-ltl --test families -- --nocapture` prints the sizes.

use std::time::{Duration, Instant};

use allways_ltl::{Formula, TranslateOptions, parse, translate_to_buchi};

fn chain(n: usize, name: &str) -> String {
    (1..n).rev().fold(format!("<> {name}{n}"), |rest, i| format!("<> ({name}{i} && {rest})"))
}

fn repeated(n: usize, name: &str) -> String {
    (1..n).fold(name.to_string(), |rest, _| format!("({name} && X {rest})"))
}

fn joined(range: impl Iterator<Item = usize>, sign: &str, part: impl Fn(usize) -> String) -> String {
    range.map(|i| format!("({})", part(i))).collect::<Vec<_>>().join(sign)
}

fn next(n: usize, text: &str) -> String {
    format!("{}({text})", "X ".repeat(n))
}

/// A counter of n bits, written bit by bit: b is the bit, m marks the first one of each value.
fn counter(n: usize, nested: bool) -> String {
    let steps = |parts: Vec<String>| {
        if nested {
            parts.into_iter().rev().reduce(|rest, part| format!("{part} && X ({rest})")).unwrap_or_default()
        } else {
            joined(0..parts.len(), " && ", |i| next(i, &parts[i]))
        }
    };
    let marker = (1..=n).map(|i| if i < n { "!m".to_string() } else { "m".to_string() }).collect();
    let zeros = vec!["!b".to_string(); n];
    let same = format!("(!m && (b <-> {})) U m", next(n, "b"));
    let (one, zero) = (next(n, "b"), next(n, "!b"));
    format!(
        "m && [] (m -> X ({})) && ({}) && [] ((m && !b) -> ({one} && X ({same}))) \
         && [] ((m && b) -> ({zero} && X ((b && !m && {zero}) U (m || (!m && !b && {one} && X ({same}))))))",
        steps(marker),
        steps(zeros),
    )
}

fn family(name: &str, n: usize) -> String {
    match name {
        "alpha" => format!("{} && {}", chain(n, "p"), chain(n, "q")),
        "beta" => format!("<> {} && <> {}", repeated(n, "p"), repeated(n, "q")),
        "uleft" => (2..=n).fold("p1".to_string(), |f, i| format!("({f}) U p{i}")),
        "uright" => (1..n).rev().fold(format!("p{n}"), |f, i| format!("p{i} U ({f})")),
        "gfand" => joined(1..n + 1, " && ", |i| format!("[]<> p{i}")),
        "theta" => format!("!(({}) -> [] (q -> <> r))", family("gfand", n)),
        "gfimp" => format!("({}) -> []<> z", family("gfand", n)),
        "R" => joined(1..n + 1, " && ", |i| format!("[]<> p{i} || <>[] p{}", i + 1)),
        "Q" => joined(1..n + 1, " && ", |i| format!("<> p{i} || [] p{}", i + 1)),
        "S" => joined(1..n + 1, " && ", |i| format!("[] p{i}")),
        "rvc" => counter(n, false),
        "rvcl" => counter(n, true),
        _ => unreachable!(),
    }
}

/// Name, index, states of Spot's automaton for the formula and for its negation.
const SIZES: &[(&str, usize, usize, usize)] = &[
    ("alpha", 1, 4, 3),
    ("alpha", 2, 9, 5),
    ("alpha", 3, 16, 7),
    ("alpha", 4, 25, 9),
    ("alpha", 5, 36, 11),
    ("beta", 1, 4, 3),
    ("beta", 2, 9, 5),
    ("beta", 3, 16, 7),
    ("beta", 4, 25, 9),
    ("beta", 5, 36, 11),
    ("beta", 6, 49, 13),
    ("uleft", 2, 2, 2),
    ("uleft", 3, 4, 3),
    ("uleft", 4, 8, 4),
    ("uleft", 5, 16, 5),
    ("uleft", 6, 32, 6),
    ("uright", 2, 2, 2),
    ("uright", 3, 3, 3),
    ("uright", 4, 4, 4),
    ("uright", 5, 5, 5),
    ("uright", 6, 6, 6),
    ("uright", 8, 8, 8),
    ("gfand", 1, 2, 2),
    ("gfand", 2, 3, 3),
    ("gfand", 3, 4, 4),
    ("gfand", 4, 5, 5),
    ("gfand", 5, 6, 6),
    ("gfand", 6, 7, 7),
    ("gfand", 8, 9, 9),
    ("theta", 1, 3, 5),
    ("theta", 2, 4, 6),
    ("theta", 3, 5, 7),
    ("theta", 4, 6, 8),
    ("theta", 5, 7, 9),
    ("theta", 6, 8, 10),
    ("theta", 8, 10, 12),
    ("gfimp", 1, 4, 3),
    ("gfimp", 2, 5, 4),
    ("gfimp", 3, 6, 5),
    ("gfimp", 4, 7, 6),
    ("gfimp", 5, 8, 7),
    ("gfimp", 6, 9, 8),
    ("gfimp", 8, 11, 10),
    ("R", 1, 4, 3),
    ("R", 2, 7, 5),
    ("R", 3, 13, 7),
    ("R", 4, 24, 9),
    ("R", 5, 44, 11),
    ("Q", 1, 3, 2),
    ("Q", 2, 8, 5),
    ("Q", 3, 18, 7),
    ("Q", 4, 42, 9),
    ("Q", 5, 100, 11),
    ("S", 2, 1, 2),
    ("S", 4, 1, 2),
    ("S", 6, 1, 2),
    ("rvc", 1, 2, 3),
    ("rvc", 2, 8, 9),
    ("rvc", 3, 24, 17),
    ("rvc", 4, 64, 21),
    ("rvcl", 1, 2, 3),
    ("rvcl", 2, 8, 9),
    ("rvcl", 3, 24, 17),
    ("rvcl", 4, 64, 21),
];

/// These are large for everybody; they run with the ignored tests.
const LARGE: &[(&str, usize, usize, usize)] = &[("uleft", 8, 128, 8), ("Q", 6, 240, 13)];

fn check(sizes: &[(&str, usize, usize, usize)], each: Duration) {
    let (mut total, mut spot_total) = (0, 0);
    for (name, n, spot, spot_negated) in sizes {
        let formula = parse(&family(name, *n)).unwrap().formula;
        let negation: Formula = formula.negated();
        for (sign, formula, spot) in [("", &formula, spot), ("!", &negation, spot_negated)] {
            let start = Instant::now();
            let automaton = translate_to_buchi(formula, &TranslateOptions::default()).unwrap();
            let (time, states) = (start.elapsed(), automaton.states.len());
            println!("{sign}{name}{n}: {states}/{}, Spot {spot}, {time:?}", automaton.n_edges());
            assert!(time < each, "{sign}{name}{n} takes {time:?}");
            assert!(states <= spot + spot / 4 + 2, "{sign}{name}{n}: {states} states, Spot {spot}");
            total += states;
            spot_total += spot;
        }
    }
    println!("{total} states, Spot {spot_total}");
}

#[test]
fn small_members() {
    check(SIZES, Duration::from_secs(10));
}

#[test]
#[ignore = "slow in debug builds"]
fn large_members() {
    check(LARGE, Duration::from_secs(60));
}
