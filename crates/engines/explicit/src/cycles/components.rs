//! Strongly connected components on the fly (Couvreur 1999), for several marks at once and for fairness.
//!
//! The depth-first search keeps the components that are still open, in the order of their roots, with the marks of the
//! edges inside. An edge back to an open component merges all above it. A component with all marks is what is looked
//! for, even before it is complete. Weak fairness is one more mark per process, on the edges on which it moves or
//! cannot move.
//!
//! Strong fairness and conditions with marks that must not come again (Rabin, Streett, Emerson-Lei) are not a matter of
//! marks that are gathered. When a component is complete, `good_parts.rs` looks for a part of it that meets them.
//!
//! For a shortest way the search goes on to its end, and components that are accepted get names when they are complete. A
//! breadth-first search then finds the nearest.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::good_parts::{Good, good_part};
use super::lasso::Found;
use super::nodes::Numbers;
use super::product::{Demand, Node, Product, Successor};
use super::{Clock, CycleOutcome, Fairness, Halt, Pids, Space};

/// The number of a node whose component is complete and of no interest.
const DEAD: u32 = u32::MAX;
/// Numbers from here on are names of complete components that are accepted; there are not more.
const FIRST_NAME: u32 = u32::MAX - (1 << 20);

/// Searches; with `shortest` for a lasso whose prefix is as short as can be.
pub fn search<S: Space>(
    product: &mut Product<S>,
    shortest: bool,
    clock: &mut Clock,
    outcome: &mut CycleOutcome,
) -> Result<Option<Found>, Halt> {
    let mut search = Search {
        product,
        shortest,
        n_names: 0,
        wins: false,
        numbers: Numbers::default(),
        n_numbers: 0,
        frames: Vec::new(),
        successors: Vec::new(),
        live: Vec::new(),
        roots: Vec::new(),
    };
    let mut found = search.run(clock, outcome);
    if shortest && matches!(found, Ok(None)) && (search.wins || search.n_names > 0) {
        found = search.nearest(clock, outcome);
    }
    if found.as_ref().is_err_and(|halt| *halt == Halt::Letter) {
        outcome.letter_fault = true;
        found = Ok(Some(Found::prefix(search.frames.iter().map(|frame| frame.node))));
    }
    outcome.node_bytes = search.numbers.bytes();
    outcome.statistics.store_bytes = search.product.space.bytes() + outcome.node_bytes;
    found
}

struct Search<'s, 'p, S> {
    product: &'s mut Product<'p, S>,
    shortest: bool,
    /// How many components have names.
    n_names: u32,
    /// Somewhere a run is accepted whatever follows.
    wins: bool,
    /// In the order in which nodes are met, from 1; 0 if not met.
    numbers: Numbers,
    n_numbers: u32,
    frames: Vec<Frame>,
    /// Of the nodes on the path, those of one after those of another.
    successors: Vec<Successor>,
    /// The nodes of open components, in the order of their numbers.
    live: Vec<Node>,
    roots: Vec<Root>,
}

struct Frame {
    node: Node,
    /// Who moved to get here.
    movers: Pids,
    first: usize,
    next: usize,
}

/// An open component.
struct Root {
    /// Of its first node.
    number: u32,
    /// Where its nodes begin among the live ones.
    first_live: usize,
    /// Of the edges inside.
    marks: Pids,
    /// Of the edge that leads to it.
    marks_of_entry: Pids,
    /// It has a cycle.
    is_cyclic: bool,
}

impl<S: Space> Search<'_, '_, S> {
    fn bytes(&self) -> u64 {
        let frames = self.frames.capacity() * size_of::<Frame>();
        let successors = self.successors.capacity() * size_of::<Successor>();
        self.product.space.bytes()
            + self.numbers.bytes()
            + (frames + successors + self.live.capacity() * size_of::<Node>()) as u64
    }

    fn run(&mut self, clock: &mut Clock, outcome: &mut CycleOutcome) -> Result<Option<Found>, Halt> {
        let demand = self.product.demand();
        // Whether a part of a component that has the marks is good, whatever else is in the component.
        let by_marks = self.product.fairness != Fairness::Strong;
        // All that is demanded, if that is marks that must come again.
        let simple = demand.again.filter(|_| by_marks);
        let initial = self.product.initial()?;
        self.enter(initial, 0, 0, clock, outcome)?;
        while let Some(frame) = self.frames.last_mut() {
            if frame.next == self.successors.len() {
                if let Some(found) = self.leave(simple, &demand)? {
                    return Ok(Some(found));
                }
                continue;
            }
            let next = self.successors[frame.next];
            frame.next += 1;
            if next.wins && self.shortest {
                self.wins = true;
                continue;
            }
            if next.wins {
                let path = self.frames.iter().map(|frame| frame.node);
                return Ok(Some(Found::prefix(path)));
            }
            match self.numbers.get(next.node) {
                0 => {
                    if clock.limits.depth.is_some_and(|limit| self.frames.len() as u64 > limit) {
                        outcome.depth_cut = true;
                        continue;
                    }
                    self.enter(next.node, next.marks, next.movers, clock, outcome)?;
                }
                FIRST_NAME.. => outcome.statistics.matched += 1,
                number => {
                    outcome.statistics.matched += 1;
                    self.merge(number, next.marks);
                    let root = &self.roots[self.roots.len() - 1];
                    if by_marks
                        && (!self.shortest || simple.is_none())
                        && let Some(all) = demand.needed(root.marks)
                    {
                        // Edges that were not taken yet may have marks that must not come again.
                        let avoided = demand.not_again & !root.marks;
                        let members = self.live[root.first_live..].to_vec();
                        return self.cycle(&members, all, avoided).map(Some);
                    }
                }
            }
        }
        Ok(None)
    }

    fn enter(
        &mut self,
        node: Node,
        marks: Pids,
        movers: Pids,
        clock: &mut Clock,
        outcome: &mut CycleOutcome,
    ) -> Result<(), Halt> {
        self.n_numbers += 1;
        if self.n_numbers == FIRST_NAME {
            return Err(Halt::TooLarge(format!("more than {FIRST_NAME} states of system and property")));
        }
        self.numbers.set(node, self.n_numbers);
        outcome.statistics.states += 1;
        outcome.visits += 1;
        let first = self.successors.len();
        self.frames.push(Frame { node, movers, first, next: first });
        self.product.successors(node, &mut self.successors)?;
        self.roots.push(Root {
            number: self.n_numbers,
            first_live: self.live.len(),
            marks: 0,
            marks_of_entry: marks,
            is_cyclic: false,
        });
        self.live.push(node);
        outcome.statistics.depth = outcome.statistics.depth.max(self.frames.len() as u64 - 1);
        clock.tick(outcome, self.product.space.effort(), || self.bytes())
    }

    /// An edge with these marks leads back to the open component with this number in it.
    fn merge(&mut self, number: u32, marks: Pids) {
        let mut marks = marks;
        while let Some(root) = self.roots.pop() {
            marks |= root.marks;
            if root.number <= number {
                self.roots.push(Root { marks, is_cyclic: true, ..root });
                return;
            }
            marks |= root.marks_of_entry;
        }
    }

    /// Goes back from the last node. If its component is complete it is looked at for what the marks alone do not tell.
    fn leave(&mut self, simple: Option<Pids>, demand: &Demand) -> Result<Option<Found>, Halt> {
        let Some(frame) = self.frames.pop() else { return Ok(None) };
        self.successors.truncate(frame.first);
        let number = self.numbers.get(frame.node);
        let Some(root) = self.roots.pop_if(|root| root.number == number) else { return Ok(None) };
        let members = self.live.split_off(root.first_live);
        let mut name = DEAD;
        if let Some(all) = simple {
            let is_accepted = root.is_cyclic && root.marks & all == all;
            if is_accepted && FIRST_NAME + self.n_names < DEAD {
                name = FIRST_NAME + self.n_names;
                self.n_names += 1;
            }
        } else if root.is_cyclic
            && let Some(good) = good_part(self.product, &members, root.marks, demand)?
        {
            // The path still leads to the root; the rest of the way is inside the component.
            self.frames.push(frame);
            return self.good_cycle(&members, &good).map(Some);
        }
        for member in members {
            self.numbers.set(member, name);
        }
        Ok(None)
    }

    /// The shortest way to a node that wins or is in a component with a name, and a short cycle there.
    fn nearest(&mut self, clock: &mut Clock, outcome: &mut CycleOutcome) -> Result<Option<Found>, Halt> {
        let initial = self.product.initial()?;
        let mut from: FxHashMap<Node, (Node, Pids)> = FxHashMap::default();
        let mut waiting = VecDeque::from([initial]);
        let mut successors = Vec::new();
        while let Some(node) = waiting.pop_front() {
            successors.clear();
            self.product.successors(node, &mut successors)?;
            let number = self.numbers.get(node);
            let is_named = (FIRST_NAME..DEAD).contains(&number);
            if is_named || successors.iter().any(|next| next.wins) {
                let mut way = vec![(node, None)];
                let mut at = node;
                while let Some((before, movers)) = from.get(&at) {
                    way[0].1 = way[0].1.or(Some(*movers));
                    way.push((*before, None));
                    let last = way.len() - 1;
                    way[last].1 = from.get(before).map(|(_, movers)| *movers);
                    at = *before;
                }
                way.reverse();
                if !is_named {
                    return Ok(Some(Found { nodes: way, back: None }));
                }
                return self.named_cycle(way, number).map(Some);
            }
            for next in &successors {
                if next.node != initial && !from.contains_key(&next.node) {
                    from.insert(next.node, (node, next.movers));
                    waiting.push_back(next.node);
                }
            }
            clock.tick(outcome, self.product.space.effort(), || self.bytes())?;
        }
        Ok(None)
    }

    /// A cycle with all marks in the component with a name, from the end of a way.
    fn named_cycle(&mut self, way: Vec<(Node, Option<Pids>)>, name: u32) -> Result<Found, Halt> {
        let start = way.len() - 1;
        let mut members = FxHashSet::from_iter([way[start].0]);
        let mut todo = vec![way[start].0];
        let mut successors = Vec::new();
        while let Some(node) = todo.pop() {
            successors.clear();
            self.product.successors(node, &mut successors)?;
            for next in successors.iter().filter(|next| self.numbers.get(next.node) == name) {
                if members.insert(next.node) {
                    todo.push(next.node);
                }
            }
        }
        // Only where marks have to come again, and nothing else is demanded, do components have names.
        let all = self.product.demand().again.unwrap_or(0);
        let mut cycle = Cycle::new(way, start);
        let mut met: Pids = 0;
        while met & all != all {
            let wanted = all & !met;
            met |= cycle.go(self.product, &members, |next| next.marks & wanted != 0)?;
        }
        cycle.close(self.product, &members)
    }

    /// A cycle with all these marks through a component that has them, without some others.
    fn cycle(&mut self, members: &[Node], all: Pids, avoided: Pids) -> Result<Found, Halt> {
        let members: FxHashSet<Node> = members.iter().copied().collect();
        let mut nodes = Vec::new();
        for frame in &self.frames {
            nodes.push((frame.node, Some(frame.movers)));
            if members.contains(&frame.node) {
                break;
            }
        }
        let start = nodes.len() - 1;
        let mut cycle = Cycle { avoided, ..Cycle::new(nodes, start) };
        let mut met: Pids = 0;
        while met & all != all {
            let wanted = all & !met;
            met |= cycle.go(self.product, &members, |next| next.marks & wanted != 0)?;
        }
        cycle.close(self.product, &members)
    }

    /// A cycle as demanded through a part of a component that was found good.
    fn good_cycle(&mut self, members: &[Node], part: &Good) -> Result<Found, Halt> {
        let everything: FxHashSet<Node> = members.iter().copied().collect();
        let good: FxHashSet<Node> = part.nodes.iter().copied().collect();
        let mut nodes = Vec::new();
        for frame in &self.frames {
            nodes.push((frame.node, Some(frame.movers)));
            if everything.contains(&frame.node) {
                break;
            }
        }
        let start = nodes.len() - 1;
        let mut way = Cycle::new(nodes, start);
        if !good.contains(&way.last()) {
            way.go(self.product, &everything, |next| good.contains(&next.node))?;
        }
        let start = way.nodes.len() - 1;
        let mut cycle = Cycle { start, avoided: part.avoided, ..way };
        let (all, must_move) = (part.needed, part.must_move);
        let (mut met, mut moved): (Pids, Pids) = (0, 0);
        while met & all != all || moved & must_move != must_move {
            let (wanted, waiting) = (all & !met, must_move & !moved);
            let (marks, movers) = cycle.go_with_movers(self.product, &good, |next| {
                next.marks & wanted != 0 || next.movers & waiting != 0
            })?;
            met |= marks;
            moved |= movers;
        }
        cycle.close(self.product, &good)
    }
}

/// A cycle that is being put together.
struct Cycle {
    nodes: Vec<(Node, Option<Pids>)>,
    start: usize,
    /// It goes over no edge with one of these marks.
    avoided: Pids,
}

impl Cycle {
    fn new(nodes: Vec<(Node, Option<Pids>)>, start: usize) -> Cycle {
        Cycle { nodes, start, avoided: 0 }
    }

    fn last(&self) -> Node {
        self.nodes[self.nodes.len() - 1].0
    }

    /// Goes a shortest way over an edge that is wanted; the marks that are met.
    fn go<S: Space>(
        &mut self,
        product: &mut Product<S>,
        members: &FxHashSet<Node>,
        is_wanted: impl Fn(&Successor) -> bool,
    ) -> Result<Pids, Halt> {
        Ok(self.go_with_movers(product, members, is_wanted)?.0)
    }

    fn go_with_movers<S: Space>(
        &mut self,
        product: &mut Product<S>,
        members: &FxHashSet<Node>,
        is_wanted: impl Fn(&Successor) -> bool,
    ) -> Result<(Pids, Pids), Halt> {
        let start = self.last();
        let mut from: FxHashMap<Node, (Node, Successor)> = FxHashMap::default();
        let mut waiting = VecDeque::from([start]);
        let mut successors = Vec::new();
        while let Some(node) = waiting.pop_front() {
            successors.clear();
            product.successors(node, &mut successors)?;
            let allowed = |next: &&Successor| members.contains(&next.node) && next.marks & self.avoided == 0;
            for next in successors.iter().filter(allowed) {
                if is_wanted(next) {
                    let mut way = vec![*next];
                    let mut at = node;
                    while at != start {
                        let (before, edge) = from[&at];
                        way.push(edge);
                        at = before;
                    }
                    way.reverse();
                    self.nodes.extend(way.iter().map(|edge| (edge.node, Some(edge.movers))));
                    let union = |of: fn(&Successor) -> Pids| way.iter().fold(0, |all, edge| all | of(edge));
                    return Ok((union(|edge| edge.marks), union(|edge| edge.movers)));
                }
                if next.node != start && !from.contains_key(&next.node) {
                    from.insert(next.node, (node, *next));
                    waiting.push_back(next.node);
                }
            }
        }
        // The component is connected and has such an edge.
        Err(Halt::TooLarge("a component without a way through it".to_string()))
    }

    /// Goes back to where the cycle began.
    fn close<S: Space>(mut self, product: &mut Product<S>, members: &FxHashSet<Node>) -> Result<Found, Halt> {
        let home = self.nodes[self.start].0;
        if self.last() != home || self.nodes.len() - 1 == self.start {
            self.go(product, members, |next| next.node == home)?;
        }
        let Some((_, movers)) = self.nodes.pop() else { return Ok(Found { nodes: self.nodes, back: None }) };
        Ok(Found { nodes: self.nodes, back: Some((self.start, movers)) })
    }
}
