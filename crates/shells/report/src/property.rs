//! What is known about a formula or an automaton, as text and as JSON: schema `allways/property/1`.

use std::fmt::Write;
use std::ops::Range;

use allways_ltl::hoa::HoaAutomaton;
use allways_ltl::{
    AutomatonFacts, Class, Formula, FormulaFacts, Lasso, Lint, Strength, TooLarge, lasso_text,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The value of `schema`.
pub const SCHEMA: &str = "allways/property/1";

const CLASSES: [&str; 6] = ["safety", "guarantee", "obligation", "recurrence", "persistence", "reactivity"];
const STRENGTHS: [&str; 3] = ["terminal", "weak", "strong"];

/// A formula and everything about it.
pub struct FormulaReport<'a> {
    pub formula: &'a Formula,
    /// The text of each proposition.
    pub propositions: &'a [String],
    pub facts: &'a FormulaFacts,
    /// What may be read differently elsewhere.
    pub notes: &'a [String],
    /// If it was made from a template.
    pub template: Option<&'a Template>,
}

/// How a formula was made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Template {
    /// E.g. `pattern response, scope between`.
    pub name: String,
    /// Better than what can be said about the formula alone.
    pub words: Option<String>,
    /// What was decided where people differ.
    pub choices: Vec<&'static str>,
}

/// What `allways property --as json` prints.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "allways/property/1")]
pub struct PropertyDocument {
    #[schemars(extend("const" = SCHEMA))]
    pub schema: String,
    /// As it was understood; absent for an automaton.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
    /// In a form that translates well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simplified: Option<String>,
    /// The name of an automaton that was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Conditions on states.
    pub propositions: Vec<String>,
    /// The meaning in English.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// How the formula was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// What was decided where people differ.
    pub choices: Vec<String>,
    /// What may be read differently elsewhere.
    pub notes: Vec<String>,
    /// Absent if it could not be found out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = CLASSES))]
    pub class: Option<String>,
    /// Whether repeating states changes nothing; absent if it could not be found out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stutter_invariant: Option<bool>,
    /// Accepts the words that satisfy the formula; absent if it is too large.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub automaton: Option<AutomatonRecord>,
    /// Accepts the words that violate it; absent if it is too large, and for an automaton.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub negation: Option<AutomatonRecord>,
}

/// What is known about an automaton.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AutomatonRecord {
    /// With accepting states, as a never claim is.
    pub states: usize,
    pub edges: usize,
    /// With acceptance sets on edges.
    pub generalized_states: usize,
    pub generalized_edges: usize,
    pub acceptance_sets: u32,
    /// Whether no state has two edges for the same letter; with acceptance sets on edges.
    pub deterministic: bool,
    /// How hard it is to find accepting runs.
    #[schemars(extend("enum" = STRENGTHS))]
    pub strength: String,
    /// A few short words that are accepted; empty if there are none.
    pub examples: Vec<WordRecord>,
}

/// An infinite word: for each state the propositions that hold in it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WordRecord {
    /// As people read it.
    pub text: String,
    /// Once.
    pub prefix: Vec<Vec<String>>,
    /// Forever.
    pub cycle: Vec<Vec<String>>,
}

/// The document about a formula.
pub fn formula_document(report: &FormulaReport) -> PropertyDocument {
    let FormulaReport { formula, propositions, facts, notes, template } = report;
    PropertyDocument {
        schema: SCHEMA.into(),
        formula: Some(formula.display(propositions).to_string()),
        simplified: Some(facts.simplified.display(propositions).to_string()),
        name: None,
        propositions: propositions.to_vec(),
        words: Some(words(report)),
        template: template.map(|template| template.name.clone()),
        choices: template.iter().flat_map(|t| t.choices.iter().map(|choice| choice.to_string())).collect(),
        notes: notes.to_vec(),
        class: facts.class.map(|class| class_name(class).to_string()),
        stutter_invariant: facts.stutter_invariant,
        automaton: facts.positive.as_ref().ok().map(|side| record(side, propositions)),
        negation: facts.negative.as_ref().ok().map(|side| record(side, propositions)),
    }
}

/// The document about an automaton.
pub fn automaton_document(read: &HoaAutomaton, facts: &AutomatonFacts) -> PropertyDocument {
    PropertyDocument {
        schema: SCHEMA.into(),
        formula: None,
        simplified: None,
        name: read.name.clone(),
        propositions: read.propositions.clone(),
        words: None,
        template: None,
        choices: Vec::new(),
        notes: Vec::new(),
        class: None,
        stutter_invariant: None,
        automaton: Some(record(facts, &read.propositions)),
        negation: None,
    }
}

/// A report for people on a formula.
pub fn formula_text(report: &FormulaReport) -> String {
    let FormulaReport { formula, propositions, facts, notes, template } = report;
    let written = formula.display(propositions).to_string();
    let simplified = facts.simplified.display(propositions).to_string();
    let mut lines = Lines::default();
    if let Some(template) = template {
        lines.add("Made from", &template.name);
    }
    lines.add("Formula", &written);
    lines.add_each("Note", notes.iter().map(String::as_str));
    if simplified != written {
        lines.add("Simplified", &simplified);
    }
    lines.add("In words", &words(report));
    if let Some(template) = template {
        lines.add_each("Choices", template.choices.iter().copied());
        lines.add("In a model", &format!("ltl name {{ {written} }}"));
    }
    lines.add("Class", facts.class.map_or("not found out: its automata are too large", class_text));
    lines.add("Repetition", repetition(facts.stutter_invariant));
    let size_of = |side: &Result<AutomatonFacts, TooLarge>| match side {
        Ok(side) => size(side),
        Err(error) => error.to_string(),
    };
    lines.add("Automaton", &size_of(&facts.positive));
    lines.add("Negation", &format!("{} (what a checker searches for)", size_of(&facts.negative)));
    let mut text = lines.text;
    let sides = [
        ("Satisfied by", &facts.positive, "nothing: it is never true"),
        ("Violated by", &facts.negative, "nothing: it is always true"),
    ];
    for (title, side, none) in sides {
        if let Ok(side) = side {
            words_text(&mut text, title, &side.examples, propositions, none);
        }
    }
    text + LEGEND
}

/// A report for people on an automaton.
pub fn automaton_text(read: &HoaAutomaton, facts: &AutomatonFacts) -> String {
    let n_edges: usize = read.states.iter().map(|state| state.edges.len()).sum();
    let mut lines = Lines::default();
    lines.add("Automaton", read.name.as_deref().unwrap_or("without a name"));
    lines.add("Propositions", &read.propositions.join(", "));
    lines.add("As read", &format!("{}, {}", count(read.states.len(), "state"), count(n_edges, "edge")));
    lines.add("Acceptance", &format!("{} ({})", read.acceptance, count(read.n_sets as usize, "set")));
    lines.add("Deterministic", if facts.deterministic { "yes" } else { "no" });
    lines.add("As a claim", &format!("{}, {}", size(facts), strength_text(facts.strength)));
    let mut text = lines.text;
    words_text(&mut text, "Accepted are", &facts.examples, &read.propositions, "no words at all");
    text + LEGEND
}

/// What a lint says, with the place it speaks of.
pub fn note(text: &str, lint: &Lint) -> String {
    format!("{}: {}", text.get(lint.position.clone()).unwrap_or(text).trim(), lint.message)
}

/// The line of a text with carets under the place; indented.
pub fn excerpt(text: &str, place: &Range<usize>) -> String {
    let start = place.start.min(text.len());
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let end = place.end.clamp(start, line_end);
    let line = &text[line_start..line_end];
    let before = text[line_start..start].chars().count();
    let carets = text[start..end].chars().count().max(1);
    // A tab is one column, as the line is printed with spaces instead.
    format!("    {}\n    {}{}", line.replace('\t', " "), " ".repeat(before), "^".repeat(carets))
}

const LEGEND: &str =
    "\nBraces are states and what holds in them; what is in parentheses is repeated forever.\n";

fn words(report: &FormulaReport) -> String {
    let better = report.template.and_then(|template| template.words.clone());
    better.unwrap_or_else(|| report.facts.words.clone())
}

#[derive(Default)]
struct Lines {
    text: String,
}

impl Lines {
    fn add(&mut self, title: &str, value: &str) {
        let _ = writeln!(self.text, "{title:<14}{value}");
    }

    /// The title is on the first line only.
    fn add_each<'a>(&mut self, title: &str, values: impl Iterator<Item = &'a str>) {
        for (number, value) in values.enumerate() {
            self.add(if number == 0 { title } else { "" }, value);
        }
    }
}

fn words_text(text: &mut String, title: &str, words: &[Lasso], names: &[String], none: &str) {
    if words.is_empty() {
        let _ = writeln!(text, "\n{title} {none}");
        return;
    }
    let _ = writeln!(text, "\n{title}, for example");
    for word in words {
        let _ = writeln!(text, "  {}", lasso_text(word, names));
    }
}

fn size(facts: &AutomatonFacts) -> String {
    let strength = strength_name(facts.strength);
    let sizes =
        format!("{}, {}", count(facts.buchi.states.len(), "state"), count(facts.buchi.n_edges(), "edge"));
    format!("{sizes}, {strength}")
}

fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

fn class_name(class: Class) -> &'static str {
    match class {
        Class::Safety => CLASSES[0],
        Class::Guarantee => CLASSES[1],
        Class::Obligation => CLASSES[2],
        Class::Recurrence => CLASSES[3],
        Class::Persistence => CLASSES[4],
        Class::Reactivity => CLASSES[5],
    }
}

fn class_text(class: Class) -> &'static str {
    match class {
        Class::Safety => "safety: every violation shows after finitely many steps",
        Class::Guarantee => "guarantee: if it is satisfied, that shows after finitely many steps",
        Class::Obligation => "obligation: a combination of safety and guarantee",
        Class::Recurrence => "recurrence: something has to happen again and again",
        Class::Persistence => "persistence: something has to hold from some moment on",
        Class::Reactivity => "reactivity: a combination of recurrence and persistence",
    }
}

fn strength_name(strength: Strength) -> &'static str {
    match strength {
        Strength::Terminal => STRENGTHS[0],
        Strength::Weak => STRENGTHS[1],
        Strength::Strong => STRENGTHS[2],
    }
}

fn strength_text(strength: Strength) -> &'static str {
    match strength {
        Strength::Terminal => "so that reaching a state is enough",
        Strength::Weak => "so that any cycle in an accepting part will do",
        Strength::Strong => "so that cycles through accepting states have to be searched for",
    }
}

fn repetition(stutter_invariant: Option<bool>) -> &'static str {
    match stutter_invariant {
        Some(true) => "repeating a state does not matter; partial-order reduction can be used",
        Some(false) => {
            "repeating a state matters (stutter sensitive); partial-order reduction cannot be used"
        }
        None => "not found out: the automata are too large",
    }
}

fn record(facts: &AutomatonFacts, names: &[String]) -> AutomatonRecord {
    AutomatonRecord {
        states: facts.buchi.states.len(),
        edges: facts.buchi.n_edges(),
        generalized_states: facts.generalized.states.len(),
        generalized_edges: facts.generalized.n_edges(),
        acceptance_sets: facts.generalized.n_marks,
        deterministic: facts.deterministic,
        strength: strength_name(facts.strength).into(),
        examples: facts.examples.iter().map(|word| word_record(word, names)).collect(),
    }
}

fn word_record(word: &Lasso, names: &[String]) -> WordRecord {
    let holding = |letter: &u64| {
        let held = names.iter().enumerate().filter(|(p, _)| letter >> p & 1 == 1);
        held.map(|(_, name)| name.clone()).collect()
    };
    let states = |letters: &[u64]| letters.iter().map(holding).collect();
    WordRecord { text: lasso_text(word, names), prefix: states(&word.prefix), cycle: states(&word.cycle) }
}

#[cfg(test)]
mod tests {
    use allways_ltl::{formula_facts, hoa, hoa_facts, parse};
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, render: fn(&FormulaReport) -> String, expected: Expect) {
        let parsed = parse(text).unwrap();
        let facts = formula_facts(&parsed.formula, &parsed.propositions);
        let notes: Vec<String> = parsed.lints.iter().map(|lint| note(text, lint)).collect();
        let report = FormulaReport {
            formula: &parsed.formula,
            propositions: &parsed.propositions,
            facts: &facts,
            notes: &notes,
            template: None,
        };
        expected.assert_eq(&render(&report));
    }

    #[test]
    fn reports_for_people() {
        check(
            "[] (p -> <> q)",
            formula_text,
            expect![[r#"
                Formula       [](p -> <>q)
                Simplified    [](!p || <>q)
                In words      whenever p holds, q holds then or later
                Class         recurrence: something has to happen again and again
                Repetition    repeating a state does not matter; partial-order reduction can be used
                Automaton     2 states, 4 edges, strong
                Negation      2 states, 3 edges, weak (what a checker searches for)

                Satisfied by, for example
                  ({})*
                  ({p, q})*
                  {q} ({})*
                  {p} ({q})*

                Violated by, for example
                  ({p})*
                  {q} ({p})*
                  {} ({p})*
                  {p, q} ({p})*

                Braces are states and what holds in them; what is in parentheses is repeated forever.
            "#]],
        );
        check(
            "p U q U r == 1",
            formula_text,
            expect![[r#"
                Formula       p U (q U (r == 1))
                Note          p U q U r == 1: `a U b U c` is `a U (b U c)`; Spin reads `(a U b) U c`
                In words      p holds until a moment from which (q holds from then on until `r == 1` holds, and that moment comes), and that moment comes
                Class         guarantee: if it is satisfied, that shows after finitely many steps
                Repetition    repeating a state does not matter; partial-order reduction can be used
                Automaton     3 states, 6 edges, terminal
                Negation      3 states, 6 edges, weak (what a checker searches for)

                Satisfied by, for example
                  ({r == 1})*
                  ({p, r == 1})*
                  ({q, r == 1})*
                  ({p, q, r == 1})*

                Violated by, for example
                  ({})*
                  ({p})*
                  ({q})*
                  ({p, q})*

                Braces are states and what holds in them; what is in parentheses is repeated forever.
            "#]],
        );
        check(
            "[] p && <> !p",
            formula_text,
            expect![[r#"
                Formula       []p && <>!p
                Simplified    false
                In words      p always holds, and at some moment p does not hold
                Class         safety: every violation shows after finitely many steps
                Repetition    repeating a state does not matter; partial-order reduction can be used
                Automaton     1 state, 0 edges, terminal
                Negation      1 state, 1 edge, terminal (what a checker searches for)

                Satisfied by nothing: it is never true

                Violated by, for example
                  ({})*
                  ({p})*
                  {} ({p})*
                  ({} {p})*

                Braces are states and what holds in them; what is in parentheses is repeated forever.
            "#]],
        );
        check(
            "X p",
            formula_text,
            expect![[r#"
                Formula       X p
                In words      p holds in the second state
                Class         safety: every violation shows after finitely many steps
                Repetition    repeating a state matters (stutter sensitive); partial-order reduction cannot be used
                Automaton     3 states, 3 edges, terminal
                Negation      3 states, 3 edges, terminal (what a checker searches for)

                Satisfied by, for example
                  ({p})*
                  {} ({p})*
                  ({} {p})*
                  {} {p} ({})*

                Violated by, for example
                  ({})*
                  {p} ({})*
                  ({p} {})*
                  {} {} ({p})*

                Braces are states and what holds in them; what is in parentheses is repeated forever.
            "#]],
        );
    }

    #[test]
    fn documents_for_programs() {
        let json = |report: &FormulaReport| crate::to_json(&formula_document(report));
        check(
            "<> p",
            json,
            expect![[r#"
            {
              "schema": "allways/property/1",
              "formula": "<>p",
              "simplified": "<>p",
              "propositions": [
                "p"
              ],
              "words": "p holds at some moment",
              "choices": [],
              "notes": [],
              "class": "guarantee",
              "stutter_invariant": true,
              "automaton": {
                "states": 2,
                "edges": 3,
                "generalized_states": 2,
                "generalized_edges": 3,
                "acceptance_sets": 1,
                "deterministic": true,
                "strength": "terminal",
                "examples": [
                  {
                    "text": "({p})*",
                    "prefix": [],
                    "cycle": [
                      [
                        "p"
                      ]
                    ]
                  },
                  {
                    "text": "{} ({p})*",
                    "prefix": [
                      []
                    ],
                    "cycle": [
                      [
                        "p"
                      ]
                    ]
                  },
                  {
                    "text": "({} {p})*",
                    "prefix": [],
                    "cycle": [
                      [],
                      [
                        "p"
                      ]
                    ]
                  },
                  {
                    "text": "{p} ({})*",
                    "prefix": [
                      [
                        "p"
                      ]
                    ],
                    "cycle": [
                      []
                    ]
                  }
                ]
              },
              "negation": {
                "states": 1,
                "edges": 1,
                "generalized_states": 1,
                "generalized_edges": 1,
                "acceptance_sets": 0,
                "deterministic": true,
                "strength": "weak",
                "examples": [
                  {
                    "text": "({})*",
                    "prefix": [],
                    "cycle": [
                      []
                    ]
                  }
                ]
              }
            }"#]],
        );
    }

    #[test]
    fn automata_that_were_read() {
        let text = "HOA: v1 name: \"again\" States: 1 Start: 0 AP: 1 \"p\" Acceptance: 1 Inf(0)
            --BODY-- State: 0 [0] 0 {0} [!0] 0 --END--";
        let read = hoa::parse(text).unwrap();
        expect![[r#"
            Automaton     again
            Propositions  p
            As read       1 state, 2 edges
            Acceptance    Inf(0) (1 set)
            Deterministic yes
            As a claim    2 states, 4 edges, strong, so that cycles through accepting states have to be searched for

            Accepted are, for example
              ({p})*
              {} ({p})*
              ({} {p})*
              ({p} {})*

            Braces are states and what holds in them; what is in parentheses is repeated forever.
        "#]].assert_eq(&automaton_text(&read, &hoa_facts(&read).unwrap()));
    }

    #[test]
    fn carets_are_under_the_place() {
        assert_eq!(excerpt("[] (p\n  -> <> )", &(13..14)), "      -> <> )\n           ^");
        assert_eq!(excerpt("[] ", &(3..3)), "    [] \n       ^");
        assert_eq!(excerpt("a\u{fc}\u{4e00} @ b", &(7..8)), "    a\u{fc}\u{4e00} @ b\n        ^");
    }
}
