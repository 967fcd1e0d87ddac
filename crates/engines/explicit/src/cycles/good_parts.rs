//! The part of a component in which a run can stay as an Emerson-Lei condition and strong fairness ask.
//!
//! Both are about what must not happen. A condition asks that some marks do not come again. Strong fairness asks that
//! a process that can move somewhere moves somewhere; where one never does, a run has to avoid the states in which it
//! can move. Without these edges or states the component falls apart, and its parts are looked at in turn (Emerson, Lei
//! 1987).
//!
//! A Streett condition never leaves a choice: a mark that may come again only together with another must be avoided
//! exactly if the component lacks the other. So its cost is that of a few searches for components per pair, and the number of
//! its disjunctive terms does not matter. Other conditions are split at their disjunctions, but only where the
//! component as a whole does not meet them (as in Baier and others 2019).

use std::rc::Rc;

use allways_system::Condition;
use rustc_hash::FxHashMap;

use super::product::{Demand, Node, Product, strongly_connected};
use super::{Fairness, Halt, Pids, Space};

/// A part of a component that has a cycle as demanded.
pub struct Good {
    /// Connected by edges without the marks that are avoided.
    pub nodes: Vec<Node>,
    pub avoided: Pids,
    /// The marks that the cycle has to have.
    pub needed: Pids,
    /// The processes that have to move, with strong fairness.
    pub must_move: Pids,
}

/// What is still to be looked at.
struct Task {
    part: Rc<Part>,
    condition: Condition,
    avoided: Pids,
}

/// Looks for a part of a component that has these marks.
pub fn good_part<S: Space>(
    product: &mut Product<S>,
    members: &[Node],
    marks: Pids,
    demand: &Demand,
) -> Result<Option<Good>, Halt> {
    let condition = demand.condition.within(marks);
    if marks & demand.fair != demand.fair || condition == Condition::FALSE {
        return Ok(None);
    }
    let whole = Rc::new(Part::new(product, members.to_vec(), 0)?);
    let mut tasks = vec![Task { part: whole, condition, avoided: 0 }];
    while let Some(Task { part, condition, avoided }) = tasks.pop() {
        if part.edges.iter().all(Vec::is_empty) || part.marks & demand.fair != demand.fair {
            continue;
        }
        let condition = condition.within(part.marks);
        if condition == Condition::FALSE {
            continue;
        }
        let starved = match product.fairness {
            Fairness::Strong => part.enabled & !part.moved,
            _ => 0,
        };
        let must_avoid = condition.must_avoid();
        if starved != 0 || must_avoid != 0 {
            let avoided = avoided | must_avoid;
            let parts = part.split(product, avoided, |enabled| enabled & starved == 0)?;
            let task = |part| Task { part: Rc::new(part), condition: condition.clone(), avoided };
            tasks.extend(parts.into_iter().map(task));
            continue;
        }
        if let Some(needed) = condition.needed(part.marks) {
            // Marks that the part does not have need not be avoided.
            let must_move = part.enabled & part.moved;
            let must_move = if product.fairness == Fairness::Strong { must_move } else { 0 };
            let needed = needed | demand.fair;
            return Ok(Some(Good { nodes: part.nodes.clone(), avoided, needed, must_move }));
        }
        let choices = condition.choices(part.marks).into_iter().rev();
        tasks.extend(choices.map(|condition| Task { part: Rc::clone(&part), condition, avoided }));
    }
    Ok(None)
}

/// Some nodes, and what happens among them without the edges that must be avoided.
struct Part {
    nodes: Vec<Node>,
    /// By position in `nodes`.
    edges: Vec<Vec<usize>>,
    enabled_at: Vec<Pids>,
    /// Of all edges and nodes together.
    marks: Pids,
    moved: Pids,
    enabled: Pids,
}

impl Part {
    fn new<S: Space>(product: &mut Product<S>, nodes: Vec<Node>, avoided: Pids) -> Result<Part, Halt> {
        let position: FxHashMap<Node, usize> =
            nodes.iter().enumerate().map(|(at, node)| (*node, at)).collect();
        let mut part = Part {
            edges: Vec::with_capacity(nodes.len()),
            enabled_at: Vec::with_capacity(nodes.len()),
            nodes,
            marks: 0,
            moved: 0,
            enabled: 0,
        };
        let mut successors = Vec::new();
        for node in &part.nodes {
            successors.clear();
            product.successors(*node, &mut successors)?;
            part.enabled_at.push(product.enabled());
            part.enabled |= product.enabled();
            let mut inside = Vec::new();
            for next in successors.iter().filter(|next| !next.wins && next.marks & avoided == 0) {
                if let Some(at) = position.get(&next.node) {
                    inside.push(*at);
                    part.marks |= next.marks;
                    part.moved |= next.movers;
                }
            }
            part.edges.push(inside);
        }
        Ok(part)
    }

    /// The connected parts of what is left without edges with some marks, and if only nodes stay that may: it depends
    /// on who can move there.
    fn split<S: Space>(
        &self,
        product: &mut Product<S>,
        avoided: Pids,
        may_stay: impl Fn(Pids) -> bool,
    ) -> Result<Vec<Part>, Halt> {
        let stay = |at: &usize| may_stay(self.enabled_at[*at]);
        let nodes: Vec<Node> = (0..self.nodes.len()).filter(stay).map(|at| self.nodes[at]).collect();
        let left = Part::new(product, nodes, avoided)?;
        let component = strongly_connected(left.nodes.len(), |at| left.edges[at].iter().copied());
        let n = component.iter().max().map_or(0, |most| *most as usize + 1);
        let mut split: Vec<Vec<Node>> = vec![Vec::new(); n];
        for (node, number) in left.nodes.iter().zip(&component) {
            split[*number as usize].push(*node);
        }
        split.into_iter().map(|nodes| Part::new(product, nodes, avoided)).collect()
    }
}
