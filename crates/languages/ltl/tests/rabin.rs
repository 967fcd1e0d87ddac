//! Automata with any acceptance condition, against a direct evaluation on all short words.

use allways_ltl::hoa::{Acceptance, HoaAutomaton, HoaState};
use allways_ltl::{Cube, Edge, Label, Lasso, accepts};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

const N_SETS: u32 = 3;

fn acceptance(rng: &mut StdRng, depth: u32) -> Acceptance {
    let set = rng.random_range(0..N_SETS);
    match rng.random_range(0..if depth == 0 { 5 } else { 9 }) {
        0 => Acceptance::Inf(set),
        1 => Acceptance::Fin(set),
        2 => Acceptance::InfNot(set),
        3 => Acceptance::FinNot(set),
        4 => {
            if rng.random() {
                Acceptance::True
            } else {
                Acceptance::False
            }
        }
        5 | 6 => Acceptance::And((0..2).map(|_| acceptance(rng, depth - 1)).collect()),
        _ => Acceptance::Or((0..2).map(|_| acceptance(rng, depth - 1)).collect()),
    }
}

/// Over one or two propositions; deterministic ones have a choice of edges for each letter only.
fn automaton(rng: &mut StdRng, deterministic: bool) -> HoaAutomaton {
    let n = rng.random_range(1..=4u32);
    let letter = |value: u64| Label { cubes: vec![Cube { ones: value, zeros: !value & 3 }] };
    let edge = |rng: &mut StdRng, label: Label| Edge {
        label,
        target: rng.random_range(0..n),
        marks: rng.random_range(0..1 << N_SETS),
    };
    let state = |rng: &mut StdRng| {
        let mut edges = Vec::new();
        for value in 0..4 {
            let most = if deterministic { 1 } else { 2 };
            for _ in 0..rng.random_range(0..=most) {
                edges.push(edge(rng, letter(value)));
            }
        }
        HoaState { name: None, edges }
    };
    let states = (0..n).map(|_| state(rng)).collect();
    let start = match deterministic {
        true => vec![0],
        false => (0..rng.random_range(0..=2)).map(|_| rng.random_range(0..n)).collect(),
    };
    HoaAutomaton {
        name: None,
        propositions: vec!["p".into(), "q".into()],
        start,
        n_sets: N_SETS,
        acceptance: acceptance(rng, 2),
        properties: Vec::new(),
        states,
    }
}

fn is_met(acceptance: &Acceptance, again: u64, ever_outside: &dyn Fn(u32) -> bool) -> bool {
    let holds = |part: &Acceptance| is_met(part, again, ever_outside);
    match acceptance {
        Acceptance::True => true,
        Acceptance::False => false,
        Acceptance::Inf(set) => again >> set & 1 == 1,
        Acceptance::Fin(set) => again >> set & 1 == 0,
        Acceptance::InfNot(set) => ever_outside(*set),
        Acceptance::FinNot(set) => !ever_outside(*set),
        Acceptance::And(parts) => parts.iter().all(holds),
        Acceptance::Or(parts) => parts.iter().any(holds),
    }
}

/// By brute force: for every set of kinds of edges, whether a cycle has exactly these.
fn direct(automaton: &HoaAutomaton, word: &Lasso) -> bool {
    let length = word.prefix.len() + word.cycle.len();
    let letter = |at: usize| *word.prefix.iter().chain(&word.cycle).nth(at).expect("in the word");
    let next = |at: usize| if at + 1 < length { at + 1 } else { word.prefix.len() };
    let n = automaton.states.len();
    let mut edges: Vec<(usize, usize, u64)> = Vec::new();
    let mut reached = vec![false; n * length];
    let mut todo: Vec<usize> = automaton.start.iter().map(|start| *start as usize).collect();
    todo.iter().for_each(|vertex| reached[*vertex] = true);
    while let Some(vertex) = todo.pop() {
        let (at, state) = (vertex / n, vertex % n);
        for edge in automaton.states[state].edges.iter().filter(|edge| edge.label.contains(letter(at))) {
            let target = next(at) * n + edge.target as usize;
            edges.push((vertex, target, edge.marks));
            if !std::mem::replace(&mut reached[target], true) {
                todo.push(target);
            }
        }
    }
    // A kind of edge is the set of its marks; which kinds a run meets again and again decides.
    (1u64..1 << (1 << N_SETS)).any(|kinds| {
        let inside: Vec<_> = edges.iter().filter(|(_, _, marks)| kinds >> marks & 1 == 1).collect();
        let again =
            (0..1 << N_SETS).filter(|kind| kinds >> kind & 1 == 1).fold(0, |all, kind: u64| all | kind);
        let outside =
            |set: u32| (0..1u64 << N_SETS).any(|kind| kinds >> kind & 1 == 1 && kind >> set & 1 == 0);
        is_met(&automaton.acceptance, again, &outside) && has_cycle_with(n * length, &inside, kinds)
    })
}

fn has_cycle_with(n: usize, edges: &[&(usize, usize, u64)], kinds: u64) -> bool {
    let mut reach = vec![vec![false; n]; n];
    edges.iter().for_each(|(from, to, _)| reach[*from][*to] = true);
    for via in 0..n {
        let onward = reach[via].clone();
        for row in reach.iter_mut().filter(|row| row[via]) {
            row.iter_mut().zip(&onward).for_each(|(there, on)| *there |= on);
        }
    }
    (0..n).filter(|root| reach[*root][*root]).any(|root| {
        let component = |vertex: usize| reach[root][vertex] && reach[vertex][root];
        let inside = edges.iter().filter(|(from, to, _)| component(*from) && component(*to));
        inside.fold(0, |all, (_, _, marks)| all | 1u64 << marks) == kinds
    })
}

fn words() -> Vec<Lasso> {
    let mut words = Vec::new();
    for (prefix, cycle) in [(0u32, 1u32), (0, 2), (1, 1), (1, 2), (2, 1)] {
        for number in 0..4u64.pow(prefix + cycle) {
            let letters: Vec<u64> = (0..prefix + cycle).map(|at| number >> (2 * at) & 3).collect();
            let (prefix, cycle) = letters.split_at(prefix as usize);
            words.push(Lasso { prefix: prefix.to_vec(), cycle: cycle.to_vec() });
        }
    }
    words
}

#[test]
fn pairs_mean_what_the_condition_means() {
    let words = words();
    let mut accepted = 0;
    for seed in 0..150 {
        let mut rng = StdRng::seed_from_u64(seed);
        let automaton = automaton(&mut rng, false);
        let rabin = automaton.to_rabin().expect("small enough");
        let buchi = rabin.to_generalized_buchi();
        for word in &words {
            let expected = direct(&automaton, word);
            accepted += usize::from(expected);
            assert_eq!(accepts(&buchi, word), expected, "seed {seed}, {word:?}, {}", automaton.acceptance);
        }
    }
    assert!(accepted > 1000, "{accepted} are too few for a test");
}

#[test]
fn complements_accept_the_rest() {
    let words = words();
    let (mut accepted, mut rejected) = (0, 0);
    for seed in 0..150 {
        let mut rng = StdRng::seed_from_u64(seed);
        let automaton = automaton(&mut rng, true);
        let complement = automaton.complement().expect("few sets").expect("it is deterministic");
        let buchi = complement.to_rabin().expect("small enough").to_generalized_buchi();
        for word in &words {
            let expected = direct(&automaton, word);
            *(if expected { &mut accepted } else { &mut rejected }) += 1;
            assert_eq!(accepts(&buchi, word), !expected, "seed {seed}, {word:?}, {}", automaton.acceptance);
        }
    }
    assert!(accepted > 1000 && rejected > 1000, "{accepted} and {rejected} are too few for a test");
}

#[test]
fn only_deterministic_automata_have_complements() {
    let mut rng = StdRng::seed_from_u64(1);
    let mut automaton = automaton(&mut rng, true);
    let twice = Edge { label: Label::always(), target: 0, marks: 0 };
    automaton.states[0].edges.extend([twice.clone(), twice]);
    assert_eq!(automaton.complement(), Ok(None));
}
