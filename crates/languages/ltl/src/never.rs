//! Never claims: the form in which Spin reads automata.

use std::fmt::Write;

use crate::text::{Signs, label_text, name_of};
use crate::{Automaton, accepting_sink};

const SIGNS: Signs = Signs { always: "1", never: "0", not: "!", and: " && ", or: " || " };

/// The text of a never claim. The automaton has to be state-based, as [`crate::to_buchi`] makes them; otherwise the
/// claim is that of its state-based equivalent.
pub fn write(automaton: &Automaton, names: &[String], title: &str) -> String {
    if !automaton.is_state_based() {
        return write_state_based(&crate::to_buchi(automaton), names, title);
    }
    write_state_based(automaton, names, title)
}

fn write_state_based(automaton: &Automaton, names: &[String], title: &str) -> String {
    let sink = accepting_sink(automaton).filter(|s| *s != automaton.initial);
    let label = |s: u32| {
        let accepts = automaton.is_accepting(s);
        match (s == automaton.initial, Some(s) == sink) {
            (true, _) if accepts => "accept_init".to_string(),
            (true, _) => "T0_init".to_string(),
            (_, true) => "accept_all".to_string(),
            _ if accepts => format!("accept_S{s}"),
            _ => format!("T0_S{s}"),
        }
    };
    let mut text = String::new();
    // A title may not end the comment it is in.
    let title = title.replace("*/", "* /");
    let _ = writeln!(text, "never  {{    /* {title} */");
    let first = [automaton.initial].into_iter();
    let others = (0..automaton.states.len() as u32).filter(|s| *s != automaton.initial && Some(*s) != sink);
    for s in first.chain(others).chain(sink) {
        let _ = writeln!(text, "{}:", label(s));
        if Some(s) == sink {
            text.push_str("\tskip\n");
            continue;
        }
        if automaton.states[s as usize].is_empty() {
            text.push_str("\tfalse;\n");
            continue;
        }
        text.push_str("\tdo\n");
        for edge in &automaton.states[s as usize] {
            let condition = label_text(&edge.label, &SIGNS, |p| format!("({})", name_of(names, p)));
            let _ = writeln!(text, "\t:: ({condition}) -> goto {}", label(edge.target));
        }
        text.push_str("\tod;\n");
    }
    text.push_str("}\n");
    text
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::{TranslateOptions, parse, translate_to_buchi};

    fn check(text: &str, expected: Expect) {
        let parsed = parse(text).unwrap();
        let automaton = translate_to_buchi(&parsed.formula, &TranslateOptions::default()).unwrap();
        expected.assert_eq(&super::write(&automaton, &parsed.propositions, text));
    }

    #[test]
    fn response() {
        check(
            "!([] (p -> <> q))",
            expect![[r#"
            never  {    /* !([] (p -> <> q)) */
            T0_init:
            	do
            	:: (1) -> goto T0_init
            	:: ((p) && !(q)) -> goto accept_S1
            	od;
            accept_S1:
            	do
            	:: (!(q)) -> goto accept_S1
            	od;
            }
        "#]],
        );
    }

    #[test]
    fn expressions_and_the_sink() {
        check(
            "<> (x == 1 && !(y > 2))",
            expect![[r#"
            never  {    /* <> (x == 1 && !(y > 2)) */
            T0_init:
            	do
            	:: (!(x == 1) || (y > 2)) -> goto T0_init
            	:: ((x == 1) && !(y > 2)) -> goto accept_all
            	od;
            accept_all:
            	skip
            }
        "#]],
        );
    }

    #[test]
    fn nothing_and_everything() {
        check(
            "false",
            expect![[r#"
            never  {    /* false */
            T0_init:
            	false;
            }
        "#]],
        );
        check(
            "true",
            expect![[r#"
            never  {    /* true */
            accept_init:
            	do
            	:: (1) -> goto accept_init
            	od;
            }
        "#]],
        );
    }
}
