//! Automata in the language of Graphviz.

use super::{Edge, Graph, Node};

/// A digraph for Graphviz, with a cluster for each automaton if there are several.
pub fn dot(graphs: &[Graph]) -> String {
    let mut out = String::from("digraph {\n");
    out.push_str("  graph [fontname=\"monospace\", fontsize=12, labelloc=t];\n");
    out.push_str("  node [fontname=\"monospace\", fontsize=11, shape=box, style=\"rounded,filled\"");
    out.push_str(", fillcolor=\"#eef2ff\", color=\"#4f5d95\", height=0.3, width=0.4];\n");
    out.push_str("  edge [fontname=\"monospace\", fontsize=10, arrowsize=0.7];\n");
    for (number, graph) in graphs.iter().enumerate() {
        if graphs.len() > 1 {
            out.push_str(&format!("  subgraph cluster_{number} {{\n  label={};\n", quoted(&graph.title)));
            out.push_str(&automaton(graph, number));
            out.push_str("  }\n");
        } else {
            out.push_str(&format!("  label={};\n", quoted(&graph.title)));
            out.push_str(&automaton(graph, number));
        }
    }
    out.push_str("}\n");
    out
}

fn automaton(graph: &Graph, number: usize) -> String {
    let mut out = format!("  \"{number}.start\" [shape=point, width=0.1];\n");
    for node in &graph.nodes {
        let attributes = node_attributes(node);
        out.push_str(&format!("  \"{number}.{}\" [{attributes}];\n", node.id.0));
    }
    let first = graph.nodes.first().map_or(0, |node| node.id.0);
    out.push_str(&format!("  \"{number}.start\" -> \"{number}.{first}\";\n"));
    for (edge, label) in graph.edges.iter().zip(graph.labels()) {
        let (from, to) = (graph.nodes[edge.from].id.0, graph.nodes[edge.to].id.0);
        let attributes = edge_attributes(edge, &label);
        out.push_str(&format!("  \"{number}.{from}\" -> \"{number}.{to}\" [{attributes}];\n"));
    }
    out
}

fn node_attributes(node: &Node) -> String {
    let mut attributes = format!("label={}", quoted(&node.title()));
    if node.is_end || node.is_final {
        attributes.push_str(", peripheries=2");
    }
    if node.is_accept {
        attributes.push_str(", fillcolor=\"#fde68a\"");
    } else if node.is_progress {
        attributes.push_str(", fillcolor=\"#bbf7d0\"");
    }
    if let Some(location) = &node.location {
        attributes
            .push_str(&format!(", tooltip={}", quoted(&format!("{}:{}", location.file, location.line))));
    }
    attributes
}

fn edge_attributes(edge: &Edge, label: &str) -> String {
    let mut attributes = format!("label={}", quoted(label));
    if let Some(location) = &edge.location {
        attributes
            .push_str(&format!(", tooltip={}", quoted(&format!("{}:{}", location.file, location.line))));
    }
    if edge.escape.is_some() {
        attributes.push_str(", style=dashed, color=\"#9333ea\"");
    }
    if edge.atomic {
        attributes.push_str(", penwidth=2");
    }
    attributes
}

/// In a quoted string Graphviz knows `\"`, and takes other backslashes for escapes such as `\n` and `\N`.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}
