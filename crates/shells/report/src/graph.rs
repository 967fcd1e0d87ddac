//! The control-flow automata of a system as pictures.
//!
//! [`automata`] takes from a system what can be drawn of it, [`automaton`] from a single proctype, [`observer()`] from the
//! automaton of a formula. [`text()`],
//! [`dot()`] and [`svg()`] draw one or more of them.

mod dot;
mod layout;
mod observer;
mod svg;
mod text;

use std::collections::BTreeMap;

use allways_source::{SourceMap, Span};
use allways_system::{Action, LocationId, Proctype, System, Transition};
use allways_verdict::Location;

pub use dot::dot;
pub use observer::observer;
pub use svg::svg;
pub use text::text;

/// An automaton to be drawn: the part of a proctype that can be reached. A `d_step` is one edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Graph {
    /// E.g. `proctype sender`.
    pub title: String,
    /// The first is where it starts, the others are in order of their numbers. Never empty.
    pub nodes: Vec<Node>,
    /// Grouped by where they start, in the order in which they are tried.
    pub edges: Vec<Edge>,
}

/// A point of control.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// Its number in the proctype.
    pub id: LocationId,
    /// The labels that name it.
    pub labels: Vec<String>,
    /// The process ends here.
    pub is_final: bool,
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
    /// Where it is written; none for an automaton that is made from a formula.
    pub location: Option<Location>,
}

/// The automata of all proctypes, never claims and traces, in this order.
pub fn automata(system: &System, sources: &SourceMap) -> Vec<Graph> {
    let graph = |word: &str, proctype: &Proctype| {
        let title = format!("{word} {}", proctype.name);
        automaton(title.trim(), proctype, sources)
    };
    let proctypes = system.proctypes.iter().map(|proctype| match &*proctype.name {
        "init" | ":init:" => automaton("init", proctype, sources),
        _ => graph("proctype", proctype),
    });
    let claims = system.claims.iter().map(|claim| graph("never", &claim.automaton));
    let traces = system
        .traces
        .iter()
        .map(|trace| graph(if trace.forbidden { "notrace" } else { "trace" }, &trace.automaton));
    proctypes.chain(claims).chain(traces).collect()
}

/// The automaton of one proctype.
pub fn automaton(title: &str, proctype: &Proctype, sources: &SourceMap) -> Graph {
    let reachable = reachable(proctype);
    let index: BTreeMap<LocationId, usize> = reachable.iter().copied().zip(0..).collect();
    let nodes = reachable.iter().map(|id| node(proctype, *id, sources)).collect();
    let mut edges = Vec::new();
    for (from, id) in reachable.iter().enumerate() {
        let groups = &proctype.location(*id).groups;
        for (group, transitions) in groups.iter().enumerate() {
            let escape = (group + 1 < groups.len()).then_some(group + 1);
            let drawn =
                transitions.iter().map(|transition| proctype.transition(*transition)).filter(is_drawn);
            edges.extend(drawn.map(|transition| Edge {
                from,
                to: index[&transition.target],
                text: statement(proctype, transition),
                escape,
                atomic: transition.atomic,
                location: Some(location(sources, transition.span)),
            }));
        }
    }
    Graph { title: title.to_string(), nodes, edges }
}

/// The end of a process is shown at its node.
fn is_drawn(transition: &&Transition) -> bool {
    !matches!(transition.action, Action::Terminate)
}

/// The locations that can be reached, the initial one first; not those inside of a `d_step`.
fn reachable(proctype: &Proctype) -> Vec<LocationId> {
    let mut found = vec![false; proctype.locations.len()];
    let mut stack = vec![proctype.initial];
    found[proctype.initial.index()] = true;
    while let Some(location) = stack.pop() {
        let transitions = proctype.location(location).groups.iter().flatten();
        for transition in transitions.map(|id| proctype.transition(*id)).filter(is_drawn) {
            if !std::mem::replace(&mut found[transition.target.index()], true) {
                stack.push(transition.target);
            }
        }
    }
    let others = (0..found.len() as u32).map(LocationId);
    let others = others.filter(|id| found[id.index()] && *id != proctype.initial);
    std::iter::once(proctype.initial).chain(others).collect()
}

fn node(proctype: &Proctype, id: LocationId, sources: &SourceMap) -> Node {
    let declared = proctype.location(id);
    let mut actions = declared.groups.iter().flatten().map(|id| &proctype.transition(*id).action);
    Node {
        id,
        labels: declared.labels.clone(),
        is_final: actions.any(|action| matches!(action, Action::Terminate)),
        is_end: declared.is_end,
        is_progress: declared.is_progress,
        is_accept: declared.is_accept,
        location: declared.span.map(|span| location(sources, span)),
    }
}

/// The text of a statement; for a `d_step`, that of the statements inside until the first choice.
fn statement(proctype: &Proctype, transition: &Transition) -> String {
    let Action::DStep { entry, exit } = transition.action else { return transition.text.to_string() };
    let mut texts = Vec::new();
    let mut at = entry;
    while at != exit {
        let mut next = proctype.location(at).groups.iter().flatten().map(|id| proctype.transition(*id));
        match (next.next(), next.next()) {
            (Some(only), None) if texts.len() < D_STEP_STATEMENTS => {
                texts.push(only.text.as_ref());
                at = only.target;
            }
            _ => {
                texts.push("…");
                break;
            }
        }
    }
    format!("d_step {{ {} }}", texts.join("; "))
}

/// More do not fit into a picture anyway, and a `d_step` can be an endless loop.
const D_STEP_STATEMENTS: usize = 8;

/// A span as people look it up.
pub(crate) fn location(sources: &SourceMap, span: Span) -> Location {
    let position = sources.position(span);
    let file = sources.path(span.file).display().to_string();
    Location { file, line: position.line, column: position.column }
}

impl Node {
    /// The number, and the labels if there are any.
    fn title(&self) -> String {
        match self.labels.is_empty() {
            true => self.id.0.to_string(),
            false => format!("{} {}", self.id.0, self.labels.join(", ")),
        }
    }

    /// What is special about it, in words.
    fn marks(&self) -> Vec<&'static str> {
        let marks = [
            (self.is_final, "final"),
            (self.is_end && !self.is_final, "end"),
            (self.is_accept, "accept"),
            (self.is_progress, "progress"),
        ];
        marks.into_iter().filter(|(is, _)| *is).map(|(_, word)| word).collect()
    }
}

impl Edge {
    /// The statement, with `unless` in front of an escape. If a node has escapes of several priorities
    /// (`numbered`), it says which.
    fn label(&self, numbered: bool) -> String {
        match self.escape {
            None => self.text.clone(),
            Some(priority) if numbered => format!("unless {priority}: {}", self.text),
            Some(_) => format!("unless: {}", self.text),
        }
    }
}

impl Graph {
    /// The labels of all edges, in their order.
    fn labels(&self) -> Vec<String> {
        let mut priorities = vec![0; self.nodes.len()];
        for edge in &self.edges {
            priorities[edge.from] = priorities[edge.from].max(edge.escape.unwrap_or(0));
        }
        self.edges.iter().map(|edge| edge.label(priorities[edge.from] > 1)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawing::tests::check_well_formed;
    use expect_test::{Expect, expect};

    fn graphs(input: &str) -> Vec<Graph> {
        let system = allways_system::parse::parse(input).unwrap();
        let mut sources = SourceMap::default();
        sources.add("m.pml", "one\ntwo\nthree\n");
        automata(&system, &sources)
    }

    /// A loop with a choice, an atomic sequence, a `d_step`, an escape of two priorities, and a location that
    /// cannot be reached.
    const MODEL: &str = r#"
        system
        mtype M0 {}
        g0 x: byte @0:0..1
        proctype P0 p initial L1 @0:0..1
          L0 progress "progress_a" @0:4..5: [t6]
          L1 "again" @0:0..1: [t3] [t4] [t0 t1 t5]
          L2 end @0:8..9: [t2]
          L3 @0:4..5: [t7]
          L4 @0:4..5:
          L5 @0:4..5: [t8]
          t0 L1 -> L0 atomic "x<3 && x>\"1\"" @0:0..1: when (g0:byte < 3)
          t1 L1 -> L1 "else" @0:0..1: else
          t2 L2 -> L2 "-end-" @0:8..9: terminate
          t3 L1 -> L2 "(x==7)" @0:4..5: when (g0:byte == 7)
          t4 L1 -> L2 "(x==8)" @0:4..5: when (g0:byte == 8)
          t5 L1 -> L1 "x = 1" @0:0..1: assign g0:byte := 1
          t6 L0 -> L1 "D_STEP" @0:4..5: d_step L3 .. L4
          t7 L3 -> L4 "x = 2" @0:4..5: assign g0:byte := 2
          t8 L5 -> L1 "never" @0:4..5: skip
        process P0 priority 1
    "#;

    fn check(render: fn(&[Graph]) -> String, expected: Expect) {
        expected.assert_eq(&render(&graphs(MODEL)));
    }

    #[test]
    fn a_listing_has_everything_that_can_be_reached() {
        check(
            text,
            expect![[r#"
            proctype p
              1 again (initial)
                  unless 1: (x==7) -> 2
                  unless 2: (x==8) -> 2
                  x<3 && x>"1"     -> 0 (atomic)
                  else             -> 1
                  x = 1            -> 1
              0 progress_a (progress)
                  d_step { x = 2 } -> 1
              2 (final)
        "#]],
        );
    }

    #[test]
    fn graphviz_gets_quoted_texts() {
        check(
            dot,
            expect![[r##"
            digraph {
              graph [fontname="monospace", fontsize=12, labelloc=t];
              node [fontname="monospace", fontsize=11, shape=box, style="rounded,filled", fillcolor="#eef2ff", color="#4f5d95", height=0.3, width=0.4];
              edge [fontname="monospace", fontsize=10, arrowsize=0.7];
              label="proctype p";
              "0.start" [shape=point, width=0.1];
              "0.1" [label="1 again", tooltip="m.pml:1"];
              "0.0" [label="0 progress_a", fillcolor="#bbf7d0", tooltip="m.pml:2"];
              "0.2" [label="2", peripheries=2, tooltip="m.pml:3"];
              "0.start" -> "0.1";
              "0.1" -> "0.2" [label="unless 1: (x==7)", tooltip="m.pml:2", style=dashed, color="#9333ea"];
              "0.1" -> "0.2" [label="unless 2: (x==8)", tooltip="m.pml:2", style=dashed, color="#9333ea"];
              "0.1" -> "0.0" [label="x<3 && x>\"1\"", tooltip="m.pml:1", penwidth=2];
              "0.1" -> "0.1" [label="else", tooltip="m.pml:1"];
              "0.1" -> "0.1" [label="x = 1", tooltip="m.pml:1"];
              "0.0" -> "0.1" [label="d_step { x = 2 }", tooltip="m.pml:2"];
            }
        "##]],
        );
    }

    #[test]
    fn several_automata_are_clusters() {
        let two = [graphs(MODEL), graphs(MODEL)].concat();
        assert_eq!(dot(&two).matches("subgraph cluster_").count(), 2);
    }

    #[test]
    fn the_picture_is_well_formed() {
        let picture = svg(&graphs(MODEL));
        check_well_formed(&picture);
        for part in ["x&lt;3 &amp;&amp; x&gt;", "else", "unless 2: (x==8)", "d_step { x = 2 }", "m.pml:2"] {
            assert!(picture.contains(part), "{part}");
        }
        check_well_formed(&svg(&[]));
    }
}
