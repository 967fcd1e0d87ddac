//! The automaton of a formula as something to draw.

use allways_ltl::{Automaton, label_text};
use allways_system::LocationId;

use super::{Edge, Graph, Node};

/// Accepting states of a state-based automaton are marked; otherwise edges show the acceptance sets they are in.
pub fn observer(automaton: &Automaton, names: &[String], title: &str) -> Graph {
    let state_based = automaton.is_state_based();
    // The state where runs start is the first to be drawn.
    let others = (0..automaton.states.len() as u32).filter(|state| *state != automaton.initial);
    let order: Vec<u32> = std::iter::once(automaton.initial).chain(others).collect();
    let mut index = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, state)| index[*state as usize] = at);
    let node = |state: &u32| Node {
        id: LocationId(*state),
        labels: Vec::new(),
        is_final: false,
        is_end: false,
        is_progress: false,
        is_accept: state_based && automaton.is_accepting(*state),
        location: None,
    };
    let mut edges = Vec::new();
    for (from, state) in order.iter().enumerate() {
        edges.extend(automaton.states[*state as usize].iter().map(|edge| Edge {
            from,
            to: index[edge.target as usize],
            text: format!("{}{}", label_text(&edge.label, names), sets(automaton, edge.marks, state_based)),
            escape: None,
            atomic: false,
            location: None,
        }));
    }
    Graph { title: title.to_string(), nodes: order.iter().map(node).collect(), edges }
}

fn sets(automaton: &Automaton, marks: u64, state_based: bool) -> String {
    let sets = (0..automaton.n_marks).filter(|set| marks >> set & 1 == 1);
    let sets: Vec<String> = sets.map(|set| set.to_string()).collect();
    if state_based || sets.is_empty() { String::new() } else { format!(" {{{}}}", sets.join(",")) }
}

#[cfg(test)]
mod tests {
    use allways_ltl::{parse, to_buchi, translate};
    use expect_test::{Expect, expect};

    use crate::drawing::tests::check_well_formed;
    use crate::graph::{svg, text};

    fn check(formula: &str, state_based: bool, expected: Expect) {
        let parsed = parse(formula).unwrap();
        let automaton = translate(&parsed.formula, &Default::default()).unwrap();
        let automaton = if state_based { to_buchi(&automaton) } else { automaton };
        let graph = super::observer(&automaton, &parsed.propositions, formula);
        expected.assert_eq(&text(std::slice::from_ref(&graph)));
        check_well_formed(&svg(&[graph]));
    }

    #[test]
    fn acceptance_is_on_states_or_on_edges() {
        check(
            "<> !(x == 1)",
            true,
            expect![[r#"
            <> !(x == 1)
              0 (initial)
                  (x == 1)  -> 0
                  !(x == 1) -> 1
              1 (accept)
                  true      -> 1
        "#]],
        );
        check(
            "[]<> p && []<> q",
            false,
            expect![[r#"
            []<> p && []<> q
              0 (initial)
                  !p && !q     -> 0
                  !p && q {0}  -> 0
                  p && !q {1}  -> 0
                  p && q {0,1} -> 0
        "#]],
        );
    }
}
