//! Automata as pictures, for Graphviz.

use std::fmt::Write;

use crate::Automaton;
use crate::text::{Signs, label_text, name_of};

const SIGNS: Signs = Signs { always: "1", never: "0", not: "!", and: " & ", or: " | " };

/// The text of a directed graph. States of a state-based automaton that accept have two rings, otherwise edges show
/// the sets they are in.
pub fn write(automaton: &Automaton, names: &[String], title: &str) -> String {
    let state_based = automaton.is_state_based();
    let mut text = String::new();
    let _ = writeln!(text, "digraph \"{}\" {{\n  rankdir=LR;\n  node [shape=circle];", escaped(title));
    let _ = writeln!(text, "  start [shape=point];\n  start -> {};", automaton.initial);
    for s in 0..automaton.states.len() as u32 {
        let shape = if state_based && automaton.is_accepting(s) { " [shape=doublecircle]" } else { "" };
        let _ = writeln!(text, "  {s}{shape};");
    }
    for (s, edges) in automaton.states.iter().enumerate() {
        for edge in edges {
            let label = escaped(&label_text(&edge.label, &SIGNS, |p| name_of(names, p)));
            let sets: Vec<String> =
                (0..automaton.n_marks).filter(|i| edge.marks >> i & 1 == 1).map(|i| i.to_string()).collect();
            let sets = if state_based || sets.is_empty() {
                String::new()
            } else {
                format!("\\n{{{}}}", sets.join(","))
            };
            let _ = writeln!(text, "  {s} -> {} [label=\"{label}{sets}\"];", edge.target);
        }
    }
    text.push_str("}\n");
    text
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::{TranslateOptions, parse, translate};

    #[test]
    fn sets_are_shown_on_edges() {
        let parsed = parse("[]<> \"a b\"").unwrap();
        let automaton = translate(&parsed.formula, &TranslateOptions::default()).unwrap();
        expect![[r#"
            digraph "a \"title\"" {
              rankdir=LR;
              node [shape=circle];
              start [shape=point];
              start -> 0;
              0;
              0 -> 0 [label="!a b"];
              0 -> 0 [label="a b\n{0}"];
            }
        "#]]
        .assert_eq(&super::write(&automaton, &parsed.propositions, "a \"title\""));
    }
}
