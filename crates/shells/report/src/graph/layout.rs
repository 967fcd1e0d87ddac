//! Where to draw the nodes and arcs of a directed graph: a layered layout after Sugiyama, Tagawa and Toda (1981).
//!
//! 1. [`ranks`]: arcs that close a cycle are turned around, and each node gets a rank such that arcs go down.
//! 2. [`Layered::new`]: the nodes of a rank form a row. Between two rows of nodes is a row for labels. Where an arc
//!    passes a row there is a *bend*; one of the bends of each arc is as large as the arc's label. From then on
//!    labels and nodes are the same thing: items that must not overlap.
//! 3. [`order`]: the items of each row are permuted such that few arcs cross.
//! 4. [`coordinates`]: x for every item (Brandes and Köpf 2002); then y, by the heights of the rows.
//!
//! Unlike Graphviz there are no splines around obstacles: an arc is vertical inside of a row, where the items are,
//! and a curve between rows, where there is nothing but arcs. So it never touches a node or a label of another.

mod coordinates;
mod order;
mod ranks;

#[cfg(test)]
mod tests;

use crate::drawing::Point;

/// How much room something takes around its centre.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Extent {
    pub left: f64,
    pub right: f64,
    /// Half above the centre, half below.
    pub height: f64,
}

/// What to draw between two different nodes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Arc {
    pub from: usize,
    pub to: usize,
    pub label: Extent,
}

/// Where everything is. The upper left corner is 0, 0.
#[derive(Debug)]
pub(super) struct Layout {
    /// The centres of the nodes.
    pub nodes: Vec<Point>,
    /// One per arc.
    pub routes: Vec<Route>,
    pub width: f64,
    pub height: f64,
}

/// The way of an arc.
#[derive(Clone, Debug)]
pub(super) struct Route {
    /// From border to border. An even number: from the first to the second it goes in a curve that starts and ends
    /// vertically, from the second to the third straight, and so on.
    pub points: Vec<Point>,
    /// The centre of the label.
    pub label: Point,
}

/// Lays out a graph in which no arc begins and ends at the same node.
pub(super) fn layout(nodes: &[Extent], arcs: &[Arc]) -> Layout {
    let ranks = ranks::ranks(nodes.len(), arcs);
    let mut layered = Layered::new(nodes, arcs, &ranks);
    order::minimise_crossings(&mut layered);
    let xs = coordinates::assign(&layered);
    place(&layered, arcs, &xs)
}

/// Free room between two items of a row.
const HORIZONTAL_GAP: f64 = 16.0;
/// Free room between two rows, if no arc goes far to the side there.
const VERTICAL_GAP: f64 = 16.0;
/// Arcs that go far to the side get up to this much more.
const MAX_EXTRA_GAP: f64 = 90.0;
/// An arc that goes so far to the side is flat.
const FAR: f64 = 120.0;
/// Between the ends of two arcs at the same node, if it is wide enough.
const PORT_DISTANCE: f64 = 12.0;

/// A graph in which arcs go from a row to the next.
pub(super) struct Layered {
    /// The items of each row, from left to right.
    rows: Vec<Vec<usize>>,
    /// The nodes of the graph, in their order, then the bends.
    items: Vec<Item>,
    n_nodes: usize,
    /// For each arc, the items it passes, from top to bottom: a node, bends, a node.
    chains: Vec<Vec<usize>>,
    /// For each arc, whether it goes from bottom to top.
    reversed: Vec<bool>,
}

struct Item {
    row: usize,
    extent: Extent,
    /// Neither a node nor a label.
    is_bend: bool,
    /// Neighbours in the row above.
    above: Vec<usize>,
    /// Neighbours in the row below.
    below: Vec<usize>,
}

impl Layered {
    fn new(nodes: &[Extent], arcs: &[Arc], ranks: &[usize]) -> Layered {
        let n_rows = ranks.iter().max().map_or(0, |last| 2 * last + 1);
        let mut layered = Layered {
            rows: vec![Vec::new(); n_rows],
            items: Vec::new(),
            n_nodes: nodes.len(),
            chains: Vec::new(),
            reversed: arcs.iter().map(|arc| ranks[arc.from] > ranks[arc.to]).collect(),
        };
        for (extent, rank) in nodes.iter().zip(ranks) {
            layered.add(2 * rank, *extent, false);
        }
        for (index, arc) in arcs.iter().enumerate() {
            let reversed = layered.reversed[index];
            let (top, bottom) = if reversed { (arc.to, arc.from) } else { (arc.from, arc.to) };
            // Next to where the arc begins: the label says when it is taken.
            let label_row = if reversed { 2 * ranks[bottom] - 1 } else { 2 * ranks[top] + 1 };
            let mut chain = vec![top];
            for row in 2 * ranks[top] + 1..2 * ranks[bottom] {
                let is_label = row == label_row;
                let extent = if is_label { arc.label } else { Extent::default() };
                chain.push(layered.add(row, extent, !is_label));
            }
            chain.push(bottom);
            for pair in chain.windows(2) {
                layered.items[pair[0]].below.push(pair[1]);
                layered.items[pair[1]].above.push(pair[0]);
            }
            layered.chains.push(chain);
        }
        layered
    }

    fn add(&mut self, row: usize, extent: Extent, is_bend: bool) -> usize {
        let item = self.items.len();
        self.items.push(Item { row, extent, is_bend, above: Vec::new(), below: Vec::new() });
        self.rows[row].push(item);
        item
    }

    /// The index of each item in its row.
    fn positions(&self) -> Vec<usize> {
        let mut positions = vec![0; self.items.len()];
        for row in &self.rows {
            for (position, item) in row.iter().enumerate() {
                positions[*item] = position;
            }
        }
        positions
    }

    /// How far apart the centres of two neighbours in a row are, at least.
    fn separation(&self, left: usize, right: usize) -> f64 {
        self.items[left].extent.right + HORIZONTAL_GAP + self.items[right].extent.left
    }
}

/// Finds y for every row, and the points of the arcs.
fn place(layered: &Layered, arcs: &[Arc], xs: &[f64]) -> Layout {
    let height = |row: &Vec<usize>| row.iter().map(|i| layered.items[*i].extent.height).fold(0.0, f64::max);
    let heights: Vec<f64> = layered.rows.iter().map(height).collect();
    let mut centres = Vec::new();
    let mut y = 0.0;
    for (row, height) in heights.iter().enumerate() {
        centres.push(y + height / 2.0);
        y += height;
        if row + 1 < heights.len() {
            y += gap_below(layered, xs, row);
        }
    }
    let point = |item: usize| Point::new(xs[item], centres[layered.items[item].row]);
    let ports = ports(layered, xs);
    let route = |index: usize| {
        let chain = &layered.chains[index];
        let (first, last) = (chain[0], chain[chain.len() - 1]);
        let half = |node: usize| layered.items[node].extent.height / 2.0;
        let mut points = vec![Point::new(ports[index].0, point(first).y + half(first))];
        for bend in &chain[1..chain.len() - 1] {
            let (at, row_height) = (point(*bend), heights[layered.items[*bend].row]);
            points.push(Point::new(at.x, at.y - row_height / 2.0));
            points.push(Point::new(at.x, at.y + row_height / 2.0));
        }
        points.push(Point::new(ports[index].1, point(last).y - half(last)));
        let mut label = 1;
        if layered.reversed[index] {
            points.reverse();
            label = chain.len() - 2;
        }
        Route { points, label: point(chain[label]) }
    };
    let right = |item: usize| xs[item] + layered.items[item].extent.right;
    Layout {
        nodes: (0..layered.n_nodes).map(point).collect(),
        routes: (0..arcs.len()).map(route).collect(),
        width: (0..xs.len()).map(right).fold(0.0, f64::max),
        height: y,
    }
}

/// Arcs should not become too flat, the less the more there are.
fn gap_below(layered: &Layered, xs: &[f64], row: usize) -> f64 {
    let shifts = |item: &usize| {
        let (x, below) = (xs[*item], &layered.items[*item].below);
        below.iter().map(move |below| (xs[*below] - x).abs()).collect::<Vec<_>>()
    };
    let shifts: Vec<f64> = layered.rows[row].iter().flat_map(shifts).collect();
    let longest = shifts.iter().copied().fold(0.0, f64::max);
    let n_far = shifts.iter().filter(|shift| **shift > FAR).count();
    VERTICAL_GAP + (longest / 24.0 + 4.0 * n_far as f64).min(MAX_EXTRA_GAP)
}

/// For each arc, x of its upper and its lower end: side by side on the border of the node, in the order in which
/// the arcs go on.
fn ports(layered: &Layered, xs: &[f64]) -> Vec<(f64, f64)> {
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); layered.n_nodes];
    let mut above = below.clone();
    for (arc, chain) in layered.chains.iter().enumerate() {
        below[chain[0]].push(arc);
        above[chain[chain.len() - 1]].push(arc);
    }
    let mut ports = vec![(0.0, 0.0); layered.chains.len()];
    for node in 0..layered.n_nodes {
        let next = |arc: &usize| xs[layered.chains[*arc][1]];
        below[node].sort_by(|a, b| next(a).total_cmp(&next(b)));
        let last = |arc: &usize| xs[layered.chains[*arc][layered.chains[*arc].len() - 2]];
        above[node].sort_by(|a, b| last(a).total_cmp(&last(b)));
        for (position, arc) in below[node].iter().enumerate() {
            ports[*arc].0 = xs[node] + port(layered, node, position, below[node].len());
        }
        for (position, arc) in above[node].iter().enumerate() {
            ports[*arc].1 = xs[node] + port(layered, node, position, above[node].len());
        }
    }
    ports
}

fn port(layered: &Layered, node: usize, position: usize, count: usize) -> f64 {
    // The left half is the node alone; on the right there may be loops.
    let width = 1.8 * layered.items[node].extent.left;
    let distance = PORT_DISTANCE.min(width / count as f64);
    (position as f64 - (count - 1) as f64 / 2.0) * distance
}
