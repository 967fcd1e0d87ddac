//! Automata as a picture, without the help of Graphviz.

use super::layout::{self, Arc, Extent, Layout, Route};
use super::{Edge, Graph, Node};
use crate::drawing::{Anchor, Drawing, FONT_SIZE, LINE_HEIGHT, Path, Point, shorten, width, wrap};

/// A picture: a whole SVG document with all the automata.
pub fn svg(graphs: &[Graph]) -> String {
    let figures: Vec<Figure> = graphs.iter().map(Figure::new).collect();
    let shelves = shelves(&figures);
    let mut drawing = Drawing::default();
    let mut right = 0.0f64;
    for (figure, at) in figures.iter().zip(&shelves.places) {
        figure.draw(&mut drawing, *at);
        right = right.max(at.x + figure.width());
    }
    let entries = legend(graphs);
    let mut bottom = shelves.bottom;
    if !entries.is_empty() {
        right = right.max(MARGIN + draw_legend(&mut drawing, &entries, Point::new(MARGIN, bottom)));
        bottom += LEGEND;
    }
    let titles: Vec<&str> = graphs.iter().map(|graph| &*graph.title).collect();
    drawing.finish(&titles.join(", "), right + MARGIN, bottom)
}

const MARGIN: f64 = 20.0;
/// Above an automaton, for its title and for the arrow to its initial node.
const TITLE: f64 = 26.0;
const INITIAL: f64 = 26.0;
const LEGEND: f64 = 34.0;
const NODE_HEIGHT: f64 = 24.0;
const MIN_NODE_WIDTH: f64 = 34.0;
/// Heads of arrows that are closer to each other overlap.
const ARROW_ROOM: f64 = 9.0;
/// Longer names are cut; the whole name is in the tooltip.
const MAX_NAME: usize = 28;
/// Longer statements are broken into lines, and cut if that is not enough.
const LABEL_COLUMNS: usize = 34;
const LABEL_LINES: usize = 4;
/// Automata are put side by side until the picture is this wide.
const PAGE: f64 = 1400.0;

/// One automaton, laid out.
struct Figure<'a> {
    graph: &'a Graph,
    /// Of the nodes.
    half_widths: Vec<f64>,
    bundles: Vec<Bundle>,
    loops: Vec<Bundle>,
    layout: Layout,
}

/// Edges between the same nodes that look the same: one arrow, the statements one below the other.
struct Bundle {
    from: usize,
    to: usize,
    /// Indices into [`Graph::edges`]. Never empty.
    edges: Vec<usize>,
    lines: Vec<Line>,
}

/// A line of a label and the edge it belongs to.
struct Line {
    edge: usize,
    text: String,
}

impl Bundle {
    fn size(&self) -> (f64, f64) {
        let widest = self.lines.iter().map(|line| width(&line.text)).fold(0.0, f64::max);
        (widest, self.lines.len() as f64 * LINE_HEIGHT)
    }
}

impl<'a> Figure<'a> {
    fn new(graph: &'a Graph) -> Figure<'a> {
        let (loops, bundles): (Vec<Bundle>, Vec<Bundle>) =
            bundles(graph).into_iter().partition(|bundle| bundle.from == bundle.to);
        let half_widths = half_widths(graph, &bundles);
        let extent = |half: &f64| Extent { left: *half, right: *half, height: NODE_HEIGHT };
        let mut extents: Vec<Extent> = half_widths.iter().map(extent).collect();
        for bundle in &loops {
            let (label_width, label_height) = bundle.size();
            let extent = &mut extents[bundle.from];
            extent.right += LOOP + label_width + 6.0;
            extent.height = extent.height.max(label_height);
        }
        let arc = |bundle: &Bundle| {
            let (width, height) = bundle.size();
            let half = width / 2.0 + 3.0;
            Arc { from: bundle.from, to: bundle.to, label: Extent { left: half, right: half, height } }
        };
        let arcs: Vec<Arc> = bundles.iter().map(arc).collect();
        let layout = layout::layout(&extents, &arcs);
        Figure { graph, half_widths, bundles, loops, layout }
    }

    fn width(&self) -> f64 {
        self.layout.width.max(width(&self.graph.title))
    }

    fn height(&self) -> f64 {
        TITLE + INITIAL + self.layout.height
    }

    fn draw(&self, drawing: &mut Drawing, at: Point) {
        drawing.text("title", Anchor::Start, Point::new(at.x, at.y + FONT_SIZE), &self.graph.title);
        let origin = Point::new(at.x, at.y + TITLE + INITIAL);
        for (bundle, route) in self.bundles.iter().zip(&self.layout.routes) {
            self.draw_arrow(drawing, bundle, route, origin);
        }
        // All labels after all arrows: nothing is drawn over a text.
        for (bundle, route) in self.bundles.iter().zip(&self.layout.routes) {
            self.draw_label(drawing, bundle, shifted(route.label, origin), Anchor::Middle);
        }
        for (index, node) in self.graph.nodes.iter().enumerate() {
            draw_node(drawing, node, shifted(self.layout.nodes[index], origin), self.half_widths[index]);
        }
        self.draw_loops(drawing, origin);
        self.draw_initial(drawing, origin);
    }

    fn draw_arrow(&self, drawing: &mut Drawing, bundle: &Bundle, route: &Route, origin: Point) {
        let points: Vec<Point> = route.points.iter().map(|point| shifted(*point, origin)).collect();
        let (start, tip, before) = (points[0], points[points.len() - 1], points[points.len() - 2]);
        let down = if before.y < tip.y { 1.0 } else { -1.0 };
        let mut path = Path::from(start);
        for (index, pair) in points.windows(2).enumerate() {
            let (from, mut to) = (pair[0], pair[1]);
            if index + 2 == points.len() {
                // The line ends inside of the head, or a thick one would stick out.
                to.y -= 5.0 * down;
            }
            path = if index % 2 == 1 || from.x == to.x {
                path.line_to(to)
            } else {
                // Vertical at the ends, but soon almost straight: arcs that go far to the side fan out.
                let bow = ((to.y - from.y) / 2.0).clamp(-BOW, BOW);
                path.curve_to(Point::new(from.x, from.y + bow), Point::new(to.x, to.y - bow), to)
            };
        }
        let edge = &self.graph.edges[bundle.edges[0]];
        drawing.begin(&self.tooltip(&bundle.edges));
        drawing.path(&line_class(edge), &path);
        drawing.arrow_head(head_class(edge), Point::new(tip.x, tip.y - down), tip);
        drawing.end();
    }

    /// Centred around `at`, or to the right of it.
    fn draw_label(&self, drawing: &mut Drawing, bundle: &Bundle, at: Point, anchor: Anchor) {
        let (label_width, label_height) = bundle.size();
        let left = if anchor == Anchor::Middle { at.x - label_width / 2.0 } else { at.x };
        let top = at.y - label_height / 2.0;
        drawing.rectangle("bg", Point::new(left - 2.0, top), label_width + 4.0, label_height, 3.0);
        // Lines of one label start at the same place: statements are easier to tell apart.
        for (number, line) in bundle.lines.iter().enumerate() {
            let base = Point::new(left, top + number as f64 * LINE_HEIGHT + FONT_SIZE - 1.0);
            let class = if self.graph.edges[line.edge].escape.is_some() { "escape-text" } else { "" };
            drawing.begin(&self.tooltip(&[line.edge]));
            drawing.text(class, Anchor::Start, base, &line.text);
            drawing.end();
        }
    }

    /// Loops are to the right of their node, their labels beside them.
    fn draw_loops(&self, drawing: &mut Drawing, origin: Point) {
        let mut used = vec![0.0; self.graph.nodes.len()];
        for bundle in &self.loops {
            let node = shifted(self.layout.nodes[bundle.from], origin);
            let border = node.x + self.half_widths[bundle.from];
            let edge = &self.graph.edges[bundle.edges[0]];
            let far = border + used[bundle.from] + LOOP;
            let (out, back) = (Point::new(border, node.y + 6.0), Point::new(border, node.y - 6.0));
            let path = Path::from(out).curve_to(
                Point::new(far, node.y + 16.0),
                Point::new(far, node.y - 16.0),
                Point::new(back.x + 5.0, back.y - 1.2),
            );
            drawing.begin(&self.tooltip(&bundle.edges));
            drawing.path(&line_class(edge), &path);
            drawing.arrow_head(head_class(edge), Point::new(back.x + 8.0, back.y - 3.0), back);
            drawing.end();
            self.draw_label(drawing, bundle, Point::new(far, node.y), Anchor::Start);
            used[bundle.from] += LOOP + bundle.size().0 + 6.0;
        }
    }

    fn draw_initial(&self, drawing: &mut Drawing, origin: Point) {
        let Some(first) = self.layout.nodes.first() else { return };
        let node = shifted(*first, origin);
        let tip = Point::new(node.x, node.y - NODE_HEIGHT / 2.0);
        let start = Point::new(node.x, tip.y - 18.0);
        drawing.line("line", start, Point::new(tip.x, tip.y - 5.0));
        drawing.circle("head", start, 4.0);
        drawing.arrow_head("head", start, tip);
    }

    fn tooltip(&self, edges: &[usize]) -> String {
        let describe = |index: &usize| {
            let edge = &self.graph.edges[*index];
            let atomic = if edge.atomic { " (atomic)" } else { "" };
            let place = edge.location.as_ref().map(|place| format!("{}:{}  ", place.file, place.line));
            format!("{}{}{atomic}", place.unwrap_or_default(), edge.text)
        };
        edges.iter().map(describe).collect::<Vec<_>>().join("\n")
    }
}

/// How far an arrow goes down before it turns to the side.
const BOW: f64 = 16.0;
/// How far a loop reaches.
const LOOP: f64 = 24.0;

fn bundles(graph: &Graph) -> Vec<Bundle> {
    let mut bundles: Vec<Bundle> = Vec::new();
    let look = |edge: &Edge| (edge.from, edge.to, edge.escape.is_some(), edge.atomic);
    for (index, (edge, label)) in graph.edges.iter().zip(graph.labels()).enumerate() {
        let texts = wrap(&label, LABEL_COLUMNS, LABEL_LINES).into_iter().enumerate();
        // What belongs to the line above is indented.
        let indented = |(number, text)| if number == 0 { text } else { format!("  {text}") };
        let lines = texts.map(|line| Line { edge: index, text: indented(line) });
        // Edges are grouped by where they start: only the last few can match.
        let near = bundles.iter_mut().rev().take_while(|bundle| bundle.from == edge.from);
        match near.into_iter().find(|bundle| look(&graph.edges[bundle.edges[0]]) == look(edge)) {
            Some(bundle) => {
                bundle.edges.push(index);
                bundle.lines.extend(lines);
            }
            None => {
                let (from, to, lines) = (edge.from, edge.to, lines.collect());
                bundles.push(Bundle { from, to, edges: vec![index], lines });
            }
        }
    }
    bundles
}

/// Nodes are wide enough for their names and for their arrows.
fn half_widths(graph: &Graph, bundles: &[Bundle]) -> Vec<f64> {
    let mut n_arrows = vec![0; graph.nodes.len()];
    for bundle in bundles {
        n_arrows[bundle.from] += 1;
        n_arrows[bundle.to] += 1;
    }
    let wide_enough = |(node, n_arrows): (&Node, i32)| {
        let name = half_width(&node.title());
        name.max(n_arrows as f64 * ARROW_ROOM / 2.0)
    };
    graph.nodes.iter().zip(n_arrows).map(wide_enough).collect()
}

fn half_width(title: &str) -> f64 {
    (width(&shorten(title, MAX_NAME)) + 16.0).max(MIN_NODE_WIDTH) / 2.0
}

fn draw_node(drawing: &mut Drawing, node: &Node, at: Point, half: f64) {
    let corner = |inset: f64| Point::new(at.x - half + inset, at.y - NODE_HEIGHT / 2.0 + inset);
    let place = node.location.as_ref().map(|place| format!("{}:{}\n", place.file, place.line));
    let marks = node.marks().join(", ");
    drawing.begin(&format!("{}{} {marks}", place.unwrap_or_default(), node.title()));
    let class = match (node.is_accept, node.is_progress) {
        (true, _) => "box accept",
        (false, true) => "box progress",
        (false, false) => "box",
    };
    let radius = if node.is_final { 12.0 } else { 6.0 };
    drawing.rectangle(class, corner(0.0), 2.0 * half, NODE_HEIGHT, radius);
    if node.is_end || node.is_final {
        let (width, height) = (2.0 * half - 6.0, NODE_HEIGHT - 6.0);
        drawing.rectangle("frame", corner(3.0), width, height, (radius - 3.0).max(3.0));
    }
    let base = Point::new(at.x, at.y + FONT_SIZE / 3.0);
    drawing.text("", Anchor::Middle, base, &shorten(&node.title(), MAX_NAME));
    drawing.end();
}

fn line_class(edge: &Edge) -> String {
    let escape = if edge.escape.is_some() { " escape" } else { "" };
    let atomic = if edge.atomic { " atomic" } else { "" };
    format!("line{escape}{atomic}")
}

fn head_class(edge: &Edge) -> &'static str {
    if edge.escape.is_some() { "escape-head" } else { "head" }
}

fn shifted(point: Point, by: Point) -> Point {
    Point::new(point.x + by.x, point.y + by.y)
}

struct Shelves {
    places: Vec<Point>,
    bottom: f64,
}

/// Side by side, as long as they fit into the page; then below.
fn shelves(figures: &[Figure]) -> Shelves {
    let mut places = Vec::new();
    let (mut at, mut height) = (Point::new(MARGIN, MARGIN), 0.0f64);
    for figure in figures {
        if at.x > MARGIN && at.x + figure.width() > PAGE {
            at = Point::new(MARGIN, at.y + height + 2.0 * MARGIN);
            height = 0.0;
        }
        places.push(at);
        at.x += figure.width() + 2.5 * MARGIN;
        height = height.max(figure.height());
    }
    Shelves { places, bottom: at.y + height + MARGIN }
}

/// How something looks and what that means.
struct Entry {
    node: Option<Node>,
    line: &'static str,
    head: &'static str,
    text: &'static str,
}

/// What has to be explained.
fn legend(graphs: &[Graph]) -> Vec<Entry> {
    let nodes = || graphs.iter().flat_map(|graph| &graph.nodes);
    let edges = || graphs.iter().flat_map(|graph| &graph.edges);
    let node_like = |is: fn(&Node) -> bool, text| {
        let node = nodes().find(|node| is(node))?;
        let plain =
            Node { labels: Vec::new(), location: None, is_end: false, is_final: false, ..node.clone() };
        let node = Node { is_accept: false, is_progress: false, ..plain };
        Some(Entry { node: Some(node), line: "", head: "", text })
    };
    let mark = |entry: Option<Entry>, set: fn(&mut Node)| {
        let mut entry = entry?;
        entry.node.as_mut().map(set);
        Some(entry)
    };
    let edge_like = |is: fn(&Edge) -> bool, line, head, text| {
        edges().any(is).then_some(Entry { node: None, line, head, text })
    };
    let entries = [
        mark(node_like(|node| node.is_final, "the process ends"), |node| node.is_final = true),
        mark(node_like(|node| node.is_end && !node.is_final, "may stop here"), |node| node.is_end = true),
        mark(node_like(|node| node.is_accept, "accept"), |node| node.is_accept = true),
        mark(node_like(|node| node.is_progress, "progress"), |node| node.is_progress = true),
        edge_like(|edge| edge.atomic, "line atomic", "head", "atomic: keeps control"),
        edge_like(|edge| edge.escape.is_some(), "line escape", "escape-head", "escape (unless), tried first"),
    ];
    entries.into_iter().flatten().collect()
}

/// Returns how wide it is.
fn draw_legend(drawing: &mut Drawing, entries: &[Entry], at: Point) -> f64 {
    let mut x = at.x;
    let y = at.y + NODE_HEIGHT / 2.0;
    for entry in entries {
        match &entry.node {
            Some(node) => {
                let half = MIN_NODE_WIDTH / 2.0;
                draw_node(drawing, node, Point::new(x + half, y), half);
            }
            None => {
                let (from, to) = (Point::new(x, y), Point::new(x + MIN_NODE_WIDTH, y));
                drawing.line(entry.line, from, Point::new(to.x - 5.0, y));
                drawing.arrow_head(entry.head, from, to);
            }
        }
        let text = Point::new(x + MIN_NODE_WIDTH + 8.0, y + FONT_SIZE / 3.0);
        drawing.text("muted", Anchor::Start, text, entry.text);
        x = text.x + width(entry.text) + 24.0;
    }
    x - at.x
}
