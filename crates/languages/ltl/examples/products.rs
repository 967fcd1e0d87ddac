//! How large products become: the reachable product of each automaton of eh, sb and dac with three random structures
//! of 100 states. `cargo run --release -p allways-ltl --example products` compares all passes with the plain
//! construction and, where `spin` or `ltl3ba` can be run and understands the formula, with the claims that it makes.
//! `SPIN` and `LTL3BA` may name the programs. Debian has `spin`; ltl3ba 1.1.3 is built from its sources with Debian's
//! `libbdd-dev` and `-DNXT`.
//!
//! Each state of a structure has 1 to 3 successors and each proposition holds with probability 1/2.

use std::collections::HashMap;
use std::process::Command;

use allways_ltl::{
    Automaton, Cube, Edge, Formula, Label, TranslateOptions, parse, translate, translate_to_buchi,
};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

struct Structure {
    letters: Vec<u64>,
    successors: Vec<Vec<usize>>,
}

fn structure(seed: u64) -> Structure {
    const N: usize = 100;
    let mut rng = StdRng::seed_from_u64(seed);
    let letters = (0..N).map(|_| rng.random::<u64>()).collect();
    let successors =
        (0..N).map(|_| (0..rng.random_range(1..=3)).map(|_| rng.random_range(0..N)).collect()).collect();
    Structure { letters, successors }
}

/// Reachable states and transitions of the product; the automaton reads the letter of the state that is left.
fn product(automaton: &Automaton, structure: &Structure) -> (usize, usize) {
    let mut index = HashMap::from([((0usize, automaton.initial), ())]);
    let mut todo = vec![(0usize, automaton.initial)];
    let mut transitions = 0;
    while let Some((k, s)) = todo.pop() {
        for edge in automaton.states[s as usize].iter().filter(|e| e.label.contains(structure.letters[k])) {
            for next in &structure.successors[k] {
                transitions += 1;
                if index.insert((*next, edge.target), ()).is_none() {
                    todo.push((*next, edge.target));
                }
            }
        }
    }
    (index.len(), transitions)
}

/// Another translator, called as `program -f FORMULA`, which prints a never claim.
struct Peer {
    name: &'static str,
    program: String,
    knows_next: bool,
    /// Automata compared, and the sums of ours and of theirs over them.
    n: usize,
    sums: [(usize, usize); 2],
}

impl Peer {
    fn new(name: &'static str, variable: &str, knows_next: bool) -> Self {
        let program = std::env::var(variable).unwrap_or_else(|_| name.into());
        Self { name, program, knows_next, n: 0, sums: [(0, 0); 2] }
    }
}

/// The claim that a peer makes of a formula; none if there is no such program or it does not manage in 20 seconds.
fn peer_claim(peer: &Peer, formula: &Formula, names: &[String]) -> Option<Automaton> {
    if formula.uses_next() && !peer.knows_next {
        return None;
    }
    let text = spin_text(formula, names);
    let output = Command::new("timeout").args(["20", &peer.program, "-f", &text]).output().ok()?;
    output.status.success().then(|| claim(&String::from_utf8_lossy(&output.stdout), names)).flatten()
}

/// Fully parenthesised, in Spin's operators.
fn spin_text(formula: &Formula, names: &[String]) -> String {
    let part = |f: &Formula| format!("({})", spin_text(f, names));
    let pair = |p: &(Formula, Formula), sign: &str| format!("{} {sign} {}", part(&p.0), part(&p.1));
    let many = |parts: &[Formula], sign: &str| parts.iter().map(part).collect::<Vec<_>>().join(sign);
    match formula {
        Formula::True => "true".into(),
        Formula::False => "false".into(),
        Formula::Proposition(p) => names[*p as usize].clone(),
        Formula::Not(f) => format!("!{}", part(f)),
        Formula::And(parts) => many(parts, " && "),
        Formula::Or(parts) => many(parts, " || "),
        Formula::Implies(p) => pair(p, "->"),
        Formula::Equivalent(p) => pair(p, "<->"),
        Formula::Next(f) => format!("X {}", part(f)),
        Formula::Eventually(f) => format!("<> {}", part(f)),
        Formula::Always(f) => format!("[] {}", part(f)),
        Formula::Until(p) => pair(p, "U"),
        Formula::WeakUntil(p) => format!("{} V ({} || {})", part(&p.1), part(&p.0), part(&p.1)),
        Formula::Release(p) => pair(p, "V"),
        Formula::StrongRelease(p) => format!("{} U ({} && {})", part(&p.1), part(&p.0), part(&p.1)),
    }
}

/// Reads the few forms that Spin prints.
fn claim(text: &str, names: &[String]) -> Option<Automaton> {
    let mut labels: Vec<String> = Vec::new();
    let mut lines: Vec<(usize, String)> = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(label) = line.strip_suffix(':').filter(|l| !l.starts_with("::")) {
            labels.push(label.to_string());
        } else if !labels.is_empty() {
            lines.push((labels.len() - 1, line.to_string()));
        }
    }
    let mut states = vec![Vec::new(); labels.len()];
    let all = labels.iter().position(|l| l == "accept_all");
    for (s, line) in lines {
        let marks = u64::from(labels[s].starts_with("accept"));
        if line == "skip" || line == "skip;" {
            states[s].push(Edge { label: Label::always(), target: s as u32, marks });
        } else if let Some(body) = line.strip_prefix(":: ") {
            let (condition, target) = if let Some(body) = body.strip_prefix("atomic { ") {
                (body.split(" -> assert").next()?, all)
            } else {
                let (condition, target) = body.split_once(" -> goto ")?;
                (condition, labels.iter().position(|l| l == target))
            };
            let label = label(&parse(condition).ok()?, names)?;
            let target = match target {
                Some(target) => target as u32,
                // Spin leaves `accept_all` out if only assertions lead to it.
                None => labels.len() as u32,
            };
            states[s].push(Edge { label, target, marks });
        }
    }
    if states.iter().flatten().any(|e| e.target as usize == labels.len()) {
        let target = labels.len() as u32;
        states.push(vec![Edge { label: Label::always(), target, marks: 1 }]);
    }
    Some(Automaton { n_propositions: names.len() as u32, n_marks: 1, initial: 0, states })
}

fn label(condition: &allways_ltl::Parsed, names: &[String]) -> Option<Label> {
    fn of(f: &Formula, place: &dyn Fn(u32) -> u32) -> Option<Label> {
        Some(match f {
            Formula::True => Label { cubes: vec![Cube::TRUE] },
            Formula::False => Label::never(),
            Formula::Proposition(p) => Label::literal(place(*p), true),
            Formula::Not(f) => of(f, place)?.not(),
            Formula::And(parts) => {
                parts.iter().try_fold(Label::always(), |label, f| Some(label.and(&of(f, place)?)))?
            }
            Formula::Or(parts) => {
                parts.iter().try_fold(Label::never(), |label, f| Some(label.or(&of(f, place)?)))?
            }
            _ => return None,
        })
    }
    let places: Vec<u32> = condition
        .propositions
        .iter()
        .map(|p| names.iter().position(|n| n == p).map(|i| i as u32))
        .collect::<Option<_>>()?;
    of(&condition.formula, &|p| places[p as usize])
}

fn main() {
    let structures: Vec<Structure> = (1..=3).map(structure).collect();
    let measure = |automaton: &Automaton| {
        structures.iter().map(|k| product(automaton, k)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
    };
    for (name, negated) in [("f", false), ("not f", true)] {
        let mut sums = [(0, 0); 3];
        let mut peers = [Peer::new("spin", "SPIN", false), Peer::new("ltl3ba", "LTL3BA", true)];
        let mut n = 0;
        for line in include_str!("../tests/formulas.txt").lines().filter(|l| !l.starts_with('#')) {
            let fields: Vec<&str> = line.split(" | ").collect();
            if !["eh", "sb", "dac"].iter().any(|set| fields[0].starts_with(set)) {
                continue;
            }
            let parsed = parse(fields[1]).expect("the list is well-formed");
            let formula = if negated { parsed.formula.negated() } else { parsed.formula };
            let best = TranslateOptions::default();
            let low = TranslateOptions::low_effort();
            let ours = translate_to_buchi(&formula, &best).expect("small enough");
            let Ok(plain) = translate_to_buchi(&formula, &low) else { continue };
            let generalized = translate(&formula, &best).expect("small enough");
            n += 1;
            for (sum, automaton) in sums.iter_mut().zip([&ours, &generalized, &plain]) {
                let (states, transitions) = measure(automaton);
                *sum = (sum.0 + states, sum.1 + transitions);
            }
            for peer in &mut peers {
                let Some(theirs) = peer_claim(peer, &formula, &parsed.propositions) else { continue };
                peer.n += 1;
                for (sum, automaton) in peer.sums.iter_mut().zip([&ours, &theirs]) {
                    let (states, transitions) = measure(automaton);
                    *sum = (sum.0 + states, sum.1 + transitions);
                }
            }
        }
        println!("{name}, {n} automata, states/transitions:");
        println!(
            "  Büchi {}/{}, generalized {}/{}, low effort {}/{}",
            sums[0].0, sums[0].1, sums[1].0, sums[1].1, sums[2].0, sums[2].1
        );
        for Peer { name, n, sums: [ours, theirs], .. } in peers.iter().filter(|p| p.n > 0) {
            println!(
                "  on the {n} that {name} translates: Büchi {}/{}, {name} {}/{}",
                ours.0, ours.1, theirs.0, theirs.1
            );
        }
    }
}
