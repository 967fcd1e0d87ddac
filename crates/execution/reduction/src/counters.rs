//! Loops that count: no cycle of the state graph contains such a loop alone.
//!
//! Let `x` be a slot that, among the live edges, is only counted up by one (or only down by one). In a cycle it must
//! come round: it takes every value of its type. Between two counts of a process-owned slot its value is fixed, so if
//! every way from one count to the next leads over a condition on `x` that some value does not satisfy, the cycle is
//! impossible. Such are the loops that `for` and the usual `i < n -> ...; i++` make.

use allways_system::{Action, BinaryOp, Expr, LocationId, Place, Scalar, Scope, System};

use crate::Instance;
use crate::graph::Graph;
use crate::objects::for_each_slot;

/// A slot of an instance that some of its edges count.
#[derive(PartialEq, Eq)]
pub(crate) struct Counter {
    /// Edges that count, all in the same direction, by one.
    counts: Vec<usize>,
    /// Other edges that may write the slot.
    writes: Vec<usize>,
    /// Edges with a condition that not all values satisfy.
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
        let frame = &system.proctype(instances[instance].proctype).frame;
        for variable in frame.variables.iter().filter(|variable| !variable.hidden) {
            let scalars = variable.shape.scalars();
            for (offset, scalar) in scalars.iter().enumerate() {
                for up in [true, false] {
                    let slot = variable.base + offset as u32;
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
            if counts(action, slot) == Some(up) && !transition.resets.contains(&slot) {
                counter.counts.push(index);
            } else if writes(action, slot) || transition.resets.contains(&slot) {
                counter.writes.push(index);
            } else if is_bound(action, slot, scalar) {
                counter.bounds.push(index);
            }
        }
        (!counter.counts.is_empty()).then_some(counter)
    }

    /// Takes away the counting edges that cannot be in a cycle of the live edges of its instance. Says whether there were any.
    pub fn stop(&self, graph: &Graph, live: &mut [bool]) -> bool {
        let is_live = |edge: &usize| live[*edge];
        if self.writes.iter().any(is_live) || !self.counts.iter().any(is_live) {
            return false;
        }
        // If the process can die in the cycle and be created anew, the slot begins afresh.
        if graph.edges.iter().enumerate().any(|(index, edge)| edge.effect.is_death && live[index]) {
            return false;
        }
        let stops = self.never_wraps || !self.counts_twice(graph, live);
        if stops {
            self.counts.iter().for_each(|count| live[*count] = false);
        }
        stops
    }

    /// Whether live edges lead from one count to the next without a bound.
    fn counts_twice(&self, graph: &Graph, live: &[bool]) -> bool {
        let mut seen = vec![false; graph.first.len() - 1];
        let mut todo = Vec::new();
        let mut arrive = |location: LocationId, todo: &mut Vec<LocationId>| {
            if !std::mem::replace(&mut seen[location.index()], true) {
                todo.push(location);
            }
        };
        let live_counts = || self.counts.iter().filter(|count| live[**count]);
        live_counts().for_each(|count| arrive(graph.edges[*count].target, &mut todo));
        while let Some(location) = todo.pop() {
            for index in graph.range(location).filter(|index| live[*index] && !self.bounds.contains(index)) {
                if self.counts.contains(&index) {
                    return true;
                }
                arrive(graph.edges[index].target, &mut todo);
            }
        }
        false
    }
}

/// Whether it adds one to the slot (true) or takes one away (false), and does nothing else.
fn counts(action: &Action, slot: u32) -> Option<bool> {
    let Action::Assign(place, Expr::Binary(op, operands)) = action else { return None };
    if !is_slot(place, slot) {
        return None;
    }
    let by = match &**operands {
        (Expr::Load(other), Expr::Constant(by)) if other == place => *by,
        (Expr::Constant(by), Expr::Load(other)) if other == place && *op == BinaryOp::Add => *by,
        _ => return None,
    };
    match (op, by) {
        (BinaryOp::Add, 1) | (BinaryOp::Subtract, -1) => Some(true),
        (BinaryOp::Subtract, 1) | (BinaryOp::Add, -1) => Some(false),
        _ => None,
    }
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
