//! Loops that count: no cycle of the state graph contains such a loop alone.
//!
//! Let `x` be a slot that, among the live edges, is only counted up by one (or only down by one). In a cycle it must
//! come round: it takes every value of its type. Between two counts of a process-owned slot its value is fixed, so if there is
//! a value that stops it, one that does not satisfy some condition on `x` on every way from one count to the next, the cycle is
//! impossible. Such are the loops that `for` and the usual `i < n -> ...; i++` make. It must be the same value on all ways:
//! with `i < n -> i++` and `i >= n -> i++` side by side every value goes on.

use allways_system::{Action, BinaryOp, Expr, LocationId, Place, Scalar, Scope, System};

use rustc_hash::FxHashSet;

use crate::Instance;
use crate::graph::{Edge, Graph};
use crate::objects::for_each_slot;

/// So many values are tried.
const MAX_VALUES: usize = 16;

/// A slot of an instance that some of its edges count, and a value that may stop it.
#[derive(PartialEq, Eq)]
pub(crate) struct Counter {
    /// Edges that count, all in the same direction, by one. Sorted, never empty.
    pub counts: Vec<usize>,
    /// Other edges that may write the slot.
    writes: Vec<usize>,
    /// Edges with a condition that the value does not satisfy, sorted.
    bounds: Vec<usize>,
    /// A value that does not fit is an error, so the slot never comes round.
    never_wraps: bool,
}

/// Finds, per instance, the counters among the locals that are part of the state and that no other process can write: none can.
pub(crate) fn find(
    system: &System,
    instances: &[Instance],
    graphs: &[Graph],
    check_overflow: bool,
) -> Vec<Vec<Counter>> {
    let mut all = Vec::new();
    for (instance, graph) in graphs.iter().enumerate() {
        let mut found = Vec::new();
        let counted = |edge: &Edge| counted(&instances[instance].code.transition(edge.transition).action);
        let counted: FxHashSet<(u32, bool)> = graph.edges.iter().filter_map(counted).collect();
        if counted.is_empty() {
            all.push(found);
            continue;
        }
        let frame = &system.proctype(instances[instance].proctype).frame;
        for variable in frame.variables.iter().filter(|variable| !variable.hidden) {
            let scalars = variable.shape.scalars();
            for (offset, scalar) in scalars.iter().enumerate() {
                let slot = variable.base + offset as u32;
                for up in [true, false].into_iter().filter(|up| counted.contains(&(slot, *up))) {
                    found.extend(counters(&instances[instance], graph, slot, *scalar, up, check_overflow));
                }
            }
        }
        all.push(found);
    }
    all
}

/// One for each value that may stop a slot, if no other one stops it on more edges.
fn counters(
    instance: &Instance,
    graph: &Graph,
    slot: u32,
    scalar: Scalar,
    up: bool,
    never_wraps: bool,
) -> Vec<Counter> {
    let (mut counts, mut writing, mut conditions) = (vec![], vec![], vec![]);
    for (index, edge) in graph.edges.iter().enumerate() {
        let transition = instance.code.transition(edge.transition);
        let action = &transition.action;
        if counted(action) == Some((slot, up)) && !transition.resets.contains(&slot) {
            counts.push(index);
        } else if writes(action, slot) || transition.resets.contains(&slot) {
            writing.push(index);
        } else if let Action::Condition(condition) = action {
            conditions.push((index, condition));
        }
    }
    if counts.is_empty() {
        return Vec::new();
    }
    let mut values = Vec::new();
    if let Some((least, greatest)) = range(scalar) {
        let mut constants = Vec::new();
        conditions.iter().for_each(|(_, condition)| compared_with(condition, slot, &mut constants));
        let near = |constant: i32| [constant, constant.saturating_sub(1), constant.saturating_add(1)];
        // The first of them stop most loops.
        values.extend(if up { [greatest, least] } else { [least, greatest] });
        values
            .extend(constants.into_iter().flat_map(near).filter(|value| (least..=greatest).contains(value)));
        let mut seen = FxHashSet::default();
        values.retain(|value| seen.insert(*value));
        values.truncate(MAX_VALUES);
    }
    let mut bounds: Vec<Vec<usize>> = Vec::new();
    for value in values {
        let stops = |(_, condition): &&(usize, &Expr)| excludes(condition, slot, value);
        let edges: Vec<usize> = conditions.iter().filter(stops).map(|(index, _)| *index).collect();
        let has = |more: &[usize], fewer: &[usize]| fewer.iter().all(|edge| more.contains(edge));
        if !bounds.iter().any(|others| has(others, &edges)) {
            bounds.retain(|others| !has(&edges, others));
            bounds.push(edges);
        }
    }
    if bounds.is_empty() || never_wraps {
        bounds = vec![Vec::new()];
    }
    let counter = |bounds| Counter { counts: counts.clone(), writes: writing.clone(), bounds, never_wraps };
    bounds.into_iter().map(counter).collect()
}

impl Counter {
    /// Whether no counting edge can be in a cycle of the live edges of its instance, in which no process dies. `witness` is how it was last
    /// seen to count twice, if it was.
    pub fn stops(&self, graph: &Graph, live: &[bool], witness: &mut Vec<usize>, walk: &mut Walk) -> bool {
        let is_live = |edge: &usize| live[*edge];
        if !self.counts.iter().any(is_live) || self.writes.iter().any(is_live) {
            return false;
        }
        if self.never_wraps {
            return true;
        }
        if !witness.is_empty() && witness.iter().all(is_live) {
            return false;
        }
        !self.counts_twice(graph, live, witness, walk)
    }

    /// Whether live edges lead from one count to the next without a bound, and which.
    fn counts_twice(&self, graph: &Graph, live: &[bool], witness: &mut Vec<usize>, walk: &mut Walk) -> bool {
        let is_count = |edge: usize| self.counts.binary_search(&edge).is_ok();
        walk.begin(graph);
        for &count in self.counts.iter().filter(|count| live[**count]) {
            walk.arrive(graph.edges[count].target, count);
        }
        while let Some(location) = walk.next() {
            for index in graph.range(location).filter(|index| live[*index]) {
                walk.n_edges += 1;
                if is_count(index) {
                    witness.clear();
                    witness.push(index);
                    let mut before = walk.came_by(location);
                    while !is_count(before) {
                        witness.push(before);
                        before = walk.came_by(graph.edges[before].source);
                    }
                    witness.push(before);
                    return true;
                }
                if self.bounds.binary_search(&index).is_err() {
                    walk.arrive(graph.edges[index].target, index);
                }
            }
        }
        false
    }
}

/// A walk through a control graph, with memory that is used again.
#[derive(Default)]
pub(crate) struct Walk {
    /// Per location: the number of the last walk that came there, and by which edge.
    seen: Vec<(u32, usize)>,
    number: u32,
    todo: Vec<LocationId>,
    /// How many edges were looked at.
    pub n_edges: usize,
}

impl Walk {
    pub fn begin(&mut self, graph: &Graph) {
        let n_locations = graph.first.len() - 1;
        if self.seen.len() < n_locations {
            self.seen.resize(n_locations, (0, 0));
        }
        self.number += 1;
        self.todo.clear();
    }

    pub fn arrive(&mut self, location: LocationId, edge: usize) {
        let seen = &mut self.seen[location.index()];
        if seen.0 != self.number {
            *seen = (self.number, edge);
            self.todo.push(location);
        }
    }

    pub fn next(&mut self) -> Option<LocationId> {
        self.todo.pop()
    }

    fn came_by(&self, location: LocationId) -> usize {
        self.seen[location.index()].1
    }
}

/// The slot that it adds one to (true) or takes one away from (false), if it does nothing else.
fn counted(action: &Action) -> Option<(u32, bool)> {
    let Action::Assign(place, Expr::Binary(op, operands)) = action else { return None };
    if !is_slot(place, place.base) {
        return None;
    }
    let by = match &**operands {
        (Expr::Load(other), Expr::Constant(by)) if other == place => *by,
        (Expr::Constant(by), Expr::Load(other)) if other == place && *op == BinaryOp::Add => *by,
        _ => return None,
    };
    let up = match (op, by) {
        (BinaryOp::Add, 1) | (BinaryOp::Subtract, -1) => true,
        (BinaryOp::Subtract, 1) | (BinaryOp::Add, -1) => false,
        _ => return None,
    };
    Some((place.base, up))
}

fn is_slot(place: &Place, slot: u32) -> bool {
    place.scope == Scope::Local && place.base == slot && place.indices.is_empty()
}

/// Whether it can write the slot. Inside a `d_step` anything can happen.
fn writes(action: &Action, slot: u32) -> bool {
    let touches = |place: &Place| {
        let mut found = false;
        if place.scope == Scope::Local {
            for_each_slot(place, &mut |other| found |= other == slot);
        }
        found
    };
    match action {
        Action::Assign(place, _) => touches(place),
        Action::AssignAll(assignments) => assignments.iter().any(|(place, _)| touches(place)),
        Action::Receive { patterns, .. } => patterns
            .iter()
            .any(|pattern| matches!(pattern, allways_system::Pattern::Store(place) if touches(place))),
        Action::Run { result, .. } => result.as_deref().is_some_and(touches),
        Action::DStep { .. } => true,
        _ => false,
    }
}

/// What a condition says about the slot, if it is a comparison with a constant.
fn comparison(condition: &Expr, slot: u32) -> Option<(BinaryOp, i32)> {
    let is_it = |expr: &Expr| matches!(expr, Expr::Load(place) if is_slot(place, slot));
    let Expr::Binary(op, operands) = condition else { return None };
    match &**operands {
        (a, Expr::Constant(constant)) if is_it(a) => Some((*op, *constant)),
        (Expr::Constant(constant), b) if is_it(b) => Some((mirrored(*op), *constant)),
        _ => None,
    }
}

/// With what a condition, or one of those that it joins, compares the slot.
fn compared_with(condition: &Expr, slot: u32, constants: &mut Vec<i32>) {
    match condition {
        Expr::Binary(BinaryOp::And, operands) => {
            compared_with(&operands.0, slot, constants);
            compared_with(&operands.1, slot, constants);
        }
        _ => constants.extend(comparison(condition, slot).map(|(_, constant)| constant)),
    }
}

/// Whether it is a condition, or joins one with others, that this value of the slot does not satisfy.
fn excludes(condition: &Expr, slot: u32, value: i32) -> bool {
    if let Expr::Binary(BinaryOp::And, operands) = condition {
        return excludes(&operands.0, slot, value) || excludes(&operands.1, slot, value);
    }
    match comparison(condition, slot) {
        Some((BinaryOp::Less, constant)) => value >= constant,
        Some((BinaryOp::LessEqual, constant)) => value > constant,
        Some((BinaryOp::Greater, constant)) => value <= constant,
        Some((BinaryOp::GreaterEqual, constant)) => value < constant,
        Some((BinaryOp::Equal, constant)) => value != constant,
        Some((BinaryOp::NotEqual, constant)) => value == constant,
        _ => false,
    }
}

fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Less => BinaryOp::Greater,
        BinaryOp::LessEqual => BinaryOp::GreaterEqual,
        BinaryOp::Greater => BinaryOp::Less,
        BinaryOp::GreaterEqual => BinaryOp::LessEqual,
        other => other,
    }
}

/// The values of a type that counts.
fn range(scalar: Scalar) -> Option<(i32, i32)> {
    Some(match scalar {
        Scalar::Bit | Scalar::Bool => (0, 1),
        Scalar::Byte | Scalar::Pid => (0, 255),
        Scalar::Short => (i16::MIN.into(), i16::MAX.into()),
        Scalar::Int => (i32::MIN, i32::MAX),
        Scalar::Unsigned(bits) => (0, ((1u32 << bits) - 1) as i32),
        Scalar::Mtype(_) | Scalar::Chan => return None,
    })
}
