//! Loops that count: no cycle of the state graph contains such a loop alone.
//!
//! Let `x` be a slot that, among the live edges, is only counted up by one (or only down by one). In a cycle it must
//! come round: it takes every value of its type. Between two counts of a process-owned slot its value is fixed, so if
//! every way from one count to the next leads over a condition on `x` that some value does not satisfy, the cycle is
//! impossible. Such are the loops that `for` and the usual `i < n -> ...; i++` make.

use allways_system::{Action, BinaryOp, Expr, LocationId, Place, Scalar, Scope, System};

use rustc_hash::FxHashSet;

use crate::Instance;
use crate::graph::{Edge, Graph};
use crate::objects::for_each_slot;

/// A slot of an instance that some of its edges count.
#[derive(PartialEq, Eq)]
pub(crate) struct Counter {
    /// Edges that count, all in the same direction, by one. Sorted, never empty.
    pub counts: Vec<usize>,
    /// Other edges that may write the slot.
    writes: Vec<usize>,
    /// Edges with a condition that not all values satisfy, sorted.
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
                    let counter = Counter::new(&instances[instance], graph, slot, *scalar, up);
                    found.extend(counter.map(|counter| Counter { never_wraps: check_overflow, ..counter }));
                }
            }
        }
        all.push(found);
    }
    all
}

impl Counter {
    fn new(instance: &Instance, graph: &Graph, slot: u32, scalar: Scalar, up: bool) -> Option<Counter> {
        let mut counter = Counter { counts: vec![], writes: vec![], bounds: vec![], never_wraps: false };
        for (index, edge) in graph.edges.iter().enumerate() {
            let transition = instance.code.transition(edge.transition);
            let action = &transition.action;
            if counted(action) == Some((slot, up)) && !transition.resets.contains(&slot) {
                counter.counts.push(index);
            } else if writes(action, slot) || transition.resets.contains(&slot) {
                counter.writes.push(index);
            } else if is_bound(action, slot, scalar) {
                counter.bounds.push(index);
            }
        }
        (!counter.counts.is_empty()).then_some(counter)
    }

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
        Action::Run { result, .. } => result.as_ref().is_some_and(touches),
        Action::DStep { .. } => true,
        _ => false,
    }
}

/// Whether it is a condition (or a conjunction with one) that some value of the slot does not satisfy.
fn is_bound(action: &Action, slot: u32, scalar: Scalar) -> bool {
    matches!(action, Action::Condition(condition) if excludes(condition, slot, scalar))
}

fn excludes(condition: &Expr, slot: u32, scalar: Scalar) -> bool {
    let is_it = |expr: &Expr| matches!(expr, Expr::Load(place) if is_slot(place, slot));
    let Some((least, greatest)) = range(scalar) else { return false };
    let Expr::Binary(op, operands) = condition else { return false };
    let (op, constant) = match &**operands {
        (a, b) if *op == BinaryOp::And => {
            return excludes(a, slot, scalar) || excludes(b, slot, scalar);
        }
        (a, Expr::Constant(constant)) if is_it(a) => (*op, *constant),
        (Expr::Constant(constant), b) if is_it(b) => (mirrored(*op), *constant),
        _ => return false,
    };
    match op {
        BinaryOp::Less => constant <= greatest,
        BinaryOp::LessEqual => constant < greatest,
        BinaryOp::Greater => constant >= least,
        BinaryOp::GreaterEqual => constant > least,
        BinaryOp::Equal => least < greatest,
        BinaryOp::NotEqual => (least..=greatest).contains(&constant),
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
