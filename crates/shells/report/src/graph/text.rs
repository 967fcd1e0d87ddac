//! Automata as a listing: for every node the statements that leave it, in the order in which they are tried.

use super::Graph;
use crate::drawing::columns;

/// A listing.
pub fn text(graphs: &[Graph]) -> String {
    graphs.iter().map(listing).collect::<Vec<_>>().join("\n")
}

/// Texts beyond this do not push the arrows of all others to the right.
const ALIGNED: usize = 50;

fn listing(graph: &Graph) -> String {
    let labels = graph.labels();
    let widths = labels.iter().map(|label| columns(label)).filter(|width| *width <= ALIGNED);
    let aligned = widths.max().unwrap_or(0);
    let mut out = format!("{}\n", graph.title);
    let mut edges = graph.edges.iter().zip(&labels).peekable();
    for (index, node) in graph.nodes.iter().enumerate() {
        let mut marks = node.marks();
        if index == 0 {
            marks.insert(0, "initial");
        }
        let marks = if marks.is_empty() { String::new() } else { format!(" ({})", marks.join(", ")) };
        out.push_str(&format!("  {}{marks}\n", node.title()));
        while let Some((edge, label)) = edges.next_if(|(edge, _)| edge.from == index) {
            let padding = " ".repeat(aligned.saturating_sub(columns(label)));
            let atomic = if edge.atomic { " (atomic)" } else { "" };
            out.push_str(&format!("      {label}{padding} -> {}{atomic}\n", graph.nodes[edge.to].id.0));
        }
    }
    out
}
