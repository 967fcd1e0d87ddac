//! What becomes of a formula: `cargo run -p allways-ltl --example look -- '[] (p -> <> q)'`.

use allways_ltl::{Automaton, TranslateOptions, never, parse, translate, translate_to_buchi};

fn print(automaton: &Automaton) {
    println!("{} states, {} sets, initial {}", automaton.states.len(), automaton.n_marks, automaton.initial);
    for (s, edges) in automaton.states.iter().enumerate() {
        for e in edges {
            println!("  {s} -> {} {:b} {:?}", e.target, e.marks, e.label.cubes);
        }
    }
}

fn main() {
    for text in std::env::args().skip(1) {
        let parsed = match parse(&text) {
            Ok(parsed) => parsed,
            Err(error) => {
                println!("{text}: {error} at {:?}", error.position);
                continue;
            }
        };
        println!("{}", parsed.formula.display(&parsed.propositions));
        println!("simplified: {}", parsed.formula.simplified().display(&parsed.propositions));
        let options = TranslateOptions::default();
        match (translate(&parsed.formula, &options), translate_to_buchi(&parsed.formula, &options)) {
            (Ok(generalized), Ok(buchi)) => {
                print(&generalized);
                println!("{}", never::write(&buchi, &parsed.propositions, &text));
            }
            (Err(error), _) | (_, Err(error)) => println!("{error}"),
        }
    }
}
