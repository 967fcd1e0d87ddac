//! The Hanoi omega-automata format, version 1.
//!
//! Reading understands everything in the format except alternation: any acceptance condition, labels on states or
//! edges, implicit labels, aliases, several automata in one text. [`HoaAutomaton::to_automaton`] makes an [`Automaton`]
//! of those that are generalized Büchi automata in some guise, [`HoaAutomaton::to_rabin`] a
//! [`RabinAutomaton`](crate::RabinAutomaton) of any.

use std::fmt::{self, Write};

use thiserror::Error;

use crate::hoa_reader::Reader;
use crate::text::{Signs, label_text, name_of};
use crate::{Automaton, Edge, Label};

/// What a text in the format says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HoaAutomaton {
    /// From `name:`.
    pub name: Option<String>,
    /// The atomic propositions; at most 64. Labels number them in this order.
    pub propositions: Vec<String>,
    /// Where runs may start; can be empty.
    pub start: Vec<u32>,
    /// How many acceptance sets; at most 64.
    pub n_sets: u32,
    /// Which runs are accepted.
    pub acceptance: Acceptance,
    /// From `properties:`; hints that are not checked.
    pub properties: Vec<String>,
    /// All states; those without a `State:` line have no edges.
    pub states: Vec<HoaState>,
}

/// A state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HoaState {
    /// Written behind its number.
    pub name: Option<String>,
    /// Its edges; labels and sets of the state are on all of them.
    pub edges: Vec<Edge>,
}

/// An Emerson-Lei acceptance condition.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Acceptance {
    /// Every run.
    True,
    /// No run.
    False,
    /// Edges of the set infinitely often.
    Inf(u32),
    /// Edges of the set finitely often.
    Fin(u32),
    /// Edges outside the set infinitely often.
    InfNot(u32),
    /// Edges outside the set finitely often.
    FinNot(u32),
    /// All of them.
    And(Vec<Acceptance>),
    /// One of them.
    Or(Vec<Acceptance>),
}

impl fmt::Display for Acceptance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let join = |f: &mut fmt::Formatter<'_>, parts: &[Acceptance], sign: &str| {
            for (i, part) in parts.iter().enumerate() {
                f.write_str(if i > 0 { sign } else { "" })?;
                match part {
                    Acceptance::And(_) | Acceptance::Or(_) => write!(f, "({part})")?,
                    _ => write!(f, "{part}")?,
                }
            }
            Ok(())
        };
        match self {
            Acceptance::True => f.write_str("t"),
            Acceptance::False => f.write_str("f"),
            Acceptance::Inf(i) => write!(f, "Inf({i})"),
            Acceptance::Fin(i) => write!(f, "Fin({i})"),
            Acceptance::InfNot(i) => write!(f, "Inf(!{i})"),
            Acceptance::FinNot(i) => write!(f, "Fin(!{i})"),
            Acceptance::And(parts) => join(f, parts, " & "),
            Acceptance::Or(parts) => join(f, parts, " | "),
        }
    }
}

/// Why a text is not read, or why an automaton cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum HoaError {
    /// The text is wrong.
    #[error("line {line}: {message}")]
    Syntax {
        /// Counted from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// The text is right but asks for something that is not supported.
    #[error("{what} is not supported")]
    Unsupported {
        /// What it asks for.
        what: String,
    },
}

/// Reads the first automaton of a text.
pub fn parse(text: &str) -> Result<HoaAutomaton, HoaError> {
    match Reader::new(text)?.automaton()? {
        Some(automaton) => Ok(automaton),
        None => Err(HoaError::Syntax { line: 1, message: "there is no automaton".into() }),
    }
}

/// Reads all automata of a text; those that are aborted are left out.
pub fn parse_all(text: &str) -> Result<Vec<HoaAutomaton>, HoaError> {
    let mut reader = Reader::new(text)?;
    let mut all = Vec::new();
    while let Some(automaton) = reader.automaton()? {
        all.push(automaton);
    }
    Ok(all)
}

impl HoaAutomaton {
    /// As a generalized Büchi automaton. Conditions that mention `Fin` or `|` are refused.
    pub fn to_automaton(&self) -> Result<Automaton, HoaError> {
        let unsupported =
            || HoaError::Unsupported { what: format!("the acceptance condition {}", self.acceptance) };
        // Which sets are to be met, and whether inside or outside.
        let mut wanted: Vec<(u32, bool)> = Vec::new();
        let mut todo = vec![&self.acceptance];
        let mut accepts_nothing = false;
        while let Some(part) = todo.pop() {
            match part {
                Acceptance::True => {}
                Acceptance::False => accepts_nothing = true,
                Acceptance::And(parts) => todo.extend(parts.iter().rev()),
                Acceptance::Or(parts) if parts.len() == 1 => todo.push(&parts[0]),
                Acceptance::Inf(i) => wanted.push((*i, true)),
                Acceptance::InfNot(i) => wanted.push((*i, false)),
                _ => return Err(unsupported()),
            }
        }
        wanted.dedup();
        let n_propositions = self.propositions.len() as u32;
        if accepts_nothing || self.start.is_empty() || wanted.len() > 64 {
            return if wanted.len() > 64 { Err(unsupported()) } else { Ok(Automaton::empty(n_propositions)) };
        }
        let (states, initial) = self.edges_from_one_start(&wanted);
        Ok(Automaton { n_propositions, n_marks: wanted.len() as u32, initial, states })
    }
}

const SIGNS: Signs = Signs { always: "t", never: "f", not: "!", and: "&", or: " | " };

/// The text of an automaton, with labels and sets on edges.
pub fn write(automaton: &Automaton, names: &[String], title: &str) -> String {
    let n = automaton.n_marks;
    let name = match n {
        0 => "all".to_string(),
        1 => "Buchi".to_string(),
        _ => format!("generalized-Buchi {n}"),
    };
    let condition: Vec<String> = (0..n).map(|i| format!("Inf({i})")).collect();
    let condition = if n == 0 { "t".to_string() } else { condition.join(" & ") };
    let propositions: Vec<String> = (0..automaton.n_propositions).map(|p| name_of(names, p)).collect();
    let mut text = String::new();
    write_header(&mut text, title, automaton.states.len(), &[automaton.initial], &propositions);
    let _ = writeln!(text, "acc-name: {name}\nAcceptance: {n} {condition}");
    let states: Vec<&[Edge]> = automaton.states.iter().map(Vec::as_slice).collect();
    write_body(&mut text, &states, n, crate::is_deterministic(automaton));
    text
}

/// Writes an automaton with any condition, under this name.
pub fn write_any(automaton: &HoaAutomaton, title: &str) -> String {
    let mut text = String::new();
    write_header(&mut text, title, automaton.states.len(), &automaton.start, &automaton.propositions);
    let _ = writeln!(text, "Acceptance: {} {}", automaton.n_sets, automaton.acceptance);
    let states: Vec<&[Edge]> = automaton.states.iter().map(|state| state.edges.as_slice()).collect();
    // Finding out takes a while where there are many edges.
    let is_small = states.iter().all(|edges| edges.len() <= 1024);
    write_body(&mut text, &states, automaton.n_sets, is_small && automaton.is_deterministic());
    text
}

fn write_header(text: &mut String, title: &str, n_states: usize, start: &[u32], propositions: &[String]) {
    let _ = writeln!(text, "HOA: v1\nname: {}\nStates: {n_states}", quoted(title));
    for start in start {
        let _ = writeln!(text, "Start: {start}");
    }
    let names: String = propositions.iter().map(|name| format!(" {}", quoted(name))).collect();
    let _ = writeln!(text, "AP: {}{names}", propositions.len());
}

fn write_body(text: &mut String, states: &[&[Edge]], n: u32, is_deterministic: bool) {
    let deterministic = if is_deterministic { " deterministic" } else { "" };
    let _ = writeln!(text, "properties: trans-labels explicit-labels trans-acc{deterministic}\n--BODY--");
    for (s, edges) in states.iter().enumerate() {
        let _ = writeln!(text, "State: {s}");
        for edge in *edges {
            let label = label_text(&edge.label, &SIGNS, |p| p.to_string());
            let sets: Vec<String> =
                (0..n).filter(|i| edge.marks >> i & 1 == 1).map(|i| i.to_string()).collect();
            let sets = if sets.is_empty() { String::new() } else { format!(" {{{}}}", sets.join(" ")) };
            let _ = writeln!(text, "[{label}] {}{sets}", edge.target);
        }
    }
    text.push_str("--END--\n");
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A label that allows one letter out of those over `n` propositions.
pub(crate) fn letter_label(letter: u64, n: u32) -> Label {
    let all = crate::automaton::all_marks(n);
    Label { cubes: vec![crate::Cube { ones: letter & all, zeros: !letter & all }] }
}
