//! The control-flow automata of a system as pictures.
//!
//! [`automata`] takes from a system what can be drawn of it; [`text`], [`dot`] and [`svg`] draw one or more of them.

use allways_source::{SourceMap, Span};
use allways_system::{LocationId, System};
use allways_verdict::Location;

/// An automaton to be drawn: the part of a proctype that can be reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Graph {
    /// E.g. `proctype sender`.
    pub title: String,
    /// The first is where it starts. Never empty.
    pub nodes: Vec<Node>,
    /// Grouped by where they start; in order of priority.
    pub edges: Vec<Edge>,
}

/// A point of control.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// Its number in the proctype.
    pub id: LocationId,
    /// The labels that name it.
    pub labels: Vec<String>,
    /// A process may rest here when the system stops.
    pub is_end: bool,
    /// Being here counts as progress.
    pub is_progress: bool,
    /// Being here is accepting.
    pub is_accept: bool,
    /// The statement it is in front of.
    pub location: Option<Location>,
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Index into [`Graph::nodes`].
    pub from: usize,
    /// Index into [`Graph::nodes`].
    pub to: usize,
    /// The statement.
    pub text: String,
    /// For an escape of an `unless`: when it is tried, from 1; all the escapes come before the other statements.
    pub escape: Option<usize>,
    /// The process keeps control afterwards.
    pub atomic: bool,
    /// Where it is written.
    pub location: Location,
}

/// The automata of all proctypes, never claims and traces, in this order.
pub fn automata(_system: &System, _sources: &SourceMap) -> Vec<Graph> {
    Vec::new()
}

/// A listing.
pub fn text(_graphs: &[Graph]) -> String {
    String::new()
}

/// A digraph for Graphviz, with a cluster for each automaton if there are several.
pub fn dot(_graphs: &[Graph]) -> String {
    String::new()
}

/// A picture: a whole SVG document, the automata one below the other.
pub fn svg(_graphs: &[Graph]) -> String {
    String::new()
}

/// A span as people look it up.
pub(crate) fn location(sources: &SourceMap, span: Span) -> Location {
    let position = sources.position(span);
    let file = sources.path(span.file).display().to_string();
    Location { file, line: position.line, column: position.column }
}
