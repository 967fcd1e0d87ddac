use std::time::{Duration, Instant};

use super::*;

/// A box that must not overlap another.
#[derive(Clone, Copy, Debug)]
struct Area {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Area {
    fn new(at: Point, extent: Extent) -> Area {
        let half = extent.height / 2.0;
        Area { left: at.x - extent.left, right: at.x + extent.right, top: at.y - half, bottom: at.y + half }
    }

    fn overlaps(&self, other: &Area) -> bool {
        let apart = |low: f64, high: f64| low >= high - 1e-6;
        !(apart(other.left, self.right)
            || apart(self.left, other.right)
            || apart(other.top, self.bottom)
            || apart(self.top, other.bottom))
    }
}

/// Numbers that look random and are the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % bound
    }

    fn extent(&mut self) -> Extent {
        let half = 10.0 + self.below(60) as f64;
        Extent { left: half, right: half + self.below(3) as f64 * 30.0, height: 12.0 + self.below(40) as f64 }
    }
}

/// Nodes that can all be reached from the first; some arcs go far.
fn random_graph(numbers: &mut Numbers, n_nodes: usize, n_extra: usize) -> (Vec<Extent>, Vec<Arc>) {
    let nodes: Vec<Extent> = (0..n_nodes).map(|_| numbers.extent()).collect();
    let mut arcs = Vec::new();
    let mut add = |from: usize, to: usize, label: Extent| {
        if from != to {
            arcs.push(Arc { from, to, label });
        }
    };
    for to in 1..n_nodes {
        add(numbers.below(to), to, numbers.extent());
    }
    for _ in 0..n_extra {
        add(numbers.below(n_nodes), numbers.below(n_nodes), numbers.extent());
    }
    (nodes, arcs)
}

/// Statements one after the other, with loops and jumps, most of them short: like a real model, only longer.
fn long_model(numbers: &mut Numbers, n_nodes: usize) -> (Vec<Extent>, Vec<Arc>) {
    let nodes: Vec<Extent> = (0..n_nodes).map(|_| numbers.extent()).collect();
    let mut arcs = Vec::new();
    for from in 0..n_nodes - 1 {
        arcs.push(Arc { from, to: from + 1, label: numbers.extent() });
        let distance = if numbers.below(40) == 0 { 500 } else { 12 };
        let to = (from + numbers.below(2 * distance)).saturating_sub(distance).min(n_nodes - 1);
        if numbers.below(3) == 0 && to != from {
            arcs.push(Arc { from, to, label: numbers.extent() });
        }
    }
    (nodes, arcs)
}

fn areas(nodes: &[Extent], arcs: &[Arc], layout: &Layout) -> Vec<Area> {
    let nodes = layout.nodes.iter().zip(nodes).map(|(at, extent)| Area::new(*at, *extent));
    let labels = layout.routes.iter().zip(arcs).map(|(route, arc)| Area::new(route.label, arc.label));
    nodes.chain(labels).collect()
}

#[track_caller]
fn check(nodes: &[Extent], arcs: &[Arc]) {
    let layout = layout(nodes, arcs);
    assert_eq!(layout.nodes.len(), nodes.len());
    assert_eq!(layout.routes.len(), arcs.len());
    let areas = areas(nodes, arcs, &layout);
    for (index, area) in areas.iter().enumerate() {
        assert!(area.left >= -1e-6 && area.right <= layout.width + 1e-6, "{area:?} is outside");
        assert!(area.top >= -1e-6 && area.bottom <= layout.height + 1e-6, "{area:?} is outside");
        for other in &areas[..index] {
            assert!(!area.overlaps(other), "{area:?} and {other:?} overlap");
        }
    }
    for (index, (arc, route)) in arcs.iter().zip(&layout.routes).enumerate() {
        check_route(arc, route, &areas);
        check_distance(&areas, &route.points, [arc.from, arc.to, nodes.len() + index]);
    }
}

/// It goes from the one node to the other, through its label.
#[track_caller]
fn check_route(arc: &Arc, route: &Route, areas: &[Area]) {
    let on_border = |point: Point, area: &Area| {
        let vertical = (point.y - area.top).abs().min((point.y - area.bottom).abs());
        vertical < 1e-6 && area.left <= point.x && point.x <= area.right
    };
    assert!(route.points.len() >= 4 && route.points.len().is_multiple_of(2));
    assert!(on_border(route.points[0], &areas[arc.from]), "{arc:?} starts at {:?}", route.points[0]);
    assert!(on_border(*route.points.last().unwrap(), &areas[arc.to]), "{arc:?}");
    let passes = |pair: &[Point]| pair[0].x == route.label.x && pair[1].x == route.label.x;
    assert!(route.points[1..].chunks(2).any(passes), "{arc:?} passes its label");
}

/// Its vertical parts, which are where the nodes and labels are, do not touch those of others.
#[track_caller]
fn check_distance(areas: &[Area], points: &[Point], own: [usize; 3]) {
    for pair in points[1..points.len() - 1].chunks(2) {
        let (top, bottom) = (pair[0].y.min(pair[1].y), pair[0].y.max(pair[1].y));
        let line = Area { left: pair[0].x - 1.0, right: pair[0].x + 1.0, top, bottom };
        for (index, area) in areas.iter().enumerate().filter(|(index, _)| !own.contains(index)) {
            assert!(!line.overlaps(area), "{line:?} is drawn over {index}: {area:?}");
        }
    }
}

#[test]
fn nothing_overlaps_in_random_graphs() {
    let mut numbers = Numbers(1);
    for round in 0..150 {
        let n_nodes = 1 + numbers.below(5 + round / 3);
        let n_extra = numbers.below(2 * n_nodes);
        let (nodes, arcs) = random_graph(&mut numbers, n_nodes, n_extra);
        check(&nodes, &arcs);
    }
}

#[test]
fn nothing_overlaps_in_long_models() {
    let mut numbers = Numbers(2);
    for _ in 0..10 {
        let (nodes, arcs) = long_model(&mut numbers, 80);
        check(&nodes, &arcs);
    }
}

#[test]
fn every_small_graph_can_be_drawn() {
    let label = Extent { left: 5.0, right: 5.0, height: 10.0 };
    let all: Vec<(usize, usize)> =
        (0..4).flat_map(|from| (0..4).map(move |to| (from, to))).filter(|(from, to)| from != to).collect();
    for set in 0..1u32 << all.len() {
        let chosen = all.iter().enumerate().filter(|(index, _)| set >> index & 1 == 1);
        let arcs: Vec<Arc> = chosen.map(|(_, (from, to))| Arc { from: *from, to: *to, label }).collect();
        check(&[label; 4], &arcs);
    }
}

#[test]
fn a_graph_may_be_empty() {
    check(&[], &[]);
}

#[test]
fn large_graphs_are_laid_out_quickly() {
    let mut numbers = Numbers(3);
    let start = Instant::now();
    for (nodes, arcs) in [
        long_model(&mut numbers, 2000),
        random_graph(&mut numbers, 2000, 400),
        // A hundred times as many bends as nodes, and nothing that anybody could read.
        random_graph(&mut numbers, 2000, 1000),
    ] {
        layout(&nodes, &arcs);
    }
    // The limit is for a slow and busy machine without optimisations.
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn the_same_graph_looks_the_same_every_time() {
    let (nodes, arcs) = random_graph(&mut Numbers(4), 40, 40);
    let draw = || format!("{:?}", layout(&nodes, &arcs));
    assert_eq!(draw(), draw());
}

#[test]
fn a_sequence_is_straight() {
    let label = Extent { left: 20.0, right: 20.0, height: 10.0 };
    let arcs = [0, 1, 2].map(|from| Arc { from, to: from + 1, label });
    let layout = layout(&[label; 4], &arcs);
    assert!(layout.nodes.iter().all(|node| node.x == layout.nodes[0].x));
    assert!(layout.nodes.is_sorted_by(|a, b| a.y < b.y));
}
